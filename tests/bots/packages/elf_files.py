"""ELF files made field by field, as no linker would make them."""

from __future__ import annotations

import struct

BASE = 0x400000


def elf(
    *,
    bits: int = 2,
    order: int = 1,
    system: int = 0,
    kind: int = 2,
    machine: int = 62,
    entry: int = BASE + 0x100,
    segments: list[tuple[int, ...]] | None = None,
    dynamic: list[tuple[int, int]] | None = None,
    n_segment: int = 56,
    count: int | None = None,
) -> bytes:
    """A program of 512 bytes; a segment is (kind, flags, offset, address, bytes in the file, bytes in memory)."""
    segments = [(1, 5, 0, BASE, 512, 512)] if segments is None else segments
    table = b"".join(struct.pack("<qQ", *pair) for pair in dynamic or [])
    if dynamic is not None:
        segments = [*segments, (2, 6, 512, BASE + 512, len(table), len(table))]
    ident = b"\x7fELF" + bytes([bits, order, 1, system])
    head = struct.pack(
        "<16sHHIQQQIHHHHHH",
        *(
            ident,
            kind,
            machine,
            1,
            entry,
            64,
            0,
            0,
            64,
            n_segment,
            len(segments) if count is None else count,
            0,
            0,
            0,
        ),
    )
    rows = b"".join(struct.pack("<IIQQQQQQ", a, b, c, d, d, e, f, 4096) for a, b, c, d, e, f in segments)
    return (head + rows).ljust(512, b"\0") + table
