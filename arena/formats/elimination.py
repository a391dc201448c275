"""Single and double elimination: who loses is out, or has one more life."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .base import Format
from .brackets import (
    NOBODY,
    Node,
    Playing,
    by_round,
    loser_of,
    seeded_leaves,
    tree,
    tree_titles,
    winner_of,
)
from .run import Run
from .seeding import bracket_size
from .settings import EXTRA_DEALS, EXTRA_MATCHES, FINAL_DEALS, THIRD_PLACE, Setting, deals
from .state import Criterion, How, Pairing, Part, PartKind, Source, SourceKind, Standing, State
from .table import note_on_leaving
from .words import Template, gettext_noop

if TYPE_CHECKING:
    from .rehearsal import Rehearsal

THIRD = "T1"
SECOND_ROUND = Template(gettext_noop("Second bracket, round {n}"))
REACHED = Criterion(
    "reached",
    gettext_noop("Reached"),
    gettext_noop("The last round that the entry came to. Who lost in the same round shares the place."),
)
WINS = Criterion(
    "wins",
    gettext_noop("Wins"),
    gettext_noop("Pairings won with a match; byes, forfeits and walk-overs are none."),
)
RESET = Setting(
    "reset",
    gettext_noop("Second match of the grand final"),
    gettext_noop(
        "Who comes to the grand final without a loss must lose twice to lose the title, like everybody else."
    ),
    True,
)


class SingleElimination(Format):
    name = "single-elimination"
    title = gettext_noop("Single elimination")
    summary = gettext_noop(
        "Who loses is out. The quickest way to a winner; seeds matter, and luck does. More deals help most here."
    )
    settings = (deals(25), FINAL_DEALS, THIRD_PLACE, EXTRA_DEALS, EXTRA_MATCHES)

    def play(self, run: Run) -> State:
        ids = [entry.id for entry in run.entries]
        nodes = single_bracket(len(ids), third_place=run.settings["third_place"])
        playing = Playing(run, nodes, lambda source: ids[source.number - 1])
        parts = single_parts(nodes, playing.pairings)
        return knockout_state(run, self.name, parts, nodes, playing, ids)

    def rehearse(self, rehearsal: Rehearsal) -> int:
        nodes = single_bracket(rehearsal.n, third_place=rehearsal.settings["third_place"])
        return rehearse_bracket(rehearsal, nodes, lambda source: rehearsal.by_seed[source.number - 1])


class DoubleElimination(Format):
    name = "double-elimination"
    title = gettext_noop("Double elimination")
    summary = gettext_noop(
        "Who loses goes to a second bracket and is out with the second loss. One bad match is not the end; about "
        "twice the pairings of single elimination."
    )
    settings = (deals(25), FINAL_DEALS, RESET, EXTRA_DEALS, EXTRA_MATCHES)

    def play(self, run: Run) -> State:
        ids = [entry.id for entry in run.entries]
        nodes = double_bracket(len(ids), reset=run.settings["reset"])
        playing = Playing(run, nodes, lambda source: ids[source.number - 1])
        parts = double_parts(nodes, playing.pairings)
        return knockout_state(run, self.name, parts, nodes, playing, ids)

    def rehearse(self, rehearsal: Rehearsal) -> int:
        nodes = double_bracket(rehearsal.n, reset=rehearsal.settings["reset"])
        return rehearse_bracket(rehearsal, nodes, lambda source: rehearsal.by_seed[source.number - 1])


# Shapes


def single_bracket(n: int, *, third_place: bool) -> list[Node]:
    return with_third_place(tree("M", seeded_leaves(bracket_size(n), n)), wanted=third_place)


def with_third_place(nodes: list[Node], *, wanted: bool) -> list[Node]:
    """The losers of the semi-finals meet just before the final."""
    semis = nodes[-3:-1]
    if not wanted or len(semis) < 2:
        return nodes
    third = Node(f"{THIRD}-1", THIRD, 1, nodes[-1].level, (loser_of(semis[0].key), loser_of(semis[1].key)))
    return [*nodes[:-1], third, nodes[-1]]


def double_bracket(n: int, *, reset: bool) -> list[Node]:
    """The first bracket, the second one that its losers drop into, and the grand final.

    In the second bracket rounds among those who are there alternate with rounds against the newest losers. Where
    byes of the first bracket leave a place empty there, whoever would come to it enters a round later: the second
    bracket has no byes. Losers drop in an order that keeps those apart who have met.
    """
    size = bracket_size(n)
    first = tree("W", seeded_leaves(size, n))
    nodes = [replace(node, is_final=False) for node in first]
    second = SecondBracket(nodes, size)
    nodes += second.nodes
    grand = Node(
        "F1-1",
        "F1",
        1,
        second.level_of(second.survivor) + 1,
        (winner_of(first[-1].key), second.survivor),
        is_final=True,
    )
    nodes.append(grand)
    if reset:
        nodes.append(
            Node(
                "F2-1",
                "F2",
                1,
                grand.level + 1,
                (winner_of("F1-1"), loser_of("F1-1")),
                is_final=True,
                is_reset=True,
            )
        )
    return nodes


class SecondBracket:
    """Builds the second bracket from the nodes of the first one."""

    def __init__(self, first: Sequence[Node], size: int) -> None:
        self.nodes: list[Node] = []
        self.levels = {node.key: node.level for node in first}
        # The places of the first round that whoever comes out of a pairing may have come from.
        self.origins: dict[str, set[int]] = {}
        rounds: dict[str, list[Node]] = {}
        for node in first:
            rounds.setdefault(node.round_key, []).append(node)
        for found in rounds.values():
            block = size // len(found)
            for index, node in enumerate(found):
                self.origins[node.key] = set(range(index * block, (index + 1) * block))
        # One who has a bye loses to nobody there.
        waiting = [NOBODY if NOBODY in node.sources else loser_of(node.key) for node in rounds["W1"]]
        number = 0
        for found in list(rounds.values())[1:]:
            waiting = self.round(number + 1, list(zip(waiting[::2], waiting[1::2], strict=True)))
            dropping = self.drop([loser_of(node.key) for node in found], waiting)
            waiting = self.round(number + 2, list(zip(waiting, dropping, strict=True)))
            number += 2
        self.survivor = waiting[0]

    def level_of(self, source: Source) -> int:
        return self.levels.get(source.of, 0)

    def round(self, number: int, pairs: Sequence[tuple[Source, Source]]) -> list[Source]:
        """Who comes out of a round: the winners of its pairings, and who has nobody to meet there."""
        out = []
        for index, (one, two) in enumerate(pairs, 1):
            if one == NOBODY or two == NOBODY:
                out.append(one if two == NOBODY else two)
                continue
            key = f"L{number}-{index}"
            level = max(self.level_of(one), self.level_of(two)) + 1
            self.nodes.append(Node(key, f"L{number}", index, level, (one, two)))
            self.levels[key] = level
            self.origins[key] = self.origins[one.of] | self.origins[two.of]
            out.append(winner_of(key))
        return out

    def drop(self, losers: list[Source], waiting: Sequence[Source]) -> list[Source]:
        """The losers in the order, of some simple ones, in which the fewest can meet whom they have met."""
        half = len(losers) // 2
        turned = losers[::-1]
        orders = [turned, losers[half:] + losers[:half], turned[half:] + turned[:half], losers]

        def again(order: Sequence[Source]) -> int:
            return sum(
                len(self.origins[loser.of] & self.origins[one.of])
                for loser, one in zip(order, waiting, strict=True)
                if one != NOBODY
            )

        return min(orders, key=again)


# Parts


def single_parts(nodes: Sequence[Node], pairings: Mapping[str, Pairing]) -> list[Part]:
    main = [node for node in nodes if node.key[0] == "M"]
    third = [node for node in nodes if node.key[0] == "T"]
    parts = [
        Part(
            "M", gettext_noop("Bracket"), PartKind.BRACKET, tuple(by_round(main, pairings, tree_titles(main)))
        ),
    ]
    if third:
        rounds = by_round(third, pairings, {THIRD: gettext_noop("Third place")})
        parts.append(Part("T", gettext_noop("Third place"), PartKind.ROUNDS, tuple(rounds)))
    return parts


def double_parts(nodes: Sequence[Node], pairings: Mapping[str, Pairing]) -> list[Part]:
    first = [node for node in nodes if node.key[0] == "W"]
    second = [node for node in nodes if node.key[0] == "L"]
    last = [node for node in nodes if node.key[0] == "F"]
    names = list(dict.fromkeys(node.round_key for node in second))
    titles = {key: SECOND_ROUND(n=number) for number, key in enumerate(names, 1)}
    titles |= tree_titles(first, gettext_noop("Final of the first bracket"))
    if names:
        titles[names[-1]] = gettext_noop("Final of the second bracket")
    titles |= {"F1": gettext_noop("Grand final"), "F2": gettext_noop("Grand final, second match")}
    parts = [
        Part("W", gettext_noop("First bracket"), PartKind.BRACKET, tuple(by_round(first, pairings, titles)))
    ]
    if second:
        rounds = tuple(by_round(second, pairings, titles))
        parts.append(Part("L", gettext_noop("Second bracket"), PartKind.SECOND, rounds))
    return [
        *parts,
        Part("F", gettext_noop("Grand final"), PartKind.ROUNDS, tuple(by_round(last, pairings, titles))),
    ]


# Standings

WON = 10**6
STILL_IN = 10**5


def knockout_state(
    run: Run,
    format: str,
    parts: Sequence[Part],
    nodes: Sequence[Node],
    playing: Playing,
    ids: Sequence[int],
) -> State:
    came = depths(run, nodes, playing, ids)
    standings = standings_by(
        run,
        {who: (far,) for who, (far, _) in came.items()},
        reached_titles(parts, came),
        wins_of(playing, ids),
    )
    return run.state(
        format=format,
        stage=1,
        is_finished=playing.is_finished,
        winner=champion(run, standings, came),
        parts=parts,
        criteria=(REACHED, WINS),
        standings=standings,
    )


def reached_titles(parts: Sequence[Part], came: Mapping[int, tuple[float, str]]) -> dict[int, str]:
    titles = {round.key: round.title for part in parts for round in part.rounds}
    return {who: titles.get(key, "") for who, (_, key) in came.items()}


def wins_of(playing: Playing, ids: Sequence[int]) -> dict[int, int]:
    """How many pairings with a match each has won."""
    wins = dict.fromkeys(ids, 0)
    for pairing in playing.pairings.values():
        if pairing.winner is not None and pairing.played:
            wins[pairing.winner] += 1
    return wins


def champion(run: Run, standings: Sequence[Standing], came: Mapping[int, tuple[float, str]]) -> int | None:
    """Who stands first alone, unless it left before it had won."""
    top = standings[0]
    if top.place != top.place_to or run.is_disqualified(top.entry):
        return None
    has_won = came.get(top.entry, (0.0, ""))[0] == WON
    return top.entry if has_won or not run.has_left(top.entry) else None


def standings_by(
    run: Run,
    keys: Mapping[int, tuple[float, ...]],
    reached: Mapping[int, str],
    wins: Mapping[int, int],
) -> list[Standing]:
    """The greatest key first, equal ones sharing a place; who is disqualified stands last. Who left counts as
    having lost what it could not play."""
    groups: dict[tuple[bool, tuple[float, ...]], list[int]] = {}
    for who in keys:
        groups.setdefault((not run.is_disqualified(who), keys[who]), []).append(who)
    found: list[Standing] = []
    for key in sorted(groups, reverse=True):
        place = len(found) + 1
        split_by = REACHED.name if found else None
        for who in groups[key]:
            found.append(
                Standing(
                    entry=who,
                    place=place,
                    place_to=place + len(groups[key]) - 1,
                    status=run.status(who),
                    values=(reached[who], float(wins[who])),
                    split_by=split_by,
                    notes=note_on_leaving(run, who),
                )
            )
    return found


def depths(
    run: Run, nodes: Sequence[Node], playing: Playing, ids: Sequence[int]
) -> dict[int, tuple[float, str]]:
    """How far each entry came, as a number, and the key of the round."""
    last = {who: node for node in nodes for who in playing.pairings[node.key].entries}
    levels = {node.key: node.level for node in nodes}
    return {
        who: depth(run, last[who], levels, playing, who) if who in last else (float(STILL_IN), "")
        for who in ids
    }


def depth(run: Run, last: Node, levels: Mapping[str, int], playing: Playing, who: int) -> tuple[float, str]:
    pairing = playing.pairings[last.key]
    if not pairing.is_decided:
        return float(STILL_IN), last.round_key
    if last.round_key == THIRD:
        # Behind the loser of the final, which is at the same level.
        return last.level - (0.25 if pairing.winner == who else 0.5), last.round_key
    if pairing.winner == who:
        following = playing.pairings.get(pairing.winner_to or "")
        is_over = following is None or following.how is How.NOT_NEEDED
        return float(WON if is_over else STILL_IN), last.round_key
    if pairing.loser_to is not None and run.has_left(who):
        return float(levels[pairing.loser_to]), last.round_key
    return float(last.level), last.round_key


# Rehearsal


def rehearse_bracket(rehearsal: Rehearsal, nodes: Sequence[Node], resolve: Callable[[Source], int]) -> int:
    """Play the nodes through; `resolve` gives the index of strength for a SEED or PLACE source."""
    won: dict[str, int | None] = {}
    lost: dict[str, int | None] = {}
    firsts: dict[str, int | None] = {}
    matches: Counter[tuple[int, bool]] = Counter()

    def coming(source: Source) -> int | None:
        if source.kind is SourceKind.NOBODY:
            return None
        if source.kind is SourceKind.WINNER:
            return won[source.of]
        return lost[source.of] if source.kind is SourceKind.LOSER else resolve(source)

    for node in nodes:
        one, two = (coming(source) for source in node.sources)
        firsts[node.key] = one
        before = node.sources[0].of
        if node.is_reset and won[before] == firsts[before]:
            won[node.key], lost[node.key] = one, two
        elif one is None or two is None:
            won[node.key], lost[node.key] = (two if one is None else one), None
        else:
            matches[node.level, node.is_final] += 1
            winner = rehearsal.duel(one, two, rehearsal.settings["final_deals" if node.is_final else "deals"])
            won[node.key], lost[node.key] = winner, (two if winner == one else one)
    for (_, is_final), number in matches.items():
        rehearsal.step(number, rehearsal.settings["final_deals" if is_final else "deals"])
    last = won[nodes[-1].key]
    return 0 if last is None else last
