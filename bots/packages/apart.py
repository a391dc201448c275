"""Opening a zip, or looking at a program, where a crash or an exhausted limit harms nobody.

That is a process that has nothing and may use little.
"""

from __future__ import annotations

import json
import os
import pkgutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Final

from bots.packages import elves, zips
from bots.packages.refusals import PackageError
from bots.sandbox.faults import SandboxError, quote_line

# A busy host may need long for what takes milliseconds; the limit that counts is of CPU time, and the process's own.
_WALL_S: Final = 60.0
# Their sources: where this package lies in a zip itself, as in the kit, there is no file to run.
_READER: Final = (pkgutil.get_data("bots.packages", "zips.py") or b"").decode()
_ELF_READER: Final = (pkgutil.get_data("bots.packages", "elves.py") or b"").decode()
# As root we read as nobody that owns anything. Sandboxes run under the numbers that follow.
_USER = 64000
# What an upload can do to the reader: exhaust the CPU time or crash the interpreter.
_UPLOADS_DOING = ("SIGXCPU", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT")


def unzip_apart(content: bytes, starts: Sequence[str]) -> dict[str, bytes]:
    """The files of a zip by path; one of `starts` is at its top.

    Raises PackageError for what is wrong with the zip, and SandboxError where the reader failed through no fault of
    the zip's. Nothing that the reader says is believed before it was looked at.
    """
    if sys.platform != "linux":
        return _unzip_here(content, starts)
    said, data, line = _ask(_READER, content, starts, "unreadable_zip")
    try:
        return _files(said["files"], data, starts)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise _nonsense(line) from error


def judge_elf_apart(content: bytes) -> None:
    """Raises PackageError for a program that is none that a sandbox can start; SandboxError as above."""
    if sys.platform != "linux":
        if found := elves.refusal(content):
            raise _refusal(*found)
        return
    said, data, line = _ask(_ELF_READER, content, [_READER], "broken_elf")
    if said or data:
        raise _nonsense(line)


def _ask(
    reader: str, content: bytes, words: Sequence[str], unreadable: str
) -> tuple[dict[str, Any], bytes, bytes]:
    """What the reader said, the bytes behind it, and its line. Raises PackageError for what it refuses, and as
    `unreadable` where it came to no end."""
    status, answer, complaint = _run(reader, content, words)
    if status == zips.OUT_OF_MEMORY or -status in {getattr(signal, name) for name in _UPLOADS_DOING}:
        raise PackageError(unreadable, seconds=zips.CPU_S, memory=zips.MEMORY_MIB)
    if status:
        last = complaint.strip().rpartition(b"\n")[2]
        raise SandboxError(
            f"The reader of uploads ended with status {status}: {quote_line(last) or 'it said nothing.'}"
        )
    line, _, data = answer.partition(b"\n")
    try:
        said: dict[str, Any] = json.loads(line)
        if "code" in said:
            raise _refusal(said["code"], said["facts"])
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise _nonsense(line) from error
    return said, data, line


def _nonsense(line: bytes) -> SandboxError:
    return SandboxError(f"The reader of uploads answered “{quote_line(line)}”.")


def _unzip_here(content: bytes, starts: Sequence[str]) -> dict[str, bytes]:
    """The same in this process: no arena runs on other systems than Linux, and authors read their own zips there."""
    try:
        return zips.read_zip(content, starts)
    except zips.Refused as refused:
        raise _refusal(refused.code, refused.facts) from refused


def _run(reader: str, content: bytes, words: Sequence[str]) -> tuple[int, bytes, bytes]:
    """The reader's exit status (negative for a signal), what it wrote, and its standard error.

    Files in memory instead of pipes: nobody waits for anybody, and the reader's own limit bounds what it writes.
    """
    user = _USER if os.geteuid() == 0 else 0
    argv = [sys.executable, "-I", "-S", "-B", "-c", reader, str(user), *words]
    try:
        with ExitStack() as stack:
            sent, answer, complaint = (
                stack.enter_context(open(os.memfd_create(name), "r+b"))
                for name in ("upload", "answer", "complaint")
            )
            sent.write(content)
            sent.seek(0)
            done = subprocess.run(
                argv,
                stdin=sent,
                stdout=answer,
                stderr=complaint,
                env={},
                cwd="/",
                timeout=_WALL_S,
                check=False,
            )
            answer.seek(0)
            complaint.seek(0)
            return done.returncode, answer.read(zips.MOST_ANSWER_BYTES), complaint.read(zips.MEBIBYTE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(f"The reader of uploads cannot run: {error}") from error


def _refusal(code: str, facts: dict[str, Any]) -> PackageError:
    shown = {
        name: f"“{quote_line(fact.encode(errors='backslashreplace'))[: zips.MAX_PATH_LENGTH]}”"
        if name in {"path", "other"}
        else fact
        for name, fact in facts.items()
    }
    return PackageError(code, **shown)


def _files(described: list[tuple[str, int]], data: bytes, starts: Sequence[str]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    at = 0
    for path, size in described:
        if size < 0 or not all(zips.PART.fullmatch(part) for part in path.split("/")):
            raise ValueError(path, size)
        files[path] = data[at : at + size]
        at += size
    if at != len(data) or len(files) != len(described) or files.keys().isdisjoint(starts):
        raise ValueError(at)
    return files
