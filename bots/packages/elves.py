"""A strict look at a program's ELF header, and a script: `python elves.py USER ZIPS < bot` answers why it is refused.

It needs nothing but the standard library, and as a script the source of `zips`, whose limits it shares: see `apart`.
What is taken is a program for Linux on x86-64 that is whole by itself, so that a sandbox with nothing but it can start
it. Nothing is run.

Numbers and names of fields are those of the System V ABI, Edition 4.1 (generic chapters 4 and 5), and of its AMD64
supplement.
"""

from __future__ import annotations

import struct
import sys
from types import ModuleType
from typing import Final, NamedTuple

MAGIC: Final = b"\x7fELF"
MAX_SEGMENTS: Final = 64
MAX_MAPPED_BYTES: Final = 512 * 1024 * 1024

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<qQ")
_CLASS_32, _CLASS_64 = 1, 2
_LITTLE_ENDIAN = 1
_SYSTEM_V, _GNU = 0, 3
_EXECUTABLE, _SHARED = 2, 3
_LOAD, _DYNAMIC_TABLE, _INTERPRETER = 1, 2, 3
_MAY_EXECUTE = 1
_END, _NEEDED, _FLAGS_1 = 0, 1, 0x6FFFFFFB
_IS_PIE = 0x08000000
_LOWER_HALF = 1 << 47
_X86_64 = 62
_MACHINES: Final = {3: "i386", 8: "MIPS", 20: "PowerPC", 21: "PowerPC64", 22: "S/390", 40: "ARM", 62: "x86-64",
                    183: "ARM64", 243: "RISC-V", 258: "LoongArch"}  # fmt: skip


class Segment(NamedTuple):
    kind: int
    flags: int
    offset: int
    address: int
    n_file: int
    n_memory: int


def refusal(content: bytes) -> tuple[str, dict[str, str | int]] | None:
    """A key of `refusals.SENTENCES` with its facts; None for a program that can be started."""
    try:
        return _refusal(content)
    except _Broken:
        return "broken_elf", {}


class _Broken(Exception):
    pass


def _refusal(content: bytes) -> tuple[str, dict[str, str | int]] | None:
    _require(content.startswith(MAGIC) and len(content) >= _HEADER.size)
    ident, kind, machine, version, entry, at, _, _, n_header, n_segment, count, *_ = _HEADER.unpack_from(
        content
    )
    name = _MACHINES.get(machine, f"{machine}")
    if ident[4] == _CLASS_32:
        return "elf_32_bit", {"machine": name}
    # In a header of the other byte order the numbers mean nothing.
    if ident[5] != _LITTLE_ENDIAN or machine != _X86_64:
        return "elf_machine", {"machine": name if ident[5] == _LITTLE_ENDIAN else "big-endian"}
    _require(ident[4] == _CLASS_64 and ident[6] == version == 1 and n_header == _HEADER.size)
    if ident[7] not in {_SYSTEM_V, _GNU}:
        return "elf_system", {"number": ident[7]}
    if kind not in {_EXECUTABLE, _SHARED}:
        return "elf_no_program", {}
    _require(n_segment == _SEGMENT.size and 0 < count <= MAX_SEGMENTS)
    segments = [_segment(content, at + index * _SEGMENT.size) for index in range(count)]
    dynamic = [
        entry for segment in segments if segment.kind == _DYNAMIC_TABLE for entry in _table(content, segment)
    ]
    if any(segment.kind == _INTERPRETER for segment in segments):
        return "elf_dynamic", {}
    if any(tag == _NEEDED for tag, _ in dynamic):
        return "elf_dynamic", {}
    if kind == _SHARED and not any(tag == _FLAGS_1 and value & _IS_PIE for tag, value in dynamic):
        return "elf_no_program", {}
    loaded = [segment for segment in segments if segment.kind == _LOAD]
    _require(any(segment.flags & _MAY_EXECUTE and _covers(segment, entry) for segment in loaded))
    _require(sum(segment.n_memory for segment in loaded) <= MAX_MAPPED_BYTES)
    return None


def _segment(content: bytes, at: int) -> Segment:
    _require(_HEADER.size <= at <= len(content) - _SEGMENT.size)
    kind, flags, offset, address, _, n_file, n_memory, _ = _SEGMENT.unpack_from(content, at)
    _require(offset + n_file <= len(content))
    if kind == _LOAD:
        _require(n_file <= n_memory and address + n_memory <= _LOWER_HALF)
    return Segment(kind, flags, offset, address, n_file, n_memory)


def _table(content: bytes, segment: Segment) -> list[tuple[int, int]]:
    _require(segment.n_file % _DYNAMIC.size == 0)
    entries = []
    for tag, value in _DYNAMIC.iter_unpack(content[segment.offset : segment.offset + segment.n_file]):
        if tag == _END:
            break
        entries.append((tag, value))
    return entries


def _covers(segment: Segment, address: int) -> bool:
    return segment.address <= address < segment.address + segment.n_file


def _require(holds: bool) -> None:
    if not holds:
        raise _Broken


def answer(content: bytes) -> tuple[dict[str, object], bytes]:
    """What the process that runs this file answers: `{}` or `{"code", "facts"}`, and no bytes."""
    found = refusal(content)
    return ({}, b"") if found is None else ({"code": found[0], "facts": found[1]}, b"")


if __name__ == "__main__":
    # There may be no file to import, nor the right to read one.
    shared = ModuleType("zips")
    exec(sys.argv[2], shared.__dict__)  # noqa: S102 - a source of ours
    shared.serve(int(sys.argv[1]), answer)
