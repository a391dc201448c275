"""Plans of rounds of tables in which nobody sits with anybody twice, for fields so small that a draw which looks
only at the round before it would soon find no way on.

A transversal design over a field of q elements, q a prime power, seats up to q x q entries at q tables in q
rounds: entry (group, index) sits in round m at table index + m x group. Two entries of different groups meet once
at most, two of one group never. A plan of its own, found by search, seats 24 at six tables (no field has six
elements).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

Tables = list[list[int]]

# Irreducible polynomials over the prime, by field: the remainder that stands for x to the degree of the field.
POWERS = {4: (2, (1, 1)), 8: (2, (1, 1, 0)), 9: (3, (2, 0)), 16: (2, (1, 1, 0, 0))}
# Round 0 of a plan for 24 = 3 x 7 + 3: (index, class) in seven indices, of which every further round adds 1 to
# all; each of
# the three short tables has one of the last three entries, who stay where they are.
SHORT_TABLES = (((0, 0), (0, 1), (0, 2)), ((1, 0), (3, 2), (4, 1)), ((1, 1), (5, 2), (6, 0)))
WHOLE_TABLES = (
    ((1, 2), (2, 2), (4, 2), (6, 1)),
    ((2, 0), (3, 0), (5, 0), (6, 2)),
    ((2, 1), (3, 1), (4, 0), (5, 1)),
)
# By seats at a table, the share of the field that an entry may meet in all rounds before looking no further than the
# next round ends in repeated meetings; found by trying.
TIGHT = {3: 0.6, 4: 0.6, 5: 0.6, 6: 0.46, 7: 0.38, 8: 0.33}


def is_tight(n: int, seats: int, rounds: int) -> bool:
    """Whether so many rounds use up most of those that one can meet."""
    return rounds * (seats - 1) > TIGHT[seats] * (n - 1)


def planned(n: int, seats: int, rounds: int) -> list[Tables] | None:
    """Rounds of tables of the numbers 0 to n-1 without a repeated meeting, each table of `seats` or one fewer, or
    of three or four; None if no plan that is known here does it."""
    most = max(seats, 4)
    # The smallest field has the largest tables.
    for q in fields() if seats > 3 else reversed(fields()):
        if q >= rounds and -(-n // q) <= min(q, most) and n // q >= most - 1:
            return transversal(n, q)[:rounds]
    if most == 4 and 20 <= n <= 24 and rounds <= (7 if n == 24 else 6):
        return thinned(n)[:rounds]
    return None


def fields() -> list[int]:
    """The sizes of fields up to 43, ascending."""
    primes = [q for q in range(2, 44) if all(q % p for p in range(2, q))]
    return sorted({*primes, *POWERS})


def transversal(n: int, q: int) -> list[Tables]:
    """q rounds of q tables. Numbers go to groups of q like cards to and fro, so that every group has some of all
    strengths."""
    groups = -(-n // q)
    dealt: list[list[int]] = [[] for _ in range(groups)]
    for number in range(n):
        row, place = divmod(number, groups)
        dealt[place if row % 2 == 0 else groups - 1 - place].append(number)
    # What the last row lacks is lacking in some groups: fill groups up from the front.
    flat = [number for group in dealt for number in group]
    rounds: list[Tables] = []
    for slope in range(q):
        tables: Tables = [[] for _ in range(q)]
        for place, number in enumerate(flat):
            group, index = divmod(place, q)
            tables[plus(index, times(slope, group, q), q)].append(number)
        rounds.append(tables)
    return rounds


@lru_cache(maxsize=1)
def plan_for_24() -> list[Tables]:
    rounds: list[Tables] = []
    for add in range(7):
        moved = [
            [3 * ((index + add) % 7) + kind for index, kind in table]
            for table in (*SHORT_TABLES, *WHOLE_TABLES)
        ]
        rounds.append([[*table, 21 + i] if i < 3 else table for i, table in enumerate(moved)])
    return rounds


def thinned(n: int) -> list[Tables]:
    """The plan for 24 without 24 - n entries who meet in its last round alone, so that no table loses two of them."""
    plan = plan_for_24()
    gone = set(plan[-1][-1][: 24 - n])
    numbers = {old: new for new, old in enumerate(sorted(set(range(24)) - gone))}
    return [[[numbers[old] for old in table if old in numbers] for table in tables] for tables in plan]


def plus(a: int, b: int, q: int) -> int:
    if q not in POWERS:
        return (a + b) % q
    prime, tail = POWERS[q]
    pairs = zip(digits(a, prime, len(tail)), digits(b, prime, len(tail)), strict=True)
    return number([(x + y) % prime for x, y in pairs], prime)


def times(a: int, b: int, q: int) -> int:
    if q not in POWERS:
        return a * b % q
    prime, tail = POWERS[q]
    degree = len(tail)
    product = [0] * (2 * degree - 1)
    for i, x in enumerate(digits(a, prime, degree)):
        for j, y in enumerate(digits(b, prime, degree)):
            product[i + j] += x * y
    for high in range(2 * degree - 2, degree - 1, -1):
        for i, x in enumerate(tail):
            product[high - degree + i] += product[high] * x
        product[high] = 0
    return number([x % prime for x in product[:degree]], prime)


def digits(value: int, prime: int, degree: int) -> list[int]:
    return [value // prime**i % prime for i in range(degree)]


def number(found: Sequence[int], prime: int) -> int:
    return sum(digit * prime**i for i, digit in enumerate(found))
