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

_MEBIBYTE = 1024 * 1024
MAX_UPLOAD_BYTES: Final = _MEBIBYTE
MAX_FILES: Final = 200
MAX_UNPACKED_BYTES: Final = 8 * _MEBIBYTE
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


def gettext_noop(text: str) -> str:
    """Marks a text that doors translate, where there are any; nothing here knows a language but English."""
    return text


SENTENCES: Final = {
    "type": gettext_noop("The file is neither a .py nor a .zip: upload one of these."),
    "empty": gettext_noop("The file is empty: upload a Python file or a zip."),
    "too_big": gettext_noop("The file has more than %(limit)d MiB: that is the most that is taken."),
    "not_a_zip": gettext_noop("The file is named .zip but is none: pack it again."),
    "zip_as_py": gettext_noop("The file is named .py but is a zip: name it .zip."),
    "binary": gettext_noop("The file is not Python source but binary data: upload the source."),
    "binary_entry": gettext_noop("The file %(entry)s is not Python source but binary data: pack the source."),
    "not_utf8": gettext_noop("The file is not UTF-8 in line %(line)d: save it as UTF-8."),
    "entry_not_utf8": gettext_noop("The file %(entry)s is not UTF-8 in line %(line)d: save it as UTF-8."),
    "broken_zip": gettext_noop("The zip is damaged: pack it again."),
    "too_many": gettext_noop("The zip has %(n)d entries: at most %(limit)d are taken."),
    "no_entry": gettext_noop("The zip has no %(entry)s at its top: name the bot's file so."),
    "entry_in_folder": gettext_noop(
        "The zip has no %(entry)s at its top: it is in %(path)s, so zip that folder's files."
    ),
    "encrypted": gettext_noop("%(path)s is encrypted: pack the zip without a password."),
    "absolute_path": gettext_noop(
        "%(path)s is an absolute path: pack the files relative to the bot's folder."
    ),
    "outside": gettext_noop("%(path)s leads out of the bot's folder: pack without “..”."),
    "long_path": gettext_noop(
        "%(path)s is too long a path: at most %(length)d characters and %(depth)d levels are taken."
    ),
    "odd_name": gettext_noop(
        "%(path)s is an odd name: use letters, digits, “.”, “_”, “-”, “+” and spaces between them."
    ),
    "link": gettext_noop("%(path)s is a link or a special file: pack the file itself."),
    "method": gettext_noop("%(path)s is compressed in an unusual way: use the ordinary method (deflate)."),
    "duplicate": gettext_noop("%(path)s and %(other)s have the same name: keep one of them."),
    "file_as_folder": gettext_noop("%(path)s lies in a file as if it were a folder: pack it again."),
    "ratio": gettext_noop("%(path)s unpacks to more than %(limit)d times its size: leave out such a file."),
    "too_big_unpacked": gettext_noop("The zip unpacks to more than %(limit)d MiB: leave something out."),
    "syntax": gettext_noop("Syntax error in %(path)s, line %(line)d: %(message)s"),
    "not_source": gettext_noop("The file %(path)s cannot be compiled: %(message)s"),
    "too_much_source": gettext_noop(
        "The file %(path)s cannot be compiled within %(seconds)g s and %(memory)d MiB: write it more plainly."
    ),
}
"""What is wrong with an upload, by code, in words for its author."""

PUBLIC_SENTENCES: Final = {
    "entry_in_folder": gettext_noop("The zip has no %(entry)s at its top."),
    "encrypted": gettext_noop("The zip is encrypted."),
    "absolute_path": gettext_noop("The zip has a file with an absolute path."),
    "outside": gettext_noop("The zip has a file that leads out of the bot's folder."),
    "long_path": gettext_noop("The zip has a file with too long a path."),
    "odd_name": gettext_noop("The zip has a file with an odd name."),
    "link": gettext_noop("The zip has a link or a special file."),
    "method": gettext_noop("The zip is compressed in an unusual way."),
    "duplicate": gettext_noop("The zip has two files of the same name."),
    "file_as_folder": gettext_noop("The zip has a file that lies in another as if it were a folder."),
    "ratio": gettext_noop("The zip has a file that unpacks to more than %(limit)d times its size."),
    "syntax": gettext_noop("Syntax error in a Python file, line %(line)d."),
    "not_source": gettext_noop("A Python file cannot be compiled."),
    "too_much_source": gettext_noop(
        "A Python file cannot be compiled within %(seconds)g s and %(memory)d MiB."
    ),
}
"""The same for everybody, where the author's sentence quotes the upload: names of files, or its source."""


class PackageError(Exception):
    """An upload that cannot be played: `code`, and the `facts` of its sentence, JSON values."""

    def __init__(self, code: str, **facts: str | float) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts

    def __str__(self) -> str:
        return self.sentence

    @property
    def sentence(self) -> str:
        """What is wrong, where, and what to do: for the author."""
        return SENTENCES[self.code] % self.facts

    @property
    def public_sentence(self) -> str:
        """What is wrong, for everybody: it holds nothing of the upload."""
        return PUBLIC_SENTENCES.get(self.code, SENTENCES[self.code]) % self.facts


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
        raise PackageError("empty")
    if len(content) > MAX_UPLOAD_BYTES:
        # How much more, doors do not know that stop reading there.
        raise PackageError("too_big", limit=MAX_UPLOAD_BYTES // _MEBIBYTE)
    if kind == "zip":
        if not content.startswith(_ZIP_MAGIC):
            raise PackageError("not_a_zip")
    elif content.startswith(_ZIP_MAGIC):
        raise PackageError("zip_as_py")
    else:
        _check_text(content)


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
                "too_much_source", path=path, seconds=limits.start_ms / 1000, memory=limits.memory_mib
            ) from error
    message = quote_line(message.encode()) + ("" if message.endswith(("?", ".")) else ".")
    if not line:
        raise PackageError("not_source", path=path, message=message)
    raise PackageError("syntax", path=path, line=line, message=message)


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
        raise PackageError("type")
    return suffix


def _check_text(content: bytes, *, of_zip: bool = False) -> None:
    if b"\0" in content:
        raise PackageError("binary_entry" if of_zip else "binary", entry=ENTRY)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PackageError("entry_not_utf8" if of_zip else "not_utf8", entry=ENTRY, line=line) from error


def _read_zip(content: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read_entries(archive)
    except _ZIP_ERRORS as error:
        raise PackageError("broken_zip") from error


def _read_entries(archive: zipfile.ZipFile) -> dict[str, bytes]:
    entries = [entry for entry in archive.infolist() if not _LITTER.search(entry.orig_filename)]
    if len(entries) > MAX_FILES:
        raise PackageError("too_many", n=len(entries), limit=MAX_FILES)
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
        if inside:
            raise PackageError("entry_in_folder", entry=ENTRY, path=_shown(inside[0]))
        raise PackageError("no_entry", entry=ENTRY)
    _check_text(files[ENTRY], of_zip=True)
    return files


def _check_entry(entry: zipfile.ZipInfo) -> None:
    """Refuses what no honest archive of a bot contains, before a byte of it is unpacked."""
    name = entry.orig_filename
    shown = _shown(name)
    if entry.flag_bits & _ENCRYPTED_FLAGS:
        raise PackageError("encrypted", path=shown)
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        raise PackageError("absolute_path", path=shown)
    parts = name.removesuffix("/").split("/")
    if ".." in parts or ".." in name.split("\\"):
        raise PackageError("outside", path=shown)
    if len(name) > MAX_PATH_LENGTH or len(parts) > MAX_DEPTH:
        raise PackageError("long_path", path=shown, length=MAX_PATH_LENGTH, depth=MAX_DEPTH)
    if "." in parts or not all(_NAME.fullmatch(part) for part in parts):
        raise PackageError("odd_name", path=shown)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise PackageError("link", path=shown)
    if entry.compress_type not in _METHODS:
        raise PackageError("method", path=shown)


def _check_names(entries: list[zipfile.ZipInfo]) -> None:
    """No two entries with one name, also where capitals do not count, and no file that is a folder as well."""
    seen: dict[str, str] = {}
    files: set[str] = set()
    for entry in entries:
        name = entry.orig_filename
        key = name.removesuffix("/").lower()
        if key in seen:
            raise PackageError("duplicate", path=_shown(name), other=_shown(seen[key]))
        seen[key] = name
        if not entry.is_dir():
            files.add(key)
    for key, name in seen.items():
        parts = key.split("/")
        if any("/".join(parts[:depth]) in files for depth in range(1, len(parts))):
            raise PackageError("file_as_folder", path=_shown(name))


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
                raise PackageError("ratio", path=_shown(entry.orig_filename), limit=MAX_RATIO)
    return b"".join(pieces)


def _too_big_unpacked() -> PackageError:
    return PackageError("too_big_unpacked", limit=MAX_UNPACKED_BYTES // _MEBIBYTE)


def _shown(name: str) -> str:
    return f"“{quote_line(name.encode('utf-8', 'surrogateescape'))[:MAX_PATH_LENGTH]}”"
