"""A rating's week as a small line without axes."""

from __future__ import annotations

from arena.selectors.leaderboard import Row

WIDTH, HEIGHT, EDGE = 72, 20, 2


def sparkline(row: Row) -> str:
    """The points of an SVG polyline in a picture of WIDTH × HEIGHT; empty where there is no line to draw.

    The picture is at least as high as the rating's 95 % interval, so that noise looks like noise.
    """
    points = row.trend.points if row.trend else []
    if len(points) < 2:
        return ""
    ratings = [elo for _at, elo in points]
    middle = (max(ratings) + min(ratings)) / 2
    span = max(max(ratings) - min(ratings), 2 * row.half_width, 1)
    first, last = points[0][0].timestamp(), points[-1][0].timestamp()
    width = max(last - first, 1)
    return " ".join(
        f"{EDGE + (at.timestamp() - first) / width * (WIDTH - 2 * EDGE):.1f},"
        f"{HEIGHT / 2 - (elo - middle) / span * (HEIGHT - 2 * EDGE):.1f}"
        for at, elo in points
    )
