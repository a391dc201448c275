/**
 * The replay viewer: shows an expanded replay (docs/replay.md) step by step.
 *
 * It knows no rules. A step is the opening of a round, a decision, or the result of a round; what changes on the table is
 * what the step's events say. All texts come from the page: sentences from the log, which has one line a step, and
 * words from a template, so that they are translated in one place.
 */

const STEP_MS = 900; // of one decision at speed 1
const RESULT_STEPS = 3; // a round's result stays for so many steps' time
const MOTION_MS = 200;
const SPEED_KEY = "viewer-speed";

// ---------------------------------------------------------------------------------------------- what is on the table

/** The table after each step, from first to last. Tables share what a step leaves as it is. */
export function stepsOf(replay) {
  const steps = [];
  let table = { totals: replay.seats.map(() => 0) };
  for (const round of replay.rounds) {
    const add = (kind, decision, events) => {
      const moves = [];
      let next = { ...table, chosen: [] };
      if (decision?.phase === "reveal") {
        next.chosen = [...table.chosen, { seat: decision.seat, cells: decision.action.cells }];
      }
      for (const event of events) next = apply(next, event, round, moves);
      if (moves.some((move) => move.kind === "reveal")) next.chosen = [];
      table = next;
      steps.push({ kind, round, decision, table, moves });
    };
    add("opening", null, round.opening);
    for (const decision of round.decisions) add("decision", decision, decision.events);
    if (round.result) add("result", null, round.result.events);
  }
  return steps;
}

/** The table after an event. `moves` takes what a viewer can trace: cards that move or turn. */
function apply(table, event, round, moves) {
  const { seat, cell } = event;
  switch (event.event) {
    case "round":
      return {
        grids: round.dealt.map((cards) => cards && cards.map((card) => ({ card, face: "down" }))),
        drawPile: round.draw_pile,
        discard: null,
        drawn: null,
        closer: null,
        chosen: [],
        totals: table.totals,
      };
    case "open":
      moves.push({ kind: "open", from: "draw", to: "discard" });
      return { ...table, drawPile: table.drawPile - 1, discard: onto(table.discard, event.card) };
    case "reveal":
    case "final":
      moves.push({ kind: "reveal", seat, cells: event.cells });
      return turnedUp(table, seat, event.cells);
    case "flip":
      moves.push({ kind: "flip", seat, cells: [cell] });
      return turnedUp(table, seat, [cell]);
    case "draw":
      moves.push({ kind: "draw", from: "draw", to: "hand" });
      return { ...table, drawPile: table.drawPile - 1, drawn: { seat, card: event.card } };
    case "take":
    case "swap": {
      const from = event.event === "take" ? "discard" : "hand";
      moves.push({ kind: event.event, from, to: "cell", seat, cells: [cell], back: "discard" });
      const left = from === "discard" ? { ...table, discard: table.discard.below } : { ...table, drawn: null };
      return {
        ...withCells(left, seat, { [cell]: { card: event.card, face: "up" } }),
        discard: onto(left.discard, event.replaced),
      };
    }
    case "discard":
      moves.push({ kind: "discard", from: "hand", to: "discard" });
      return { ...table, drawn: null, discard: onto(table.discard, event.card) };
    case "clear": {
      const cells = table.grids[seat].flatMap((_, i) => (Math.floor(i / 3) === event.column ? [i] : []));
      moves.push({ kind: "clear", seat, cells, from: "cell", to: "discard" });
      const gone = Object.fromEntries(cells.map((i) => [i, { card: event.value, face: "gone" }]));
      const discard = cells.reduce((pile) => onto(pile, event.value), table.discard);
      return { ...withCells(table, seat, gone), discard };
    }
    case "close":
      return { ...table, closer: seat };
    case "reshuffle":
      return { ...table, drawPile: event.cards, discard: onto(null, table.discard.card) };
    case "score":
      return { ...table, totals: event.totals };
    default:
      return table;
  }
}

const onto = (pile, card) => ({ card, below: pile, size: (pile?.size ?? 0) + 1 });

const turnedUp = (table, seat, cells) =>
  withCells(table, seat, Object.fromEntries(cells.map((i) => [i, { card: table.grids[seat][i].card, face: "up" }])));

const withCells = (table, seat, changed) => ({
  ...table,
  grids: table.grids.map((grid, s) => (s === seat ? grid.map((cell, i) => changed[i] ?? cell) : grid)),
});

/** The step that the page's address names (`step`, `decision`, or `round` with `turn`), else the first. */
export function stepInAddress(steps, address) {
  const number = (name) => {
    const text = address.searchParams.get(name) ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : null;
  };
  const [step, round, turn] = ["step", "round", "turn"].map(number);
  const decision = number("decision") ?? (/^#d\d{1,9}$/.test(address.hash) ? Number(address.hash.slice(2)) : null);
  const last = steps.length - 1;
  if (step !== null) return Math.min(step, last);
  if (decision !== null) {
    // A fault may show after the last decision.
    const found = steps.findIndex((each) => each.decision?.decision === decision);
    return found < 0 ? last : found;
  }
  const first = steps.findIndex((each) => each.round.round === round);
  if (first < 0) return 0;
  if (turn === null) return first;
  const found = steps.findIndex((each, i) => i > first && (each.kind !== "decision" || each.decision.turn >= turn));
  return found < 0 ? last : found;
}

// ------------------------------------------------------------------------------------------------------- how it looks

const numeral = (value) => String(value).replace("-", "−");

function shade(card) {
  if (card < 0) return "is-neg";
  if (card === 0) return "is-zero";
  if (card <= 4) return "is-low";
  return card <= 8 ? "is-mid" : "is-high";
}

function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** Make `node` show a card: its face, its back, or the gap that it left. */
function paint(node, card, face, extra = "") {
  const look = face === "up" ? shade(card) : face === "down" ? "is-down" : "is-gone";
  const className = `viewer-card ${look} ${extra}`.trim();
  if (node.className !== className) node.className = className;
  const text = face === "gone" || card === null ? "" : numeral(card);
  if (node.dataset.value !== text) node.dataset.value = text;
}

class Viewer {
  constructor(root) {
    this.root = root;
    this.parts = {};
    for (const part of root.querySelectorAll("[data-part]")) this.parts[part.dataset.part] = part;
    this.words = {};
    for (const word of this.parts.words.content.querySelectorAll("[data-word]")) {
      this.words[word.dataset.word] = word.textContent;
    }
    this.lines = new Map();
    for (const line of root.querySelectorAll("[data-step]")) this.lines.set(Number(line.dataset.step), line);
    this.mine = new Set([...this.parts.mine.children].map((item) => Number(item.textContent)));
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.index = 0;
    this.timer = null;
  }

  say(word, facts = {}) {
    return this.words[word].replace(/\{(\w+)\}/g, (_, name) => facts[name]);
  }

  // Loading

  async load() {
    this.stateIs("loading");
    const began = performance.now();
    const clock = setInterval(() => {
      this.stateIs("loading-since", { seconds: Math.round((performance.now() - began) / 1000) });
    }, 1000);
    try {
      const answer = await fetch(this.root.dataset.replayUrl, { headers: { Accept: "application/json" } });
      if (!answer.ok) return this.failed("refused", { status: answer.status });
      const text = await answer.text();
      let steps;
      try {
        const replay = JSON.parse(text);
        if (replay.replay !== "expanded" || replay.format !== 1) return this.failed("unreadable");
        steps = stepsOf(replay);
        this.replay = replay;
      } catch {
        return this.failed("unreadable");
      }
      if (steps.length === 0) return this.stateIs("empty");
      this.steps = steps;
      this.begin();
    } catch {
      this.failed("offline");
    } finally {
      clearInterval(clock);
    }
  }

  stateIs(word, facts) {
    this.parts.state.hidden = false;
    this.parts["state-text"].textContent = this.say(word, facts);
    this.parts.state.querySelector("button").hidden = true;
  }

  failed(word, facts) {
    this.stateIs(word, facts);
    this.parts.state.classList.add("is-failed");
    this.parts.state.querySelector("button").hidden = false;
  }

  begin() {
    const given = [...this.parts.names.children].map((item) => item.textContent);
    this.names = this.replay.seats.map(
      (_, seat) => given[seat] ?? this.replay.about?.names?.[seat] ?? this.say("seat", { seat }),
    );
    this.layTable();
    this.layScores();
    this.layMarks();
    this.listen();
    this.parts.state.hidden = true;
    this.parts.stage.hidden = false;
    this.root.classList.add("is-ready");
    this.show(stepInAddress(this.steps, new URL(location.href)), { quietly: true });
    new ResizeObserver(() => this.trace()).observe(this.parts.table);
  }

  // Laying out, once

  layTable() {
    const n = this.names.length;
    const { table, trace } = this.parts;
    table.classList.add(["is-pair", "is-three", "is-four"][n - 2] ?? (n <= 6 ? "is-six" : "is-eight"));
    table.classList.toggle("is-odd", n % 2 === 1);
    this.piles = {};
    for (const pile of table.querySelectorAll("[data-pile]")) {
      const card = element("div", "viewer-card");
      pile.firstElementChild.append(card);
      this.piles[pile.dataset.pile] = { node: pile, card, count: pile.querySelector("b") };
    }
    const upper = Math.ceil(n / 2);
    this.seats = this.names.map((name, seat) => {
      const node = element("section", "viewer-seat");
      node.classList.add(seat < upper ? "is-above" : "is-below");
      node.style.setProperty("--k", String(seat < upper ? seat : n - 1 - seat));
      const title = element("h3");
      title.append(element("span", "", name));
      title.firstChild.title = name;
      const badges = element("p", "viewer-badges");
      const grid = element("div", "viewer-grid");
      grid.setAttribute("role", "img");
      const cells = Array.from({ length: 12 }, () => element("div", "viewer-card"));
      grid.append(...cells);
      const sums = element("p", "viewer-sums");
      node.append(title, sums, badges, grid);
      table.insertBefore(node, trace);
      return { node, title, sums, badges, grid, cells };
    });
  }

  layScores() {
    const head = element("tr");
    const corner = element("th", "", this.say("bot"));
    corner.scope = "col";
    head.append(corner);
    for (const { round } of this.replay.rounds) {
      const cell = element("th", "num");
      cell.scope = "col";
      const button = element("button", "", this.say("round-short", { round }));
      button.type = "button";
      button.setAttribute("aria-label", this.say("go-to-round", { round }));
      button.addEventListener("click", () => this.go(this.startOf(round)));
      cell.append(button);
      head.append(cell);
    }
    const total = element("th", "num", this.say("total"));
    total.scope = "col";
    head.append(total);
    this.parts["scores-head"].append(head);
    this.scores = this.names.map((name) => {
      const row = element("tr");
      const label = element("th", "", name);
      label.scope = "row";
      row.append(label);
      const cells = this.replay.rounds.map(() => element("td", "num"));
      const sum = element("td", "num viewer-total");
      row.append(...cells, sum);
      this.parts.scores.append(row);
      return { cells, sum };
    });
  }

  layMarks() {
    const last = Math.max(1, this.steps.length - 1);
    this.parts.scrubber.max = String(this.steps.length - 1);
    const mark = (step, className) => {
      const node = element("i", className);
      node.style.setProperty("--at", String(step / last));
      this.parts.marks.append(node);
    };
    this.steps.forEach((step, i) => {
      if (step.kind === "opening" && i > 0) mark(i, "is-round");
    });
    for (const fault of this.replay.faults) mark(this.stepOfFault(fault), "is-fault");
  }

  stepOfFault(fault) {
    const step = this.steps.findIndex((each) => each.decision?.decision === fault.decision);
    return step < 0 ? this.steps.length - 1 : step;
  }

  startOf(round) {
    return this.steps.findIndex((step) => step.round.round === round);
  }

  // Showing a step

  show(index, { quietly = false } = {}) {
    const before = this.index;
    this.index = Math.max(0, Math.min(index, this.steps.length - 1));
    const step = this.steps[this.index];
    this.showTable(step);
    this.showScores();
    this.showWords(step);
    this.trace();
    if (this.index === before + 1) this.animate(step);
    if (!quietly) this.keepAddress();
  }

  showTable({ table, decision, moves }) {
    const truth = this.parts.truth.checked;
    const known = truth ? "is-known" : "";
    const touched = new Set(moves.flatMap((move) => (move.cells ?? []).map((cell) => `${move.seat} ${cell}`)));
    const chosen = new Set(table.chosen.flatMap(({ seat, cells }) => cells.map((cell) => `${seat} ${cell}`)));
    const isLast = this.index === this.steps.length - 1;
    this.seats.forEach((seat, s) => {
      const grid = table.grids[s];
      seat.node.classList.toggle("is-active", decision?.seat === s);
      seat.node.classList.toggle("is-out", grid === null);
      let open = 0;
      seat.cells.forEach((node, i) => {
        const { card, face } = grid?.[i] ?? { card: null, face: "gone" };
        if (face === "up") open += card;
        const mark = touched.has(`${s} ${i}`) ? "is-touched" : chosen.has(`${s} ${i}`) ? "is-chosen" : "";
        paint(node, card, face, `${mark} ${face === "down" ? known : ""}`.trim());
      });
      seat.grid.setAttribute("aria-label", this.gridInWords(this.names[s], grid, truth));
      seat.sums.replaceChildren(...this.sums(s, open));
      seat.badges.replaceChildren(...this.badges(s, table, grid));
      seat.title.replaceChildren(seat.title.firstChild, ...(isLast ? this.placeBadge(s) : []));
    });
    const { draw, hand, discard } = this.piles;
    paint(draw.card, null, table.drawPile > 0 ? "down" : "gone");
    draw.count.textContent = String(table.drawPile);
    if (table.drawn) paint(hand.card, table.drawn.card, "up");
    else paint(hand.card, null, "gone");
    if (table.discard) paint(discard.card, table.discard.card, "up");
    else paint(discard.card, null, "gone");
    discard.count.textContent = String(table.discard?.size ?? 0);
    const moved = (pile) => moves.some((move) => move.from === pile || move.to === pile || move.back === pile);
    for (const [name, pile] of Object.entries(this.piles)) pile.card.classList.toggle("is-touched", moved(name));
  }

  /** What lies open, or at the end of a round its points; and the total. */
  sums(seat, open) {
    const { kind, round, table } = this.steps[this.index];
    const sum = (word, figure) => {
      const part = element("span", "", `${this.say(word)} `);
      part.append(element("b", "", figure));
      return part;
    };
    const total = sum("total", numeral(table.totals[seat]));
    if (kind !== "result") return [sum("open", numeral(open)), total];
    const { points, doubled } = round.result;
    const figure = numeral(points[seat]) + (doubled === seat ? ` ${this.say("doubled")}` : "");
    return [sum("points", figure), total];
  }

  badge(word, className, facts) {
    return element("span", `viewer-badge ${className}`, this.say(word, facts));
  }

  badges(seat, table, grid) {
    const made = [];
    const fault = this.replay.faults.find((each) => each.seat === seat);
    if (fault && this.index >= this.stepOfFault(fault)) {
      const badge = this.badge("autopilot", "is-fault");
      badge.append(element("span", "viewer-kind", this.say("fault", { kind: this.say(`fault-${fault.kind}`) })));
      made.push(badge);
    }
    if (table.closer === seat) made.push(this.badge("closer", "is-closer"));
    if (grid === null) made.push(this.badge("out", "is-out"));
    if (this.mine.has(seat)) made.push(this.badge("mine", "is-mine"));
    return made;
  }

  placeBadge(seat) {
    const { outcome } = this.replay;
    return outcome ? [this.badge("placed", "is-placed", { place: outcome.placing[seat] })] : [];
  }

  gridInWords(name, grid, truth) {
    if (grid === null) return `${name}: ${this.say("out")}`;
    const word = ({ card, face }) => {
      if (face === "gone") return this.say("removed");
      return face === "up" ? numeral(card) : this.say("face-down") + (truth ? ` ${numeral(card)}` : "");
    };
    const columns = [0, 3, 6, 9].map((first) => grid.slice(first, first + 3).map(word).join(", "));
    return this.say("grid", { name, columns: columns.join("; ") });
  }

  showScores() {
    const shown = this.steps[this.index];
    this.replay.rounds.forEach((round, r) => {
      const done = round.round < shown.round.round || (round === shown.round && shown.kind === "result");
      this.parts["scores-head"].firstElementChild.children[r + 1].classList.toggle("is-current", round === shown.round);
      this.scores.forEach(({ cells }, s) => {
        const cell = cells[r];
        cell.classList.toggle("is-current", round === shown.round);
        if (!done) {
          cell.textContent = "·";
          return;
        }
        const sat = round.dealt[s] !== null;
        cell.textContent = sat ? numeral(round.result.points[s]) : "–";
        if (round.result.closer === s) {
          const word = round.result.doubled === s ? `${this.say("closer")} ${this.say("doubled")}` : this.say("closer");
          cell.prepend(element("small", "", word), " ");
        }
      });
    });
    this.scores.forEach(({ sum }, s) => (sum.textContent = numeral(shown.table.totals[s])));
  }

  placeInWords({ kind, round, decision }) {
    const facts = { round: round.round, rounds: this.replay.rounds.length, turn: decision?.turn };
    if (kind !== "decision") return this.say(`place-${kind}`, facts);
    return this.say(decision.phase === "reveal" ? "place-reveal" : "place-turn", facts);
  }

  showWords(step) {
    const place = this.placeInWords(step);
    const line = this.lines.get(this.index);
    const said = line?.querySelector(".viewer-said").textContent ?? "";
    const note = line?.querySelector(".viewer-note")?.textContent;
    const { scrubber } = this.parts;
    this.parts.place.replaceChildren(element("b", "", place));
    const bound = step.decision?.cpu_ms_below;
    if (bound) {
      const time = bound < 1000 ? `${bound} ms` : `${(bound / 1000).toFixed(1)} s`;
      this.parts.place.append(element("span", "", this.say("time", { time })));
    }
    this.parts.said.textContent = said || place;
    this.parts.note.hidden = !note;
    this.parts.note.textContent = note ? this.say("noted", { note }) : "";
    scrubber.value = String(this.index);
    scrubber.setAttribute("aria-valuetext", place);
    scrubber.style.setProperty("--at", String(this.index / Math.max(1, this.steps.length - 1)));
    const atEnd = this.index === this.steps.length - 1;
    for (const [what, off] of [["previous-round", !this.index], ["back", !this.index], ["on", atEnd], ["next-round", atEnd]]) {
      // aria-disabled, not disabled: the focus must not get lost at either end.
      this.button(what).setAttribute("aria-disabled", String(off));
    }
    this.root.querySelector(".viewer-log [aria-current]")?.removeAttribute("aria-current");
    if (line) {
      line.setAttribute("aria-current", "step");
      const log = this.parts.log;
      const offset = line.getBoundingClientRect().top - log.getBoundingClientRect().top;
      // Only the log scrolls, never the page.
      log.scrollTop += offset - (log.clientHeight - line.clientHeight) / 2;
    }
  }

  // The last move, traced

  nodeOf(end, move) {
    if (end === "cell") return this.seats[move.seat].cells[move.cells[Math.floor(move.cells.length / 2)]];
    return this.piles[end].card;
  }

  trace() {
    const { table, trace } = this.parts;
    const paths = { there: "", back: "" };
    const box = table.getBoundingClientRect();
    const { moves } = this.steps[this.index];
    const move = moves.find((each) => each.to === "cell") ?? moves.find((each) => each.kind === "clear") ?? moves.find((each) => each.from);
    if (move) {
      paths.there = this.arc(this.nodeOf(move.from, move), this.nodeOf(move.to, move), box, 1);
      if (move.back) paths.back = this.arc(this.nodeOf(move.to, move), this.nodeOf(move.back, move), box, 1);
    }
    trace.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    for (const [way, path] of Object.entries(paths)) trace.querySelector(`[data-way=${way}]`).setAttribute("d", path);
  }

  /** A bow from one card's rim to the other's, bent to its left, so that there and back do not coincide. */
  arc(from, to, box, bend) {
    const middle = (node) => {
      const { left, top, width, height } = node.getBoundingClientRect();
      return { x: left - box.left + width / 2, y: top - box.top + height / 2, reach: Math.min(width, height) * 0.42 };
    };
    const a = middle(from);
    const b = middle(to);
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (length < 8) return "";
    const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const bow = Math.min(length * 0.18, 48) * bend;
    const c = { x: (a.x + b.x) / 2 + uy * bow, y: (a.y + b.y) / 2 - ux * bow };
    const rim = (end) => {
      const distance = Math.hypot(c.x - end.x, c.y - end.y);
      return `${end.x + ((c.x - end.x) / distance) * end.reach} ${end.y + ((c.y - end.y) / distance) * end.reach}`;
    };
    return `M${rim(a)}Q${c.x} ${c.y} ${rim(b)}`;
  }

  animate({ moves }) {
    if (this.calm.matches) return;
    const duration = Math.min(MOTION_MS, this.pace() * 0.6);
    for (const move of moves) {
      if (move.kind === "reveal" || move.kind === "flip") {
        for (const cell of move.cells) {
          const turn = [{ transform: "rotateY(90deg)" }, { transform: "none" }];
          this.seats[move.seat].cells[cell].animate(turn, { duration, easing: "ease-out" });
        }
        continue;
      }
      this.fly(this.nodeOf(move.from, move), this.nodeOf(move.to, move), duration);
      if (move.back) this.fly(this.nodeOf(move.to, move), this.nodeOf(move.back, move), duration);
    }
  }

  fly(from, to, duration) {
    const a = from.getBoundingClientRect();
    const b = to.getBoundingClientRect();
    const start = `translate(${a.left - b.left}px, ${a.top - b.top}px) scale(${a.width / b.width})`;
    to.animate([{ transform: start, transformOrigin: "0 0", zIndex: 2 }, { transform: "none", transformOrigin: "0 0", zIndex: 2 }], {
      duration,
      easing: "ease-out",
    });
  }

  // Moving

  go(index) {
    this.pause();
    this.show(index);
  }

  goByRound(direction) {
    const { round } = this.steps[this.index].round;
    if (direction > 0) {
      const next = this.startOf(round + 1);
      this.go(next < 0 ? this.steps.length - 1 : next);
    } else {
      const start = this.startOf(round);
      this.go(this.index > start ? start : Math.max(0, this.startOf(round - 1)));
    }
  }

  pace() {
    return STEP_MS / Number(this.parts.speed.value);
  }

  get isPlaying() {
    return this.timer !== null;
  }

  play() {
    if (this.index === this.steps.length - 1) this.show(0);
    // A voice could not keep up; it speaks again where playing stops.
    this.parts.caption.setAttribute("aria-live", "off");
    this.beat();
    this.showPlaying();
  }

  beat() {
    const stay = this.steps[this.index].kind === "result" ? RESULT_STEPS : 1;
    this.timer = setTimeout(() => {
      this.show(this.index + 1);
      if (this.index === this.steps.length - 1) this.pause();
      else this.beat();
    }, this.pace() * stay);
  }

  pause() {
    if (!this.isPlaying) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.parts.caption.setAttribute("aria-live", "polite");
    this.showPlaying();
  }

  showPlaying() {
    this.root.classList.toggle("is-playing", this.isPlaying);
    this.button("play").setAttribute("aria-label", this.say(this.isPlaying ? "pause" : "play"));
  }

  button(what) {
    return this.root.querySelector(`[data-do="${what}"]`);
  }

  /** The address follows once the viewer rests, as browsers refuse too many changes in a row. */
  keepAddress() {
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => {
      const address = new URL(location.href);
      for (const name of ["round", "turn", "decision"]) address.searchParams.delete(name);
      address.searchParams.set("step", String(this.index));
      address.hash = "";
      history.replaceState(history.state, "", address);
    }, 250);
  }

  // Listening

  listen() {
    const actions = {
      "previous-round": () => this.goByRound(-1),
      back: () => this.go(this.index - 1),
      play: () => (this.isPlaying ? this.pause() : this.play()),
      on: () => this.go(this.index + 1),
      "next-round": () => this.goByRound(1),
    };
    for (const [what, action] of Object.entries(actions)) this.button(what).addEventListener("click", action);
    this.parts.scrubber.addEventListener("input", () => this.go(Number(this.parts.scrubber.value)));
    this.parts.truth.addEventListener("change", () => this.showTable(this.steps[this.index]));
    this.parts.log.addEventListener("click", (event) => {
      const line = event.target.closest("[data-step]");
      if (line && getSelection().isCollapsed) this.go(Number(line.dataset.step));
    });
    this.keepSpeed();
    document.addEventListener("keydown", (event) => this.key(event, actions));
  }

  keepSpeed() {
    const { speed } = this.parts;
    try {
      const kept = localStorage.getItem(SPEED_KEY);
      if ([...speed.options].some((option) => option.value === kept)) speed.value = kept;
    } catch {
      return; // storage is switched off: the speed just starts at 1
    }
    speed.addEventListener("change", () => localStorage.setItem(SPEED_KEY, speed.value));
  }

  key(event, actions) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const inside = this.root.contains(target);
    const scrubs = target === this.parts.scrubber;
    if (!inside && (target !== document.body || !this.isInSight())) return;
    if (target.closest("select, textarea, input") && !scrubs) return;
    const action = {
      " ": target.closest("button, summary") ? null : actions.play,
      ArrowLeft: event.shiftKey ? actions["previous-round"] : actions.back,
      ArrowRight: event.shiftKey ? actions["next-round"] : actions.on,
      Home: () => this.go(0),
      End: () => this.go(this.steps.length - 1),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  isInSight() {
    const { top, bottom } = this.parts.table.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  }
}

export function watch(root) {
  const viewer = new Viewer(root);
  viewer.button("retry").addEventListener("click", () => {
    viewer.parts.state.classList.remove("is-failed");
    viewer.load();
  });
  return viewer.load();
}

for (const root of document.querySelectorAll(".viewer[data-replay-url]")) watch(root);
