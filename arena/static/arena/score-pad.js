/**
 * The score pad: keeps a table's totals for people who play with cards. It sends nothing anywhere; a game lives in
 * localStorage.
 *
 * What the points mean is `reckon`, which follows the engine (matches/engine/scoring.py, game.py) by the flags of a
 * preset; tests compare the two. All texts come from the page.
 */

const KEY = "score-pad";
const N_UNDO = 50;

// ---------------------------------------------------------------------------------------------- what the points mean

/** Whether the closer's points are to be doubled, compared with those of the others at the table. */
function doubles(rules, points, closer, table) {
  if (rules.double_only_positive && points[closer] <= 0) return false;
  const best = Math.min(...table.filter((seat) => seat !== closer).map((seat) => points[seat]));
  return rules.tie_doubles ? best <= points[closer] : best < points[closer];
}

/** `seat` itself when it is `among` them, else the next of them clockwise. */
function nextClockwise(seat, among, n) {
  const away = (other) => (other - seat + n) % n;
  return among.reduce((best, other) => (away(other) < away(best) ? other : best));
}

/** Each player's place (1, 1, 3), lowest total first; those of later extra rounds stay ahead of all others. */
function placing(totals, extraTables) {
  const last = totals.map((_, seat) => extraTables.findLastIndex((table) => table.includes(seat)));
  const isAhead = (a, b) => last[a] > last[b] || (last[a] === last[b] && totals[a] < totals[b]);
  return totals.map((_, seat) => 1 + totals.filter((_, other) => isAhead(other, seat)).length);
}

/**
 * What rounds come to. A round is `{points, closer}`: what each of the n players' grids adds up to (null who sits out)
 * and who closed it (null: nobody, it was broken off).
 *
 * Answers `rounds` (each with its `table`, `points` after doubling, who `doubled` or null), `totals`, the `table` that
 * plays next, its `starter` where it follows from the rounds (else null), `outcome` (null while the game is on) with
 * its `reason` and `placing`, and `flaw`: the first round that does not fit what comes before it, or null.
 */
export function reckon(rules, n, rounds, maxExtraRounds) {
  let table = Array.from({ length: n }, (_, seat) => seat);
  let totals = table.map(() => 0);
  let starter = null;
  let outcome = null;
  const extraTables = [];
  const done = [];
  const found = (flaw) => ({ rounds: done, totals, table, starter, outcome, flaw, isExtra: extraTables.length > 0 });

  for (const [index, { points: sums, closer }] of rounds.entries()) {
    if (outcome) return found({ kind: "surplus", index });
    const fits = table.every((seat) => Number.isInteger(sums[seat])) && (closer === null || table.includes(closer));
    if (!fits) return found({ kind: "missing", index });
    const points = totals.map((_, seat) => (table.includes(seat) ? sums[seat] : 0));
    const doubled = closer !== null && points[closer] !== 0 && doubles(rules, points, closer, table) ? closer : null;
    if (doubled !== null) points[doubled] *= 2;
    totals = totals.map((total, seat) => total + points[seat]);
    done.push({ table, points, doubled, closer, isExtra: extraTables.length > 0 });

    const mayGoOn = done.length < rules.round_cap;
    const targetReached = extraTables.length > 0 || Math.max(...totals) >= rules.target;
    if (targetReached) {
      const lowest = Math.min(...table.map((seat) => totals[seat]));
      const tied = table.filter((seat) => totals[seat] === lowest);
      if (tied.length > 1 && rules.final_tie === "extra_round" && extraTables.length < maxExtraRounds && mayGoOn) {
        extraTables.push(tied);
        const anchor = closer ?? starter;
        starter = anchor === null ? null : nextClockwise(anchor, tied, n);
        table = tied;
        continue;
      }
    } else if (mayGoOn) {
      starter = nextStarter(rules, points, closer, starter);
      continue;
    }
    outcome = { reason: targetReached ? "target" : "round_cap", placing: placing(totals, extraTables) };
  }
  return found(null);
}

function nextStarter(rules, points, closer, starter) {
  if (closer === null) return starter;
  if (rules.next_start === "round_winner") {
    const lowest = Math.min(...points);
    const winners = points.flatMap((each, seat) => (each === lowest ? [seat] : []));
    return nextClockwise(closer, winners, points.length);
  }
  return rules.next_start === "closer" ? closer : null;
}

// --------------------------------------------------------------------------------------------------------- what is kept

const emptyDraft = (n) => ({ points: Array(n).fill(""), closer: undefined });

const newGame = (preset, names) => ({
  preset,
  names,
  stage: "setup",
  rounds: [],
  editing: null,
  draft: emptyDraft(names.length),
});

/** What is stored, if it is what this pad stored. */
function stored() {
  const kept = JSON.parse(localStorage.getItem(KEY));
  return kept?.format === 1 && Array.isArray(kept.game?.names) && Array.isArray(kept.past) ? kept : null;
}

// --------------------------------------------------------------------------------------------------------- how it looks

const numeral = (value) => String(value).replace("-", "−");

function element(name, { className = "", text = "", ...attributes } = {}) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

class ScorePad {
  constructor(root) {
    this.root = root;
    this.parts = {};
    for (const part of root.querySelectorAll("[data-part]")) this.parts[part.dataset.part] = part;
    this.words = {};
    for (const word of this.parts.words.content.querySelectorAll("[data-word]")) {
      this.words[word.dataset.word] = word.textContent;
    }
    this.limits = {};
    for (const name of ["maxExtraRounds", "fewest", "most", "minPlayers", "maxPlayers"]) {
      this.limits[name] = Number(root.dataset[name]);
    }
    this.list = new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" });
    this.listen();
    this.restore();
  }

  say(word, facts = {}) {
    return this.words[word].replace(/\{(\w+)\}/g, (_, name) => facts[name]);
  }

  // Keeping

  restore() {
    try {
      const kept = stored();
      if (kept) {
        [this.game, this.past] = [kept.game, kept.past];
        // A preset may have gone since.
        if (!this.option()) this.game.preset = this.parts.preset.options[0].value;
        this.show();
        return;
      }
    } catch {
      // Storage is switched off, or holds something else: begin anew.
    }
    this.game = newGame(this.parts.preset.options[0].value, ["", "", ""]);
    this.past = [];
    this.show();
  }

  keep() {
    try {
      localStorage.setItem(KEY, JSON.stringify({ format: 1, game: this.game, past: this.past }));
      this.parts.unkept.hidden = true;
    } catch {
      this.parts.unkept.hidden = false;
    }
  }

  /** Change the game so that it can be undone. */
  change(changed) {
    this.past = [...this.past, this.game].slice(-N_UNDO);
    this.game = { ...this.game, ...changed };
    this.keep();
    this.show();
  }

  option() {
    return [...this.parts.preset.options].find((option) => option.value === this.game.preset);
  }

  reckoned(rounds = this.game.rounds) {
    return reckon(JSON.parse(this.option().dataset.rules), this.game.names.length, rounds, this.limits.maxExtraRounds);
  }

  // Showing

  show() {
    const isPlaying = this.game.stage === "play";
    this.parts.setup.hidden = isPlaying;
    this.parts.play.hidden = !isPlaying;
    for (const error of ["setup-error", "round-error"]) this.parts[error].hidden = true;
    if (isPlaying) this.showPlay();
    else this.showSetup();
    this.parts.preset.value = this.game.preset;
    this.showRules();
    for (const button of this.root.querySelectorAll("[data-do=undo]")) button.hidden = this.past.length === 0;
  }

  showSetup() {
    const { names, rounds } = this.game;
    const isFixed = rounds.length > 0;
    this.parts.names.replaceChildren(...names.map((name, i) => this.nameLine(name, i, isFixed)));
    this.root.querySelector("[data-do=add-player]").hidden = isFixed || names.length >= this.limits.maxPlayers;
    this.parts["setup-done"].textContent = this.say(isFixed ? "save" : "start");
  }

  nameLine(name, i, isFixed) {
    const line = element("li");
    const input = element("input", {
      type: "text",
      maxlength: "24",
      autocomplete: "off",
      placeholder: this.say("player", { number: i + 1 }),
      "aria-label": this.say("player-name", { number: i + 1 }),
    });
    input.value = name;
    line.append(input);
    if (!isFixed && this.game.names.length > this.limits.minPlayers) {
      const shown = name || this.say("player", { number: i + 1 });
      const button = element("button", {
        type: "button",
        className: "quiet",
        text: this.say("remove-player"),
        "aria-label": this.say("remove-this-player", { name: shown }),
      });
      button.addEventListener("click", () => this.removePlayer(i));
      line.append(button);
    }
    return line;
  }

  showRules() {
    const { value, dataset } = this.parts.preset.selectedOptions[0];
    this.parts.summary.textContent = dataset.summary;
    this.parts["sheet-link"].textContent = this.say("sheet-link", { preset: value });
    this.parts["sheet-link"].href = this.parts["sheet-link"].dataset.href + encodeURIComponent(value);
  }

  showPlay() {
    const { names, rounds, editing, draft } = this.game;
    const soFar = this.reckoned();
    this.showStatus(soFar);
    const isOpen = editing !== null || (!soFar.outcome && !soFar.flaw);
    this.parts.round.hidden = !isOpen;
    this.parts["stop-editing"].hidden = editing === null;
    if (isOpen) {
      const at = editing === null ? soFar : this.reckoned(rounds.slice(0, editing));
      const round = (editing ?? rounds.length) + 1;
      const title = editing !== null ? "round-again" : at.isExtra ? "extra-round" : "round";
      this.parts["round-title"].textContent = this.say(title, { round });
      this.parts.entries.replaceChildren(...at.table.map((seat) => this.entry(seat, names[seat], draft)));
      this.parts.round.querySelector("[value=nobody]").checked = draft.closer === null;
    }
    this.parts.sheet.hidden = rounds.length === 0;
    this.showTable(soFar);
  }

  entry(seat, name, draft) {
    const line = element("li");
    const id = `pad-points-${seat}`;
    const input = element("input", {
      id,
      type: "text",
      inputmode: "numeric",
      autocomplete: "off",
      "data-seat": String(seat),
      "aria-describedby": "pad-how",
      "aria-label": this.say("points-of", { name }),
    });
    input.value = draft.points[seat];
    const sign = element("button", {
      type: "button",
      className: "quiet pad-sign",
      text: "±",
      "aria-label": this.say("minus", { name }),
    });
    sign.addEventListener("click", () => {
      const text = input.value.trim();
      input.value = /^[-−]/.test(text) ? text.slice(1) : `-${text}`;
      this.keepDraft();
    });
    const closed = element("label", { className: "pad-closed" });
    const radio = element("input", {
      type: "radio",
      name: "closer",
      value: String(seat),
      "aria-label": this.say("name-closed", { name }),
    });
    radio.checked = draft.closer === seat;
    closed.append(radio, this.say("closed"));
    line.append(element("label", { className: "pad-name", text: name, for: id }), sign, input, closed);
    return line;
  }

  showStatus(soFar) {
    const { names, rounds } = this.game;
    const { outcome, flaw, totals, table, starter } = soFar;
    const named = (seats) => this.list.format(seats.map((seat) => names[seat]));
    const lines = [];
    const last = soFar.rounds.at(-1);
    if (last?.doubled !== null && last !== undefined) {
      const points = last.points[last.doubled];
      const facts = { name: names[last.doubled], before: numeral(points / 2), points: numeral(points) };
      lines.push(this.say("doubled", facts));
    }
    if (outcome) {
      const first = names.map((_, seat) => seat).filter((seat) => outcome.placing[seat] === 1);
      const total = totals[first[0]];
      const isTied = totals.filter((each) => each === total).length > first.length;
      const word = first.length > 1 ? "share" : isTied ? "broke-tie" : "wins";
      const facts = { names: named(first), total: numeral(total) };
      if (outcome.reason === "round_cap") lines.push(this.say("cap", { round: soFar.rounds.length }));
      lines.push(this.say(word, facts));
    } else if (rounds.length > 0 && soFar.isExtra) {
      lines.push(this.say("level", { names: named(table), total: numeral(totals[table[0]]) }));
    } else if (rounds.length > 0) {
      const lowest = Math.min(...totals);
      const first = totals.flatMap((total, seat) => (total === lowest ? [seat] : []));
      lines.push(this.say(first.length > 1 ? "lead" : "leads", { names: named(first), total: numeral(lowest) }));
    }
    if (flaw) {
      lines.push(this.say(flaw.kind, { round: flaw.index + 1, last: flaw.index }));
    } else if (!outcome) {
      lines.push(starter === null ? this.say("highest-starts") : this.say("starts", { name: names[starter] }));
    }
    this.parts.status.className = `pad-status notice ${flaw ? "warn" : outcome ? "good" : ""}`.trim();
    this.parts.status.replaceChildren(...lines.map((text) => element("p", { text })));
  }

  showTable(soFar) {
    const { names, rounds } = this.game;
    const row = (label, cells, scope = "row") => {
      const made = element("tr");
      const head = element("th", { scope });
      head.append(...[label].flat());
      made.append(head, ...cells);
      return made;
    };
    const heads = names.map((name) => element("th", { scope: "col", className: "num", text: name }));
    this.parts.head.replaceChildren(row(this.say("round-column"), heads, "col"));
    this.parts.rounds.replaceChildren(
      ...rounds.map((round, index) => {
        const edit = element("button", {
          type: "button",
          className: "quiet pad-edit",
          text: this.say("edit"),
          "aria-label": this.say("edit-round", { round: index + 1 }),
        });
        edit.addEventListener("click", () => this.edit(index));
        const made = row(
          [element("span", { text: String(index + 1) }), edit],
          names.map((_, seat) => this.cell(round, soFar.rounds[index], seat)),
        );
        made.classList.toggle("is-void", !soFar.rounds[index]);
        return made;
      }),
    );
    const numbers = (values) => values.map((value) => element("td", { className: "num", text: numeral(value) }));
    const foot = [row(this.say("total"), numbers(soFar.totals))];
    if (soFar.outcome) foot.push(row(this.say("place"), numbers(soFar.outcome.placing)));
    this.parts.foot.replaceChildren(...foot);
  }

  cell(round, reckoned, seat) {
    const cell = element("td", { className: "num" });
    if (reckoned && !reckoned.table.includes(seat)) {
      cell.append(element("span", { className: "muted small", text: this.say("sat-out") }));
      return cell;
    }
    const points = reckoned ? reckoned.points[seat] : round.points[seat];
    cell.append(points === null ? "–" : numeral(points));
    if (reckoned?.doubled === seat) {
      cell.append(" ", element("span", { className: "pad-mark", text: this.say("twofold", { before: numeral(points / 2) }) }));
    }
    if (round.closer === seat) cell.append(" ", element("span", { className: "pad-mark", text: this.say("closed") }));
    return cell;
  }

  // Doing

  listen() {
    const { setup, round, preset } = this.parts;
    const actions = {
      "add-player": () => this.addPlayer(),
      "stop-editing": () => this.stopEditing(),
      undo: () => this.undo(),
      "set-up": () => this.setUp(),
      "new-game": () => this.startAnew(),
    };
    for (const [what, action] of Object.entries(actions)) {
      for (const button of this.root.querySelectorAll(`[data-do=${what}]`)) button.addEventListener("click", action);
    }
    setup.addEventListener("submit", (event) => {
      event.preventDefault();
      this.finishSetup();
    });
    setup.addEventListener("input", () => {
      this.game = { ...this.game, names: this.typedNames() };
      this.keep();
    });
    preset.addEventListener("change", () => this.showRules());
    round.addEventListener("submit", (event) => {
      event.preventDefault();
      this.writeDown();
    });
    round.addEventListener("input", () => this.keepDraft());
    round.addEventListener("keydown", (event) => {
      // Enter goes on to what is still empty.
      const empty = [...this.inputs()].find((input) => input !== event.target && input.value.trim() === "");
      if (event.key !== "Enter" || !event.target.dataset.seat || !empty) return;
      event.preventDefault();
      empty.focus();
    });
    // The same pad in another tab.
    addEventListener("storage", (event) => {
      if (event.key !== KEY) return;
      this.restore();
    });
  }

  inputs() {
    return this.parts.entries.querySelectorAll("input[data-seat]");
  }

  typedNames() {
    return [...this.parts.names.querySelectorAll("input")].map((input) => input.value.trim());
  }

  addPlayer() {
    const names = [...this.typedNames(), ""];
    this.game = { ...this.game, names };
    this.keep();
    this.show();
    this.parts.names.lastElementChild.querySelector("input").focus();
  }

  removePlayer(i) {
    this.game = { ...this.game, names: this.typedNames().filter((_, each) => each !== i) };
    this.keep();
    this.show();
    this.parts.names.children[Math.min(i, this.game.names.length - 1)].querySelector("input").focus();
  }

  finishSetup() {
    const names = this.typedNames().map((name, i) => name || this.say("player", { number: i + 1 }));
    const twice = names.findIndex((name, i) => names.indexOf(name) !== i);
    if (twice >= 0) {
      const input = this.parts.names.children[twice].querySelector("input");
      this.complain(this.parts["setup-error"], [[input, this.say("twice", { name: names[twice] })]]);
      return;
    }
    const draft = this.game.draft.points.length === names.length ? this.game.draft : emptyDraft(names.length);
    this.change({ names, preset: this.parts.preset.value, stage: "play", draft });
    this.toRound();
  }

  setUp() {
    this.change({ stage: "setup" });
    this.parts["setup-title"].focus();
  }

  startAnew() {
    this.change(newGame(this.game.preset, this.game.names));
    this.parts["setup-title"].focus();
  }

  undo() {
    this.game = this.past.at(-1);
    this.past = this.past.slice(0, -1);
    this.keep();
    this.show();
    if (this.game.stage === "play") this.toRound();
    else this.parts["setup-title"].focus();
  }

  edit(index) {
    const { points, closer } = this.game.rounds[index];
    const draft = { points: points.map((each) => (each === null ? "" : String(each))), closer };
    this.change({ editing: index, draft });
    this.toRound();
  }

  stopEditing() {
    this.change({ editing: null, draft: emptyDraft(this.game.names.length) });
    this.toRound();
  }

  toRound() {
    if (this.parts.round.hidden) return;
    this.parts["round-title"].focus();
    this.parts.round.scrollIntoView({ block: "nearest" });
  }

  keepDraft() {
    const { draft } = this.game;
    const points = [...draft.points];
    for (const input of this.inputs()) points[Number(input.dataset.seat)] = input.value;
    const checked = this.parts.round.querySelector("[name=closer]:checked");
    const closer = checked ? (checked.value === "nobody" ? null : Number(checked.value)) : undefined;
    this.game = { ...this.game, draft: { points, closer } };
    this.keep();
  }

  writeDown() {
    this.keepDraft();
    const { names, rounds, editing, draft } = this.game;
    const { fewest, most } = this.limits;
    const errors = [];
    const points = names.map(() => null);
    for (const input of this.inputs()) {
      const seat = Number(input.dataset.seat);
      const text = input.value.trim();
      const value = Number(text.replace("−", "-"));
      const facts = { name: names[seat], text, fewest: numeral(fewest), most };
      if (text === "") errors.push([input, this.say("no-points", facts)]);
      else if (!/^[-−+]?\d{1,3}$/.test(text) || value < fewest || value > most) {
        errors.push([input, this.say("not-points", facts)]);
      } else points[seat] = value + 0;
    }
    if (draft.closer === undefined) {
      errors.push([this.parts.round.querySelector("[name=closer]"), this.say("no-closer")]);
    }
    if (errors.length > 0) {
      this.complain(this.parts["round-error"], errors);
      return;
    }
    const round = { points, closer: draft.closer };
    const changed = editing === null ? [...rounds, round] : rounds.map((each, i) => (i === editing ? round : each));
    this.change({ rounds: changed, editing: null, draft: emptyDraft(names.length) });
    this.toRound();
  }

  /** Say what is wrong with which fields, and go to the first of them. */
  complain(box, errors) {
    for (const field of box.parentElement.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
    for (const [field] of errors) field.setAttribute("aria-invalid", "true");
    box.replaceChildren(...errors.map(([, text]) => element("p", { text })));
    box.hidden = false;
    errors[0][0].focus();
  }
}

for (const root of document.querySelectorAll("[data-score-pad]")) {
  new ScorePad(root);
  // Without a secure connection there is none; and where it cannot be had, the pad works until it is closed.
  navigator.serviceWorker?.register(root.dataset.worker).catch(() => {});
}
