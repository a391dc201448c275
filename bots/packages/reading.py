"""What an upload is, as far as that can be said without running or compiling anything."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bots.packages.apart import unzip_apart
from bots.packages.refusals import PackageError
from bots.packages.zips import ENTRY, MAX_PATH_LENGTH, MAX_UPLOAD_BYTES, MEBIBYTE
from bots.sandbox.faults import quote_line
from bots.sandbox.runtimes import Program

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


def check_upload(filename: str, content: bytes) -> None:
    """What can be seen at once: size, type, and whether a source is text. Raises PackageError."""
    kind = _kind(filename)
    if not content:
        raise PackageError("empty")
    if len(content) > MAX_UPLOAD_BYTES:
        # How much more, doors do not know that stop reading there.
        raise PackageError("too_big", limit=MAX_UPLOAD_BYTES // MEBIBYTE)
    if kind == "zip":
        if content.startswith(_ZIP_MAGIC):
            return
        for at, magic, name in _OTHER_ARCHIVES:
            if content.startswith(magic, at):
                raise PackageError("other_archive", format=name)
        raise PackageError("not_a_zip")
    if content.startswith(_ZIP_MAGIC):
        raise PackageError("zip_as_py")
    _check_source(content)


def read_package(filename: str, content: bytes) -> Package:
    """Reads an upload wholly. Raises PackageError for the first thing that is wrong with it.

    A zip is opened in a process of its own; SandboxError says that it failed through no fault of the upload's. The
    syntax is not checked here but by check_syntax, in the sandbox.
    """
    check_upload(filename, content)
    files: Mapping[str, bytes] = {ENTRY: content}
    if _kind(filename) == "zip":
        files = unzip_apart(content)
        for path in sorted(files):
            if path.endswith(".py"):
                _check_source(files[path], path)
    return Package("python", files, ENTRY, hashlib.sha256(content).hexdigest())


def _kind(filename: str) -> str:
    suffix = filename.lower().rpartition(".")[2]
    if "." not in filename or suffix not in {"py", "zip"}:
        raise PackageError("type")
    return suffix


def _check_source(source: bytes, path: str = "") -> None:
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
    lines = re.split(rb"\r\n?|\n", source.removeprefix(b"\xef\xbb\xbf"), maxsplit=2)
    for number, text in enumerate(lines[:2], 1):
        found = _CODING.match(text)
        if found and found[1].lower().replace(b"_", b"-") not in _UTF8:
            shown = f"“{quote_line(found[1][:MAX_PATH_LENGTH])}”"
            raise PackageError("coding", path=f"“{path or ENTRY}”", line=number, coding=shown)
        if not _NO_CODE.match(text):
            break
