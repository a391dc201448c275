/** The tables under the table: points by round and in total, and how long each seat thought. */

import { duration, element, numeral, say } from "./drawing.js";

function header(scope, className, text) {
  const cell = element("th", className, text);
  cell.scope = scope;
  return cell;
}

function jump(text, label, go) {
  const button = element("button", "", text);
  button.type = "button";
  button.setAttribute("aria-label", label);
  button.addEventListener("click", go);
  return button;
}

export class Scores {
  /** `goToRound` is called with the number of a round. */
  constructor(parts, words, replay, names, goToRound) {
    Object.assign(this, { words, replay });
    this.head = element("tr");
    this.head.append(header("col", "", say(words, "bot")));
    for (const { round } of replay.rounds) {
      const cell = header("col", "num", "");
      cell.append(jump(say(words, "round-short", { round }), say(words, "go-to-round", { round }), () => goToRound(round)));
      this.head.append(cell);
    }
    this.head.append(header("col", "num", say(words, "total")));
    parts["scores-head"].append(this.head);
    this.rows = names.map((name) => {
      const row = element("tr");
      const cells = replay.rounds.map(() => element("td", "num"));
      const sum = element("td", "num viewer-total");
      row.append(header("row", "", name), ...cells, sum);
      parts.scores.append(row);
      return { cells, sum };
    });
  }

  show(step) {
    this.replay.rounds.forEach((round, r) => {
      const isDone = round.round < step.round.round || (round === step.round && step.kind === "result");
      const isCurrent = round === step.round;
      this.head.children[r + 1].classList.toggle("is-current", isCurrent);
      this.rows.forEach(({ cells }, s) => {
        cells[r].classList.toggle("is-current", isCurrent);
        if (isDone) this.showPoints(cells[r], round, s);
        else cells[r].textContent = "·";
      });
    });
    this.rows.forEach(({ sum }, s) => (sum.textContent = numeral(step.table.totals[s])));
  }

  showPoints(cell, { dealt, result }, seat) {
    cell.textContent = dealt[seat] === null ? "–" : numeral(result.points[seat]);
    if (result.closer !== seat) return;
    const closer = say(this.words, "closer");
    const word = result.doubled === seat ? `${closer} ${say(this.words, "doubled")}` : closer;
    cell.prepend(element("small", "", word), " ");
  }
}

/** How long each seat's decisions took. Times are known as upper bounds, each twice the one before. */
export function layTimes(parts, words, replay, steps, names, goToStep) {
  const head = element("tr");
  const columns = ["decisions", "typical", "slowest", "whole-game"].map((word) => header("col", "num", say(words, word)));
  head.append(header("col", "", say(words, "bot")), ...columns);
  parts["times-head"].append(head);
  names.forEach((name, seat) => {
    const own = steps
      .flatMap(({ decision }, step) => (decision?.seat === seat && decision.cpu_ms_below ? [{ step, ms: decision.cpu_ms_below }] : []))
      .sort((a, b) => a.ms - b.ms || b.step - a.step);
    const row = element("tr");
    const figures = [String(own.length), "–", "–", duration(replay.seats[seat].cpu_ms)].map((text) => element("td", "num", text));
    if (own.length) {
      const below = (ms) => say(words, "below", { time: duration(ms) });
      const { step, ms } = own.at(-1);
      figures[1].textContent = below(own[Math.floor((own.length - 1) / 2)].ms);
      figures[2].replaceChildren(jump(below(ms), say(words, "go-to-slowest", { name, time: duration(ms) }), () => goToStep(step)));
    }
    row.append(header("row", "", name), ...figures);
    parts.times.append(row);
  });
}
