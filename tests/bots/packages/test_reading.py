"""Uploads of every bad kind, read as the arena reads them: each refused with one clear sentence."""

from __future__ import annotations

import hashlib
import io
import random
import stat
import zipfile

import pytest

from bots.packages import MAX_UPLOAD_BYTES, PackageError, check_upload, read_package, to_program
from tests.bots.packages.archives import MAIN


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content, compress_type=method)
    return file.getvalue()


def refusal(filename: str, content: bytes) -> PackageError:
    with pytest.raises(PackageError) as caught:
        read_package(filename, content)
    sentence = caught.value.sentence
    assert sentence[0].isupper() or sentence[0] == "“"
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 400
    return caught.value


def test_one_python_file_becomes_main():
    package = read_package("my bot.PY", MAIN)
    assert package.files == {"main.py": MAIN}
    assert (package.runtime, package.entry) == ("python", "main.py")
    assert package.sha256 == hashlib.sha256(MAIN).hexdigest()
    program = to_program(package)
    assert (program.runtime, program.files, program.entry) == ("python", {"main.py": MAIN}, "main.py")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_with_main_at_its_top_is_taken_whole(method: int):
    content = zipped(
        ("main.py", MAIN),
        ("brain/", b""),
        ("brain/think.py", b"x = 1\n"),
        ("brain/w.bin", b"\0\xff"),
        method=method,
    )
    package = read_package("bot.zip", content)
    assert package.files == {"main.py": MAIN, "brain/think.py": b"x = 1\n", "brain/w.bin": b"\0\xff"}
    assert package.sha256 == hashlib.sha256(content).hexdigest()


def test_what_a_mac_leaves_in_a_zip_is_left_out():
    content = zipped(
        ("main.py", MAIN),
        ("__MACOSX/._main.py", b"\0"),
        (".DS_Store", b"\0"),
        ("brain/__pycache__/think.cpython-311.pyc", b"\0"),
        ("brain/.DS_Store", b"\0"),
    )
    assert list(read_package("bot.zip", content).files) == ["main.py"]


@pytest.mark.parametrize("filename", ["bot.py", "bot.zip"])
def test_an_empty_file_is_refused(filename: str):
    assert refusal(filename, b"").code == "empty"


@pytest.mark.parametrize("filename", ["bot.py", "bot.zip"])
def test_a_file_of_10_mb_is_refused(filename: str):
    fault = refusal(filename, b"#" * 10_000_000)
    assert fault.code == "too_big"
    assert fault.sentence == "The file has more than 1 MiB: that is the most that is taken."
    # Doors stop reading one byte beyond the limit.
    assert refusal(filename, b"#" * (MAX_UPLOAD_BYTES + 1)).sentence == fault.sentence


def test_a_file_of_exactly_the_limit_is_taken():
    assert read_package("bot.py", b"#" * MAX_UPLOAD_BYTES).files
    assert refusal("bot.py", b"#" * (MAX_UPLOAD_BYTES + 1)).code == "too_big"


@pytest.mark.parametrize("filename", ["bot.txt", "bot", "py", "bot.tar.gz", "bot.py.exe", ""])
def test_another_type_is_refused(filename: str):
    assert refusal(filename, MAIN).code == "type"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\x7fELF\x02\x01\x01\x00" + bytes(50), "binary"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        (b"print(1)\0", "binary"),
        (zipped(("main.py", MAIN)), "zip_by_another_name"),
        ("x = 1\ny = 'ä'\n".encode("latin-1"), "not_utf8"),
    ],
)
def test_a_binary_as_py_is_refused(content: bytes, code: str):
    fault = refusal("bot.py", content)
    assert fault.code == code
    if code == "not_utf8":
        assert "line 2" in fault.sentence


def test_a_zip_that_is_none_is_refused():
    assert refusal("bot.zip", MAIN).code == "not_a_zip"
    assert refusal("bot.zip", b"PK\x03\x04" + b"x" * 100).code == "broken_zip"
    assert refusal("bot.zip", zipped(("main.py", MAIN))[:-30]).code == "broken_zip"


def test_what_can_be_seen_at_once_is_refused_without_reading():
    for filename, content in (
        ("bot.py", b""),
        ("bot.exe", MAIN),
        ("bot.py", b"\0"),
        ("bot.zip", b"x"),
        ("a.py", b"\xff"),
    ):
        with pytest.raises(PackageError):
            check_upload(filename, content)
    check_upload("bot.zip", zipped())
    check_upload("bot.py", b"no python at all")


@pytest.mark.parametrize(
    ("magic", "name"),
    [
        (b"\x1f\x8b\x08", "gzip"),
        (b"BZh9", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "7z"),
        (b"Rar!\x1a\7\1", "rar"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"main.py".ljust(257, b"\0") + b"ustar", "tar"),
    ],
)
def test_another_archive_named_zip_is_called_what_it_is(magic: bytes, name: str):
    fault = refusal("bot.zip", magic + bytes(500))
    assert fault.code == "other_archive"
    assert f"format {name}:" in fault.sentence


def test_a_source_with_a_zip_behind_it_is_refused():
    # Python would run the __main__.py of that zip, and nobody who reads the source would know.
    content = MAIN + zipped(("__main__.py", b"print('another bot')\n"))
    assert refusal("bot.py", content).code == "binary"
    assert refusal("bot.zip", zipped(("main.py", content))).code == "binary_source"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (b"# coding: utf-7\n+AGkAbQBwAG8AcgB0-", 1),
        (b"#!/usr/bin/python3\n# -*- coding: latin-1 -*-\n", 2),
        (b"\xef\xbb\xbf# vim: set fileencoding=cp1252 :\n", 1),
        (b" \t\x0c# coding=utf-16\r\nx = 1", 1),
        (b"\r# coding: raw_unicode_escape\r", 2),
        (b"\xef\xbb\xbf# bot\n# coding: latin-1\n", 2),
        (b"# coding: " + b"x" * 3000, 1),
    ],
)
def test_a_source_that_declares_another_encoding_is_refused(source: bytes, line: int):
    # What people read is not what Python would run.
    fault = refusal("bot.py", source)
    assert fault.code == "coding"
    assert f"in line {line}:" in fault.sentence
    fault = refusal("bot.zip", zipped(("main.py", MAIN), ("brain/think.py", source)))
    assert "“brain/think.py”" not in fault.public_sentence
    assert "brain/think.py" in fault.sentence


@pytest.mark.parametrize(
    "source",
    [
        b"# coding: utf-8\n",
        b"#!/usr/bin/python3\n# -*- coding: UTF_8 -*-\n",
        b"# coding: ascii\n",
        b"x = 1\n# encoding: what the board shows\n",
        b"# one\n# two\n# coding: latin-1 in the third line is a remark\n",
        b"\xef\xbb\xbfprint(1)\n",
    ],
)
def test_a_source_that_is_utf_8_may_say_so(source: bytes):
    assert read_package("bot.py", source).files == {"main.py": source}


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (b"x = 1\ny = '\xe4'\n", 2),
        ("x = '\ud800'\n".encode("utf-8", "surrogatepass"), 1),
        (b"\xff\xfex\x01", 1),
        (b"x = '\xc0\xaf'\n", 1),
        ("x = '\U0010ffff'".encode()[:-2], 1),
    ],
)
def test_a_source_in_another_encoding_is_refused_with_its_line(source: bytes, line: int):
    assert f"in line {line}:" in refusal("bot.py", source).sentence


def test_a_missing_main_is_named():
    fault = refusal("bot.zip", zipped(("bot.py", MAIN)))
    assert fault.code == "no_entry"
    assert "main.py" in fault.sentence
    fault = refusal("bot.zip", zipped(("mybot/main.py", MAIN)))
    assert fault.code == "entry_in_folder"
    assert "mybot/main.py" in fault.sentence
    assert refusal("bot.zip", zipped()).code == "no_entry"


def test_a_binary_main_is_refused():
    assert refusal("bot.zip", zipped(("main.py", b"\0"))).code == "binary_source"
    fault = refusal("bot.zip", zipped(("main.py", MAIN), ("brain/think.py", b"x = 1\n\xff")))
    assert fault.code == "source_not_utf8"
    assert "“brain/think.py” is not UTF-8 in line 2" in fault.sentence


def test_an_encrypted_zip_is_refused():
    content = bytearray(zipped(("main.py", MAIN)))
    for header, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.index(header) + offset
        content[at] |= 1
    fault = refusal("bot.zip", bytes(content))
    assert fault.code == "encrypted"
    assert "without a password" in fault.sentence


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../main.py", "outside"),
        ("brain/../../x.py", "outside"),
        ("..", "outside"),
        ("..\\main.py", "outside"),
        ("/main.py", "absolute_path"),
        ("//main.py", "absolute_path"),
        ("C:/main.py", "absolute_path"),
        ("\\\\host\\main.py", "absolute_path"),
        ("brain\\think.py", "backslash"),
        ("./main.py", "odd_name"),
        ("brain//think.py", "odd_name"),
        ("brain/ think.py", "odd_name"),
        ("think\n.py", "odd_name"),
        ("think\u202e.py", "odd_name"),
        ("a:b.py", "absolute_path"),
        ("a" * 201, "long_path"),
        ("a/" * 8 + "b", "long_path"),
        ("aux*.py", "odd_name"),
    ],
)
def test_a_name_that_is_no_plain_relative_path_is_refused(name: str, code: str):
    info = zipfile.ZipInfo("x")
    info.filename = info.orig_filename = name
    assert refusal("bot.zip", zipped((info, b"x = 1\n"), ("main.py", MAIN))).code == code


def test_a_name_with_a_nul_is_refused():
    content = zipped(("main.pyX.txt", MAIN)).replace(b"main.pyX", b"main.py\0")
    assert refusal("bot.zip", content).code == "odd_name"


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_a_link_or_special_file_is_refused(kind: int):
    info = zipfile.ZipInfo("link.py")
    info.create_system = 3
    info.external_attr = (kind | 0o777) << 16
    fault = refusal("bot.zip", zipped((info, b"/etc/passwd"), ("main.py", MAIN)))
    assert fault.code == "link"
    assert "link.py" in fault.sentence


def test_10_000_entries_are_refused():
    content = zipped(*((f"{number}", b"") for number in range(10_000)), method=zipfile.ZIP_STORED)
    assert len(content) < MAX_UPLOAD_BYTES
    fault = refusal("bot.zip", content)
    assert fault.code == "too_many"
    assert "10000 entries" in fault.sentence


def test_a_ratio_of_1000_to_1_is_refused():
    content = zipped(("main.py", MAIN), ("zeros.bin", bytes(4_000_000)))
    assert len(content) < 5000
    fault = refusal("bot.zip", content)
    assert fault.code == "ratio"
    assert "zeros.bin" in fault.sentence


def test_a_small_file_of_zeros_harms_nobody():
    assert read_package("bot.zip", zipped(("main.py", MAIN), ("zeros.bin", bytes(60_000)))).files[
        "zeros.bin"
    ] == bytes(60_000)


def test_what_unpacks_to_more_than_the_limit_is_refused():
    part = random.Random(1).randbytes(10_000) * 100
    content = zipped(("main.py", MAIN), *((f"part{number}", part) for number in range(9)))
    assert refusal("bot.zip", content).code == "too_big_unpacked"


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("a.py", "A.py"), "duplicate"),
        (("brain/a.py", "Brain/a.py"), "duplicate"),
        (("a", "a/"), "duplicate"),
        (("a", "a/b.py"), "file_as_folder"),
        (("A/b.py", "a"), "file_as_folder"),
        (("a", "a/b/c"), "file_as_folder"),
    ],
)
def test_names_that_clash_are_refused(names: tuple[str, str], code: str):
    assert refusal("bot.zip", zipped(("main.py", MAIN), *((name, b"") for name in names))).code == code


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_mains_are_refused():
    assert refusal("bot.zip", zipped(("main.py", MAIN), ("main.py", b"other"))).code == "duplicate"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_unusual_compression_is_refused(method: int):
    assert refusal("bot.zip", zipped(("main.py", MAIN * 100), method=method)).code == "method"


def test_wrong_contents_of_a_zip_are_found():
    content = zipped(("main.py", MAIN), method=zipfile.ZIP_STORED).replace(b"a bot", b"a cat")
    assert refusal("bot.zip", content).code == "broken_entry"


def test_file_names_in_a_refusal_are_harmless_to_show():
    info = zipfile.ZipInfo("x")
    info.filename = info.orig_filename = "\x1b[31m<script>\u202e" + "x" * 300
    fault = refusal("bot.zip", zipped((info, b""), ("main.py", MAIN)))
    assert "\x1b" not in fault.sentence
    assert "\u202e" not in fault.sentence


SECRET = "my_secret"


def zip_entry(
    name: str, *, mode: int = 0, method: int = zipfile.ZIP_DEFLATED
) -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo("x")
    info.filename = info.orig_filename = name
    info.external_attr = mode << 16
    return info, b"#" * 1000


@pytest.mark.parametrize(
    "content",
    [
        zipped((f"{SECRET}/main.py", MAIN)),
        zipped(zip_entry(f"../{SECRET}")),
        zipped(zip_entry(f"/{SECRET}")),
        zipped(zip_entry(SECRET * 40)),
        zipped(zip_entry(f"{SECRET}*")),
        zipped(zip_entry(SECRET, mode=stat.S_IFLNK | 0o777)),
        zipped(zip_entry(SECRET), method=zipfile.ZIP_BZIP2),
        zipped(zip_entry(SECRET), zip_entry(SECRET.upper())),
        zipped(zip_entry(SECRET), zip_entry(f"{SECRET}/x")),
        zipped(("main.py", MAIN), (SECRET, bytes(4_000_000))),
    ],
    ids=[
        "entry_in_folder", "outside", "absolute_path", "long_path", "odd_name", "link", "method", "duplicate",
        "file_as_folder", "ratio",
    ],
)  # fmt: skip
def test_what_everybody_may_read_of_a_refusal_quotes_no_name(content: bytes, request: pytest.FixtureRequest):
    fault = refusal("bot.zip", content)
    assert f"[{fault.code}]" in request.node.name
    assert SECRET in fault.sentence
    assert SECRET not in fault.public_sentence.lower()
    assert fault.public_sentence.endswith(".")


def test_a_refusal_that_quotes_nothing_is_the_same_for_everybody():
    for filename, content in (("bot.py", b""), ("bot.zip", b"x"), ("bot.exe", MAIN), ("a.py", b"\xff")):
        fault = refusal(filename, content)
        assert fault.public_sentence == fault.sentence == str(fault)
