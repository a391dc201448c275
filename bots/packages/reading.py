"""What an upload is, as far as that can be said without running or compiling anything."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bots.packages.apart import judge_elf_apart, unzip_apart
from bots.packages.elves import MAGIC as _ELF_MAGIC
from bots.packages.refusals import PackageError
from bots.packages.zips import MAX_PATH_LENGTH, MAX_UPLOAD_BYTES, MEBIBYTE
from bots.sandbox.faults import quote_line
from bots.sandbox.runtimes import EXECUTABLE, NODE, PYTHON, Program

ENTRIES: Final[Mapping[str, tuple[str, ...]]] = {
    PYTHON: ("main.py",),
    NODE: ("main.js", "main.mjs", "main.cjs"),
    EXECUTABLE: ("main",),
}
"""By runtime, what the file that is started may be called at the top of a zip."""

SUFFIXES: Final[Mapping[str, str]] = {"py": PYTHON, "js": NODE, "mjs": NODE, "cjs": NODE}
"""By the ending of a source's name, its runtime."""

_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
# Formats that people rename, by where they say what they are.
_OTHER_ARCHIVES: Final = (
    (0, b"\x1f\x8b", "gzip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!\x1a\x07", "rar"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (257, b"ustar", "tar"),
)
# Programs of other systems, and what is a program only to a shell.
_OTHER_PROGRAMS: Final = (
    (b"MZ", "Windows"),
    (b"\xcf\xfa\xed\xfe", "macOS"),
    (b"\xca\xfe\xba\xbe", "macOS"),
    (b"\0asm", "WebAssembly"),
)
# PEP 263, as Python's own tokenizer reads it: the first line, and the second if the first has no code.
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
_NO_CODE = re.compile(rb"[ \t\f]*(#.*)?\Z")
_UTF8 = {b"utf-8", b"utf8", b"utf-8-sig", b"ascii", b"us-ascii"}


@dataclass(frozen=True, slots=True)
class Package:
    """An upload that was read: its files by relative path, the one that is started, and the upload's SHA-256."""

    runtime: str
    files: Mapping[str, bytes]
    entry: str
    sha256: str


def to_program(package: Package) -> Program:
    """What a launcher starts."""
    return Program(package.runtime, package.files, package.entry)


def check_upload(filename: str, content: bytes, runtime: str | None = None) -> None:
    """What can be seen at once: size, type, and whether a source is text. Raises PackageError."""
    is_zip, runtime = _kind(filename, content, runtime)
    if not content:
        raise PackageError("empty")
    if len(content) > MAX_UPLOAD_BYTES:
        # How much more, doors do not know that stop reading there.
        raise PackageError("too_big", limit=MAX_UPLOAD_BYTES // MEBIBYTE)
    if is_zip:
        if content.startswith(_ZIP_MAGIC):
            return
        for at, magic, name in _OTHER_ARCHIVES:
            if content.startswith(magic, at):
                raise PackageError("other_archive", format=name)
        raise PackageError("not_a_zip")
    if content.startswith(_ZIP_MAGIC):
        raise PackageError("zip_by_another_name")
    if runtime == EXECUTABLE:
        _check_magic(content)
    else:
        _check_source(content, is_python=runtime == PYTHON)


def read_package(filename: str, content: bytes, runtime: str | None = None) -> Package:
    """Reads an upload wholly. Raises PackageError for the first thing that is wrong with it.

    `runtime` is a key of ENTRIES; None finds it out, by the file's ending or first bytes, or by what a zip has at its
    top. A zip is opened, and a program looked at, in a process of its own; SandboxError says that it failed through no
    fault of the upload's. The syntax is not checked here but by check_syntax, in the sandbox.
    """
    check_upload(filename, content, runtime)
    is_zip, runtime = _kind(filename, content, runtime)
    if is_zip:
        starts = [entry for known in ([runtime] if runtime else ENTRIES) for entry in ENTRIES[known]]
        files: Mapping[str, bytes] = unzip_apart(content, starts)
        found = [entry for entry in starts if entry in files]
        if len(found) > 1:
            raise PackageError("two_entries", entries=", ".join(found))
        entry = found[0]
        runtime = next(known for known, entries in ENTRIES.items() if entry in entries)
    else:
        assert runtime is not None  # noqa: S101 - _kind leaves it open for a zip alone
        entry = ENTRIES[runtime][0]
        if runtime == NODE and (suffix := suffix_of(filename)) in {"mjs", "cjs"}:
            entry = f"main.{suffix}"
        files = {entry: content}
    if runtime == EXECUTABLE:
        _check_magic(files[entry])
        judge_elf_apart(files[entry])
    elif is_zip:
        for path in sorted(files):
            if SUFFIXES.get(suffix_of(path)) == runtime:
                _check_source(files[path], path, is_python=runtime == PYTHON)
    return Package(runtime, files, entry, hashlib.sha256(content).hexdigest())


def suffix_of(filename: str) -> str:
    """What follows the last full stop of a name, in small letters; empty where there is none."""
    return filename.lower().rpartition(".")[2] if "." in filename else ""


def _kind(filename: str, content: bytes, runtime: str | None) -> tuple[bool, str | None]:
    """Whether it is a zip, and its runtime, which a zip may leave open."""
    suffix = suffix_of(filename)
    if runtime is not None and runtime not in ENTRIES:
        raise ValueError(f"There is no runtime “{runtime}”.")
    if suffix == "zip":
        return True, runtime
    runtime = runtime or SUFFIXES.get(suffix)
    if runtime is None:
        if not content.startswith((_ELF_MAGIC, *(magic for magic, _ in _OTHER_PROGRAMS))):
            raise PackageError("type")
        runtime = EXECUTABLE
    return False, runtime


def _check_magic(content: bytes) -> None:
    """Whether a file looks like a Linux program from outside."""
    for magic, system in _OTHER_PROGRAMS:
        if content.startswith(magic):
            raise PackageError("other_program", system=system)
    if content.startswith(b"#!"):
        raise PackageError("script")
    if not content.startswith(_ELF_MAGIC):
        raise PackageError("no_elf")


def _check_source(source: bytes, path: str = "", *, is_python: bool) -> None:
    """Whether a source is UTF-8 and says nothing else; `path` is its place in a zip.

    Without NUL it can hold no zip either: Python would run the program inside, and not the source that people read.
    """
    where = {"path": f"“{path}”"} if path else {}
    if b"\0" in source:
        raise PackageError("binary_source" if path else "binary", **where)
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise PackageError("source_not_utf8" if path else "not_utf8", line=line, **where) from error
    if not is_python:
        return
    lines = re.split(rb"\r\n?|\n", source.removeprefix(b"\xef\xbb\xbf"), maxsplit=2)
    for number, text in enumerate(lines[:2], 1):
        found = _CODING.match(text)
        if found and found[1].lower().replace(b"_", b"-") not in _UTF8:
            shown = f"“{quote_line(found[1][:MAX_PATH_LENGTH])}”"
            raise PackageError("coding", path=f"“{path or ENTRIES[PYTHON][0]}”", line=number, coding=shown)
        if not _NO_CODE.match(text):
            break
