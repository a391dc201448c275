"""Zips as an attacker makes them."""

from __future__ import annotations

import random
import stat
import struct
import zlib
from collections.abc import Mapping

from bots.packages.zips import MAX_FILES
from tests.bots.packages.archives import DEFLATED, DESCRIPTOR, MAIN, MODE, Member, build, deflate, descriptor

BOT = Member(b"main.py", MAIN)
ZEROS = bytes(1_000_000)
# Unpacks to 80 times its size, which alone is allowed.
DENSE = random.Random(1).randbytes(12_000) * 80
SYMLINK = (stat.S_IFLNK | 0o777) << MODE
FOLDER = (stat.S_IFDIR | 0o755) << MODE
FILE = (stat.S_IFREG | 0o644) << MODE


def extra(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def zip64_closing() -> bytes:
    return b"PK\x06\x06" + bytes(52) + b"PK\x06\x07" + bytes(16)


def shared(count: int) -> bytes:
    """Entries that all point at one piece of data, as in the flat bombs of before 2019."""
    return build(
        BOT,
        Member(b"a", DENSE, DEFLATED),
        *(Member(b"a%d" % n, DENSE, DEFLATED, place=0) for n in range(count)),
    )


def quoted(count: int) -> bytes:
    """David Fifield's zip bomb: each entry's stored block quotes the descriptions of all that follow.

    One kernel at the end is so unpacked once for each entry, and no two entries have the same place.
    """
    names = [b"%06d" % number for number in range(count)]
    kernel = deflate(DENSE)
    heads: list[bytes] = []
    tail, unpacked = kernel, DENSE
    for name in reversed(names):
        size = 30 + len(name)
        head = struct.pack(
            "<4s5H3I2H", b"PK\x03\x04", 20, 0, 8, 0, 33, zlib.crc32(unpacked), len(tail), len(unpacked), len(name), 0
        ) + name  # fmt: skip
        heads.append(head)
        whole = head + tail
        tail = struct.pack("<BHH", 0, size, size ^ 0xFFFF) + whole
        unpacked = head + unpacked
    body, entries, at = b"", [], 0
    for index, name in enumerate(names):
        head = heads[count - 1 - index]
        if index:
            block = struct.pack("<BHH", 0, len(head), len(head) ^ 0xFFFF)
            body += block
            at += len(block)
        crc, packed, size = struct.unpack_from("<3I", head, 14)
        numbers = {"crc": crc, "packed": packed, "size": size, "method": 8}
        entries.append(Member(name, place=at, central=numbers))
        body += head
        at += len(head)
    return build(*entries, before=body + kernel)


# What is uploaded, and the code of its refusal.
HOSTILE: Mapping[str, tuple[bytes, str]] = {
    # Bombs
    "one file of zeros": (build(BOT, Member(b"z", ZEROS, DEFLATED)), "ratio"),
    "many files at the ratio": (
        build(BOT, *(Member(b"z%d" % n, DENSE, DEFLATED) for n in range(9))),
        "too_big_unpacked",
    ),
    "a claim of nothing for a million bytes": (
        build(BOT, Member(b"z", b"", DEFLATED, packed=deflate(ZEROS))),
        "broken_entry",
    ),
    "both claims ten bytes for a million": (
        build(BOT, Member(b"z", b"0123456789", DEFLATED, packed=deflate(ZEROS))),
        "broken_entry",
    ),
    "a claim of 4 GB": (
        build(BOT, Member(b"z", MAIN, local={"size": 0xFFFFFFFE}, central={"size": 0xFFFFFFFE})),
        "ratio",
    ),
    "many small zeros under the ratio's floor": (
        build(BOT, *(Member(b"z%d" % n, bytes(64 * 1024), DEFLATED) for n in range(150))),
        "too_big_unpacked",
    ),
    "201 files": (build(BOT, *(Member(b"f%d" % n) for n in range(MAX_FILES))), "too_many"),
    "a count that lies low": (build(BOT, Member(b"x"), here=1, count=1), "broken_zip"),
    "a count that lies high": (build(BOT, here=2, count=2), "broken_zip"),
    "a count of 65534": (build(BOT, here=0xFFFE, count=0xFFFE), "broken_zip"),
    "litter as a bomb": (build(BOT, Member(b"__MACOSX/z", ZEROS, DEFLATED)), "ratio"),
    "a million empty deflate blocks": (
        build(BOT, Member(b"z", b"", DEFLATED, packed=b"\0\0\0\xff\xff" * 150_000)),
        "broken_entry",
    ),
    # Entries that overlap
    "a flat bomb": (shared(50), "too_big_unpacked"),
    "two names for one place": (build(BOT, Member(b"x.py", MAIN, place=0)), "overlap"),
    "quoted overlapping": (quoted(4), "overlap"),
    "quoted overlapping, many": (quoted(150), "too_big_unpacked"),
    "an entry inside another's data": (
        build(
            Member(b"main.py", build(Member(b"x.py", MAIN))), Member(b"x.py", MAIN, place=30 + len("main.py"))
        ),
        "overlap",
    ),
    "data that runs into the directory": (
        build(Member(b"main.py", MAIN, local={"packed": 99, "size": 99}, central={"packed": 99, "size": 99})),
        "broken_entry",
    ),
    # Bytes that belong to nothing
    "a program before the zip": (build(BOT, before=b"#!/bin/sh\nexit\n"), "hidden_bytes"),
    "a program before a zip that does not count it": (b"#!/bin/sh\nexit\n" + build(BOT), "hidden_bytes"),
    "bytes between two files": (build(Member(b"a", behind=b"hidden"), BOT), "hidden_bytes"),
    "a file that the directory leaves out": (
        build(Member(b"a", behind=build(Member(b"b", MAIN))[:40]), BOT),
        "hidden_bytes",
    ),
    "bytes before the directory": (build(BOT, between=b"PK\x03\x04hidden"), "hidden_bytes"),
    "a second zip behind the first": (build(BOT) + build(Member(b"main.py", b"other")), "hidden_bytes"),
    "bytes behind the end": (build(BOT) + b"\0" * 100, "hidden_bytes"),
    "a second end in the comment": (build(BOT, comment=build()), "hidden_bytes"),
    "a comment that is cut short": (build(BOT, comment=b"x", n_comment=9), "broken_zip"),
    "a comment of 60000 bytes": (build(BOT, comment=b"c" * 60_000), "long_comment"),
    # Descriptions that disagree
    "another name at the file": (build(BOT, Member(b"a.py", MAIN, local={"name": b"b.py"})), "disagree"),
    "another size at the file": (build(BOT, Member(b"a.py", MAIN, local={"size": 3})), "disagree"),
    "another packed size at the file": (build(BOT, Member(b"a", MAIN, local={"packed": 3})), "disagree"),
    "another checksum at the file": (build(BOT, Member(b"a", MAIN, local={"crc": 3})), "disagree"),
    "another method at the file": (build(BOT, Member(b"a", MAIN, local={"method": 8})), "disagree"),
    "a password at the file alone": (build(BOT, Member(b"a", MAIN, local={"flags": 1})), "disagree"),
    "a descriptor at the file alone": (build(BOT, Member(b"a", MAIN, local={"flags": 8})), "disagree"),
    "a descriptor that lies": (
        build(BOT, Member(b"a", MAIN, flags=DESCRIPTOR, behind=descriptor(b"other", 5))),
        "disagree",
    ),
    "a descriptor that is missing": (build(BOT, Member(b"a", MAIN, flags=DESCRIPTOR)), "disagree"),
    "a descriptor for 64 bits": (
        build(BOT, Member(b"a", MAIN, flags=DESCRIPTOR, behind=b"PK\x07\x08" + bytes(20))),
        "disagree",
    ),
    "a folder by its attributes": (build(BOT, Member(b"a", MAIN, attributes=FOLDER)), "disagree"),
    "a file by its attributes": (build(BOT, Member(b"a/", attributes=FILE)), "disagree"),
    "a folder with content": (build(BOT, Member(b"a/", MAIN)), "full_folder"),
    "a second name in an extra field": (
        build(BOT, Member(b"a", MAIN, extra=extra(0x7075, b"\1" + bytes(4) + b"../../b"))),
        "two_names",
    ),
    # zip64
    "64-bit sizes at the file": (
        build(BOT, Member(b"a", MAIN, local={"size": 0xFFFFFFFF, "packed": 0xFFFFFFFF})),
        "zip64",
    ),
    "64-bit sizes in the directory": (build(BOT, Member(b"a", MAIN, central={"size": 0xFFFFFFFF})), "zip64"),
    "a 64-bit extra field": (build(BOT, Member(b"a", MAIN, extra=extra(1, bytes(16)))), "zip64"),
    "a 64-bit closing record": (build(BOT, between=zip64_closing(), count=0xFFFF), "zip64"),
    "a 64-bit locator": (
        build(BOT)[:-22] + zip64_closing() + build(BOT)[-22:],
        "zip64",
    ),
    "a second disk": (build(BOT, disk=1), "split"),
    "a file on a second disk": (build(BOT, Member(b"a", central={"disk": 1})), "split"),
    # Links, devices, modes
    "a link": (build(BOT, Member(b"a", b"/etc/passwd", attributes=SYMLINK)), "link"),
    "a link in place of main.py": (build(Member(b"main.py", b"/etc/passwd", attributes=SYMLINK)), "link"),
    "a device": (build(BOT, Member(b"a", attributes=(stat.S_IFCHR | 0o666) << MODE)), "link"),
    "a socket": (build(BOT, Member(b"a", attributes=(stat.S_IFSOCK | 0o666) << MODE)), "link"),
    "a kind that does not exist": (build(BOT, Member(b"a", attributes=0o070644 << MODE)), "link"),
    # Names
    "above the folder": (build(BOT, Member(b"../a")), "outside"),
    "above the folder, in litter": (build(BOT, Member(b"../../__pycache__/a")), "outside"),
    "above the folder by Windows": (build(BOT, Member(b"..\\a")), "outside"),
    "deep above": (build(BOT, Member(b"a/../../b")), "outside"),
    "absolute": (build(BOT, Member(b"/etc/cron.d/a")), "absolute_path"),
    "a drive": (build(BOT, Member(b"c:a")), "absolute_path"),
    "a share": (build(BOT, Member(b"\\\\host\\share")), "absolute_path"),
    "a stream": (build(BOT, Member(b"main.py:hidden")), "odd_name"),
    "backslashes": (build(BOT, Member(b"brain\\think.py")), "backslash"),
    "no name": (build(BOT, Member(b"")), "odd_name"),
    "a slash alone": (build(BOT, Member(b"/")), "absolute_path"),
    "nine levels": (build(BOT, Member(b"a/" * 8 + b"b")), "long_path"),
    "a thousand levels": (build(BOT, Member(b"a/" * 1000 + b"b")), "long_path"),
    "65535 characters": (build(BOT, Member(b"a" * 65535)), "long_path"),
    "a NUL": (build(BOT, Member(b"a.py\0.txt")), "odd_name"),
    "a line end": (build(BOT, Member(b"a\n.py")), "odd_name"),
    "an escape sequence": (build(BOT, Member(b"\x1b[2Ja.py")), "odd_name"),
    "right to left": (build(BOT, Member("a\u202eyp.exe".encode(), flags=0x800)), "odd_name"),
    "code page 437": (build(BOT, Member(b"b\x94se.py")), "odd_name"),
    "no UTF-8 where it is said": (build(BOT, Member(b"b\xff.py", flags=0x800)), "odd_name"),
    "a surrogate in UTF-8": (build(BOT, Member(b"b\xed\xa0\x80.py", flags=0x800)), "odd_name"),
    "an overlong slash": (build(BOT, Member(b"..\xc0\xafa")), "odd_name"),
    "full width": (build(BOT, Member("ｍain.py".encode(), flags=0x800)), "odd_name"),
    "two normal forms": (
        build(BOT, Member("é.py".encode(), flags=0x800), Member("e\u0301.py".encode(), flags=0x800)),
        "odd_name",
    ),
    "a full stop at the end": (build(BOT, Member(b"a.")), "odd_name"),
    "three full stops": (build(BOT, Member(b".../a")), "odd_name"),
    "a space at the end": (build(BOT, Member(b"a ")), "odd_name"),
    "a device of Windows": (build(BOT, Member(b"brain/NUL.py")), "reserved"),
    "the same name twice": (build(BOT, Member(b"main.py", b"other")), "duplicate"),
    "a name in capitals too": (build(BOT, Member(b"MAIN.py", b"other")), "duplicate"),
    "a file as a folder": (build(BOT, Member(b"main.py/a")), "file_as_folder"),
    "a file and a folder": (build(BOT, Member(b"main.py/")), "duplicate"),
    # Passwords and methods
    "a password": (build(BOT, Member(b"a", MAIN, flags=1)), "encrypted"),
    "strong encryption": (build(BOT, Member(b"a", MAIN, flags=0x41)), "encrypted"),
    "a hidden directory": (build(BOT, Member(b"a", MAIN, flags=1 << 13)), "encrypted"),
    "AES": (build(BOT, Member(b"a", MAIN, method=99, packed=MAIN)), "encrypted"),
    "AES in an extra field": (build(BOT, Member(b"a", MAIN, extra=extra(0x9901, bytes(7)))), "encrypted"),
    **{
        f"method {method}": (build(BOT, Member(b"a", MAIN, method=method, packed=MAIN)), "method")
        for method in (1, 6, 9, 12, 14, 93, 95, 98, 0xFFFF)
    },
    "a patch": (build(BOT, Member(b"a", MAIN, flags=1 << 5)), "method"),
    # Extra fields and remarks
    "an extra field of 60000 bytes": (
        build(BOT, Member(b"a", extra=extra(0xCAFE, bytes(60_000)))),
        "long_extra",
    ),
    "a long extra field at the file alone": (
        build(BOT, Member(b"a", local={"extra": extra(0xCAFE, bytes(2000))})),
        "long_extra",
    ),
    "a remark of 60000 bytes": (build(BOT, Member(b"a", comment=bytes(60_000))), "long_extra"),
    "an extra field that is cut short": (build(BOT, Member(b"a", extra=b"\1\2\xff\xff")), "broken_entry"),
    "an extra field of three bytes": (build(BOT, Member(b"a", extra=b"\1\2\3")), "broken_entry"),
    # Damage
    "cut short": (build(BOT)[:-1], "broken_zip"),
    "the closing record alone, cut": (build(BOT)[-22:-3], "broken_zip"),
    "no closing record": (build(BOT)[:-22], "broken_zip"),
    "a wrong checksum": (build(Member(b"main.py", MAIN, packed=MAIN.upper())), "broken_entry"),
    "no deflate at all": (build(BOT, Member(b"a", MAIN, DEFLATED, packed=b"\xff" * 20)), "broken_entry"),
    "deflate that does not end": (
        build(BOT, Member(b"a", MAIN, DEFLATED, packed=deflate(MAIN)[:-2])),
        "broken_entry",
    ),
    "bytes behind the deflate": (
        build(BOT, Member(b"a", MAIN, DEFLATED, packed=deflate(MAIN) + b"hidden")),
        "broken_entry",
    ),
    "a directory that starts behind the end": (build(BOT, start=0xFFFFFF), "broken_zip"),
    "a directory that starts too early": (build(BOT, start=5), "hidden_bytes"),
    "an entry that points nowhere": (build(BOT, Member(b"a", place=0xFFFFFF)), "hidden_bytes"),
    "an entry that points into data": (build(BOT, Member(b"a", place=33)), "overlap"),
    # What is missing
    "nothing": (build(), "no_entry"),
    "folders only": (build(Member(b"main.py/")), "no_entry"),
    "only what Python would run in a zip": (build(Member(b"__main__.py", MAIN)), "no_entry"),
    "main.py in a folder": (build(Member(b"bot/main.py", MAIN)), "entry_in_folder"),
    "main.py in capitals": (build(Member(b"Main.py", MAIN)), "no_entry"),
}
