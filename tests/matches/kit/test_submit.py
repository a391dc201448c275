"""`skyjo.pyz submit`, before an arena of canned answers; before a real one it is in tests/e2e."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from .conftest import Kit
from .sources import STEADY

Answer = tuple[int, dict[str, str], object]


class Arena(ThreadingHTTPServer):
    """Gives its answers in order, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.asked: list[tuple[str, str, str | None, bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Arena

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, self.headers["Authorization"], body))
        status, headers, said = self.server.answers.pop(0)
        content = said.encode() if isinstance(said, str) else json.dumps(said).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = answer

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def mine(kit: Kit) -> Kit:
    for name in ("my bot.py", "бот.py"):
        kit.write(name, STEADY)
    return kit


def version(
    status: str, *stages: str, rejection: str = "", report: dict[str, object] | None = None
) -> Answer:
    """What the API says of a version of which these stages are passed."""
    names = ("package", "start", "qualification")
    shown = [
        {"name": name, "status": "passed" if name in stages else "waiting", "detail": ""} for name in names
    ]
    said = {"id": 7, "bot": "my-bot", "number": 2, "status": status, "stages": shown, "rejection": rejection}
    return 201, {}, {**said, "report": report}


def refusal(status: int, message: str, **headers: str) -> Answer:
    return status, headers, {"error": {"code": "x", "message": message}}


def test_it_sends_the_file_and_follows_the_stages_through_a_restart_to_the_verdict(
    mine: Kit, arena: Arena
) -> None:
    arena.answers = [
        version("received"),
        version("checking", "package"),
        refusal(503, "The database is out.", **{"Retry-After": "0"}),
        version("ready", "package", "start", "qualification"),
    ]
    status, out, err = mine.run("submit", "my bot.py", "--url", f"{arena.url}/", SKYJO_TOKEN="secret")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"my-bot v2 is at {arena.url}/bots/my-bot/versions/2/",
        "Package passed",
        "Start passed",
        "Qualification passed",
        "Ready: it plays from now on.",
    ]
    method, path, authorization, body = arena.asked[0]
    assert (method, path, authorization) == ("POST", "/api/v1/bots/", "Token secret")
    assert b'name="name"\r\n\r\nmy-bot\r\n' in body
    assert b'filename="my bot.py"' in body
    assert STEADY.encode() in body
    assert {each[:3] for each in arena.asked[1:]} == {("GET", "/api/v1/versions/7/", "Token secret")}


@pytest.mark.parametrize(
    ("answers", "status", "words"),
    [
        ([version("rejected", "package", rejection="It is slow.")], 1, "Rejected. It is slow."),
        ([version("parked")], 3, "through no fault of the bot"),
        ([refusal(401, "Invalid token.")], 2, "does not know this token (401): Invalid token."),
        (
            [refusal(400, "Another bot is already called “my-bot”.")],
            1,
            "refuses (400): Another bot is already",
        ),
        ([refusal(429, "Too many.")], 3, "has no time just now (429): Too many."),
        ([(200, {}, "<html>hello</html>")], 3, "does not answer as an arena's API does"),
        ([(200, {}, {"hello": "you"})], 3, "does not answer as an arena's API does"),
        ([(200, {}, {"bot": "b", "number": 1, "id": 2})], 3, "does not answer as an arena's API does"),
        ([(200, {}, "[" * 100_000)], 3, "does not answer as an arena's API does"),
        ([refusal(400, "No \x1b[2Jmore.")], 1, "refuses (400): No  [2Jmore."),
        ([(404, {}, "<html>hello</html>")], 2, "/api/v1/bots/ answers 404 Not Found. Is http://127."),
        (
            [refusal(404, "There is nothing.")],
            2,
            "/api/v1/bots/ is not there (404): There is nothing. Is http://127.",
        ),
        (
            [(301, {"Location": "https://elsewhere.example/"}, "")],
            2,
            "has moved to https://elsewhere.example/",
        ),
    ],
    ids=[
        "rejected",
        "parked",
        "token",
        "name",
        "limit",
        "no api",
        "another api",
        "half an api",
        "deep",
        "obeyed by terminals",
        "nothing there",
        "told so",
        "moved",
    ],
)
def test_whatever_else_it_is_told_is_one_sentence_and_a_status(
    answers: list[Answer], status: int, words: str, mine: Kit, arena: Arena, main, monkeypatch
) -> None:
    monkeypatch.chdir(mine.folder)
    arena.answers = answers
    ended, out, err = main("submit", "my bot.py", "--url", arena.url, "--token", "secret")
    assert ended == status
    assert words in (out + err).splitlines()[-1]
    assert "secret" not in out + err


def test_a_rejection_tells_its_author_what_the_page_would(mine: Kit, arena: Arena) -> None:
    fault = {"kind": "crash", "expected": "two cells", "cpu_ms": 2.188}
    report = {
        "fault": fault,
        "exchange": [{"to": '{"type":"act"}', "from": None}],
        "offending": None,
        "stderr": "Traceback\nValueError: \u001b[2J\u202eno cell\n",
    }
    sentence = "Round 3, turn 0: the bot's process exited with status 1."
    arena.answers = [version("rejected", "package", "start", rejection=sentence, report=report)]
    status, out, _ = mine.run("submit", "my bot.py", "--url", arena.url, SKYJO_TOKEN="secret")
    assert status == 1
    assert out.splitlines()[-6:] == [
        f"Rejected. {sentence}",
        "  kind: crash; expected: two cells",
        "  used: 3 ms of CPU time, limits 500 ms a decision, 5000 ms to start",
        '  it was sent: {"type":"act"}',
        "  | Traceback",
        "  | ValueError: \\x1b[2J\\u202eno cell",
    ]


def test_a_file_that_was_sent_before_is_told_from_a_new_one(mine: Kit, arena: Arena) -> None:
    _, headers, said = version("ready", "package", "start", "qualification")
    arena.answers = [(200, headers, said)]
    status, out, _ = mine.run("submit", "my bot.py", "--url", arena.url, SKYJO_TOKEN="secret")
    assert status == 0
    assert out.startswith("Nothing new: this file was sent before and is my-bot v2, at http")


def test_without_a_verdict_in_time_it_says_that_the_check_goes_on(
    mine: Kit, arena: Arena, main, monkeypatch
) -> None:
    monkeypatch.chdir(mine.folder)
    arena.answers = [version("received")]
    words = ("submit", "my bot.py", "--url", arena.url, "--token", "secret", "--wait", "1")
    arena.answers += [version("received")] * 5
    assert main(*words)[::2] == (3, "No verdict in that time; the check goes on, see the version's page.\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["none.py", "--token", "t"], "There is no file “none.py”."),
        (
            ["my bot.py"],
            "A token is needed: make one on your account page, then give it with --token or as SKYJO_TOKEN.",
        ),
        (["my bot.py", "--token", "a b"], "What was given as a token is none: "),
        (["my bot.py", "--token", "tökén"], "What was given as a token is none: "),
        (["my bot.py", "--token", "t", "--url", "elsewhere"], "“elsewhere” is no address of an arena"),
        (
            ["my bot.py", "--token", "t", "--url", "http://127.0.0.1:9"],
            "127.0.0.1:9 does not answer: Connection refused.",
        ),
        (["my bot.py", "--token", "t"], "Which arena? Give its address with --url or as SKYJO_URL."),
        (["my bot.py", "--token", "t", "--url", "http://["], "“http://[” is no address of an arena"),
        (["my bot.py", "--token", "t", "--url", "http://a/ü"], "“http://a/ü/api/v1/bots/” is no address"),
        (["бот.py", "--token", "t", "--url", "http://a"], "The file's name holds no letters from A to Z"),
    ],
)
def test_what_cannot_be_sent_is_told_in_one_sentence(
    words, sentence: str, mine: Kit, main, monkeypatch
) -> None:
    monkeypatch.chdir(mine.folder)
    for name in ("SKYJO_TOKEN", "SKYJO_URL"):
        monkeypatch.delenv(name, raising=False)
    status, out, err = main("submit", *words)
    assert status == (3 if "answer" in sentence else 2)
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(sentence)


def test_the_arena_that_it_came_from_is_asked_unless_told_otherwise(mine: Kit) -> None:
    status, _, err = mine.run(
        "submit", "my bot.py", "--token", "t", http_proxy="", https_proxy="http://127.0.0.1:9"
    )
    assert status == 3
    assert err.startswith("arena.example.org does not answer: ")
