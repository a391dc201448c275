/**
 * An expanded replay (docs/replay.md) as steps, and the places and views of a page's address. Knows neither rules nor
 * the page: what changes on the table is what the events say.
 *
 * A step is the opening of a round, a decision, or the result of a round.
 */

export const EVERYTHING = "everything";
export const OPEN = "open";

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

// --------------------------------------------------------------------------------------------------- what to jump to

/** The steps at which columns clear, final turns begin, and bots fault, each list ascending. */
export function momentsOf(replay, steps) {
  const where = (matches) => steps.flatMap((step, i) => (matches(step) ? [i] : []));
  return {
    clear: where(({ moves }) => moves.some((move) => move.kind === "clear")),
    final: where(({ decision }) => decision?.events.some((event) => event.event === "close")),
    fault: [...new Set(replay.faults.map((fault) => stepOfDecision(steps, fault.decision)))],
  };
}

/** A fault may show after the last decision: then the last step. */
export function stepOfDecision(steps, decision) {
  const found = steps.findIndex((step) => step.decision?.decision === decision);
  return found < 0 ? steps.length - 1 : found;
}

export const startOfRound = (steps, round) => steps.findIndex((step) => step.round.round === round);

/** Where the turn of a step begins; all first cards of a round are one turn. */
export function startOfTurn(steps, index) {
  const isSame = (step) =>
    step.round === steps[index].round && step.kind === "decision" && step.decision.turn === steps[index].decision?.turn;
  let start = index;
  while (steps[index].kind === "decision" && isSame(steps[start - 1])) start -= 1;
  return start;
}

export function nextTurn(steps, index) {
  const start = startOfTurn(steps, index);
  let next = index + 1;
  while (next < steps.length && startOfTurn(steps, next) === start) next += 1;
  return Math.min(next, steps.length - 1);
}

// -------------------------------------------------------------------------------------------------------- addresses

/** The parameters that lead to a step: its round, and its turn (`end` for the result); where several decisions are one
 * turn's, those after the first are named too. */
export function addressOf(steps, index) {
  const { kind, round, decision } = steps[index];
  if (kind === "opening") return { round: round.round };
  if (kind === "result") return { round: round.round, turn: "end" };
  const place = { round: round.round, turn: decision.turn };
  return startOfTurn(steps, index) === index ? place : { ...place, decision: decision.decision };
}

/** The step that an address names (`decision`, else `round` with `turn`, else `step`), else the first. */
export function stepInAddress(steps, address) {
  const number = (name) => {
    const text = address.searchParams.get(name) ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : null;
  };
  const [step, round, turn] = ["step", "round", "turn"].map(number);
  const decision = number("decision") ?? (/^#d\d{1,9}$/.test(address.hash) ? Number(address.hash.slice(2)) : null);
  if (decision !== null) return stepOfDecision(steps, decision);
  if (step !== null) return Math.min(step, steps.length - 1);
  const first = startOfRound(steps, round);
  if (first < 0) return 0;
  const isEnd = address.searchParams.get("turn") === "end";
  if (turn === null && !isEnd) return first;
  const found = steps.findIndex(
    (each, i) => i > first && (each.kind !== "decision" || (!isEnd && each.decision.turn >= turn)),
  );
  return found < 0 ? steps.length - 1 : found;
}

/** The view that a text names, else null: everything, the open cards alone, or what one of `n` seats saw. */
export function viewNamed(text, n) {
  if (text === EVERYTHING || text === OPEN) return text;
  const seat = /^seat(\d)$/.exec(text ?? "")?.[1];
  return seat !== undefined && Number(seat) < n ? text : null;
}

/** Whether what a seat did face-down (the card it drew, the cells it chose) is seen in this view. */
export const seesHandOf = (view, seat) => view === EVERYTHING || view === `seat${seat}`;
