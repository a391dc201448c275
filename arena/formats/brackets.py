"""Brackets: pairings whose entries come out of other pairings, and how they are played through.

A bracket is a list of nodes, each after those that it needs. That nobody comes may be known from the size of the
field (`NOBODY` as a source) or turn out later, when both entries of a pairing have left; either way whoever does
come goes on without a match, and a pairing to which nobody comes is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from .notes import note
from .pairings import Knockout, knocked_out
from .run import Run
from .seeding import bracket_order
from .state import How, Pairing, Round, Slot, Source, SourceKind, Status
from .words import Template, gettext_noop

NOBODY = Source(SourceKind.NOBODY)


def seed(number: int) -> Source:
    return Source(SourceKind.SEED, number)


def winner_of(key: str) -> Source:
    return Source(SourceKind.WINNER, of=key)


def loser_of(key: str) -> Source:
    return Source(SourceKind.LOSER, of=key)


ROUND_OF = Template(gettext_noop("Round of {n}"))


@dataclass(frozen=True, slots=True)
class Node:
    """A pairing before it is known who comes. `level` orders nodes by when they can be played. The `reset` is
    played only if the second entry of the node before it won there."""

    key: str
    round_key: str
    number: int
    level: int
    sources: tuple[Source, Source]
    is_final: bool = False
    is_reset: bool = False


class Playing:
    """Plays a bracket through. `resolve` gives the entry for a SEED or PLACE source, None if nobody comes;
    `is_open` says that such sources are not known yet."""

    def __init__(
        self,
        run: Run,
        nodes: Sequence[Node],
        resolve: Callable[[Source], int | None],
        *,
        is_open: bool = False,
    ) -> None:
        self.run, self.nodes, self.resolve, self.is_open = run, nodes, resolve, is_open
        self.pairings: dict[str, Pairing] = {}
        self.winner_to, self.loser_to = targets(nodes)
        for node in nodes:
            pairing = self.reset(node) if node.is_reset else self.settle(node, self.filled(node))
            self.pairings[node.key] = pairing

    @property
    def is_finished(self) -> bool:
        return all(pairing.is_decided for pairing in self.pairings.values())

    def slot(self, source: Source) -> Slot:
        if source.kind is SourceKind.NOBODY:
            return Slot(source, is_empty=True)
        if source.kind in (SourceKind.SEED, SourceKind.PLACE):
            if self.is_open:
                return Slot(source)
            who = self.resolve(source)
            return Slot(source, who, is_empty=who is None)
        before = self.pairings[source.of]
        if not before.is_decided:
            return Slot(source)
        # Who has left goes its way all the same: matches that it played there before stand, the others it forfeits.
        who = before.winner if source.kind is SourceKind.WINNER else before.loser
        return Slot(source, who, is_empty=who is None)

    def filled(self, node: Node) -> Pairing:
        one, two = (self.slot(source) for source in node.sources)
        return Pairing(
            node.key,
            node.number,
            (one, two),
            Status.WAITING,
            winner_to=self.winner_to.get(node.key),
            loser_to=self.loser_to.get(node.key),
        )

    def settle(self, node: Node, pairing: Pairing) -> Pairing:
        if any(slot.entry is None and not slot.is_empty for slot in pairing.slots):
            return pairing
        present = pairing.entries
        if len(present) == 2:
            return knocked_out(self.run, pairing, self.rules(node))
        if not present:
            return replace(pairing, status=Status.DECIDED, how=How.EMPTY, notes=(note("empty"),))
        (who,) = present
        name = self.run.name(who)
        slots = tuple(slot if slot.entry is None else replace(slot, placing=1) for slot in pairing.slots)
        if NOBODY in node.sources:
            how, why = How.BYE, note("bye", name=name)
        elif node.is_final and self.run.has_left(who):
            why = note("left_before", name=name, why=self.run.why(who))
            return replace(pairing, status=Status.DECIDED, how=How.EMPTY, loser=who, notes=(why,))
        else:
            how, why = How.WALK_OVER, note("walk_over", name=name)
        return replace(pairing, status=Status.DECIDED, how=how, winner=who, slots=slots, notes=(why,))

    def rules(self, node: Node) -> Knockout:
        settings = self.run.settings
        deals = settings["final_deals"] if node.is_final else settings["deals"]
        return Knockout(deals, settings["extra_deals"], settings["extra_matches"], node.is_final)

    def reset(self, node: Node) -> Pairing:
        """The second match of the grand final: needed if the one who came without a loss has lost the first one."""
        pairing = self.filled(node)
        first = self.pairings[node.sources[0].of]
        if not first.is_decided:
            return replace(pairing, slots=tuple(Slot(slot.source) for slot in pairing.slots))
        unbeaten, challenger = first.slots
        if unbeaten.entry is None or challenger.entry is None or first.winner != challenger.entry:
            slots = tuple(Slot(slot.source, is_empty=True) for slot in pairing.slots)
            return replace(
                pairing,
                slots=slots,
                status=Status.DECIDED,
                how=How.NOT_NEEDED,
                winner=first.winner,
                loser=first.loser,
                notes=(note("no_reset"),),
            )
        slots = (
            Slot(pairing.slots[0].source, challenger.entry),
            Slot(pairing.slots[1].source, unbeaten.entry),
        )
        played = self.settle(node, replace(pairing, slots=slots))
        why = note("reset", name=self.run.name(unbeaten.entry))
        return replace(played, notes=(why, *played.notes))


def targets(nodes: Iterable[Node]) -> tuple[dict[str, str], dict[str, str]]:
    """Where the winner and where the loser of each node go."""
    winners: dict[str, str] = {}
    losers: dict[str, str] = {}
    for node in nodes:
        for source in node.sources:
            if source.kind is SourceKind.WINNER:
                winners[source.of] = node.key
            elif source.kind is SourceKind.LOSER:
                losers[source.of] = node.key
    return winners, losers


def tree(prefix: str, leaves: Sequence[Source], level: int = 1) -> list[Node]:
    """A single bracket over 2, 4, 8, … leaves from top to bottom, the final last."""
    nodes: list[Node] = []
    sources, number = list(leaves), 0
    while len(sources) > 1:
        number += 1
        round_nodes = [
            Node(
                f"{prefix}{number}-{index + 1}",
                f"{prefix}{number}",
                index + 1,
                level + number - 1,
                (sources[2 * index], sources[2 * index + 1]),
                is_final=len(sources) == 2,
            )
            for index in range(len(sources) // 2)
        ]
        nodes += round_nodes
        sources = [winner_of(node.key) for node in round_nodes]
    return nodes


def seeded_leaves(size: int, n: int) -> list[Source]:
    """The seeds 1 to n from top to bottom of a bracket of this size; byes fall to the top seeds."""
    return [seed(number) if number <= n else NOBODY for number in bracket_order(size)]


def by_round(
    nodes: Sequence[Node], pairings: Mapping[str, Pairing], titles: Mapping[str, str]
) -> list[Round]:
    keys: dict[str, list[Pairing]] = {}
    for node in nodes:
        keys.setdefault(node.round_key, []).append(pairings[node.key])
    return [
        Round(key, titles[key], number, tuple(found)) for number, (key, found) in enumerate(keys.items(), 1)
    ]


def tree_titles(nodes: Sequence[Node], final: str = gettext_noop("Final")) -> dict[str, str]:
    """The names of a tree's rounds, from the final back."""
    sizes: dict[str, int] = {}
    for node in nodes:
        sizes[node.round_key] = sizes.get(node.round_key, 0) + 1
    named = {1: final, 2: gettext_noop("Semi-finals"), 4: gettext_noop("Quarter-finals")}
    return {key: named.get(size, ROUND_OF(n=2 * size)) for key, size in sizes.items()}
