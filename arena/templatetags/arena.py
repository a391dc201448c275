"""How the pages write a time, a rating, a rank, a share, a fault and a card: each in one way everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, Literal

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext
from django.utils.translation import gettext as _

from arena import links, sparkline, words
from arena.mail import sends_mail
from arena.markup import markup
from arena.models import LadderMatch
from arena.pictures import colour, numeral
from arena.selectors.leaderboard import SORTS, Row
from arena.selectors.status import software_version
from bots.words import placed, runtime_name, stage_detail
from matches.differences import Difference
from matches.models import Game, GameSeat

register = template.Library()

FAULTS = {
    "start": gettext_lazy("did not start"),
    "timeout": gettext_lazy("time-out"),
    "crash": gettext_lazy("crash"),
    "illegal": gettext_lazy("illegal action"),
    "protocol": gettext_lazy("protocol"),
    "memory": gettext_lazy("memory"),
    "output": gettext_lazy("output"),
}

DOUBTS = {
    "opponents": gettext_lazy("few opponents"),
    "error": gettext_lazy("wide interval"),
    "connection": gettext_lazy("no link by wins and losses"),
}


register.simple_tag(sends_mail)


@register.simple_tag
def site_version() -> str:
    return software_version()


@register.filter
def when(value: datetime | Literal[""] | None) -> str | SafeString:
    """A moment relative to now, the exact one (UTC) in the title; after a month the date.

    Django hands "" to a filter for what is not there.
    """
    if not value:
        return "–"
    exact = value.astimezone(timezone.get_default_timezone())
    is_far = abs(timezone.now() - value) > timedelta(days=30)
    written = exact.isoformat(timespec="seconds")
    return markup(
        '<time datetime="{}" title="{} {} UTC">{}</time>',
        written,
        written[:10],
        written[11:19],
        _date(exact.date(), get_language()) if is_far else naturaltime(value),
    )


@lru_cache(maxsize=2000)
def _date(day: date, language: str) -> str:
    return date_format(day, "j M Y")


@register.filter
def moment(value: datetime | Literal[""] | None) -> str | SafeString:
    """A moment of a schedule: exact, in UTC, and how far away it is."""
    if not value:
        return "–"
    exact = value.astimezone(timezone.get_default_timezone())
    return markup(
        '<time datetime="{}">{} UTC</time> <span class="muted">({})</span>',
        exact.isoformat(timespec="seconds"),
        date_format(exact, "j M Y, H:i"),
        naturaltime(value),
    )


@register.filter
def between(start: datetime | Literal[""] | None, end: datetime | Literal[""] | None) -> str:
    """The time that something took, or has taken until now where it has no end yet."""
    if not start:
        return ""
    return seconds(((end or timezone.now()) - start).total_seconds())


@register.filter
def seconds(value: float | None) -> str:
    """A duration given in seconds, in the unit that people would choose."""
    if value is None:
        return "–"
    value = max(value, 0)
    if value < 1:
        return _("%(n)s ms") % {"n": number_format(round(value * 1000))}
    if value < 120:
        return _("%(n)s s") % {"n": _rounded_to(value, 1 if value < 10 else 0)}
    if value < 7200:
        return _("%(n)s min") % {"n": number_format(round(value / 60))}
    if value < 48 * 3600:
        return _("%(n)s h") % {"n": number_format(round(value / 3600))}
    return _("%(n)s days") % {"n": number_format(round(value / 86400))}


@register.filter
def milliseconds(value: float | None) -> str:
    return seconds(None if value is None else value / 1000)


@register.filter
def minutes(value: float | None) -> str:
    return seconds(None if value is None else value * 60)


@register.filter
def rating(value: Any) -> SafeString:
    """A `Rating` as `1712 ± 24`, which is never shown bare: half the width of the 95 % interval."""
    return markup('<span class="rating">{}&nbsp;±&nbsp;{}</span>', *_rounded(value))


def _rounded(value: Any) -> tuple[str, str]:
    return f"{value.elo:.0f}", f"{value.half_width:.0f}"


@register.filter
def rank(value: Any) -> str:
    """A rank as far as the errors tell it: `3`, or `2–5`; anything with `rank_low` and `rank_high`."""
    if value.rank_low is None:
        return "–"  # a snapshot from before ranks were published with it
    if value.rank_low == value.rank_high:
        return str(value.rank_low)
    return f"{value.rank_low}–{value.rank_high}"


def rise(row: Row) -> str | SafeString:
    """An arrow with the places that a row of a leaderboard has won or lost within 24 hours; nothing for none."""
    places = row.trend.rise if row.trend else None
    if not places:
        return ""
    said = (
        ngettext("%(n)d place up within 24 hours", "%(n)d places up within 24 hours", places)
        if places > 0
        else ngettext("%(n)d place down within 24 hours", "%(n)d places down within 24 hours", -places)
    )
    return markup(
        ' <span class="rise {}"><span aria-hidden="true">{}{}</span><span class="vh">{}</span></span>',
        "up" if places > 0 else "down",
        "▲" if places > 0 else "▼",
        abs(places),
        said % {"n": abs(places)},
    )


def small_line(row: Row) -> str | SafeString:
    """A row's ratings of the last week as a picture, and in words for who does not see it."""
    points = sparkline.sparkline(row)
    if row.trend is None or not points:
        return ""
    (_at, first), (_at, last) = row.trend.points[0], row.trend.points[-1]
    return markup(
        '<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}"><polyline points="{}"/></svg>',
        sparkline.WIDTH,
        sparkline.HEIGHT,
        _("from %(first)d to %(last)d in the last days") % {"first": round(first), "last": round(last)},
        points,
    )


@register.simple_tag(takes_context=True)
def sorted_heading(context: template.Context, column: Any, order: str) -> SafeString:
    """The heading of a `pages.ladders.Column`. Where rows may be sorted by it, a link that does, or turns the
    order round."""
    names = [*(["num"] if column.is_number else []), *(["wide-only"] if column.is_wide_only else [])]
    if column.name not in SORTS:
        return markup('<th scope="col" class="{}">{}</th>', " ".join(names), column.title)
    is_sorted = order.removeprefix("-") == column.name
    is_reversed = order.startswith("-")
    query = context["request"].GET.copy()
    query.pop("after", None)
    query["sort"] = f"-{column.name}" if is_sorted and not is_reversed else column.name
    if query["sort"] == "rank":
        del query["sort"]
    return markup(
        '<th scope="col" class="{}"{}><a href="?{}">{}</a>{}</th>',
        " ".join(names),
        # What counts as ascending is the figure, and most columns begin with the largest.
        SafeString(' aria-sort="other"') if is_sorted else "",
        query.urlencode(),
        column.title,
        markup(' <span aria-hidden="true">{}</span>', "▴" if is_reversed else "▾") if is_sorted else "",
    )


@register.filter
def doubts(value: Any) -> str:
    """Why a `Rating` is provisional."""
    return ", ".join(str(DOUBTS[doubt]) for doubt in value.doubts)


@register.filter
def chance(value: float | None) -> str:
    """A chance as `64 %`; never 0 or 100, which nothing is."""
    if value is None:
        return "–"
    if value < 0.01 or value > 0.99:
        return _("< 1 %%") % {} if value < 0.5 else _("> 99 %%") % {}
    return percent(value)


@register.filter
def rate(share: float | None) -> str:
    """A share that is mostly small as `0.4 %`, and `0` where it is nothing."""
    if not share:
        return "–" if share is None else "0"
    return _("%(n)s %%") % {"n": number_format(max(round(100 * share, 1), 0.1), 1)}


@register.filter
def percent(share: float | None) -> str:
    """A share of one as `64 %`."""
    return "–" if share is None else _("%(n)s %%") % {"n": f"{100 * share:.0f}"}


@register.filter
def signed_percent(share: float | None) -> str:
    """A difference of shares as `+3 %` or `−12 %`."""
    return "–" if share is None else _("%(n)s %%") % {"n": signed(100 * share, 0)}


def heat(share: float) -> str:
    """The colour of a share that was won, from the cards': what is good to hold for much, what is bad for little."""
    steps = ((0.75, "neg"), (0.6, "zero"), (0.4, "low"), (0.25, "mid"))
    return "card-" + next((name for least, name in steps if share >= least), "high")


@register.filter
def points(value: float | None) -> str:
    """Mean points with one decimal."""
    return "–" if value is None else number_format(round(value, 1), 1)


@register.filter
def points_of_seat(game: Game, seat: int) -> list[str]:
    """The points of a seat in each round, with a true minus sign; empty where they are not known."""
    return [str(points[seat]).replace("-", "−") for points in game.round_points]


@register.filter
def size(n_bytes: int) -> str:
    """A size in bytes, KiB or MiB, always the binary units that the limits are given in."""
    if n_bytes < 1024:
        return _("%(n)s bytes") % {"n": n_bytes}
    if n_bytes < 1024 * 1024:
        return _("%(n)s KiB") % {"n": _rounded_to(n_bytes / 1024, 1)}
    return _("%(n)s MiB") % {"n": _rounded_to(n_bytes / 1024 / 1024, 1)}


def _rounded_to(value: float, n_decimals: int) -> str:
    """With at most so many decimals: none if they would all be zero."""
    value = round(value, n_decimals)
    return number_format(value, 0 if value == int(value) else n_decimals)


register.filter(stage_detail)
register.filter(numeral)
register.filter(runtime_name)


@register.filter
def fault(kind: str) -> SafeString:
    """A bot fault: its own colour, a square, and the words."""
    return markup(
        '<span class="fault fault-bot">{}</span>',
        pgettext("kind of bot fault", "bot fault: %s") % FAULTS.get(kind, kind),
    )


@register.filter
def fault_kind(kind: str) -> str:
    return str(FAULTS.get(kind, kind))


def fault_kinds(kinds: Sequence[str]) -> str:
    return ", ".join(map(fault_kind, kinds))


register.filter("fault_placed", placed)


@register.filter
def traceback(stderr: str) -> str:
    """The last traceback in what a Python program wrote to standard error; empty where there is none."""
    begin = stderr.rfind("Traceback (most recent call last)")
    return "" if begin < 0 else stderr[begin:].strip()


@register.filter
def exchanged(report: dict[str, Any]) -> list[tuple[str, str | None]]:
    """The messages of a check's report, each with what came back."""
    return [(step["to"], step["from"]) for step in report.get("exchange", [])]


@register.filter
def fault_place(seat: GameSeat) -> str:
    """The address of the turn in which a seat faulted."""
    return links.at_turn(seat.game_id, seat.fault_detail)


@register.filter
def fault_facts(detail: dict[str, Any]) -> list[tuple[str, str]]:
    """What is known of a bot fault beside its sentence, each with its name and unit."""
    facts = [
        (_("phase"), detail.get("phase")),
        (_("round"), detail.get("round")),
        (_("turn"), detail.get("turn")),
        (_("expected"), detail.get("expected")),
        (_("CPU time used"), milliseconds(detail.get("cpu_ms"))),
        (_("wall time used"), milliseconds(detail.get("wall_ms"))),
        (_("memory used"), _mebibytes(detail.get("memory_mib"))),
        (_("exit status"), detail.get("exit_status")),
        (_("signal"), detail.get("signal")),
    ]
    return [(words, str(value)) for words, value in facts if value not in (None, "", "–")]


def _mebibytes(value: float | None) -> str:
    return "" if value is None else _("%(n)s MiB") % {"n": _rounded_to(value, 0)}


@register.filter
def signed(value: float | None, decimals: int) -> str:
    """A number with its sign and so many decimals; none for what is nothing."""
    if value is None:
        return "–"
    size = round(abs(value), decimals)  # number_format would cut off
    text = number_format(size, decimals)
    if not size:
        return text
    return f"{'−' if value < 0 else '+'}{text}"


@register.filter
def elo_difference(value: Difference) -> SafeString:
    """`+42 ± 17`: half the width of the 95 % interval."""
    return markup(
        '<span class="rating">{}&nbsp;±&nbsp;{}</span>', signed(value.elo, 0), f"{value.elo_half_width:.0f}"
    )


@register.filter
def pairing(link: LadderMatch) -> str:
    """Why pairing made a match of a ladder; nothing where it did not."""
    return words.pairing(link.reason, link.made_for)


@register.simple_tag
def infrastructure_fault(cause: str = "") -> SafeString:
    """A fault of ours: another colour, a ring, and other words."""
    words = _("infrastructure fault: %s") % cause if cause else _("infrastructure fault")
    return markup('<span class="fault fault-infra">{}</span>', words)


@register.simple_tag
def card(value: int | str | None) -> SafeString:
    """A small card: its number, a back for None (face-down), a gap for "x" (removed)."""
    if value is None:
        return markup('<span class="card card-back"><span class="vh">{}</span></span>', _("face-down"))
    if value == "x":
        return markup('<span class="card card-gap"><span class="vh">{}</span></span>', _("removed"))
    number = int(value)
    return markup('<span class="card card-{}">{}</span>', colour(number), numeral(number))
