"""Fuzzes the reading of uploads: `python -m tests.bots.packages.fuzzing PART SEED SECONDS`.

PART is `zips` (the reader itself, within limits), `apart` (through its process), `sources` (what a source declares) or
`syntax` (compiled in the sandbox). SECONDS are of CPU time. Prints how many cases ended how; with the first that breaks
a promise it prints the case and exits with 1.
"""

from __future__ import annotations

import base64
import codecs
import io
import random
import resource
import signal
import sys
import tokenize
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

from bots import kit
from bots.packages import (
    PUBLIC_SENTENCES,
    SENTENCES,
    Package,
    PackageError,
    check_syntax,
    check_upload,
    read_package,
    to_program,
    zips,
)
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from tests.bots.packages.archives import (
    DEFLATED,
    DESCRIPTOR,
    MAIN,
    STORED,
    Member,
    build,
    deflate,
    descriptor,
)
from tests.bots.packages.hostile import HOSTILE

TEMPLATES = [path.read_bytes() for path in sorted(Path(kit.__file__).with_name("templates").glob("*.py"))]
UTF8 = {"utf-8", "utf-8-sig", "ascii"}
SYNTAX = {"syntax", "not_source", "too_much_source"}

# Zips

NUMBERS = (
    0,
    1,
    2,
    7,
    8,
    9,
    0x14,
    0x2D,
    99,
    0xFF,
    0x100,
    0x7FFF,
    0xFFFE,
    0xFFFF,
    0x10000,
    0x7FFFFFFF,
    0xFFFFFFFE,
    0xFFFFFFFF,
)
# Where the numbers of each kind of record stand, and how long they are.
FIELDS = {
    b"PK\x03\x04": [(4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)],
    b"PK\x01\x02": [
        (4, 2), (6, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (34, 2), (38, 4),
        (42, 4),
    ],
    b"PK\x05\x06": [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)],
    b"PK\x07\x08": [(4, 4), (8, 4), (12, 4)],
}  # fmt: skip
NAMES = (
    b"main.py", b"a.py", b"A.py", b"a", b"a/", b"a/b", b"brain/", b"brain/think.py", b"__pycache__/x.pyc",
    b"__MACOSX/._a",
    b"../a", b"/a", b"a\\b", b"nul", b"a\0b", b"\xff", "é".encode(), b"a" * 201, b"", b"..", b"a ", b" a", b"w.bin",
)  # fmt: skip
FLAGS = (0, 0, 0, 0, DESCRIPTOR, DESCRIPTOR, 0x800, 1, 0x20, 0x41, 0xFFFF)


def some_data(luck: random.Random) -> bytes:
    length = luck.choice((0, 1, 10, 100, 1000, 70_000))
    return luck.choice(
        (bytes, luck.randbytes, lambda n: MAIN * (n // len(MAIN)), lambda n: b"PK\x05\x06" * (n // 4))
    )(length)


def some_member(luck: random.Random) -> Member:
    data, method, flags = some_data(luck), luck.choice((STORED, DEFLATED)), luck.choice(FLAGS)
    packed = data if method == STORED else deflate(data, luck.randrange(10))
    behind, local = b"", {}
    if flags & DESCRIPTOR:
        behind = descriptor(data, len(packed), signed=luck.random() < 0.5)
        local = {"crc": 0, "packed": 0, "size": 0} if luck.random() < 0.8 else {}
    name = luck.choice(NAMES) if luck.random() < 0.7 else b"f%d" % luck.randrange(1000)
    if name.endswith(b"/"):
        data = packed = b""
        method, flags, behind, local = STORED, 0, b"", {}
    return Member(
        name, data, method, flags, packed=packed, behind=behind, local=local,
        attributes=luck.choice((0, 0, 0o100644 << 16, 0o040755 << 16, 0o120777 << 16)),
        extra=luck.choice((b"", b"", b"UT\5\0\1abcd", b"\1\0\0\0", b"up\0\0", b"x")),
    )  # fmt: skip


def fresh(luck: random.Random) -> bytes:
    """A zip whose parts are often right and sometimes not."""
    members = [some_member(luck) for _ in range(luck.choice((0, 1, 1, 2, 3, 10)))]
    if luck.random() < 0.9:
        members.insert(
            luck.randrange(len(members) + 1), Member(b"main.py", MAIN, luck.choice((STORED, DEFLATED)))
        )
    return build(*members, comment=luck.choice((b"", b"", b"a remark", b"PK\x05\x06")))


def plain(luck: random.Random) -> bytes:
    """What Python's own module packs."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", luck.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        archive.writestr("main.py", MAIN)
        for number in range(luck.randrange(6)):
            archive.writestr(f"brain/{number}.bin", some_data(luck))
    return file.getvalue()


def records(content: bytes) -> list[tuple[int, bytes]]:
    return [(at, kind) for kind in FIELDS for at in places(content, kind)]


def places(content: bytes, kind: bytes) -> Iterator[int]:
    at = content.find(kind)
    while at >= 0:
        yield at
        at = content.find(kind, at + 1)


def set_number(luck: random.Random, content: bytearray) -> None:
    found = records(content)
    if found:
        at, kind = luck.choice(found)
        offset, length = luck.choice(FIELDS[kind])
        there = int.from_bytes(content[at + offset : at + offset + length], "little")
        number = luck.choice(
            (*NUMBERS, len(content), there + 1, there - 1, there ^ 1 << luck.randrange(8 * length))
        )
        content[at + offset : at + offset + length] = (number % 256**length).to_bytes(length, "little")


def set_everywhere(luck: random.Random, content: bytearray) -> None:
    """The same bytes for others wherever they stand, so that two descriptions still agree."""
    at, length = luck.randrange(len(content)), luck.choice((1, 2, 4, 7))
    old = bytes(content[at : at + length])
    content[:] = content.replace(old, luck.randbytes(len(old)), luck.choice((1, 2, 3)))


def flip(luck: random.Random, content: bytearray) -> None:
    for _ in range(luck.randint(1, 4)):
        content[luck.randrange(len(content))] = luck.randrange(256)


def cut(luck: random.Random, content: bytearray) -> None:
    at = luck.randrange(len(content))
    del content[at : at + luck.choice((1, 2, 4, 12, 16, 22, 46, len(content)))]


def copy(luck: random.Random, content: bytearray) -> None:
    at, length = luck.randrange(len(content)), luck.choice((1, 4, 12, 16, 22, 30, 46, 100, len(content)))
    to = luck.randrange(len(content) + 1)
    content[to : to + luck.choice((0, length))] = content[at : at + length]


CHANGES: tuple[Callable[[random.Random, bytearray], None], ...] = (
    set_number, set_number, set_everywhere, flip, cut, copy,
)  # fmt: skip
SMALL_HOSTILE = [content for content, _ in HOSTILE.values() if len(content) < 20_000]


def some_zip(luck: random.Random) -> bytes:
    draw = luck.random()
    content = fresh(luck) if draw < 0.6 else plain(luck) if draw < 0.8 else luck.choice(SMALL_HOSTILE)
    changed = bytearray(content)
    for _ in range(luck.choice((0, 0, 1, 1, 1, 2, 5))):
        if changed:
            luck.choice(CHANGES)(luck, changed)
    return bytes(changed)


def refused(error: zips.Refused | PackageError) -> str:
    """The code of a refusal that can be said to its author and to everybody."""
    for sentences in (SENTENCES, SENTENCES | PUBLIC_SENTENCES):
        assert (sentences[error.code] % error.facts).endswith((".", "?")), error
    return error.code


def read(content: bytes) -> dict[str, bytes] | str:
    try:
        return zips.read_zip(content, ["main.py"])
    except zips.Refused as error:
        return refused(error)


def try_zip(luck: random.Random) -> tuple[bytes, str]:
    content = some_zip(luck)
    files = read(content)
    assert read(content) == files, "read again, it is something else"
    if isinstance(files, str):
        return content, files
    assert len(files) <= zips.MAX_FILES
    assert sum(map(len, files.values())) <= zips.MAX_UNPACKED_BYTES
    to_program(Package("python", files, "main.py", ""))
    assert files == as_python_reads(content), "Python's own module finds other files"
    return content, "taken"


def as_python_reads(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        names = [name for name in archive.namelist() if not name.endswith("/")]
        litter = {name for name in names if set(name.split("/")) & {"__MACOSX", "__pycache__", ".DS_Store"}}
        return {name: archive.read(name) for name in names if name not in litter}


def try_apart(luck: random.Random) -> tuple[bytes, str]:
    """The process says what the function says; whatever comes after, a zip that is taken is a package."""
    content = some_zip(luck)
    expected = read(content)
    try:
        package = read_package("bot.zip", content)
    except PackageError as error:
        code = refused(error)
        assert isinstance(expected, dict) or code in {expected, "empty", "not_a_zip", "other_archive"}, (
            code,
            expected,
        )
        return content, code
    assert package.files == expected
    return content, "taken"


# Sources

LINES = (
    b"# coding: utf-8", b"# -*- coding: latin-1 -*-", b"# coding=utf-7", b"#coding : x", b"\xef\xbb\xbf",
    b"\f#coding:ascii", b"import skyjo", b"x = '\xc3\xa9'", b"x = '\xe9'", b"def f(:", b"  \t x", b"\t  y",
    b"f'{x!r:{'", b"'''", b"\\", b"((((", b"lambda: (yield)", b"match x:", b" case {**y}: pass", b"return",
    b"nonlocal x", b"del (a for b in c)", b"\x0c", b"\x1a",
    b"x: int = 1_0__0", b"0b12", b"1e999999", b"async def f(): await", b"print(\"\\N{no such name}\")", b"b'\xc3\xa9'",
    "ℌ = 𝔛".encode(), "x = '\u202e'".encode(), b"from __future__ import braces", b"*a, *b = c", b"{**a, *b}", b"\0",
    b"class C[T: (int, str)]: pass", b"type X = int", b"except* E:", b"9" * 5000, b"(" * 150, b"x" + b".x" * 2000,
)  # fmt: skip
ENDS = (b"\n", b"\n", b"\n", b"\r\n", b"\r")


def some_source(luck: random.Random) -> bytes:
    lines = luck.choice(TEMPLATES).splitlines()[: luck.choice((1, 3, 1000))]
    for _ in range(luck.choice((0, 1, 2, 4))):
        lines.insert(luck.randrange(min(len(lines), 3) + 1), luck.choice(LINES))
    source = bytearray(luck.choice(ENDS).join(lines))
    if luck.random() < 0.5 and source:
        luck.choice((flip, cut, copy))(luck, source)
    return bytes(source)


def try_source(luck: random.Random) -> tuple[bytes, str]:
    """What is taken is UTF-8 and read as nothing else by Python, if Python takes it at all."""
    source = some_source(luck)
    try:
        check_upload("bot.py", source)
    except PackageError as error:
        return source, refused(error)
    source.decode("utf-8")
    try:
        declared, _ = tokenize.detect_encoding(
            io.BytesIO(source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).readline
        )
    except SyntaxError:
        return source, "refused when it is compiled"
    assert codecs.lookup(declared).name in UTF8, declared
    return source, "taken"


def try_syntax(luck: random.Random) -> tuple[bytes, str]:
    source = some_source(luck)
    try:
        package = read_package("bot.py", source)
    except PackageError as error:
        return source, refused(error)
    try:
        check_syntax(package, SandboxLauncher(kit=b""), Limits(start_ms=20_000))
    except PackageError as error:
        assert error.code in SYNTAX, error.code
        assert error.sentence.isprintable()
        return source, refused(error)
    return source, "taken"


PARTS = {"zips": try_zip, "apart": try_apart, "sources": try_source, "syntax": try_syntax}


def too_slow(_number: int, _frame: FrameType | None) -> NoReturn:
    raise TimeoutError("one case took longer than the reader may compute")


def cpu_s() -> float:
    """Ours, and that of the processes that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def main(part: str, seed: int, seconds: float) -> int:
    signal.signal(signal.SIGPROF, too_slow)
    if part in {"zips", "sources"}:
        most = 2 * zips.MEMORY_MIB * zips.MEBIBYTE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    ends: Counter[str] = Counter()
    began, number = cpu_s(), 0
    while cpu_s() - began < seconds:
        # Each case has a seed of its own, so that one can be tried alone.
        luck = random.Random(f"{part} {seed} {number}")
        state = luck.getstate()
        signal.setitimer(signal.ITIMER_PROF, zips.CPU_S)
        try:
            _, end = PARTS[part](luck)
        except Exception as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            luck.setstate(state)
            case = some_zip(luck) if part in {"zips", "apart"} else some_source(luck)
            print(f"{part}, seed {seed}, case {number}: {type(error).__name__}: {error}")
            print(base64.b64encode(case).decode())
            return 1
        signal.setitimer(signal.ITIMER_PROF, 0)
        ends[end] += 1
        number += 1
    print(f"{part}, seed {seed}: {number} cases in {cpu_s() - began:.0f} s of CPU time")
    for end, n in ends.most_common():
        print(f"{n:8} {end}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
