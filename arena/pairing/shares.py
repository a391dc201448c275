"""How much of a version's evidence may come from one person, who could let their bots win or lose on purpose.

At most a tenth of a version's matches may be with the bots of one other owner, or of its own: rounded up to a whole
match, and an even share while there are too few others for a tenth. House bots are nobody's, and have no such bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.pairing.field import Contender, Field

SHARE = 0.1


def most_matches(one: Contender, field: Field, seats: int) -> int:
    """How many of its matches, the next one included, may be with bots of any one owner."""
    share = max(SHARE, min((seats - 1) / max(field.n_parties(one), 1), 1.0))
    # What is whole but for the last bits of a float is whole.
    return math.ceil(round(share * (field.record(one).n_matches + 1), 9))


def excess(one: Contender, other: Contender, field: Field, seats: int) -> int:
    """By how many matches one more with this other would exceed the share of its owner; none if it does not."""
    if other.is_house:
        return 0
    met = field.record(one).owners.get(other.owner, 0)
    return max(met + 1 - most_matches(one, field, seats), 0)


def table_excess(other: Contender, table: Sequence[Contender], field: Field, seats: int) -> int:
    """The same for a table that this other would join, seen from both sides."""
    return max(
        max(excess(seated, other, field, seats), excess(other, seated, field, seats)) for seated in table
    )
