/** The table: grids around the piles, the active seat lit, the last move traced from where to where. */

import { element, numeral, say, shade } from "./drawing.js";
import { EVERYTHING, seesHandOf, stepOfDecision } from "./steps.js";

const MOTION_MS = 200;

/** Make `node` show a card: its face, its back, or the gap that it left. A back carries its card where that is known. */
function paint(node, card, face, extra = "") {
  const look = face === "up" ? shade(card) : face === "down" ? "is-down" : "is-gone";
  const className = `viewer-card ${look} ${extra}`.trim();
  if (node.className !== className) node.className = className;
  const text = face === "gone" || card === null ? "" : numeral(card);
  if (node.dataset.value !== text) node.dataset.value = text;
}

export class Table {
  /** `mine`: the seats of the reader's own bots. */
  constructor(parts, words, replay, steps, names, mine) {
    Object.assign(this, { parts, words, replay, steps, names, mine });
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.lay();
    new ResizeObserver(() => this.trace()).observe(parts.table);
  }

  say(word, facts) {
    return say(this.words, word, facts);
  }

  lay() {
    const n = this.names.length;
    const { table, trace } = this.parts;
    table.classList.add(["is-pair", "is-three", "is-four"][n - 2] ?? (n <= 6 ? "is-six" : "is-eight"));
    table.classList.toggle("is-odd", n % 2 === 1);
    this.piles = {};
    for (const pile of table.querySelectorAll("[data-pile]")) {
      const card = element("div", "viewer-card");
      pile.firstElementChild.append(card);
      this.piles[pile.dataset.pile] = { card, count: pile.querySelector("b") };
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

  show(index, view) {
    Object.assign(this, { index, view, step: this.steps[index] });
    const { table, decision, moves } = this.step;
    const all = view === EVERYTHING;
    const seen = table.chosen.filter(({ seat }) => seesHandOf(view, seat));
    const touched = new Set(moves.flatMap((move) => (move.cells ?? []).map((cell) => `${move.seat} ${cell}`)));
    const chosen = new Set(seen.flatMap(({ seat, cells }) => cells.map((cell) => `${seat} ${cell}`)));
    this.seats.forEach((seat, s) => {
      const grid = table.grids[s];
      seat.node.classList.toggle("is-active", decision?.seat === s);
      seat.node.classList.toggle("is-out", grid === null);
      let open = 0;
      seat.cells.forEach((node, i) => {
        const { card, face } = grid?.[i] ?? { card: null, face: "gone" };
        if (face === "up") open += card;
        const mark = touched.has(`${s} ${i}`) ? "is-touched" : chosen.has(`${s} ${i}`) ? "is-chosen" : "";
        // What a view does not know is not in the page either.
        paint(node, face === "down" && !all ? null : card, face, mark);
      });
      seat.grid.setAttribute("aria-label", this.gridInWords(this.names[s], grid));
      seat.sums.replaceChildren(...this.sums(s, open));
      seat.badges.replaceChildren(...this.badges(s, table, grid));
      seat.title.replaceChildren(seat.title.firstChild, ...this.placeBadge(s));
    });
    this.showPiles(table, moves);
    this.trace();
  }

  showPiles({ drawPile, drawn, discard }, moves) {
    const { piles } = this;
    paint(piles.draw.card, null, drawPile > 0 ? "down" : "gone");
    piles.draw.count.textContent = String(drawPile);
    if (!drawn) paint(piles.hand.card, null, "gone");
    else if (seesHandOf(this.view, drawn.seat)) paint(piles.hand.card, drawn.card, "up");
    else paint(piles.hand.card, null, "down");
    if (discard) paint(piles.discard.card, discard.card, "up");
    else paint(piles.discard.card, null, "gone");
    piles.discard.count.textContent = String(discard?.size ?? 0);
    const moved = (pile) => moves.some((move) => move.from === pile || move.to === pile || move.back === pile);
    for (const [name, { card }] of Object.entries(piles)) card.classList.toggle("is-touched", moved(name));
  }

  /** What lies open, or at the end of a round its points; and the total. */
  sums(seat, open) {
    const { kind, round, table } = this.step;
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
    const since = fault ? stepOfDecision(this.steps, fault.decision) : Infinity;
    if (this.index >= since) made.push(this.faultBadge(fault, this.index === since));
    if (table.closer === seat) made.push(this.badge("closer", "is-closer"));
    else if (table.closer !== null && this.step.kind !== "result" && grid) made.push(this.badge("final-turn", "is-final"));
    if (grid === null) made.push(this.badge("out", "is-out"));
    if (this.view === `seat${seat}`) made.push(this.badge("seen-from-here", "is-eye"));
    if (this.mine.has(seat)) made.push(this.badge("mine", "is-mine"));
    return made;
  }

  /** At the fault its kind; from then on, that the autopilot plays. */
  faultBadge({ kind }, isNow) {
    const words = { kind: this.say(`fault-${kind}`) };
    const badge = this.badge(isNow ? "bot-fault" : "autopilot", "is-fault");
    if (isNow) badge.append(element("span", "viewer-kind", this.say("of-kind", words)));
    badge.title = this.say("since-fault", words);
    return badge;
  }

  placeBadge(seat) {
    const { outcome } = this.replay;
    const isLast = this.index === this.steps.length - 1;
    return outcome && isLast ? [this.badge("placed", "is-placed", { place: outcome.placing[seat] })] : [];
  }

  gridInWords(name, grid) {
    if (grid === null) return `${name}: ${this.say("out")}`;
    const word = ({ card, face }) => {
      if (face === "gone") return this.say("removed");
      return face === "up" ? numeral(card) : this.say("face-down") + (this.view === EVERYTHING ? ` ${numeral(card)}` : "");
    };
    const columns = [0, 3, 6, 9].map((first) => grid.slice(first, first + 3).map(word).join(", "));
    return this.say("grid", { name, columns: columns.join("; ") });
  }

  // The last move, traced

  nodeOf(end, move) {
    if (end === "cell") return this.seats[move.seat].cells[move.cells[Math.floor(move.cells.length / 2)]];
    return this.piles[end].card;
  }

  trace() {
    if (!this.step) return;
    const { table, trace } = this.parts;
    const paths = { there: "", back: "" };
    const box = table.getBoundingClientRect();
    const { moves } = this.step;
    const move = moves.find((each) => each.to === "cell") ?? moves.find((each) => each.kind === "clear") ?? moves.find((each) => each.from);
    if (move) {
      paths.there = this.arc(this.nodeOf(move.from, move), this.nodeOf(move.to, move), box);
      if (move.back) paths.back = this.arc(this.nodeOf(move.to, move), this.nodeOf(move.back, move), box);
    }
    trace.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    for (const [way, path] of Object.entries(paths)) trace.querySelector(`[data-way=${way}]`).setAttribute("d", path);
  }

  /** A bow from one card's rim to the other's, bent to its left, so that there and back do not coincide. */
  arc(from, to, box) {
    const middle = (node) => {
      const { left, top, width, height } = node.getBoundingClientRect();
      return { x: left - box.left + width / 2, y: top - box.top + height / 2, reach: Math.min(width, height) * 0.42 };
    };
    const a = middle(from);
    const b = middle(to);
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (length < 8) return "";
    const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const bow = Math.min(length * 0.18, 48);
    const c = { x: (a.x + b.x) / 2 + uy * bow, y: (a.y + b.y) / 2 - ux * bow };
    const rim = (end) => {
      const distance = Math.hypot(c.x - end.x, c.y - end.y);
      return `${end.x + ((c.x - end.x) / distance) * end.reach} ${end.y + ((c.y - end.y) / distance) * end.reach}`;
    };
    return `M${rim(a)}Q${c.x} ${c.y} ${rim(b)}`;
  }

  /** Move and turn what the step moved and turned, within `most` milliseconds; nothing where motion is unwanted. */
  animate(most) {
    if (this.calm.matches) return;
    const duration = Math.min(MOTION_MS, most);
    for (const move of this.step.moves) {
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
}
