"""Reading an upload without trusting it: one Python file, or a zip with `main.py` at its top.

Nothing is unpacked to disk and nothing is run here. All work is bounded by the size of the upload and the limits below,
whatever the archive claims: sizes are counted while reading. Every refusal is one sentence: what is wrong, where, and
what to do.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bots.sandbox.faults import BotFault, quote_line
from bots.sandbox.launcher import Launcher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program

MAX_UPLOAD_BYTES: Final = 1024 * 1024
MAX_FILES: Final = 200
MAX_UNPACKED_BYTES: Final = 8 * 1024 * 1024
MAX_RATIO: Final = 100
MAX_PATH_LENGTH: Final = 200
MAX_DEPTH: Final = 8
ENTRY: Final = "main.py"

# A small file of zeros compresses beyond any ratio and harms nobody.
_RATIO_COUNTS_FROM_BYTES = 64 * 1024
_PIECE_BYTES = 64 * 1024
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED_FLAGS = 0x1 | 0x40 | 0x2000
_NAME = re.compile(r"[A-Za-z0-9_.+-](?:[A-Za-z0-9_.+ -]*[A-Za-z0-9_.+-])?")
# What a Mac or a Python that ran there leaves in a folder; nobody means to upload it.
_LITTER = re.compile(r"(^|/)(__MACOSX|__pycache__|\.DS_Store)(/|$)")
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    IndexError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
)


class PackageError(Exception):
    """An upload that cannot be played. `code` is for programs, `sentence` for its author."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


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
    """What can be seen at once: size and type. Raises PackageError."""
    kind = _kind(filename)
    if not content:
        raise PackageError("empty", "The file is empty: upload a Python file or a zip.")
    if len(content) > MAX_UPLOAD_BYTES:
        size = len(content) / MAX_UPLOAD_BYTES
        raise PackageError("too_big", f"The file has {size:.1f} MiB: at most 1 MiB is taken.")
    if kind == "zip":
        if not content.startswith(_ZIP_MAGIC):
            raise PackageError("not_a_zip", "The file is named .zip but is none: pack it again.")
    elif content.startswith(_ZIP_MAGIC):
        raise PackageError("binary", "The file is named .py but is a zip: name it .zip.")
    else:
        _check_text("The file", content)


def read_package(filename: str, content: bytes) -> Package:
    """Reads an upload wholly. Raises PackageError for the first thing that is wrong with it.

    The syntax is not checked here but by check_syntax, in the sandbox.
    """
    check_upload(filename, content)
    files = _read_zip(content) if _kind(filename) == "zip" else {ENTRY: content}
    return Package("python", files, ENTRY, hashlib.sha256(content).hexdigest())


def check_syntax(package: Package, launcher: Launcher, limits: Limits) -> None:
    """Compiles every Python file of the package, inside the sandbox. Raises PackageError with file and line.

    A hostile source can make a compiler use any amount of time, memory and C stack, and deep nesting has crashed
    CPython's more than once. So it is never compiled in the caller's process. SandboxError passes through.
    """
    sources = sorted(path for path in package.files if path.endswith(".py"))
    files = {f"sources/{index}": package.files[path] for index, path in enumerate(sources)}
    files |= {"check.py": _CHECK, "sources/count": str(len(sources)).encode()}
    with launcher.start(Program(package.runtime, files, "check.py"), limits) as process:
        try:
            answer = process.ask(b"", cpu_ms=limits.start_ms, wall_ms=limits.start_wall_ms)
            found = json.loads(answer.line)
            if found is None:
                return
            path, line, message = sources[found[0]], int(found[1]), str(found[2])
        except (BotFault, ValueError, TypeError, LookupError) as error:
            at = process.stderr().strip().rpartition(b"\n")[2]
            path = sources[int(at)] if at.isdigit() and int(at) < len(sources) else package.entry
            raise PackageError(
                "syntax",
                f"The file {path} cannot be compiled within {limits.start_ms / 1000:g} s and {limits.memory_mib} MiB: "
                "write it more plainly.",
            ) from error
    where = f"{path}, line {line}" if line else path
    end = "" if message.endswith(("?", ".")) else "."
    raise PackageError("syntax", f"Syntax error in {where}: {quote_line(message.encode())}{end}")


# Runs in the sandbox, which answers null or [index, line, message]. Standard error says which file it was at.
_CHECK: Final = b"""
import json, sys, warnings
warnings.simplefilter("ignore")
found = None
for index in range(int(open("sources/count").read())):
    print(index, file=sys.stderr)
    try:
        compile(open(f"sources/{index}", "rb").read(), "source", "exec", dont_inherit=True)
    except SyntaxError as error:
        found = index, error.lineno or 0, error.msg
        break
    except Exception as error:
        found = index, 0, str(error) or "too deeply nested or too large"
        break
print(json.dumps(found))
"""


def _kind(filename: str) -> str:
    suffix = filename.lower().rpartition(".")[2]
    if "." not in filename or suffix not in {"py", "zip"}:
        raise PackageError("type", "The file is neither a .py nor a .zip: upload one of these.")
    return suffix


def _check_text(what: str, content: bytes) -> None:
    if b"\0" in content:
        raise PackageError("binary", f"{what} is not Python source but binary data: upload the source.")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PackageError("not_utf8", f"{what} is not UTF-8 in line {line}: save it as UTF-8.") from error


def _read_zip(content: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read_entries(archive)
    except _ZIP_ERRORS as error:
        raise PackageError("broken_zip", "The zip is damaged: pack it again.") from error


def _read_entries(archive: zipfile.ZipFile) -> dict[str, bytes]:
    entries = [entry for entry in archive.infolist() if not _LITTER.search(entry.orig_filename)]
    if len(entries) > MAX_FILES:
        raise PackageError("too_many", f"The zip has {len(entries)} entries: at most {MAX_FILES} are taken.")
    for entry in entries:
        _check_entry(entry)
    _check_names(entries)
    claimed = sum(entry.file_size for entry in entries)
    if claimed > MAX_UNPACKED_BYTES:
        raise _too_big_unpacked()
    files: dict[str, bytes] = {}
    left = MAX_UNPACKED_BYTES
    for entry in entries:
        if not entry.is_dir():
            files[entry.orig_filename] = unpacked = _unpack(archive, entry, left)
            left -= len(unpacked)
    if ENTRY not in files:
        inside = sorted(path for path in files if path.endswith(f"/{ENTRY}"))
        hint = (
            f"it is in {_shown(inside[0])}, so zip that folder's files"
            if inside
            else "name the bot's file so"
        )
        raise PackageError("no_entry", f"The zip has no {ENTRY} at its top: {hint}.")
    _check_text(f"The file {ENTRY}", files[ENTRY])
    return files


def _check_entry(entry: zipfile.ZipInfo) -> None:
    """Refuses what no honest archive of a bot contains, before a byte of it is unpacked."""
    name = entry.orig_filename
    shown = _shown(name)
    if entry.flag_bits & _ENCRYPTED_FLAGS:
        raise PackageError("encrypted", f"{shown} is encrypted: pack the zip without a password.")
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        raise PackageError(
            "absolute_path", f"{shown} is an absolute path: pack the files relative to the bot's folder."
        )
    parts = name.removesuffix("/").split("/")
    if ".." in parts or ".." in name.split("\\"):
        raise PackageError("outside", f"{shown} leads out of the bot's folder: pack without “..”.")
    if len(name) > MAX_PATH_LENGTH or len(parts) > MAX_DEPTH:
        raise PackageError(
            "odd_name",
            f"{shown} is too long a path: at most {MAX_PATH_LENGTH} characters and {MAX_DEPTH} levels are taken.",
        )
    if "." in parts or not all(_NAME.fullmatch(part) for part in parts):
        raise PackageError(
            "odd_name",
            f"{shown} is an odd name: use letters, digits, “.”, “_”, “-”, “+” and spaces between them.",
        )
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise PackageError("link", f"{shown} is a link or a special file: pack the file itself.")
    if entry.compress_type not in _METHODS:
        raise PackageError(
            "method", f"{shown} is compressed in an unusual way: use the ordinary method (deflate)."
        )


def _check_names(entries: list[zipfile.ZipInfo]) -> None:
    """No two entries with one name, also where capitals do not count, and no file that is a folder as well."""
    seen: dict[str, str] = {}
    files: set[str] = set()
    for entry in entries:
        name = entry.orig_filename
        key = name.removesuffix("/").lower()
        if key in seen:
            raise PackageError(
                "duplicate", f"{_shown(name)} and {_shown(seen[key])} have the same name: keep one of them."
            )
        seen[key] = name
        if not entry.is_dir():
            files.add(key)
    for key, name in seen.items():
        parts = key.split("/")
        if any("/".join(parts[:depth]) in files for depth in range(1, len(parts))):
            raise PackageError(
                "duplicate", f"{_shown(name)} lies in a file as if it were a folder: pack it again."
            )


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    with archive.open(entry) as file:
        while piece := file.read(_PIECE_BYTES):
            pieces.append(piece)
            size += len(piece)
            if size > left:
                raise _too_big_unpacked()
            if size > _RATIO_COUNTS_FROM_BYTES and size > MAX_RATIO * entry.compress_size:
                raise PackageError(
                    "ratio",
                    f"{_shown(entry.orig_filename)} unpacks to more than {MAX_RATIO} times its size: "
                    "leave out such a file.",
                )
    return b"".join(pieces)


def _too_big_unpacked() -> PackageError:
    most = MAX_UNPACKED_BYTES // (1024 * 1024)
    return PackageError("too_big_unpacked", f"The zip unpacks to more than {most} MiB: leave something out.")


def _shown(name: str) -> str:
    return f"“{quote_line(name.encode('utf-8', 'surrogateescape'))[:MAX_PATH_LENGTH]}”"
