/**
 * The replay viewer: shows an expanded replay (docs/replay.md) step by step. It knows no rules. All texts come from the
 * page: sentences from the log, which has one line a step, and words from a template.
 */

import { duration, element, say } from "./drawing.js";
import { Scores, layTimes } from "./figures.js";
import { Share } from "./share.js";
import * as places from "./steps.js";
import { Table } from "./table.js";
import { Timeline } from "./timeline.js";

const STEP_MS = 900; // of one decision at speed 1
const RESULT_STEPS = 3; // a round's result stays for so many steps' time
const ADDRESS_MS = 250; // browsers refuse too many changes of the address in a row
const SPEED_KEY = "viewer-speed";
const VIEW_KEY = "viewer-view";

/** What the reader chose last; nothing where storage is switched off, as it is in many frames. */
const kept = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // It just starts afresh next time.
    }
  },
};

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
    const share = document.querySelector("[data-share]");
    this.share = share && new Share(share);
    this.index = 0;
    this.timer = null;
  }

  say(word, facts) {
    return say(this.words, word, facts);
  }

  // Loading

  async load() {
    this.stateIs("loading");
    const began = performance.now();
    const clock = setInterval(() => {
      this.stateIs("loading-since", { seconds: Math.round((performance.now() - began) / 1000) });
    }, 1000);
    try {
      const text = await this.replayText();
      if (text !== null) this.read(text);
    } catch {
      this.failed("offline");
    } finally {
      clearInterval(clock);
    }
  }

  /** From within the page, else from its address; null where the server refuses, which then has been said. */
  async replayText() {
    const { replayUrl } = this.root.dataset;
    if (!replayUrl) return document.getElementById("replay-data").textContent;
    const answer = await fetch(replayUrl, { headers: { Accept: "application/json" } });
    if (answer.ok) return answer.text();
    this.failed("refused", { status: answer.status });
    return null;
  }

  read(text) {
    try {
      const replay = JSON.parse(text);
      if (replay.replay !== "expanded" || replay.format !== 1) return this.failed("unreadable");
      this.steps = places.stepsOf(replay);
      this.replay = replay;
    } catch {
      return this.failed("unreadable");
    }
    if (this.steps.length === 0) this.stateIs("empty");
    else this.begin();
  }

  stateIs(word, facts) {
    this.parts.state.hidden = false;
    this.parts["state-text"].textContent = this.say(word, facts);
    this.button("retry").hidden = true;
  }

  failed(word, facts) {
    this.stateIs(word, facts);
    this.parts.state.classList.add("is-failed");
    this.button("retry").hidden = false;
  }

  begin() {
    const { parts, words, replay, steps } = this;
    const given = [...parts.names.children].map((item) => item.textContent);
    this.names = replay.seats.map((_, seat) => given[seat] ?? this.say("seat", { seat }));
    const mine = new Set([...parts.mine.children].map((item) => Number(item.textContent)));
    this.moments = places.momentsOf(replay, steps);
    this.table = new Table(parts, words, replay, steps, this.names, mine);
    this.scores = new Scores(parts, words, replay, this.names, (round) => this.jump(places.startOfRound(steps, round)));
    this.timeline = new Timeline(parts, words, replay, steps, this.moments, (step) => this.go(step));
    layTimes(parts, words, replay, steps, this.names, (step) => this.jump(step));
    this.layViews();
    this.layMoments();
    this.listen();
    parts.state.hidden = true;
    parts.stage.hidden = false;
    this.root.classList.add("is-ready");
    this.showAddress();
  }

  layViews() {
    const { view } = this.parts;
    this.names.forEach((name, seat) => {
      const option = element("option", "", this.say("view-seat", { name, seat }));
      option.value = `seat${seat}`;
      view.append(option);
    });
    this.view = places.viewNamed(kept.get(VIEW_KEY), 0) ?? places.EVERYTHING;
  }

  layMoments() {
    for (const [kind, found] of Object.entries(this.moments)) {
      const button = this.button(kind);
      button.querySelector("b").textContent = String(found.length);
      button.setAttribute("aria-disabled", String(found.length === 0));
    }
  }

  // Showing a step

  show(index) {
    const before = this.index;
    this.index = Math.max(0, Math.min(index, this.steps.length - 1));
    const step = this.steps[this.index];
    this.table.show(this.index, this.view);
    this.scores.show(step);
    this.showWords(step);
    this.share?.show(this.query());
    if (this.index === before + 1) this.table.animate(this.pace() * 0.6);
  }

  /** What the address says: a place, and perhaps a view. */
  showAddress() {
    const address = new URL(location.href);
    const view = places.viewNamed(address.searchParams.get("view"), this.names.length);
    this.viewInAddress = view !== null;
    this.setView(view ?? this.view);
    this.show(places.stepInAddress(this.steps, address));
  }

  setView(view) {
    this.view = view;
    this.parts.view.value = view;
    for (const line of this.lines.values()) {
      const [said, unseen] = [line.querySelector(".viewer-said"), line.querySelector(".viewer-unseen")];
      if (!unseen) continue;
      said.hidden = !places.seesHandOf(view, Number(line.dataset.seat));
      unseen.hidden = !said.hidden;
    }
  }

  placeInWords({ kind, round, decision, table }) {
    const facts = { round: round.round, rounds: this.replay.rounds.length, turn: decision?.turn };
    if (kind !== "decision") return this.say(`place-${kind}`, facts);
    if (decision.phase === "reveal") return this.say("place-reveal", facts);
    return this.say(table.closer === null ? "place-turn" : "place-final", facts);
  }

  showWords(step) {
    const place = this.placeInWords(step);
    const line = this.lines.get(this.index);
    const said = line?.querySelector(".viewer-said:not([hidden]), .viewer-unseen:not([hidden])")?.textContent;
    const note = line?.querySelector(".viewer-note")?.textContent;
    this.parts.place.replaceChildren(element("b", "", place));
    const bound = step.decision?.cpu_ms_below;
    if (bound) this.parts.place.append(element("span", "", this.say("time", { time: duration(bound) })));
    if (step.decision?.by === "autopilot") this.parts.place.append(element("span", "", this.say("autopilot-decides")));
    this.parts.said.textContent = said || place;
    this.parts.note.hidden = !note;
    this.parts.note.textContent = note ? this.say("noted", { note }) : "";
    this.timeline.show(this.index, place);
    const atEnd = this.index === this.steps.length - 1;
    for (const what of ["previous-round", "previous-turn", "back"]) this.allow(what, this.index > 0);
    for (const what of ["on", "next-turn", "next-round"]) this.allow(what, !atEnd);
    this.root.querySelector(".viewer-log [aria-current]")?.removeAttribute("aria-current");
    if (line) this.mark(line);
  }

  /** aria-disabled, not disabled: the focus must not get lost at either end. */
  allow(what, isAllowed) {
    this.button(what).setAttribute("aria-disabled", String(!isAllowed));
  }

  /** Only the log scrolls, never the page. */
  mark(line) {
    line.setAttribute("aria-current", "step");
    const { log } = this.parts;
    const offset = line.getBoundingClientRect().top - log.getBoundingClientRect().top;
    log.scrollTop += offset - (log.clientHeight - line.clientHeight) / 2;
  }

  // Moving

  /** To a place nearby: the address follows once the viewer rests. */
  go(index) {
    this.pause();
    this.show(index);
    this.keepAddressSoon();
  }

  /** To a place of its own, from which Back leads back. */
  jump(index) {
    if (index === this.index) return;
    this.pause();
    this.keepAddress();
    this.show(index);
    history.pushState(null, "", this.address());
  }

  goByRound(direction) {
    const { steps } = this;
    const { round } = steps[this.index].round;
    const start = places.startOfRound(steps, round);
    if (direction > 0) {
      const next = places.startOfRound(steps, round + 1);
      this.go(next < 0 ? steps.length - 1 : next);
    } else {
      this.go(this.index > start ? start : Math.max(0, places.startOfRound(steps, round - 1)));
    }
  }

  goByTurn(direction) {
    if (direction > 0) return this.go(places.nextTurn(this.steps, this.index));
    const start = places.startOfTurn(this.steps, this.index);
    this.go(this.index > start ? start : places.startOfTurn(this.steps, Math.max(0, this.index - 1)));
  }

  /** To the next (or the one before) of the moments of a kind, round and round. */
  goToMoment(kind, direction = 1) {
    const found = this.moments[kind];
    if (found.length === 0) return;
    const next = direction > 0 ? found.find((step) => step > this.index) : found.findLast((step) => step < this.index);
    this.jump(next ?? found.at(direction > 0 ? 0 : -1));
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
      this.keepAddressSoon();
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

  // The address

  query() {
    const query = new URLSearchParams(places.addressOf(this.steps, this.index));
    if (this.viewInAddress || this.view !== places.EVERYTHING) query.set("view", this.view);
    return `?${query}`;
  }

  address() {
    const address = new URL(location.href);
    for (const name of ["round", "turn", "decision", "step", "view"]) address.searchParams.delete(name);
    for (const [name, value] of new URLSearchParams(this.query())) address.searchParams.set(name, value);
    address.hash = "";
    return address;
  }

  keepAddress() {
    clearTimeout(this.addressTimer);
    history.replaceState(history.state, "", this.address());
  }

  keepAddressSoon() {
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => this.keepAddress(), ADDRESS_MS);
  }

  // Listening

  listen() {
    const { parts } = this;
    this.actions = {
      "previous-round": () => this.goByRound(-1),
      "previous-turn": () => this.goByTurn(-1),
      back: () => this.go(this.index - 1),
      play: () => (this.isPlaying ? this.pause() : this.play()),
      on: () => this.go(this.index + 1),
      "next-turn": () => this.goByTurn(1),
      "next-round": () => this.goByRound(1),
    };
    for (const [what, action] of Object.entries(this.actions)) this.button(what).addEventListener("click", action);
    for (const kind of Object.keys(this.moments)) {
      this.button(kind).addEventListener("click", (event) => this.goToMoment(kind, event.shiftKey ? -1 : 1));
    }
    parts.log.addEventListener("click", (event) => {
      const line = event.target.closest("[data-step]");
      if (line && getSelection().isCollapsed) this.jump(Number(line.dataset.step));
    });
    parts.view.addEventListener("change", () => {
      this.viewInAddress = true;
      this.setView(parts.view.value);
      // A seat is one of this game.
      if (places.viewNamed(this.view, 0)) kept.set(VIEW_KEY, this.view);
      this.show(this.index);
      this.keepAddress();
    });
    const speed = kept.get(SPEED_KEY);
    if ([...parts.speed.options].some((option) => option.value === speed)) parts.speed.value = speed;
    parts.speed.addEventListener("change", () => kept.set(SPEED_KEY, parts.speed.value));
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("popstate", () => {
      clearTimeout(this.addressTimer);
      this.pause();
      this.showAddress();
    });
  }

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const isInside = this.root.contains(target);
    const scrubs = target === this.parts.scrubber;
    if (!isInside && (target !== document.body || !this.isInSight())) return;
    if (target.closest("select, textarea, input") && !scrubs) return;
    const action = this.actionOf(event, isInside);
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Letters count inside the viewer alone: elsewhere they may be a browser's or a screen reader's. */
  actionOf({ key, shiftKey, target }, isInside) {
    const { actions } = this;
    const direction = shiftKey ? -1 : 1;
    const letters = {
      r: () => this.goByRound(direction),
      c: () => this.goToMoment("clear", direction),
      t: () => this.goToMoment("final", direction),
      f: () => this.goToMoment("fault", direction),
      "?": () => this.toggleHelp(),
    };
    const others = {
      " ": target.closest("button, summary, a") ? null : actions.play,
      ArrowLeft: shiftKey ? actions["previous-turn"] : actions.back,
      ArrowRight: shiftKey ? actions["next-turn"] : actions.on,
      Home: () => this.go(0),
      End: () => this.go(this.steps.length - 1),
      Escape: isInside && this.parts.help.open ? () => this.closeHelp() : null,
    };
    return others[key] ?? (isInside ? letters[key.toLowerCase()] : null);
  }

  toggleHelp() {
    const { help } = this.parts;
    if (help.open) {
      this.closeHelp();
      return;
    }
    this.beforeHelp = document.activeElement;
    help.open = true;
    help.querySelector("summary").focus();
  }

  closeHelp() {
    const { help } = this.parts;
    help.open = false;
    (this.beforeHelp ?? help.querySelector("summary")).focus();
    this.beforeHelp = null;
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

for (const root of document.querySelectorAll(".viewer")) watch(root);
