"""A small program of the processor's own code that makes system calls, to see what a sandbox denies to any program.

It is made here, so that no host needs a compiler: an ELF file of one segment that holds the code, the calls and their
texts. `tests/data/prober.s` is what the code was assembled from, and a test assembles it again.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

CODE: Final = bytes.fromhex(
    "4c8d25c100000031c031ff498b742408ba010000000f054d8b2c24498d5c2428488b03488b7b08488b7310488b53184c"
    "8b53204c8b43284c8b4b300f054885c0750d488b0b4883e9384883f90176704889034883c33849ffcd75c54d8b2c2449"
    "8d5c2428498b7c2408488b03b91000000048c1c00489c283e20f418a541418881748ffc7ffc975e94883c33849ffcd75"
    "d8c6070ab801000000bf01000000498b742408498b5424100f0531c031ff498b742408ba010000000f054885c07febb8"
    "3c00000031ff0f05"
)

_ADDRESS = 0x400000
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_START = _HEADER.size + _SEGMENT.size
_DIGITS = b"0123456789abcdef"
_CALL = struct.Struct("<7Q")
_READ_WRITE_EXECUTE = 7


def prober(calls: Sequence[Sequence[int | bytes]]) -> bytes:
    """The program that makes these calls, each a number and up to six arguments, where bytes stand for the address of
    a text. Once asked, it writes one line, 16 hexadecimal digits for what each call gave, and stays until its input
    ends."""
    table_at = _START + len(CODE) + 8 * 3 + len(_DIGITS)
    texts_at = table_at + _CALL.size * len(calls)
    texts = b""
    table = b""
    for call in calls:
        words = []
        for word in (*call, *[0] * (7 - len(call))):
            if isinstance(word, bytes):
                words.append(_ADDRESS + texts_at + len(texts))
                texts += word + b"\0"
            else:
                words.append(word % 2**64)
        table += _CALL.pack(*words)
    size = texts_at + len(texts)
    n_text = 16 * len(calls) + 1
    head = struct.pack("<3Q", len(calls), _ADDRESS + size, n_text)
    ident = b"\x7fELF\x02\x01\x01"
    return b"".join(
        [
            _HEADER.pack(
                ident,
                2,
                62,
                1,
                _ADDRESS + _START,
                _HEADER.size,
                0,
                0,
                _HEADER.size,
                _SEGMENT.size,
                1,
                0,
                0,
                0,
            ),
            _SEGMENT.pack(1, _READ_WRITE_EXECUTE, 0, _ADDRESS, _ADDRESS, size, size + n_text, 4096),
            CODE,
            head,
            _DIGITS,
            table,
            texts,
        ]
    )


def outcomes(line: bytes) -> list[int]:
    """What each call gave: a number, negative for an error of that number. Raises ValueError for any other line."""
    if len(line) % 16:
        raise ValueError(line)
    numbers = [int(line[at : at + 16], 16) for at in range(0, len(line), 16)]
    return [number - 2**64 if number >= 2**63 else number for number in numbers]
