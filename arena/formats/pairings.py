"""From the results of its matches to what a pairing came to: in a table, and in a knock-out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from .lots import drawn
from .notes import Note, figure, note
from .results import Match, Result, Sums, match_key
from .run import Run
from .state import How, Pairing, Slot, Source, SourceKind, Status, shown

DRAWN = Source(SourceKind.DRAWN)
POINT = 840
"""One point of a table in the units in which points are counted. Shares of a point at tables of 2 to 8, and halves of
them, are whole."""


class Turnout(StrEnum):
    """What an entry's round was, for tie-breaks."""

    PLAYED = "played"
    BYE = "bye"
    WON_BY_FORFEIT = "won by forfeit"
    FORFEITED = "forfeited"
    ABSENT = "absent"
    """It had left before the round was drawn."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A pairing of a table format with what its table needs: for each two who met 2, 1 or 0 half wins, each
    entry's points and turnout, its share of the games won against the others, and how many mean points it was
    better than they where this can be compared."""

    pairing: Pairing
    halves: dict[tuple[int, int], int]
    points: dict[int, int]
    turnout: dict[int, Turnout]
    share: dict[int, Fraction]
    better: dict[int, Fraction]


def met_in_table(
    run: Run,
    key: str,
    number: int,
    entries: Sequence[int],
    deals: int,
    *,
    by_games: bool = False,
    why: Sequence[Note] = (),
) -> Meeting:
    """Two entries or a pod, met once for points: beating everybody is worth 1, a level result a half of that.
    `by_games`: the point is shared as the games were.

    Who has left and whose match was not played without it forfeits; the others play among themselves. `why` are
    notes on the draw, which stay with the pairing.
    """
    live = [who for who in entries if not run.has_left(who)]
    result = run.answers.find(match_key(key, 0), entries, live)
    if result is not None:
        away = [who for who in entries if who in result.forfeits or who not in result.entries]
    elif len(live) > 1:
        return Meeting(still_to_play(key, number, entries, deals, live, why), {}, {}, {}, {}, {})
    else:
        there = run.still_there(entries)
        away = [who for who in entries if who not in there]
    sums = Sums([result] if result is not None else [])
    present = [who for who in entries if who not in away]
    halves = {
        (one, two): 0 if one in away else 2 if two in away else sums.halves(one, two)
        for one in entries
        for two in entries
        if one != two
    }
    points = {who: worth(who, entries, away, halves, sums, by_games=by_games) for who in entries}
    played = len(present) > 1
    turnout = dict.fromkeys(away, Turnout.FORFEITED)
    turnout |= dict.fromkeys(present, Turnout.PLAYED if played else Turnout.WON_BY_FORFEIT)
    slots = tuple(
        Slot(
            source=DRAWN,
            entry=who,
            forfeits=who in away,
            points=shown(Fraction(points[who], POINT)),
            share=shown(sums.share(who)),
            mean_points=shown(sums.mean_points(who)),
            faults=sums.faults.get(who, 0),
            placing=1 + sum(points[other] > points[who] for other in entries),
        )
        for who in entries
    )
    how, notes = story(run, entries, away, sums, points)
    first = [slot.entry for slot in slots if slot.placing == 1]
    pairing = Pairing(
        key,
        number,
        slots,
        Status.DECIDED,
        how,
        winner=first[0] if len(first) == 1 else None,
        played=(key,) if played else (),
        notes=(*why, *notes),
    )
    shares = {who: sums.share(who) if who in present and played else None for who in entries}
    share = {who: Fraction(who in present) if found is None else found for who, found in shares.items()}
    return Meeting(pairing, halves, points, turnout, share, better_points(present, sums))


def worth(
    who: int,
    entries: Sequence[int],
    away: Sequence[int],
    halves: Mapping[tuple[int, int], int],
    sums: Sums,
    *,
    by_games: bool,
) -> int:
    """What a pairing is worth to an entry, in `POINT`ths."""
    others = [other for other in entries if other != who]
    each = POINT // len(others)
    if not by_games:
        return each // 2 * sum(halves[who, other] for other in others)
    points = 0
    for other in others:
        if who in away or other in away or not halves[who, other] + halves[other, who]:
            points += each // 2 * halves[who, other]
        else:
            # Rounded for one of the two alone, so that both add up to the whole.
            first, second = sorted((who, other))
            share = round(Fraction(each * sums.won[first, second], 2 * sums.games))
            points += share if who == first else each - share
    return points


def still_to_play(
    key: str, number: int, entries: Sequence[int], deals: int, live: Sequence[int], why: Sequence[Note]
) -> Pairing:
    slots = tuple(Slot(DRAWN, who, forfeits=who not in live) for who in entries)
    match = Match(key, key, tuple(live), deals)
    return Pairing(key, number, slots, Status.PLAYING, matches=(match,), notes=tuple(why))


def better_points(present: Sequence[int], sums: Sums) -> dict[int, Fraction]:
    """By how many points a game the mean of the others is above one's own."""
    means = {who: mean for who in present if (mean := sums.mean_points(who)) is not None}
    if len(means) < 2:
        return {}
    whole = sum(means.values(), Fraction(0))
    return {who: (whole - mean) / (len(means) - 1) - mean for who, mean in means.items()}


def story(
    run: Run, entries: Sequence[int], away: Sequence[int], sums: Sums, points: dict[int, int]
) -> tuple[How, list[Note]]:
    present = [who for who in entries if who not in away]
    if len(present) == 1 and len(entries) == 2:
        (winner,), (loser,) = present, away
        return How.FORFEIT, [
            note("forfeit", winner=run.name(winner), loser=run.name(loser), why=run.why(loser))
        ]
    notes = [note("pod_forfeit", loser=run.name(who), why=run.why(who)) for who in away]
    if len(present) < 2:
        return (How.FORFEIT if present else How.DOUBLE_FORFEIT), notes
    if len(entries) == 2:
        one, two = entries
        if sums.always_faulted(one) and sums.always_faulted(two):
            return How.DOUBLE_FORFEIT, [note("double_forfeit", one=run.name(one), two=run.name(two))]
        if points[one] == points[two]:
            return How.LEVEL, [note("level", one=run.name(one), two=run.name(two), games=sums.games)]
        winner, loser = (one, two) if points[one] > points[two] else (two, one)
        return How.GAMES, [won(run, winner, loser, sums)]
    ranked = sorted(entries, key=lambda who: (-points[who], run.seed(who)))
    ranking = ", ".join(f"{run.name(who)} {figure(points[who] / POINT)}" for who in ranked)
    return How.GAMES, [note("pod", ranking=ranking), *notes]


def won(run: Run, winner: int, loser: int, sums: Sums, code: str = "won") -> Note:
    share = figure(sums.won[winner, loser] / 2)
    return note(code, winner=run.name(winner), loser=run.name(loser), share=share, games=sums.games)


# Knock-out


@dataclass(frozen=True, slots=True)
class Knockout:
    """How a knock-out pairing of two known entries is played. After a final nothing is drawn that could have counted on
    who of two that left stayed longer: there both forfeit."""

    deals: int
    extra_deals: int
    extra_matches: int
    is_final: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who goes on, or nobody, and why; `away` are those who forfeited."""

    how: How
    winner: int | None
    loser: int | None
    notes: tuple[Note, ...]
    away: tuple[int, ...] = ()


def knocked_out(run: Run, pairing: Pairing, rules: Knockout) -> Pairing:
    """The pairing of two entries with the one that goes on, or with the match that is to be played next."""
    one, two = pairing.entries
    live = [who for who in (one, two) if not run.has_left(who)]
    results: list[Result] = []
    sums = Sums([])
    for extra in range(rules.extra_matches + 1):
        result = run.answers.find(match_key(pairing.key, extra), (one, two), live)
        if result is None:
            break
        results.append(result)
        if result.forfeits:
            break
        sums.add(result)
        if sums.won[one, two] != sums.won[two, one] or neither_played_well(sums, one, two):
            break
    verdict = judged(run, pairing, results, sums, rules)
    slots = tuple(
        Slot(
            source=slot.source,
            entry=slot.entry,
            forfeits=verdict is not None and slot.entry in verdict.away,
            share=shown(sums.share(slot.entry)),
            mean_points=shown(sums.mean_points(slot.entry)),
            faults=sums.faults.get(slot.entry, 0),
            placing=None if verdict is None else 1 if slot.entry == verdict.winner else 2,
        )
        for slot in pairing.slots
        if slot.entry is not None
    )
    matches: tuple[Match, ...] = ()
    if verdict is None:
        deals = rules.extra_deals if results else rules.deals
        key = match_key(pairing.key, len(results))
        matches = (Match(key, pairing.key, (one, two), deals, len(results)),)
    return replace(
        pairing,
        slots=slots,
        status=Status.PLAYING if verdict is None else Status.DECIDED,
        how=None if verdict is None else verdict.how,
        winner=None if verdict is None else verdict.winner,
        loser=None if verdict is None else verdict.loser,
        notes=() if verdict is None else verdict.notes,
        matches=matches,
        played=tuple(result.match for result in results if not result.forfeits),
    )


def neither_played_well(sums: Sums, one: int, two: int) -> bool:
    return sums.always_faulted(one) and sums.always_faulted(two)


def judged(
    run: Run, pairing: Pairing, results: Sequence[Result], sums: Sums, rules: Knockout
) -> Verdict | None:
    """The verdict on these results, None if a further match is wanted."""
    one, two = pairing.entries
    if results and results[-1].forfeits:
        return forfeited(run, one, two, results[-1].forfeits)
    if results and sums.won[one, two] != sums.won[two, one]:
        winner, loser = (one, two) if sums.won[one, two] > sums.won[two, one] else (two, one)
        code, how = ("won", How.GAMES) if len(results) == 1 else ("won_after_extra", How.EXTRA)
        return Verdict(how, winner, loser, (won(run, winner, loser, sums, code),))
    if results and neither_played_well(sums, one, two):
        return forfeited(run, one, two, (one, two))
    if run.has_left(one) or run.has_left(two):
        live = [who for who in (one, two) if not run.has_left(who)]
        there = live if rules.is_final else run.still_there((one, two))
        return forfeited(run, one, two, [who for who in (one, two) if who not in there])
    if len(results) <= rules.extra_matches:
        return None
    return last_resort(run, pairing.key, one, two, sums)


def forfeited(run: Run, one: int, two: int, away: Sequence[int]) -> Verdict:
    """One forfeits, or both: then who has not left goes on, the better seed of two, and nobody if both have left."""
    gone = tuple(away)
    if len(gone) == 1:
        winner, loser = (one, two) if two in gone else (two, one)
        why = note("forfeit", winner=run.name(winner), loser=run.name(loser), why=run.why(loser))
        return Verdict(How.FORFEIT, winner, loser, (why,), gone)
    remaining = sorted((who for who in (one, two) if not run.has_left(who)), key=run.seed)
    names = {"one": run.name(one), "two": run.name(two)}
    if not remaining:
        return Verdict(How.DOUBLE_FORFEIT, None, None, (note("nobody_left", **names),), gone)
    winner = remaining[0]
    notes = (note("double_forfeit", **names), note("goes_on", winner=run.name(winner)))
    return Verdict(How.DOUBLE_FORFEIT, winner, two if winner == one else one, notes, gone)


def last_resort(run: Run, key: str, one: int, two: int, sums: Sums) -> Verdict:
    """Mean points, then faults, then a lot."""
    for how, code, first, second in (
        (How.MEAN_POINTS, "mean_points", sums.mean_points(one), sums.mean_points(two)),
        (How.FAULTS, "faults", Fraction(sums.faults[one]), Fraction(sums.faults[two])),
    ):
        if first is not None and second is not None and first != second:
            winner, loser = (one, two) if first < second else (two, one)
            fewer, more = sorted((float(first), float(second)))
            why = note(code, winner=run.name(winner), fewer=figure(fewer), more=figure(more))
            return Verdict(how, winner, loser, (why,))
    winner, loser = drawn(run.lot_seed, key, (one, two))
    why = note("lot", winner=run.name(winner), seed=run.lot_seed, purpose=key)
    return Verdict(How.LOT, winner, loser, (why,))
