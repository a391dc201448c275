"""The reader of zips is a process of its own: whatever it does or meets, its caller goes on."""

from __future__ import annotations

import contextlib
import json
import os
import random
from pathlib import Path

import pytest

from bots.packages import PackageError, apart, read_package, zips
from bots.sandbox.faults import SandboxError
from tests.bots.packages.archives import DEFLATED, MAIN, Member, build

CONTENT = build(Member(b"main.py", MAIN, DEFLATED))


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch):
    """Has this body in place of the function that reads the zip, in the reader's process and under its limits."""

    def put(body: str) -> None:
        source = Path(zips.__file__).read_text()
        instead = "def read_zip(content, starts):\n    import resource\n" + "".join(
            f"    {line}\n" for line in body.splitlines()
        )
        script = source.replace('if __name__ == "__main__":', f'{instead}\n\nif __name__ == "__main__":')
        monkeypatch.setattr(apart, "_READER", script)

    return put


def answered(body: str) -> str:
    """A reader's body that writes this in place of an answer."""
    return f"os.write(1, {body.encode()!r})\nos._exit(0)"


def test_no_zip_is_opened_in_the_callers_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def here(content: bytes, starts: object) -> dict[str, bytes]:
        raise AssertionError("A zip was opened here.")

    monkeypatch.setattr(zips, "read_zip", here)
    assert read_package("bot.zip", CONTENT).files == {"main.py": MAIN}


def test_the_largest_package_is_read_within_the_readers_limits() -> None:
    part = random.Random(8).randbytes(10_000) * 100
    rest = random.Random(9).randbytes(zips.MAX_UNPACKED_BYTES - 8 * len(part) - len(MAIN))
    files = {f"f{n}": part for n in range(8)} | {"main.py": MAIN, "rest": rest}
    content = build(*(Member(name.encode(), data, DEFLATED) for name, data in files.items()))
    assert read_package("bot.zip", content).files == files


@pytest.mark.parametrize(
    "body",
    [
        "return {'x': bytes(400_000_000)}",
        "found = [b'']\nwhile True: found.append(found[-1] + bytes(1_000_000))",
        "os.kill(os.getpid(), 11)",
        "os.abort()",
    ],
    ids=["one large block", "many blocks", "a crash", "an abort"],
)
def test_a_zip_that_breaks_its_reader_is_refused(reader, body: str) -> None:
    reader(body)
    with pytest.raises(PackageError) as caught:
        read_package("bot.zip", CONTENT)
    assert caught.value.code == "unreadable_zip"
    assert caught.value.sentence == "The zip cannot be read within 5 s and 128 MiB: pack it again."


def test_a_reader_that_computes_without_end_is_stopped(reader) -> None:
    reader("resource.setrlimit(resource.RLIMIT_CPU, (1, CPU_S))\nwhile True: pass")
    with pytest.raises(PackageError, match="cannot be read within"):
        read_package("bot.zip", CONTENT)


def test_a_reader_that_waits_without_end_is_ours_to_answer_for(
    reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "_WALL_S", 0.3)
    reader("import time\ntime.sleep(1000)")
    with pytest.raises(SandboxError, match="timed out"):
        read_package("bot.zip", CONTENT)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("raise RuntimeError('no such file')", "ended with status 1: RuntimeError: no such file"),
        ("os.kill(os.getpid(), 9)", "ended with status -9"),
        ("return {'main.py': bytes(MOST_ANSWER_BYTES)}", "File too large"),
    ],
)
def test_a_failure_of_the_reader_is_ours_to_answer_for(reader, body: str, sentence: str) -> None:
    reader(body)
    with pytest.raises(SandboxError, match=sentence):
        read_package("bot.zip", CONTENT)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "nonsense",
        "[]",
        "null",
        "{}",
        '{"files": []}',
        '{"files": [["main.py", 3]]}\nab',
        '{"files": [["main.py", 3]]}\nabcd',
        '{"files": [["main.py", -1], ["x", 3]]}\nab',
        '{"files": [["a.py", 2]]}\nab',
        '{"files": [["main.py", 1], ["main.py", 1]]}\nab',
        '{"files": [["main.py", 1], ["../x", 1]]}\nab',
        '{"files": [["main.py", 1], ["/x", 1]]}\nab',
        '{"files": [["main.py", "1"]]}\na',
        '{"files": {"main.py": 1}}\na',
        '{"code": "no such code", "facts": {}}',
        '{"code": "too_many", "facts": {}}',
        '{"code": "too_many", "facts": {"n": "x", "limit": 2}}',
        '{"code": ["too_many"], "facts": {}}',
        '{"code": "broken_entry", "facts": {"path": 3}}',
        '{"code": "too_many", "facts": []}',
    ],
)
def test_what_the_reader_says_is_not_believed(reader, answer: str) -> None:
    reader(answered(answer))
    with pytest.raises(SandboxError):
        read_package("bot.zip", CONTENT)


def test_the_names_in_a_refusal_are_harmless_to_show(reader) -> None:
    facts = {"path": "\x1b[31m\ud800\u202e" + "x" * 1000}
    reader(answered(json.dumps({"code": "broken_entry", "facts": facts})))
    with pytest.raises(PackageError) as caught:
        read_package("bot.zip", CONTENT)
    assert caught.value.sentence.isprintable()
    assert len(caught.value.sentence) < 300
    assert caught.value.sentence.encode()


def test_the_reader_has_nothing(reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "secret of the host")
    reader(
        "def tried(act):\n"
        "    try: act()\n"
        "    except (OSError, ValueError) as error: return type(error).__name__\n"
        "    return 'done'\n"
        "found = {\n"
        "    'environment': dict(os.environ), 'user': os.getuid(), 'groups': os.getgroups(), 'folder': os.getcwd(),\n"
        "    'fork': tried(os.fork), 'open': tried(lambda: open('/etc/passwd')),\n"
        "    'user 0': tried(lambda: os.setuid(0)),\n"
        "    'limit': tried(lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60))),\n"
        "}\n"
        "return {'main.py': json.dumps(found).encode()}"
    )
    found = json.loads(read_package("bot.zip", CONTENT).files["main.py"])
    assert "secret" not in str(found["environment"])
    assert found["folder"] == "/"
    assert found["open"] == "OSError"
    if os.geteuid() == 0:
        assert (found["user"], found["groups"]) == (64000, [])
        assert found["user 0"] == "PermissionError"
    assert found["limit"] == "ValueError"
    assert found["fork"] == "BlockingIOError"


def test_no_file_stays_open() -> None:
    before = os.listdir("/proc/self/fd")
    for content in (CONTENT, build()):
        with contextlib.suppress(PackageError):
            read_package("bot.zip", content)
    assert os.listdir("/proc/self/fd") == before
