"""docs/limits.md, docs/faults.md and the changes of the rules say what the code does."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from arena.api import bulk
from arena.api.pagination import MAX_PAGE_SIZE, PAGE_SIZE
from arena.formats import FORMATS
from arena.selectors import statistics
from arena.services.deactivation import MATCHES_WITHOUT_START
from arena.services.tokens import TOKEN_DAYS
from bots.house import HOUSE
from bots.models import validate_name
from bots.packages import zips
from bots.sandbox.limits import Limits
from bots.sandbox.process import LINE_BYTES
from bots.sandbox.runtimes import THREADS
from bots.sandbox.stderr import STDERR_BYTES, STDERR_KEPT_BYTES
from matches.engine import ENGINE_RULES, MAX_SEATS, MIN_SEATS, Rules
from matches.engine.game import MAX_EXTRA_ROUNDS
from matches.engine.strict_json import MAX_DEPTH, MAX_INTEGER_CHARACTERS
from matches.referee.answers import MAX_NOTE_CHARACTERS
from matches.referee.match import FAULTED_GAMES_AT_TWO_SEATS
from matches.referee.play import NOTES_BYTES
from matches.replay.core import FAULT_KINDS

CHECKOUT = Path(__file__).resolve().parents[2]
KIB, MIB = 1024, 1024 * 1024
USUAL = Limits()
SPANS = {"m": "a minute", "h": "an hour", "5m": "in 5 minutes"}


def text(name):
    return (CHECKOUT / "docs" / name).read_text(encoding="utf-8")


def rate(action, number=0):
    """A rate limit in words: the `number`th of an action's."""
    n, span, _ = settings.ACCOUNT_RATE_LIMITS[action].split(",")[number].split("/")
    return f"{n} {SPANS[span]}"


LIMITS = {
    "an upload": f"{settings.MAX_UPLOAD_BYTES // MIB} MiB",
    "files in a zip": f"{zips.MAX_FILES}",
    "what a zip unpacks to": f"{zips.MAX_UNPACKED_BYTES // MIB} MiB",
    "what a file unpacks to, beside its packed size": f"{zips.MAX_RATIO} times",
    "a path in a zip": f"{zips.MAX_PATH_LENGTH} characters, {zips.MAX_DEPTH} levels",
    "bots of an account": f"{settings.QUOTA_BOTS}",
    "bots of an account that play on one ladder": f"{settings.QUOTA_ENTRIES}",
    "versions of an account in 24 hours": f"{settings.QUOTA_VERSIONS_A_DAY}",
    "uploads of an account, refused ones too": rate("submit"),
    "the name of a bot or an account": "2 to 32 characters",
    "CPU time to start": f"{USUAL.start_ms} ms",
    "CPU time for a decision": f"{USUAL.decision_ms} ms",
    "CPU time for all decisions of a game": f"{USUAL.bank_ms} ms",
    "wall time to start": f"{USUAL.start_wall_ms / 1000:g} s",
    "wall time for a decision": f"{USUAL.decision_wall_ms / 1000:g} s",
    "wall time for all answers of a game": f"{USUAL.game_wall_ms / 1000:g} s",
    "address space": f"{USUAL.memory_mib} MiB",
    "private writable memory of JavaScript and programs": f"{USUAL.memory_mib} MiB",
    "threads": f"{THREADS}",
    "a line": f"{LINE_BYTES // KIB} KiB",
    "nesting of an answer": f"{MAX_DEPTH} levels",
    "an integer in an answer": f"{MAX_INTEGER_CHARACTERS} characters",
    "a note": f"{MAX_NOTE_CHARACTERS} characters",
    "notes of a game": f"{NOTES_BYTES // KIB} KiB",
    "standard error of a game": f"{STDERR_BYTES // MIB} MiB",
    "what is kept of it": f"{STDERR_KEPT_BYTES // KIB} KiB",
    "seats": f"{MIN_SEATS} to {MAX_SEATS}",
    "turns of every seat in a round": f"{Rules().turn_cap}",
    "rounds of a game": f"{Rules().round_cap}",
    "extra rounds for a shared win, where a preset has them": f"{MAX_EXTRA_ROUNDS}",
    "faulted games at two seats that end a match": f"{FAULTED_GAMES_AT_TWO_SEATS}",
    "matches in a row without a start that withdraw a bot": f"{MATCHES_WITHOUT_START}",
    "attempts at a match, each ended by our fault, that park it": f"{settings.MAX_ATTEMPTS}",
    "trials of an account that run at once": f"{settings.QUOTA_TRIALS}",
    "trials of an account that start in 24 hours": f"{settings.QUOTA_TRIALS_A_DAY}",
    "pairs of a trial": f"{settings.QUOTA_TRIAL_PAIRS}",
    "matches on request of an account in 24 hours": f"{settings.QUOTA_REQUESTS_A_DAY}",
    "matches on request that wait or are played": f"{settings.QUOTA_PENDING_REQUESTS}",
    "tournaments of an account that are not over": f"{settings.QUOTA_TOURNAMENTS}",
    "games that one may come to, and may have taken back": f"{settings.QUOTA_TOURNAMENT_GAMES}",
    "estimates from an address": rate("estimate"),
    "rows of a page of a list": f"{PAGE_SIZE} unless said, at most {MAX_PAGE_SIZE}",
    "the body of a request": f"{settings.DATA_UPLOAD_MAX_MEMORY_SIZE // MIB} MiB",
    "a token lives": f"{TOKEN_DAYS} days unless said",
    "accounts made from an address": rate("account_made"),
    "failed log-ins from an address": rate("login_failed"),
    "failed log-ins to an account": rate("login_failed", 1),
    "exports of an account": rate("export"),
    "matches in a chunk in bulk": f"{bulk.SIZE} unless said, at most {bulk.MAX_SIZE}",
    "chunks in bulk for an address": rate("bulk"),
    "replays played again for an address": rate("replay"),
}


def test_every_limit_is_told_as_the_code_has_it():
    rows = re.findall(r"^\| (.*?)(?: [†‡])? \| (.*) \|$", text("limits.md"), re.MULTILINE)
    told = {what: limit for what, limit in rows if what not in {"what", "---"}}
    assert told == LIMITS


@pytest.mark.parametrize(
    ("name", "is_taken"), [("ab", True), ("a" * 32, True), ("a", False), ("a" * 33, False)]
)
def test_a_name_is_as_long_as_the_limits_say(name, is_taken):
    try:
        validate_name(name)
    except Exception:
        assert not is_taken
    else:
        assert is_taken


def test_every_kind_of_fault_has_a_section_with_its_mending():
    sections = dict(re.findall(r"^### (\w+)\n\n(.*?)(?=^##|\Z)", text("faults.md"), re.MULTILINE | re.DOTALL))
    assert tuple(sections) == FAULT_KINDS
    assert all(len(section) > 100 for section in sections.values())


def test_the_sentences_that_are_quoted_are_the_referees():
    sources = "".join(
        path.read_text()
        for folder in ("bots/sandbox", "matches/referee", "matches/engine")
        for path in sorted((CHECKOUT / folder).glob("*.py"))
    )
    quoted = re.findall(r'\*"(.*?)"', text("faults.md"))
    assert len(quoted) > 10
    for sentence in quoted:
        for fragment in re.split(r"[\d.]+(?: s\b)?|\(SIG\w+\)|: ", sentence):
            assert fragment.strip() in sources, sentence


def test_the_changes_of_the_rules_end_with_the_engines():
    changes = text("rules.md").split("\n## Changes\n", 1)[1].split("\n## ", 1)[0]
    numbers = [int(number) for number in re.findall(r"^\| (\d+) \|", changes, re.MULTILINE)]
    assert numbers == list(range(1, ENGINE_RULES + 1))


def test_the_formats_document_has_every_format():
    rows = re.findall(r"^\| (.*?) \| `([\w-]+)` \| (\d+) to (\d+) \|", text("formats.md"), re.MULTILINE)
    told = {name: (title, int(fewest), int(most)) for title, name, fewest, most in rows}
    assert told == {
        name: (format.title, format.fewest_entries, format.most_entries) for name, format in FORMATS.items()
    }, "docs/formats.md begins with a row for each format: title, name, fewest to most entries"


def test_the_kits_document_names_every_house_bot_weakest_first():
    listed = ", ".join(f"`{bot.name}`" for bot in HOUSE)
    sentence = f"A bot is a house bot's name ({listed}, weakest first)"
    assert sentence in " ".join(text("kit.md").split()), "docs/kit.md lists the house bots"


def test_the_ratings_document_says_of_how_many_matches_statistics_are():
    told = " ".join(text("ratings.md").split())
    for said in (
        f"each of the {statistics.OPPONENTS_SHOWN} opponents met most",
        f"the version's latest {statistics.MATCHES_READ} matches there",
        f"among its latest {statistics.MATCHES_LOOKED_THROUGH:,}",
    ):
        assert said in told
