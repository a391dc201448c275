"""A strict reader of zips, and a script: `python zips.py USER ENTRY… < bot.zip` answers what it holds, or why not.

It needs nothing but the standard library, so that the process that runs it can be given nothing else: see `apart`.
The `zipfile` module forgives much, and what one reader forgives another reads differently. Here every byte belongs to
exactly one part: the entries with their data, one after the other from the first byte, then the directory, then the
closing record; and both descriptions of an entry say the same. So any reader finds the same files in a zip that is
taken. All refusals come before the first byte is unpacked, but for those that only the data can give.

Numbers and names of fields are those of PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
"""

from __future__ import annotations

import json
import os
import re
import stat
import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

MEBIBYTE: Final = 1024 * 1024
MAX_UPLOAD_BYTES: Final = MEBIBYTE
MAX_FILES: Final = 200
MAX_UNPACKED_BYTES: Final = 8 * MEBIBYTE
MAX_RATIO: Final = 100
MAX_PATH_LENGTH: Final = 200
MAX_DEPTH: Final = 8
MAX_EXTRA_BYTES: Final = 1024

# What the process that runs this file may use, and how it says that an upload took more.
CPU_S: Final = 5
MEMORY_MIB: Final = 128
MOST_ANSWER_BYTES: Final = MAX_UNPACKED_BYTES + MEBIBYTE
OUT_OF_MEMORY: Final = 3

# A small file of zeros compresses beyond any ratio and harms nobody.
_RATIO_COUNTS_FROM_BYTES = 64 * 1024

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_CLOSING = struct.Struct("<4s4H2IH")
_ZIP64_LOCATOR_BYTES = 20
_MOST_COMMENT_BYTES = 0xFFFF
_STORED, _DEFLATED, _AES = 0, 8, 99
_DESCRIPTOR_FOLLOWS = 1 << 3
_ENCRYPTED = 1 | 1 << 6 | 1 << 13
_PATCH = 1 << 5
_MUST_AGREE = _ENCRYPTED | _DESCRIPTOR_FOLLOWS | _PATCH
# Of the format; a reader may refuse what asks for more.
_NEWEST_VERSION = 63
# Extra fields: 64-bit sizes, AES, and a name that other readers would take for the entry's own.
_ZIP64, _AES_EXTRA, _UNICODE_PATH = 0x0001, 0x9901, 0x7075

# One level of a path; “.” and “..” are none.
PART: Final = re.compile(r"(?! )[A-Za-z0-9_.+ -]*[A-Za-z0-9_+-]")
# Windows opens a device under these, whatever follows the first full stop.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
# What a Mac or a Python that ran there leaves in a folder; nobody means to upload it.
_LITTER = re.compile(r"(^|/)(__MACOSX|__pycache__|\.DS_Store)(/|$)")


class Refused(Exception):
    """A zip that is not taken: a key of `refusals.SENTENCES`, and its facts with names as they stand in the zip."""

    def __init__(self, code: str, **facts: str | int) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts


class Entry(NamedTuple):
    """An entry as the directory describes it; `offset` is where its own description starts."""

    raw_name: bytes
    version: int
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    attributes: int
    offset: int
    n_extra: int

    @property
    def name(self) -> str:
        return self.raw_name.decode("utf-8", "replace")

    @property
    def is_folder(self) -> bool:
        return self.raw_name.endswith(b"/")


def read_zip(content: bytes, starts: Sequence[str]) -> dict[str, bytes]:
    """The files by path, without folders and litter; one of `starts` is at the top. Raises Refused.

    Time and memory are bounded by the upload's size and MAX_UNPACKED_BYTES.
    """
    start, end, count = _directory(content)
    entries = list(_entries(content, start, end, count))
    wanted = [entry for entry in entries if not _LITTER.search(entry.name)]
    if len(wanted) > MAX_FILES:
        raise Refused("too_many", n=len(wanted), limit=MAX_FILES)
    for entry in entries:
        _check_entry(entry)
    _check_names(entries)
    _check_sizes(entries)
    places = _places(content, entries, start)
    # Litter too: nothing that we store is to harm who downloads it.
    data = {entry: _unpack(content, entry, places[entry.offset]) for entry in entries}
    files = {entry.name: data[entry] for entry in wanted if not entry.is_folder}
    if files.keys().isdisjoint(starts):
        names = ", ".join(starts)
        inside = sorted(path for path in files if path.rpartition("/")[2] in starts)
        raise (
            Refused("entry_in_folder", entry=names, path=inside[0])
            if inside
            else Refused("no_entry", entry=names)
        )
    return files


def _directory(content: bytes) -> tuple[int, int, int]:
    """Where the directory starts and ends, and how many entries it says to have."""
    at = content.rfind(b"PK\x05\x06", -_CLOSING.size - _MOST_COMMENT_BYTES)
    if at < 0 or len(content) - at < _CLOSING.size:
        raise Refused("broken_zip")
    _, disk, first_disk, count_here, count, size, start, n_comment = _CLOSING.unpack_from(content, at)
    is_zip64 = content[max(0, at - _ZIP64_LOCATOR_BYTES) :].startswith(b"PK\x06\x07")
    if is_zip64 or 0xFFFF in (disk, first_disk, count_here, count) or 0xFFFFFFFF in (size, start):
        raise Refused("zip64")
    if disk or first_disk or count_here != count:
        raise Refused("split")
    if n_comment > MAX_EXTRA_BYTES:
        raise Refused("long_comment", n=n_comment, limit=MAX_EXTRA_BYTES)
    over = len(content) - at - _CLOSING.size - n_comment
    if over > 0:
        raise Refused("hidden_bytes", n=over, at=len(content) - over)
    between = at - start - size
    if between > 0:
        raise Refused("hidden_bytes", n=between, at=0)
    if over or between:
        raise Refused("broken_zip")
    return start, at, count


def _entries(content: bytes, start: int, end: int, count: int) -> Iterator[Entry]:
    at = start
    for _ in range(count):
        if end - at < _CENTRAL.size:
            raise Refused("broken_zip")
        (
            signature, _, version, flags, method, _, _, crc, packed, size,
            n_name, n_extra, n_comment, disk, _, attributes, offset,
        ) = _CENTRAL.unpack_from(content, at)  # fmt: skip
        at += _CENTRAL.size
        name, extra = content[at : at + n_name], content[at + n_name : at + n_name + n_extra]
        at += n_name + n_extra + n_comment
        if signature != b"PK\x01\x02" or at > end:
            raise Refused("broken_zip")
        entry = Entry(
            name, version & 0xFF, flags, method, crc, packed, size, attributes, offset, n_extra + n_comment
        )
        if 0xFFFFFFFF in (packed, size, offset) or disk == 0xFFFF:
            raise Refused("zip64")
        if disk:
            raise Refused("split")
        _check_extra(entry, extra)
        yield entry
    if at != end:
        raise Refused("broken_zip")


def _check_extra(entry: Entry, extra: bytes) -> None:
    at = 0
    while at < len(extra):
        if len(extra) - at < 4:
            raise Refused("broken_entry", path=entry.name)
        kind, size = struct.unpack_from("<HH", extra, at)
        at += 4 + size
        if at > len(extra):
            raise Refused("broken_entry", path=entry.name)
        if kind == _ZIP64:
            raise Refused("zip64")
        if kind == _AES_EXTRA:
            raise Refused("encrypted", path=entry.name)
        if kind == _UNICODE_PATH:
            raise Refused("two_names", path=entry.name)


def _check_entry(entry: Entry) -> None:
    """Refuses what no honest archive of a bot contains, before a byte of it is unpacked."""
    name = entry.name
    if entry.flags & _ENCRYPTED or entry.method == _AES:
        raise Refused("encrypted", path=name)
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        raise Refused("absolute_path", path=name)
    parts = name.removesuffix("/").split("/")
    if ".." in parts or ".." in name.split("\\"):
        raise Refused("outside", path=name)
    if len(name) > MAX_PATH_LENGTH or len(parts) > MAX_DEPTH:
        raise Refused("long_path", path=name, length=MAX_PATH_LENGTH, depth=MAX_DEPTH)
    if "\\" in name:
        raise Refused("backslash", path=name)
    if not all(PART.fullmatch(part) for part in parts):
        raise Refused("odd_name", path=name)
    if any(_RESERVED.fullmatch(part) for part in parts):
        raise Refused("reserved", path=name)
    kind = stat.S_IFMT(entry.attributes >> 16)
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise Refused("link", path=name)
    if kind == (stat.S_IFREG if entry.is_folder else stat.S_IFDIR):
        raise Refused("disagree", path=name)
    if entry.is_folder and entry.size:
        raise Refused("full_folder", path=name)
    if entry.method not in {_STORED, _DEFLATED} or entry.flags & _PATCH or entry.version > _NEWEST_VERSION:
        raise Refused("method", path=name)
    if entry.n_extra > MAX_EXTRA_BYTES:
        raise Refused("long_extra", path=name, n=entry.n_extra, limit=MAX_EXTRA_BYTES)


def _check_names(entries: list[Entry]) -> None:
    """No two entries with one name, also where capitals do not count, and no file that is a folder as well."""
    seen: dict[str, str] = {}
    files: set[str] = set()
    for entry in entries:
        name = entry.name
        key = name.removesuffix("/").lower()
        if key in seen:
            raise Refused("duplicate", path=name, other=seen[key])
        seen[key] = name
        if not entry.is_folder:
            files.add(key)
    for key, name in seen.items():
        parts = key.split("/")
        if any("/".join(parts[:depth]) in files for depth in range(1, len(parts))):
            raise Refused("file_as_folder", path=name)


def _check_sizes(entries: list[Entry]) -> None:
    """What the directory claims; unpacking stops where an entry has more."""
    for entry in entries:
        if entry.size > _RATIO_COUNTS_FROM_BYTES and entry.size > MAX_RATIO * entry.packed:
            raise Refused("ratio", path=entry.name, limit=MAX_RATIO)
    if sum(entry.size for entry in entries) > MAX_UNPACKED_BYTES:
        raise Refused("too_big_unpacked", limit=MAX_UNPACKED_BYTES // MEBIBYTE)


def _places(content: bytes, entries: list[Entry], directory: int) -> dict[int, int]:
    """Where the data of the entry at each offset starts. Entries fill the zip from its first byte to its directory."""
    places: dict[int, int] = {}
    ordered = sorted(entries, key=lambda entry: entry.offset)
    end, before = 0, ""
    for index, entry in enumerate(ordered):
        if entry.offset < end:
            raise Refused("overlap", path=entry.name, other=before)
        if entry.offset > end:
            raise Refused("hidden_bytes", n=entry.offset - end, at=end)
        places[entry.offset] = data = _data_start(content, entry, directory)
        end, before = data + entry.packed, entry.name
        if entry.flags & _DESCRIPTOR_FOLLOWS:
            next_at = ordered[index + 1].offset if index + 1 < len(ordered) else directory
            end += _descriptor_bytes(content, entry, end, next_at)
        if end > directory:
            raise Refused("broken_entry", path=entry.name)
    if end != directory:
        raise Refused("hidden_bytes", n=directory - end, at=end)
    return places


def _data_start(content: bytes, entry: Entry, directory: int) -> int:
    """Behind the entry's own description, which must say what the directory says."""
    at = entry.offset
    if directory - at < _LOCAL.size:
        raise Refused("broken_entry", path=entry.name)
    signature, version, flags, method, _, _, crc, packed, size, n_name, n_extra = _LOCAL.unpack_from(
        content, at
    )
    at += _LOCAL.size
    if signature != b"PK\x03\x04" or directory - at < n_name + n_extra:
        raise Refused("broken_entry", path=entry.name)
    if 0xFFFFFFFF in (packed, size):
        raise Refused("zip64")
    if n_extra > MAX_EXTRA_BYTES:
        raise Refused("long_extra", path=entry.name, n=n_extra, limit=MAX_EXTRA_BYTES)
    _check_extra(entry, content[at + n_name : at + n_name + n_extra])
    # A writer that could not go back has left out here what it did not know yet, and put it behind the data.
    left_out = 0 if entry.flags & _DESCRIPTOR_FOLLOWS else None
    if (
        content[at : at + n_name] != entry.raw_name
        or version & 0xFF > _NEWEST_VERSION
        or method != entry.method
        or (flags ^ entry.flags) & _MUST_AGREE
        or crc not in (entry.crc, left_out)
        or packed not in (entry.packed, left_out)
        or size not in (entry.size, left_out)
    ):
        raise Refused("disagree", path=entry.name)
    return int(at + n_name + n_extra)


def _descriptor_bytes(content: bytes, entry: Entry, at: int, next_at: int) -> int:
    """The length of what stands between an entry's data and what comes next: the numbers again, signed or not."""
    numbers = struct.pack("<3I", entry.crc, entry.packed, entry.size)
    found = content[at : max(at, next_at)]
    if found not in (numbers, b"PK\x07\x08" + numbers):
        raise Refused("disagree", path=entry.name)
    return len(found)


def _unpack(content: bytes, entry: Entry, at: int) -> bytes:
    packed = content[at : at + entry.packed]
    if entry.method == _STORED:
        data = packed
    else:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data = inflater.decompress(packed, entry.size + 1)
        except zlib.error:
            raise Refused("broken_entry", path=entry.name) from None
        if not inflater.eof or inflater.unused_data:
            raise Refused("broken_entry", path=entry.name)
    if len(data) != entry.size or zlib.crc32(data) != entry.crc:
        raise Refused("broken_entry", path=entry.name)
    return data


def answer(content: bytes, starts: Sequence[str]) -> tuple[dict[str, object], bytes]:
    """What the process that runs this file answers: `{"files": [[path, size], …]}` and the files' bytes, or
    `{"code", "facts"}` and none."""
    try:
        files = read_zip(content, starts)
    except Refused as refused:
        return {"code": refused.code, "facts": refused.facts}, b""
    return {"files": [[path, len(data)] for path, data in files.items()]}, b"".join(files.values())


def serve(user: int, answer: Callable[[bytes], tuple[dict[str, object], bytes]]) -> None:
    """Gives up what this process may do, reads an upload, and writes the answer: a line of JSON, and bytes."""
    import resource  # which Windows has not; nothing of it is needed to read a zip

    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    for limit, most in (
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_AS, MEMORY_MIB * MEBIBYTE),
        (resource.RLIMIT_FSIZE, MOST_ANSWER_BYTES),
        (resource.RLIMIT_NOFILE, 3),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    try:
        line, data = answer(sys.stdin.buffer.read(MAX_UNPACKED_BYTES))
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
    sys.stdout.buffer.write(json.dumps(line).encode() + b"\n" + data)


if __name__ == "__main__":
    serve(int(sys.argv[1]), lambda content: answer(content, sys.argv[2:]))
