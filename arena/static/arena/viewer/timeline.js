/** The game along a line: the scrubber, what happens where, and how long each decision took. */

import { duration, element, say } from "./drawing.js";

const SVG = "http://www.w3.org/2000/svg";
const TALLEST = 24;
// A decision below the smallest bound still has a bar that can be seen.
const SHORTEST = 3;

export class Timeline {
  constructor(parts, words, replay, steps, moments, go) {
    Object.assign(this, { parts, steps });
    this.last = Math.max(1, steps.length - 1);
    parts.scrubber.max = String(steps.length - 1);
    parts.scrubber.addEventListener("input", () => go(Number(parts.scrubber.value)));
    steps.forEach((step, i) => {
      if (step.kind === "opening" && i > 0) this.mark(i, "is-round");
    });
    for (const [kind, found] of Object.entries(moments)) for (const step of found) this.mark(step, `is-${kind}`);
    this.layBars(words);
    parts.bars.addEventListener("click", (event) => {
      const { left, width } = parts.bars.getBoundingClientRect();
      go(Math.floor(((event.clientX - left) / width) * steps.length));
    });
  }

  mark(step, className) {
    const node = element("i", className);
    node.style.setProperty("--at", String(step / this.last));
    this.parts.marks.append(node);
  }

  /** One bar a decision, a step higher for each doubling of its time; a path for each seat, so that one can be lit. */
  layBars(words) {
    const times = this.steps.flatMap(({ decision }) => decision?.cpu_ms_below ?? []);
    const longest = Math.max(2, ...times);
    const step = (TALLEST - SHORTEST) / Math.log2(longest);
    const height = (ms) => SHORTEST + step * Math.log2(ms);
    const paths = new Map();
    this.steps.forEach(({ decision }, i) => {
      if (!decision) return;
      const key = decision.by === "autopilot" ? "autopilot" : decision.seat;
      const tall = decision.cpu_ms_below ? height(decision.cpu_ms_below) : SHORTEST / 2;
      paths.set(key, `${paths.get(key) ?? ""}M${i + 0.1} ${TALLEST}v${-tall}h.8v${tall}z`);
    });
    const { bars } = this.parts;
    bars.setAttribute("viewBox", `0 0 ${this.steps.length} ${TALLEST}`);
    this.bySeat = new Map();
    for (const [key, d] of paths) {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", d);
      path.classList.toggle("is-autopilot", key === "autopilot");
      bars.append(path);
      this.bySeat.set(key, path);
    }
    this.needle = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries({ y: 0, width: 1, height: TALLEST })) this.needle.setAttribute(name, value);
    bars.append(this.needle);
    this.parts["bars-legend"].textContent = say(words, "bars", { time: duration(longest) });
  }

  show(index, place) {
    const { scrubber } = this.parts;
    scrubber.value = String(index);
    scrubber.setAttribute("aria-valuetext", place);
    scrubber.style.setProperty("--at", String(index / this.last));
    const seat = this.steps[index].decision?.seat;
    for (const [key, path] of this.bySeat) path.classList.toggle("is-active", key === seat);
    this.needle.setAttribute("x", index);
  }
}
