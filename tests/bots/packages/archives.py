"""Zips byte for byte, as no honest program packs them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

MAIN = b"print('a bot')\n"
STORED, DEFLATED = 0, 8
DESCRIPTOR = 1 << 3
MODE = 16


def deflate(data: bytes, level: int = 9) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@dataclass(frozen=True)
class Member:
    """One entry. `local` and `central` replace what one of its two descriptions says; `packed` replaces its data.

    `place` has the directory point somewhere else, and nothing written here.
    """

    name: bytes
    data: bytes = b""
    method: int = STORED
    flags: int = 0
    attributes: int = 0
    extra: bytes = b""
    comment: bytes = b""
    packed: bytes | None = None
    local: Mapping[str, int | bytes] = field(default_factory=dict)
    central: Mapping[str, int | bytes] = field(default_factory=dict)
    behind: bytes = b""
    place: int | None = None


def build(
    *members: Member, before: bytes = b"", between: bytes = b"", comment: bytes = b"", **closing: int
) -> bytes:
    """A zip of these members. `before` and `between` stand at its start and before its directory; `closing` replaces
    numbers of the closing record (`disk`, `first_disk`, `here`, `count`, `size`, `start`, `n_comment`)."""
    body, directory = before, b""
    for member in members:
        packed = member.packed
        if packed is None:
            packed = member.data if member.method == STORED else deflate(member.data)
        said = {
            "flags": member.flags,
            "method": member.method,
            "crc": zlib.crc32(member.data),
            "packed": len(packed),
            "size": len(member.data),
            "name": member.name,
            "extra": member.extra,
        }
        offset = len(body) if member.place is None else member.place
        if member.place is None:
            body += _local(**said | member.local) + packed + member.behind
        there = said | {
            "offset": offset,
            "attributes": member.attributes,
            "comment": member.comment,
            "disk": 0,
        }
        directory += _central(**there | member.central)
    body += between
    numbers = {
        "disk": 0,
        "first_disk": 0,
        "here": len(members),
        "count": len(members),
        "size": len(directory),
        "start": len(body),
        "n_comment": len(comment),
    } | closing
    return body + directory + struct.pack("<4s4H2IH", b"PK\x05\x06", *numbers.values()) + comment


def descriptor(data: bytes, n_packed: int, *, signed: bool = True) -> bytes:
    """What stands behind the data of an entry whose own description leaves the numbers out."""
    return b"PK\x07\x08" * signed + struct.pack("<3I", zlib.crc32(data), n_packed, len(data))


def _local(*, flags: int, method: int, crc: int, packed: int, size: int, name: bytes, extra: bytes) -> bytes:
    head = struct.pack(
        "<4s5H3I2H", b"PK\x03\x04", 20, flags, method, 0, 33, crc, packed, size, len(name), len(extra)
    )
    return head + name + extra


def _central(
    *, flags: int, method: int, crc: int, packed: int, size: int, name: bytes, extra: bytes,
    offset: int, attributes: int, comment: bytes, disk: int,
) -> bytes:  # fmt: skip
    head = struct.pack(
        "<4s6H3I5H2I", b"PK\x01\x02", 3 << 8 | 20, 20, flags, method, 0, 33, crc, packed, size,
        len(name), len(extra), len(comment), disk, 0, attributes, offset,
    )  # fmt: skip
    return head + name + extra + comment
