"""Perfect matchings of least cost in a complete graph: who meets whom when some meetings are worse than others.

Edmonds' blossom algorithm with dual variables, one alternating tree at a time. A dual y belongs to each vertex and
z >= 0 to each blossom (an odd cycle that is treated as one vertex); the slack of an edge, cost - y - y', is never
negative between blossoms and is 0 on every edge of the matching, which proves that no matching costs less. Costs are
doubled inside so that all duals stay whole numbers: nothing is rounded, however large the costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

FREE: Final = 0
OUTER: Final = 1
"""At an even distance from the root of the tree."""
INNER: Final = 2
NONE: Final = -1

Edge = tuple[int, int]


def cheapest_matching(costs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The partner of each vertex in a perfect matching of least total cost.

    `costs` is a symmetric matrix of whole numbers (the diagonal is not read) with an even number of rows. Of several
    cheapest matchings always the same one comes. Raises ValueError for an odd number of vertices.
    """
    if len(costs) % 2:
        raise ValueError(f"{len(costs)} vertices have no perfect matching.")
    return tuple(_Forest(costs).solve())


class _Forest:
    """The state of the search. Vertices are 0 to n-1, blossoms have numbers from n."""

    def __init__(self, costs: Sequence[Sequence[int]]) -> None:
        n = self.n = len(costs)
        self.costs = [[2 * cost for cost in row] for row in costs]
        self.mate = [NONE] * n
        # By vertex or blossom. The outermost blossoms alone have labels; a blossom's first child holds its base.
        self.label = [FREE] * (2 * n)
        self.entry: list[Edge] = [(NONE, NONE)] * (2 * n)
        self.base = list(range(n)) + [NONE] * n
        self.children: list[list[int]] = [[] for _ in range(2 * n)]
        self.links: list[list[Edge]] = [[] for _ in range(2 * n)]
        self.z = [0] * (2 * n)
        self.spare = list(range(2 * n - 1, n - 1, -1))
        # By vertex: the outermost blossom around it, and the outer vertex with the least slack to it.
        self.top = list(range(n))
        self.near = [NONE] * n
        self.outer: list[int] = []
        self.y = [0] * n
        self.start()

    def start(self) -> None:
        """Duals as large as they may be, one vertex after the other, and a first matching of edges without slack."""
        n, costs, y = self.n, self.costs, self.y
        for v in range(n):
            y[v] = min((costs[v][w] for w in range(n) if w != v), default=0) // 2
        for v in range(n):
            slack, w = min(((costs[v][w] - y[v] - y[w], w) for w in range(n) if w != v), default=(0, NONE))
            y[v] += slack
            if w != NONE and self.mate[v] == NONE and self.mate[w] == NONE:
                self.mate[v], self.mate[w] = w, v

    def solve(self) -> list[int]:
        for v in range(self.n):
            if self.mate[v] == NONE:
                self.grow_from(v)
        return self.mate

    def vertices(self, b: int) -> Iterator[int]:
        if b < self.n:
            yield b
        else:
            for child in self.children[b]:
                yield from self.vertices(child)

    # The tree

    def grow_from(self, root: int) -> None:
        """Grow a tree from an unmatched vertex until it reaches another one, and match along the way."""
        for b in set(self.top):
            self.label[b] = FREE
        self.near = [NONE] * self.n
        self.outer = []
        self.make_outer(self.top[root], (NONE, NONE))
        while True:
            delta, kind, what = self.next_event()
            if delta:
                self.shift(delta)
            if kind == INNER:
                self.expand(what)
                continue
            v, w = self.near[what], what
            if kind == OUTER:
                self.shrink(v, w)
            elif self.mate[self.base[self.top[w]]] == NONE:
                self.augment(v, w)
                return
            else:
                self.reach(v, w)

    def next_event(self) -> tuple[int, int, int]:
        """The least change of the duals that makes something happen: an edge to a FREE vertex or between two OUTER
        ones loses its slack, or an INNER blossom its z."""
        costs, y, near, top, label = self.costs, self.y, self.near, self.top, self.label
        best, kind, what = NONE, FREE, NONE
        for v in range(self.n):
            state = label[top[v]]
            if state == INNER or near[v] == NONE:
                continue
            slack = costs[v][near[v]] - y[v] - y[near[v]]
            if state == OUTER:
                slack >>= 1
            if best == NONE or slack < best:
                best, kind, what = slack, state, v
        for b in range(self.n, 2 * self.n):
            if label[b] == INNER and self.is_top(b) and (best == NONE or self.z[b] >> 1 < best):
                best, kind, what = self.z[b] >> 1, INNER, b
        return best, kind, what

    def is_top(self, b: int) -> bool:
        return self.base[b] != NONE and self.top[self.base[b]] == b

    def shift(self, delta: int) -> None:
        for v in range(self.n):
            state = self.label[self.top[v]]
            if state == OUTER:
                self.y[v] += delta
            elif state == INNER:
                self.y[v] -= delta
        for b in range(self.n, 2 * self.n):
            if self.is_top(b):
                if self.label[b] == OUTER:
                    self.z[b] += 2 * delta
                elif self.label[b] == INNER:
                    self.z[b] -= 2 * delta

    def reach(self, v: int, w: int) -> None:
        """The outer vertex v reaches the matched blossom around w, which takes its partner along."""
        inner = self.top[w]
        self.label[inner], self.entry[inner] = INNER, (v, w)
        base = self.base[inner]
        partner = self.mate[base]
        self.make_outer(self.top[partner], (base, partner))

    def make_outer(self, b: int, entry: Edge) -> None:
        self.label[b], self.entry[b] = OUTER, entry
        for v in self.vertices(b):
            self.add_outer(v)

    def add_outer(self, v: int) -> None:
        """v becomes an end of edges that may lose their slack."""
        costs, y, near, top = self.costs[v], self.y, self.near, self.top
        mine = top[v]
        for w in range(self.n):
            if top[w] != mine:
                other = near[w]
                if other == NONE or costs[w] - y[v] < self.costs[w][other] - y[other]:
                    near[w] = v
        self.outer.append(v)
        self.look_again(v)

    def look_again(self, v: int) -> None:
        """Find the nearest outer vertex outside v's own blossom."""
        costs, y, top = self.costs[v], self.y, self.top
        mine = top[v]
        best, found = 0, NONE
        for w in self.outer:
            if top[w] != mine:
                slack = costs[w] - y[w]
                if found == NONE or slack < best:
                    best, found = slack, w
        self.near[v] = found

    # Blossoms

    def shrink(self, v: int, w: int) -> None:
        """The edge between the outer vertices v and w closes an odd cycle: make it one outer blossom."""
        up, down = self.way_to_root(self.top[v]), self.way_to_root(self.top[w])
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        # Around the cycle from the common ancestor over v and w back to it.
        cycle = [*reversed(up), *down[:-1]]
        links = [self.entry[b] for b in reversed(up[:-1])]
        links.append((v, w))
        links.extend((inside, outside) for outside, inside in (self.entry[b] for b in down[:-1]))
        b = self.spare.pop()
        ancestor = up[-1]
        self.children[b], self.links[b] = cycle, links
        self.base[b], self.z[b] = self.base[ancestor], 0
        inner = [x for child in cycle if self.label[child] == INNER for x in self.vertices(child)]
        for x in self.vertices(b):
            self.top[x] = b
        self.label[b], self.entry[b] = OUTER, self.entry[ancestor]
        for x in inner:
            self.add_outer(x)
        for x in self.outer:
            if self.near[x] != NONE and self.top[x] == self.top[self.near[x]]:
                self.look_again(x)

    def way_to_root(self, b: int) -> list[int]:
        way = [b]
        while self.entry[b][0] != NONE:
            b = self.top[self.entry[b][0]]
            way.append(b)
        return way

    def expand(self, b: int) -> None:
        """An inner blossom without z falls apart. The even way through it, from where the tree entered to its base,
        stays in the tree; its other children leave it."""
        children, links, entry = self.children[b], self.links[b], self.entry[b]
        for child in children:
            self.label[child] = FREE
            for x in self.vertices(child):
                self.top[x] = child
        self.forget(b)
        at = children.index(self.top[entry[1]])
        self.label[children[at]], self.entry[children[at]] = INNER, entry
        found = []
        for before, after, link in _even_way(children, links, at):
            if self.label[before] == INNER:
                self.label[after], self.entry[after] = OUTER, link
                found.append(after)
            else:
                self.label[after], self.entry[after] = INNER, link
        for child in found:
            for x in self.vertices(child):
                self.add_outer(x)

    def forget(self, b: int) -> None:
        self.children[b], self.links[b] = [], []
        self.base[b], self.label[b] = NONE, FREE
        self.spare.append(b)

    # The matching

    def augment(self, v: int, w: int) -> None:
        """Match v with w, and change every second edge from v's blossom up to the root."""
        self.rebase(self.top[w], w)
        self.mate[w] = v
        while True:
            outer = self.top[v]
            self.rebase(outer, v)
            self.mate[v] = w
            above, _ = self.entry[outer]
            if above == NONE:
                return
            inner = self.top[above]
            v, w = self.entry[inner]
            self.rebase(inner, w)
            self.mate[w] = v

    def rebase(self, b: int, v: int) -> None:
        """Match the blossom inside so that its vertex v is the one that is left for a partner outside."""
        if b < self.n:
            return
        children, links = self.children[b], self.links[b]
        at = next(i for i, child in enumerate(children) if v in self.vertices(child))
        self.rebase(children[at], v)
        for step, (before, after, (x, y)) in enumerate(_even_way(children, links, at)):
            if step % 2:
                self.rebase(before, x)
                self.rebase(after, y)
                self.mate[x], self.mate[y] = y, x
        self.children[b] = children[at:] + children[:at]
        self.links[b] = links[at:] + links[:at]
        self.base[b] = v


def _even_way(children: list[int], links: list[Edge], at: int) -> Iterator[tuple[int, int, Edge]]:
    """The steps from the child at this place to the first one, in the direction in which they are of even number:
    the child before, the child after, and the edge from the one to the other."""
    size = len(children)
    if at % 2:
        for i in range(at, size):
            yield children[i], children[(i + 1) % size], links[i]
    else:
        for i in range(at, 0, -1):
            x, y = links[i - 1]
            yield children[i], children[i - 1], (y, x)
