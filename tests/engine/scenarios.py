"""The games that the golden transcripts tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from matches.engine import DISCARD, DRAW, Action, Game, SeededDeal, autopilot, flip, reveal, swap, take

from .staging import SEED, GivenDeal, Staged, StagedDeal, new_game, pack, staged_action

Policy = Callable[[Game], Action]


@dataclass(frozen=True)
class Scenario:
    """A game: `script` first, then decisions of `then` until the game is over or `rounds` rounds are."""

    name: str
    title: str
    deal: object
    seats: int
    rules: str | Mapping[str, object] = "official"
    script: Sequence[Action] = ()
    then: Policy | None = None
    rounds: int | None = None

    def game(self) -> Game:
        return new_game(self.rules, self.seats, self.deal)

    def decisions(self, game: Game) -> Iterator[Action]:
        yield from self.script
        while self.then and game.outcome is None and len(game.rounds) != self.rounds:
            yield self.then(game)


def thrifty(game: Game) -> Action:
    """A plain player: low cards go where the highest face-up card lies, others are discarded."""
    seat = game.seat
    view = game.view(seat)
    grid = view["grids"][seat]
    open_cells = [cell for cell in range(12) if isinstance(grid[cell], int)]
    worst = max(open_cells, key=lambda cell: grid[cell], default=None)
    if game.phase == "reveal":
        return reveal(seat, seat + 3)
    if game.phase == "draw":
        return take(worst) if worst is not None and view["discard"] <= 2 < grid[worst] else DRAW
    if worst is not None and view["drawn"] <= 4 < grid[worst]:
        return swap(worst)
    return flip(max(cell for cell in range(12) if grid[cell] is None))


def first_hands(
    *hands: Sequence[int | None], opening: int | None = None, draw: Sequence[int] = ()
) -> GivenDeal:
    return GivenDeal([pack(hands, opening, draw)])


def staged(*rounds: Staged) -> dict[str, object]:
    """The deal and the player of staged rounds."""
    return {"deal": StagedDeal(*rounds), "then": lambda game: staged_action(game, rounds)}


def opening(*cells: tuple[int, ...]) -> list[Action]:
    return [reveal(*c) for c in cells]


def turns(*cells: int) -> list[Action]:
    """A drawn card discarded and one of these cells turned over, turn by turn."""
    return [action for cell in cells for action in (DRAW, flip(cell))]


SCENARIOS = (
    Scenario(
        "official",
        "A whole game under the publisher's rules, from the seed 7: a thrifty player against the autopilot.",
        SeededDeal(SEED, 0),
        2,
        then=lambda game: thrifty(game) if game.seat == 0 else autopilot(game),
    ),
    Scenario(
        "who_starts",
        "The sheet's example: 12 and -2 make 10, which beats 4 and 2, so seat 0 starts. Cards are taken, replaced "
        "unseen, drawn, kept and discarded.",
        first_hands([12, -2, 7, 3], [4, 2, 9], opening=5, draw=[1, 8]),
        2,
        script=[
            *opening((0, 1), (0, 1)),
            take(0),
            take(2),
            *(DRAW, swap(11)),
            *(DRAW, flip(3)),
            take(0),
        ],
    ),
    Scenario(
        "column_from_a_swap",
        "The sheet's picture: the -1 of the column 9, 9, -1 is replaced by a 9. The -1 goes onto the discard pile "
        "first, the three 9s on top of it, and the next seat takes one of them.",
        first_hands([9, 9, -1], [2, 3, 9], opening=9),
        2,
        script=[*opening((0, 1), (0, 1)), take(2), take(0), *turns(3), take(1)],
    ),
    Scenario(
        "closer_doubles_on_a_tie",
        "The sheet's example: the closer has 10 points, the others 24 and 10. Equal is not alone the lowest, so 10 "
        "become 20.",
        seats=3,
        rounds=1,
        **staged(Staged((10, 24, 10), closer=0)),
    ),
    Scenario(
        "final_reveal",
        "Seat 0 closes with 30 points. In the final reveal two adjacent columns of seat 1 and one of seat 2 clear, by "
        "seat and from left to right. Only then are points compared: seat 1 has fewer now, so seat 0 doubles.",
        first_hands(
            [12, 11, 1, 2, 3, 4, 1, 2, -1, -2, -1, -2],
            [5, 1, 2, 10, 10, 10, 9, 9, 9, 0, 1, 0],
            [6, 4, 6, 8, 3, 8, 7, 7, 7, 2, 5, 6],
        ),
        3,
        script=opening((0, 1), (0, 1), (0, 1)),
        then=lambda game: autopilot(game) if game.seat == 0 or game.phase == "draw" else swap(0),
        rounds=1,
    ),
    Scenario(
        "empty_grid_closes",
        "Every column of seat 0 clears. The empty grid closes the round with 0 points; the others have one turn "
        "more.",
        first_hands([3, 3, 3, 8, 8, 8, -2, -2, -2, 12, 12, 12], [1, 0]),
        2,
        script=[
            *opening((9, 10), (0, 1)),
            *turns(11, 2, 0, 3, 1, 4, 2, 5, 3, 6, 4, 7, 5, 8, 6, 9, 7, 10, 8),
        ],
        then=autopilot,
        rounds=1,
    ),
    Scenario(
        "turn_cap",
        "With a cap of two turns a seat the first round is cut: all cards are revealed, a column clears, nobody "
        "doubles, and its starter starts the next, although the highest sum would. After the second round the game "
        "ends by the round cap.",
        first_hands([1, 2, 3], [6, 6, 6, 12, 11]),
        2,
        {"target": 500, "turn_cap": 2, "round_cap": 2, "next_start": "highest_sum"},
        script=[*opening((0, 1), (3, 4)), *turns(0, 2, 1, 3), *opening((0, 1), (0, 1))],
        then=autopilot,
    ),
    Scenario(
        "closed_on_the_last_turn",
        "The last seat closes on the very last turn before the cap. Nothing is cut: the others have their final "
        "turns.",
        seats=3,
        rules={"turn_cap": 10},
        rounds=1,
        **staged(Staged((20, 30, 10), closer=2, starter=0)),
    ),
    Scenario(
        "reshuffle",
        "Eight seats leave 53 cards to draw. The turn that needs a 54th shuffles the discards without their top "
        "card, which stays.",
        SeededDeal(SEED, 1),
        8,
        script=[*opening(*[(0, 1)] * 8), *turns(*[cell for cell in range(2, 9) for _ in range(8)])],
    ),
    Scenario(
        "guide_2026_flip_more",
        "Three seats tie for the start and reveal one more card each, all at once. A column clears, still counts in "
        "the sum, and two seats stay tied; seat 1, which was not tied, does not come back in.",
        first_hands([4, 4, 4, 0, 1], [3, 2, 12], [5, 3, 4, 2, 0], [6, 2, 1]),
        4,
        "guide-2026",
        script=[
            *opening((0, 1), (0, 1), (0, 1), (0, 1)),
            *opening((2,), (2,), (2,)),
            *opening((3,), (3,)),
            *turns(5, 5, 5, 5),
        ],
    ),
    Scenario(
        "flip_more_before_the_discard_pile_opens",
        "The column that clears in the tie-break lies under the card that opens the discard pile.",
        first_hands([4, 4, 4], [5, 3, 2], opening=7),
        2,
        {"start_tie": "flip_more", "open_discard": "after_reveal"},
        script=[*opening((0, 1), (0, 1)), *opening((2,), (2,)), take(5), take(2)],
    ),
    Scenario(
        "guide_2026_extra_round",
        "Seats 0 and 2 share the lowest total and play one more round alone. Seat 2 wins it; seat 0 stays ahead of "
        "seat 1, whose total is lower.",
        seats=3,
        rules={
            "target": 30,
            "start_tie": "flip_more",
            "tie_doubles": False,
            "double_only_positive": False,
            "final_tie": "extra_round",
        },
        **staged(
            Staged((20, 31, 20), closer=0),
            Staged((30, 11), closer=2, starter=0, table=(0, 2)),
        ),
    ),
    Scenario(
        "skyjo_info",
        "The discard pile opens after the first cards are revealed, and a closer's negative points double too: -4 "
        "against -5 become -8.",
        seats=2,
        rules="skyjo-info",
        rounds=1,
        **staged(Staged((-4, -5), closer=0)),
    ),
    Scenario(
        "marquoir_50",
        "The short game: a total of exactly 50 ends it.",
        seats=2,
        rules="marquoir-50",
        **staged(Staged((20, 24), closer=0), Staged((25, 26), closer=0, starter=0)),
    ),
    Scenario(
        "gamerules",
        "A seat may discard and turn over nothing. Seat 1 wins the round that seat 0 closes, so it starts the next.",
        seats=2,
        rules="gamerules",
        rounds=2,
        script=[
            *opening((0, 3), (0, 3)),
            *(DRAW, DISCARD),
            *(DRAW, DISCARD),
        ],
        deal=first_hands([6, 2, 1, 5, 0, 3, 4, 1, 7, 2, 3, 0], [4, 1, 0, 5, 2, -1, 3, 1, -2, 4, 0, 2]),
        then=autopilot,
    ),
    Scenario(
        "gamerules_plain",
        "Three equal cards in a column stay and count.",
        first_hands([7, 7, 7, 12], [1, 2, 3]),
        2,
        "gamerules-plain",
        script=[*opening((0, 1), (0, 1)), *turns(2, 2, 3)],
    ),
    Scenario(
        "highest_sum",
        "The highest sum of revealed cards starts every round, whoever closed the one before.",
        seats=2,
        rules={"next_start": "highest_sum"},
        rounds=2,
        **staged(Staged((12, 20), closer=0), Staged((30, 10), closer=1)),
    ),
)
