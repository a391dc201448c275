"""Groups that play all against all, and a knock-out of the best of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from string import ascii_uppercase
from typing import TYPE_CHECKING

from .base import Format
from .brackets import NOBODY, Playing, tree
from .elimination import (
    REACHED,
    WINS,
    champion,
    depths,
    reached_titles,
    rehearse_bracket,
    single_parts,
    standings_by,
    wins_of,
    with_third_place,
)
from .matching import cheapest_matching
from .round_robin import Circle, all_play_all
from .run import Run
from .seeding import bracket_order, bracket_size, snake
from .settings import (
    EXTRA_DEALS,
    EXTRA_MATCHES,
    FINAL_DEALS,
    SCORING,
    THIRD_PLACE,
    TWICE,
    Setting,
    Settings,
    deals,
)
from .state import Source, SourceKind, State
from .words import Template, gettext_noop

if TYPE_CHECKING:
    from .rehearsal import Rehearsal

GROUP_STAGE, KNOCKOUT_STAGE = 1, 2
GROUP = Template(gettext_noop("Group {letter}"))
TOO_FEW = Template(
    gettext_noop(
        "Groups: {groups} groups with {qualifiers} qualifiers each need at least {needed} entries, so that somebody "
        "does not go on; there are {entries}."
    )
)
NUMBER_OF_GROUPS = Setting(
    "groups",
    gettext_noop("Groups"),
    gettext_noop(
        "Seeds are dealt to the groups to and fro, so that all are about as strong. 0: two, four, eight or sixteen "
        "groups, of at least four if possible."
    ),
    0,
    0,
    16,
)
QUALIFIERS = Setting(
    "qualifiers",
    gettext_noop("Qualifiers of a group"),
    gettext_noop(
        "So many of each group go on to the knock-out. Ties for these places are decided by extra deals."
    ),
    2,
    1,
    4,
)


def groups_for(settings: Settings, n: int) -> int:
    wanted: int = settings["groups"]
    return wanted or max(2, min(16, 1 << (max(n // 4, 1).bit_length() - 1)))


class GroupsThenKnockout(Format):
    name = "groups-knockout"
    title = gettext_noop("Groups, then knock-out")
    summary = gettext_noop(
        "Groups play all against all; the best of each go on to a single elimination in which those of one group "
        "meet again as late as possible. Everybody plays several matches, and there is a final."
    )
    settings = (
        deals(25),
        FINAL_DEALS,
        NUMBER_OF_GROUPS,
        QUALIFIERS,
        SCORING,
        TWICE,
        THIRD_PLACE,
        EXTRA_DEALS,
        EXTRA_MATCHES,
    )
    fewest_entries = 4

    def problems(self, settings: Settings, n_entries: int | None) -> dict[str, str]:
        if settings["groups"] == 1:
            return {"groups": gettext_noop("Groups: one group is a round robin; there must be at least two.")}
        if n_entries is None:
            return {}
        n_groups = groups_for(settings, n_entries)
        needed = n_groups * (settings["qualifiers"] + 1)
        if n_entries >= needed:
            return {}
        qualifiers = settings["qualifiers"]
        return {
            "groups": TOO_FEW(groups=n_groups, qualifiers=qualifiers, needed=needed, entries=n_entries),
        }

    def play(self, run: Run) -> State:
        ids = [entry.id for entry in run.entries]
        circles = self.circles(run, ids)
        are_final = all(circle.ranked.is_final for circle in circles)
        orders = [[who for tied in circle.ranked.order for who in tied] for circle in circles]

        def resolve(source: Source) -> int | None:
            order = orders[ascii_uppercase.index(source.of)]
            return order[source.number - 1] if source.number <= len(order) else None

        leaves = knockout_leaves(len(circles), run.settings["qualifiers"])
        nodes = with_third_place(tree("M", leaves), wanted=run.settings["third_place"])
        playing = Playing(run, nodes, resolve, is_open=not are_final)
        parts = [*(circle.part for circle in circles), *single_parts(nodes, playing.pairings)]
        going_on = [resolve(source) for source in leaves if are_final and source is not NOBODY]
        came = depths(run, nodes, playing, [who for who in going_on if who is not None])
        keys: dict[int, tuple[float, ...]] = {who: (1.0, far) for who, (far, _) in came.items()}
        reached = reached_titles(parts, came)
        for circle in circles:
            for standing in circle.part.standings:
                if standing.entry not in came:
                    keys[standing.entry] = (0.0, -float(standing.place))
                    reached[standing.entry] = circle.part.title
        standings = standings_by(run, {who: keys[who] for who in ids}, reached, wins_of(playing, ids))
        return run.state(
            format=self.name,
            stage=KNOCKOUT_STAGE if are_final else GROUP_STAGE,
            is_finished=playing.is_finished,
            winner=champion(run, standings, came),
            parts=parts,
            criteria=(REACHED, WINS),
            standings=standings,
        )

    def circles(self, run: Run, ids: Sequence[int]) -> list[Circle]:
        def leaves(who: int) -> bool:
            return not run.stays_after(who, GROUP_STAGE)

        return [
            all_play_all(
                run,
                [ids[number - 1] for number in members],
                prefix=f"G{letter}",
                title=GROUP(letter=letter),
                decided_places=run.settings["qualifiers"],
                leaves=leaves,
            )
            for letter, members in zip(
                ascii_uppercase, snake(len(ids), groups_for(run.settings, len(ids))), strict=False
            )
        ]

    def rehearse(self, rehearsal: Rehearsal) -> int:
        settings = rehearsal.settings
        n_groups = groups_for(settings, rehearsal.n)
        orders = []
        for members in snake(rehearsal.n, n_groups):
            points = rehearsal.circle([rehearsal.by_seed[number - 1] for number in members])
            orders.append(rehearsal.ordered(points))
        nodes = with_third_place(
            tree("M", knockout_leaves(n_groups, settings["qualifiers"])), wanted=settings["third_place"]
        )
        return rehearse_bracket(
            rehearsal,
            nodes,
            lambda source: orders[ascii_uppercase.index(source.of)][source.number - 1],
        )


def place(group: int, number: int) -> Source:
    return Source(SourceKind.PLACE, number, ascii_uppercase[group])


@lru_cache(maxsize=64)
def knockout_leaves(groups: int, qualifiers: int) -> tuple[Source, ...]:
    """The bracket from top to bottom. Winners of groups are the top seeds, in the order of the groups; the second,
    third, … of the groups follow, so placed that those of one group meet as late as possible."""
    size = bracket_size(groups * qualifiers)
    position = {seed: index for index, seed in enumerate(bracket_order(size))}
    leaves = [NOBODY] * size
    mine: list[list[int]] = [[] for _ in range(groups)]
    for number in range(1, qualifiers + 1):
        seats = [position[(number - 1) * groups + index + 1] for index in range(groups)]
        for group, seat in enumerate(assigned(seats, mine, size)):
            leaves[seat] = place(group, number)
            mine[group].append(seat)
    return tuple(leaves)


def assigned(seats: Sequence[int], mine: Sequence[Sequence[int]], size: int) -> list[int]:
    """A seat for each group, as far as possible from those that the group has already."""
    groups = len(seats)
    costs = [[0] * (2 * groups) for _ in range(2 * groups)]
    apart = 4 * size * size * groups
    for group in range(groups):
        for other in range(groups):
            # Two groups, or two seats, are never matched: more than all else together.
            costs[group][other] = costs[groups + group][groups + other] = apart * groups * size**2
            # A meeting in round r costs four times as much as one in round r + 1.
            near = sum(size**2 >> 2 * (seats[other] ^ seat).bit_length() for seat in mine[group])
            cost = apart * near + (group - other) ** 2
            costs[group][groups + other] = costs[groups + other][group] = cost
    partner = cheapest_matching(costs)
    return [seats[partner[group] - groups] for group in range(groups)]
