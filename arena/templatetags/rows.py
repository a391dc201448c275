"""The rows of the long tables, each table's by one function: a page has dozens of them, and of nothing else as many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena import links
from arena.links import address
from arena.markup import NOTHING, markup, together
from arena.selectors import faults, leaderboard, match_lists
from arena.selectors.meetings import HeadToHead
from arena.selectors.status import Played
from arena.templatetags.arena import (
    chance,
    doubts,
    fault,
    fault_kinds,
    heat,
    percent,
    points,
    rank,
    rate,
    rating,
    rise,
    signed,
    signed_percent,
    small_line,
    when,
)
from bots.models import Bot
from bots.words import told
from matches.models import Match
from matches.replay.words import Line

register = template.Library()


# --- Matches: _match_table.html --------------------------------------------------------------------------------


@register.simple_tag
def match_rows(matches: Iterable[match_lists.Listed]) -> SafeString:
    statuses = dict(Match.Status.choices)
    unrated = markup('<span class="muted">{}</span>', _("unrated"))
    return together(
        markup(
            '<tr><th scope="row"><a href="{}">{}</a></th><td><ul class="sides">{}</ul></td>'
            '<td class="wide-only">{}{}</td><td class="wide-only"><span class="badge {}">{}</span></td>'
            '<td>{}<span class="narrow-only small muted">{}{}</span></td></tr>\n',
            address("match", match.pk),
            match.pk,
            together(_side(side) for side in match.sides),
            markup('<a href="{}">{}</a>', address("leaderboard", match.ladder), _(match.ladder_name))
            if match.ladder
            else unrated,
            _event(match) if match.tournament else NOTHING,
            match.status,
            statuses[match.status],
            when(match.at),
            statuses[match.status],
            NOTHING if match.ladder else markup(", {}", _("unrated")),
        )
        for match in matches
    )


def _event(match: match_lists.Listed) -> SafeString:
    return markup(
        '<br><a class="small" href="{}">{}</a>',
        address("tournament", match.tournament),
        match.tournament_name,
    )


def _side(side: match_lists.ListedSide) -> SafeString:
    share = NOTHING
    if side.share is not None:
        share = markup(' <span class="nowrap">{}</span>', percent(side.share))
    return markup(
        '<li><a href="{}">{}</a> <span class="muted small">v{}</span>{}{}</li>',
        address("bot", side.bot),
        side.bot,
        side.number,
        share,
        _faults(side) if side.n_faults else NOTHING,
    )


def _faults(side: match_lists.ListedSide) -> SafeString:
    games = _("in %(n)s games") % {"n": side.n_faults}
    often = markup(' <span class="muted small">{}</span>', games) if side.n_faults > 1 else NOTHING
    return markup(" {}{}", fault(side.fault), often)


# --- A leaderboard: leaderboard.html ---------------------------------------------------------------------------


@register.simple_tag(takes_context=True)
def board_rows(context: template.Context, rows: Iterable[leaderboard.Row]) -> SafeString:
    all_versions, is_by_rank = context["all_versions"], context["is_by_rank"]
    ladder = context["ladder"].slug
    yours = markup(' <span class="badge">{}</span>', _("yours"))
    gone = markup(' <span class="badge">{}</span>', _("no longer plays"))
    return together(
        markup(
            '<tr{}><td class="nowrap">{}{}</td><th scope="row" class="named"><a class="nowrap" href="{}">{}</a> '
            '<a class="muted small" href="{}">v{}</a>{}{}{}</th><td class="num">{}</td>{}'
            '<td class="wide-only">{}</td><td class="wide-only named">{}</td><td class="num wide-only">{}</td>'
            '<td class="num">{}</td><td class="num wide-only">{}</td><td class="num nowrap wide-only">{}</td>'
            '<td class="nowrap small wide-only">{}</td></tr>\n',
            SafeString(' class="mine"') if row.is_mine else NOTHING,
            rank(row),
            rise(row),
            address("bot", row.bot),
            row.bot,
            address("version", row.bot, row.number),
            row.number,
            yours if row.is_mine else NOTHING,
            _provisional(row) if row.doubts else NOTHING,
            gone if all_versions and not row.is_current else NOTHING,
            rating(row),
            markup('<td class="num wide-only">{}</td>', chance(row.better_than_next))
            if is_by_rank
            else NOTHING,
            small_line(row),
            _author(row.owner, is_house=row.is_house),
            intcomma(row.n_games),
            percent(row.win_share),
            points(row.round_points),
            _row_faults(row, ladder) if row.n_faults else 0,
            when(row.submitted_at),
        )
        for row in rows
    )


@register.simple_tag
def unrated_bots(unrated: Iterable[leaderboard.Unrated]) -> SafeString:
    return together(
        markup(
            '<li><a href="{}">{}</a> <span class="muted small">v{}</span></li>\n',
            address("bot", one.bot),
            one.bot,
            one.number,
        )
        for one in unrated
    )


def _row_faults(row: leaderboard.Row, ladder: str) -> SafeString:
    kinds = fault_kinds(row.fault_kinds)
    return markup(
        '<a href="{}?bot={}&amp;ladder={}&amp;outcome=faults"{}>{}{}</a> <span class="muted small">({})</span>',
        address("matches"),
        row.bot,
        ladder,
        markup(' title="{}"', kinds) if kinds else NOTHING,
        row.n_faults,
        markup('<span class="vh">: {}</span>', kinds) if kinds else NOTHING,
        rate(row.fault_rate),
    )


def _provisional(row: leaderboard.Row) -> SafeString:
    return markup(
        ' <span class="nowrap"><span class="badge warning">{}</span> <span class="muted small">{}</span></span>',
        _("provisional"),
        doubts(row),
    )


def _author(username: str, *, is_house: bool) -> SafeString:
    if is_house:
        return markup('<span class="muted">{}</span>', _("house bot"))
    return markup('<a href="{}?author={}">{}</a>', address("bots"), quote(username), username)


# --- Bots: bots.html -------------------------------------------------------------------------------------------


@register.simple_tag
def bot_rows(bots: Iterable[Bot]) -> SafeString:
    sources = {True: _("public"), False: _("private")}
    return together(
        markup(
            '<tr><th scope="row" class="named"><a href="{}">{}</a></th><td class="named">{}</td><td>{}</td>'
            '<td class="wide-only">{}</td><td class="wide-only nowrap">{}</td></tr>\n',
            address("bot", bot.name),
            bot.name,
            _author(bot.owner.username, is_house=bot.is_house),
            _plays(bot),
            sources[bot.is_source_public],
            when(bot.created_at),
        )
        for bot in bots
    )


def _plays(bot: Bot) -> SafeString:
    version = bot.current_version
    if bot.is_withdrawn or version is None:
        why = _("withdrawn") if bot.is_withdrawn else _("no ready version yet")
        return markup('<span class="muted">{}</span>', why)
    suspended = markup(' <span class="badge suspended">{}</span>', _("suspended"))
    return markup(
        '<a href="{}">v{}</a>{}',
        address("version", bot.name, version.number),
        version.number,
        suspended if version.suspended_at else NOTHING,
    )


# --- Faults: faults.html ---------------------------------------------------------------------------------------


@register.simple_tag(takes_context=True)
def fault_rows(context: template.Context, seats: Iterable[faults.Listed]) -> SafeString:
    bot = context["bot"].name
    trial, unrated, details = _("trial"), _("unrated"), _("details")
    return together(
        markup(
            '<tr><td>{}</td><td>{} <a class="nowrap" href="{}">{} <span class="vh">{}</span></a><br>'
            '{} <a class="small nowrap" href="{}#fault-{}">{} <span class="vh">{}</span></a></td>'
            '<td class="wide-only"><a href="{}">v{}</a></td><td class="wide-only nowrap"><a href="{}">{}</a> '
            '<span class="muted small">{}</span></td></tr>\n',
            when(seat.at),
            fault(seat.kind),
            links.at_turn(seat.game, seat.detail),
            _fault_place(seat.detail),
            _("of game %(n)s") % {"n": seat.game},
            told(seat.detail),
            address("game", seat.game),
            seat.seat,
            details,
            _("of game %(n)s") % {"n": seat.game},
            address("version", bot, seat.version),
            seat.version,
            address("match", seat.match),
            seat.match,
            _(seat.ladder) if seat.ladder else trial if seat.trial else unrated,
        )
        for seat in seats
    )


def _fault_place(detail: Mapping[str, Any]) -> str:
    if not detail.get("round"):
        return _("at the start")
    return _("round %(round)s, turn %(turn)s") % {"round": detail["round"], "turn": detail.get("turn", "")}


# --- Opponents: statistics.html --------------------------------------------------------------------------------


@register.simple_tag
def opponent_rows(opponents: Iterable[HeadToHead]) -> SafeString:
    language = get_language()
    return together(_opponent_row(row, language) for row in opponents)


# By all that is in it: there are up to two hundred on a page, which seldom change.
@lru_cache(maxsize=5000)
def _opponent_row(row: HeadToHead, _language: str | None) -> SafeString:
    return markup(
        '<tr><th scope="row" class="named"><a href="{}">{} v{}</a></th><td class="num">{}</td>'
        '<td class="num"><span class="heat {}">{}</span></td><td class="num">{}</td><td class="num">{}</td>'
        '<td class="num wide-only">{}</td></tr>\n',
        address("version", row.bot, row.number),
        row.bot,
        row.number,
        intcomma(row.n_games),
        heat(row.win_share),
        percent(row.win_share),
        percent(row.expected),
        signed_percent(row.residual),
        signed(row.z, 1),
    )


# --- Games: status.html ----------------------------------------------------------------------------------------


@register.simple_tag
def game_rows(games: Sequence[Played]) -> SafeString:
    return together(
        markup(
            '<tr><th scope="row"><a href="{}">{}</a></th><td><ul class="sides">{}</ul></td>'
            '<td class="wide-only"><a href="{}">{}</a></td><td class="nowrap">{}</td></tr>\n',
            address("game", game.pk),
            game.pk,
            together(
                markup(
                    "<li>{}{}{}</li>",
                    markup("<strong>{}</strong>", seat.bot) if seat.placing == 1 else seat.bot,
                    NOTHING
                    if seat.total is None
                    else markup(' <span class="muted small">{}</span>', seat.total),
                    markup(" {}", fault(seat.fault)) if seat.fault else NOTHING,
                )
                for seat in game.seats
            ),
            address("match", game.match),
            game.match,
            when(game.at),
        )
        for game in games
    )


# --- A game in words: _viewer.html -----------------------------------------------------------------------------


@register.simple_tag
def line_rows(lines: Iterable[Line]) -> SafeString:
    return together(
        markup(
            '<li{}{}{}{}>{}<span class="viewer-said">{}</span>{}{}{}</li>\n',
            NOTHING
            if line.decision is None
            else markup(' id="d{}" data-decision="{}"', line.decision, line.decision),
            markup(' data-step="{}"', line.step),
            NOTHING if line.seat is None else markup(' data-seat="{}"', line.seat),
            markup(' class="is-{}"', line.mark) if line.mark else NOTHING,
            markup('<span class="viewer-turn">{}</span> ', line.turn) if line.turn else NOTHING,
            line.text,
            markup('<span class="viewer-unseen" hidden>{}</span>', line.unseen) if line.unseen else NOTHING,
            markup(' <span class="viewer-more">{}</span>', line.more) if line.more else NOTHING,
            markup(' <span class="viewer-note">{}</span>', line.note) if line.note else NOTHING,
        )
        for line in lines
    )
