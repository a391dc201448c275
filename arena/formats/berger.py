"""Berger tables: who meets whom in which round of a round robin (FIDE Handbook C.05, annex 1)."""

from __future__ import annotations


def berger_rounds(n: int) -> list[list[tuple[int, int]]]:
    """The rounds for the numbers 1 to n, pairings in the order of the published tables, the first-named first.

    With an odd n the number n + 1 stands for nobody: who meets it is free.
    """
    even = n + n % 2
    circle = even - 1
    rounds = []
    for index in range(circle):
        # The last number stands still; round by round its opponent moves on by half of the others.
        pivot = index * (even // 2) % circle
        first = (pivot + 1, even) if index % 2 == 0 else (even, pivot + 1)
        others = [((pivot + step) % circle + 1, (pivot - step) % circle + 1) for step in range(1, even // 2)]
        rounds.append([first, *others])
    return rounds
