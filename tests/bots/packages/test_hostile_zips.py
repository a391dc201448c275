"""Zips as an attacker makes them: each refused for its reason, before anything is unpacked where that can be."""

from __future__ import annotations

import io
import random
import zipfile
import zlib

import pytest

from bots.packages import MAX_UPLOAD_BYTES, PackageError, zips
from bots.packages.zips import MAX_FILES, MAX_UNPACKED_BYTES, Refused, read_zip
from tests.bots.packages.archives import DEFLATED, DESCRIPTOR, MAIN, Member, build, descriptor
from tests.bots.packages.hostile import BOT, DENSE, FILE, FOLDER, HOSTILE, ZEROS, extra, quoted


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_zip_is_refused_for_its_reason(name: str) -> None:
    content, code = HOSTILE[name]
    with pytest.raises(Refused) as caught:
        read_zip(content, ["main.py"])
    assert caught.value.code == code
    sentence = PackageError(code, **caught.value.facts).sentence
    assert sentence.endswith(".")


# Those whose faults are in the data alone cannot be known before it is unpacked.
IN_THE_DATA = {"broken_entry", "no_entry", "entry_in_folder"}


@pytest.mark.parametrize("name", [name for name, (_, code) in HOSTILE.items() if code not in IN_THE_DATA])
def test_it_is_refused_before_anything_is_unpacked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unpack(*_: object) -> bytes:
        raise AssertionError("Something was unpacked.")

    monkeypatch.setattr(zips, "_unpack", unpack)
    with pytest.raises(Refused):
        read_zip(HOSTILE[name][0], ["main.py"])


def test_the_bombs_are_bombs() -> None:
    """Otherwise their refusal would say nothing."""
    with zipfile.ZipFile(io.BytesIO(quoted(150))) as archive:
        sizes = [info.file_size for info in archive.infolist()]
    assert len(quoted(150)) < MAX_UPLOAD_BYTES
    assert sum(sizes) > 15 * MAX_UNPACKED_BYTES
    inflater = zlib.decompressobj(-15)
    start = 30 + len("000000")
    first = inflater.decompress(quoted(4)[start:])
    assert first[3 * start :] == DENSE


def honest(**options: object) -> dict[str, bytes]:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as archive:
        archive.writestr("main.py", MAIN)
        archive.writestr("brain/", b"")
        archive.writestr("brain/think.py", b"x = 1\n" * 1000)
        archive.writestr("weights.bin", random.Random(3).randbytes(5000))
    return read_zip(file.getvalue(), ["main.py"])


@pytest.mark.parametrize("options", [{}, {"compression": zipfile.ZIP_DEFLATED, "compresslevel": 1}])
def test_what_python_packs_is_taken(options: dict) -> None:
    assert sorted(honest(**options)) == ["brain/think.py", "main.py", "weights.bin"]


class Pipe(io.RawIOBase):
    """What cannot be gone back in."""

    def __init__(self) -> None:
        self.written = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        self.written += bytes(data)  # type: ignore[call-overload]
        return len(bytes(data))  # type: ignore[call-overload]


def test_what_python_packs_into_a_pipe_is_taken() -> None:
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[arg-type]
        archive.writestr("main.py", MAIN)
        archive.writestr("a", b"a" * 500)
    assert read_zip(pipe.written, ["main.py"]) == {"main.py": MAIN, "a": b"a" * 500}


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize(
    "numbers",
    # libarchive, of which macOS and Windows have a `tar`, knows the size at once.
    [{"crc": 0, "packed": 0, "size": 0}, {"crc": 0, "packed": 0}, {}],
)
def test_a_descriptor_is_taken_in_all_its_forms(signed: bool, numbers: dict[str, int]) -> None:
    behind = descriptor(MAIN, len(MAIN), signed=signed)
    member = Member(b"main.py", MAIN, flags=DESCRIPTOR, local=numbers, behind=behind)
    assert read_zip(build(member), ["main.py"]) == {"main.py": MAIN}


def test_what_honest_programs_add_is_taken() -> None:
    times = extra(0x5455, b"\3" + bytes(8)) + extra(0x7875, b"\1\4" + bytes(4) + b"\4" + bytes(4))
    content = build(
        Member(b"main.py", MAIN, attributes=FILE, extra=times, comment=b"the bot"),
        Member(b"brain/", method=DEFLATED, packed=b"\3\0", attributes=FOLDER | 0x10),
        Member(b"empty.py"),
        comment=b"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    )
    assert read_zip(content, ["main.py"]) == {"main.py": MAIN, "empty.py": b""}


def test_a_zip_in_a_zip_is_a_file() -> None:
    inner = build(Member(b"z", ZEROS, DEFLATED))
    assert read_zip(build(BOT, Member(b"inner.zip", inner)), ["main.py"])["inner.zip"] == inner


def test_main_py_is_what_runs_and_not_what_python_runs_in_a_zip() -> None:
    files = read_zip(build(Member(b"__main__.py", b"raise SystemExit\n"), BOT), ["main.py"])
    assert files["main.py"] == MAIN


def test_200_files_and_8_mib_are_taken() -> None:
    part = random.Random(5).randbytes(2000)
    files = {f"f{n}": part * 20 for n in range(MAX_FILES - 1)} | {"main.py": MAIN}
    content = build(*(Member(name.encode(), data, DEFLATED) for name, data in files.items()))
    assert read_zip(content, ["main.py"]) == files
