"""Starting bots: each in its own bubblewrap sandbox, or bare for local play and comparison."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import pkgutil
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from bots.sandbox import seccomp
from bots.sandbox.child import BareChild, SandboxedChild
from bots.sandbox.faults import SandboxError
from bots.sandbox.guard import guard
from bots.sandbox.limits import MIB, Limits
from bots.sandbox.node import node
from bots.sandbox.process import BotProcess
from bots.sandbox.runtimes import (
    BOT_DIR,
    EXECUTABLE,
    KIT_DIR,
    NODE,
    PYTHON,
    RUNTIMES,
    Command,
    Program,
    Runtime,
    Startable,
    rlimit_options,
)
from bots.sandbox.slices import take_short_slices

BWRAP: Final = "/usr/bin/bwrap"
PRLIMIT: Final = "/usr/bin/prlimit"
SETPRIV: Final = "/usr/bin/setpriv"
LIBRARIES: Final = "/usr/lib/x86_64-linux-gnu"
KIT_NAME: Final = "skyjo.py"
OLDEST_PYTHON: Final = (3, 11)

_PACKAGES = "dist-packages"
# Of a bot without a sandbox. A process of it plays one match, which takes minutes.
_FOLDER: Final = "skyjo-bot-"
_FOLDERS_KEPT_S: Final = 24 * 3600

# Never uid 0: it could write what the kernel keeps root's files for, and the thread limit would not hold. As root we
# start each sandbox under one of these, which need no entry in /etc/passwd.
_FIRST_UID = 64001
_UIDS = 500
_n_started = itertools.count()


class Launcher(Protocol):
    """Starts a program's process and says which Python plays it."""

    @property
    def python(self) -> str:
        """The version that `hello` names, e.g. "3.11.2"."""

    def start(self, program: Startable, limits: Limits) -> BotProcess:
        """The program's process, begun but not waited for, so that the processes of a match start side by side.

        Raises SandboxError where it cannot be begun.
        """


@dataclass(frozen=True, slots=True)
class Interpreter:
    """What `/usr/bin/python3` is on this host: version, the real file, and the folder of its standard library."""

    version: str
    executable: str
    library: str


@functools.cache
def interpreter(path: str) -> Interpreter:
    """Asks the interpreter itself, once a process. Raises SandboxError if it is missing or too old."""
    ask = "import os, sys; print('%d.%d.%d' % sys.version_info[:3], os.path.dirname(os.__file__), sep='\\n')"
    try:
        done = subprocess.run(
            [path, "-I", "-S", "-c", ask],
            env={},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"The bots' interpreter {path} does not run: {error}") from error
    version, library = done.stdout.splitlines()
    if tuple(map(int, version.split(".")[:2])) < OLDEST_PYTHON:
        raise SandboxError(f"The bots' interpreter {path} is Python {version}; 3.11 or later is needed.")
    return Interpreter(version, os.path.realpath(path), library)


@functools.lru_cache(maxsize=4)
def kit_files(path: str, kit: bytes) -> Mapping[str, bytes]:
    """The kit's folder: its source and, compiled once by the bots' own interpreter, its byte code.

    The byte code is marked as not to be checked against the source; it saves each start the compilation. Raises
    SandboxError if the kit does not compile.
    """
    compile_it = (
        "import importlib.util as util, marshal, sys\n"
        "source = sys.stdin.buffer.read()\n"
        "code = marshal.dumps(compile(source, sys.argv[1], 'exec', dont_inherit=True))\n"
        "head = util.MAGIC_NUMBER + (1).to_bytes(4, 'little') + util.source_hash(source)\n"
        "sys.stdout.buffer.write(sys.implementation.cache_tag.encode() + b'\\n' + head + code)\n"
    )
    argv = [path, "-I", "-S", "-c", compile_it, f"{KIT_DIR}/{KIT_NAME}"]
    try:
        done = subprocess.run(argv, input=kit, env={}, cwd="/", capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"The kit does not compile: {error}") from error
    tag, _, byte_code = done.stdout.partition(b"\n")
    return {KIT_NAME: kit, f"__pycache__/{Path(KIT_NAME).stem}.{tag.decode()}.pyc": byte_code}


class SandboxLauncher:
    """Starts each bot in a fresh sandbox: no network, no files but its own, no environment, no children.

    A sandbox dies with the *thread* that started it: start from the thread that drives the match. `kit` is the text
    of `skyjo.py`, by default the repository's.
    """

    def __init__(self, kit: bytes | None = None) -> None:
        self._kit = kit if kit is not None else kit_source()

    @property
    def python(self) -> str:
        return interpreter(RUNTIMES[PYTHON].interpreter).version

    def start(self, program: Startable, limits: Limits) -> BotProcess:
        if isinstance(program, Command):
            raise SandboxError("A bot that is given by its command line cannot run in the sandbox.")
        runtime = RUNTIMES[program.runtime]
        files = _laid_out(program, runtime, runtime.interpreter, self._kit, BOT_DIR, KIT_DIR)
        own_program = None if runtime.interpreter else f"{BOT_DIR}/{program.entry}"
        try:
            filter_code = _filter_code(runtime.reserve_mib > 0)
        except seccomp.UnsupportedArchitecture as error:
            raise SandboxError(str(error)) from error
        with _closing() as theirs, _closing() as ours:
            status_read, status_write = os.pipe2(os.O_CLOEXEC)
            ours.append(status_read)
            theirs.append(status_write)
            options = ["--json-status-fd", str(status_write)]
            for path, content in files.items():
                theirs.append(_in_memory(content))
                mode = "0555" if path == own_program else "0444"
                options += ["--perms", mode, "--file", str(theirs[-1]), path]
            theirs.append(_in_memory(filter_code))
            options += ["--seccomp", str(theirs[-1])]
            argv = [
                BWRAP, *_NAMESPACES, *_mounts(program.runtime), *options, "--remount-ro", "/", "--chdir", BOT_DIR,
                *_environment_options(runtime.environment_with(KIT_DIR)), "--",
                PRLIMIT, *rlimit_options(limits, runtime), "--", *_words(program, BOT_DIR, limits),
            ]  # fmt: skip
            take_short_slices()
            popen, pipes = _spawn(argv, env={}, cwd="/", keep=theirs, user=_sandbox_user(), is_guarded=True)
            ours += pipes
            process = BotProcess(
                SandboxedChild(popen, status_read, pipes[0]), *pipes, memory_mib=limits.memory_mib,
                is_watched=runtime.reserve_mib > 0,
            )  # fmt: skip
            ours.clear()
        return process


class BareLauncher:
    """Starts bots without a sandbox, for local play with one's own bots and to measure what the sandbox costs.

    The same interpreter (or `python`, the path of another), standard library, kit, environment and memory limit;
    nothing keeps the bot from the host. It dies with the thread that started it, as a sandbox does.
    """

    def __init__(self, kit: bytes | None = None, python: str | None = None) -> None:
        self._kit = kit if kit is not None else kit_source()
        self._python = python or RUNTIMES[PYTHON].interpreter

    @property
    def python(self) -> str:
        return interpreter(self._python).version

    def start(self, program: Startable, limits: Limits) -> BotProcess:
        if isinstance(program, Command):
            return self._start_command(program, limits)
        runtime = RUNTIMES[program.runtime]
        files = _laid_out(program, runtime, self._python, self._kit, "bot", "kit")
        with _closing() as ours, kept_if_started(files) as folder:
            bot_dir = str(folder / "bot")
            started, *rest = _words(program, bot_dir, limits)
            if program.runtime == PYTHON:
                started = without_packages(self._python, folder)
            elif not runtime.interpreter:
                Path(started).chmod(0o500)
            argv = [
                *_ending_with_us(),
                PRLIMIT, f"--as={(limits.memory_mib + runtime.reserve_mib) * MIB}", "--core=0", "--",
                started, *rest,
            ]  # fmt: skip
            environment = runtime.environment_with(str(folder / "kit"))
            popen, pipes = _spawn(argv, env=environment, cwd=bot_dir, keep=[], user=None)
            ours += pipes
            process = BotProcess(
                BareChild(popen, folder), *pipes, memory_mib=limits.memory_mib,
                is_watched=runtime.reserve_mib > 0,
            )  # fmt: skip
            ours.clear()
        return process

    @staticmethod
    def _start_command(command: Command, limits: Limits) -> BotProcess:
        with _closing() as ours:
            popen, pipes = _spawn(
                [*_ending_with_us(), *command.argv],
                env=dict(os.environ),
                cwd=command.folder,
                keep=[],
                user=None,
            )
            ours += pipes
            process = BotProcess(BareChild(popen, None), *pipes, memory_mib=limits.memory_mib)
            ours.clear()
        return process


def _ending_with_us() -> tuple[str, ...]:
    """Words before a bot's own, by which it ends when this thread does, however that comes about: one that computes
    without end would keep a processor for ever."""
    return (SETPRIV, "--pdeathsig", "KILL", "--") if os.path.exists(SETPRIV) else ()


@functools.cache
def _sweep_folders() -> None:
    """Once a process: throw away the folders of bots whose starter was killed. None is used for as long as that."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.lstat().st_mtime > _FOLDERS_KEPT_S:
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def kept_if_started(files: Mapping[str, bytes]) -> Iterator[Path]:
    """A new folder with these files by relative path, for a bot without a sandbox; it is thrown away at once if the
    bot does not start."""
    _sweep_folders()
    folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
    try:
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def without_packages(path: str, folder: Path) -> str:
    """The interpreter by a name in `folder` under which it sees its standard library and no packages of the host."""
    (folder / "pyvenv.cfg").write_text(
        f"home = {os.path.dirname(path)}\ninclude-system-site-packages = false\n"
    )
    named = folder / os.path.basename(path)
    named.symlink_to(path)
    return str(named)


_NAMESPACES: Final = (
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
    "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL",
    # The bot is process 1 of its namespace: nothing stands between it and us, no signal that it sends itself ends
    # it, and with it ends everything in the namespace.
    "--as-pid-1", "--die-with-parent", "--new-session", "--clearenv",
)  # fmt: skip


def runtime_problem(name: str) -> str | None:
    """Why programs of this runtime cannot run on this host, in words; None if nothing is known to be in the way."""
    try:
        _mounts(name)
    except SandboxError as error:
        return str(error)
    return None


def _words(program: Program, bot_dir: str, limits: Limits) -> list[str]:
    """The words that start the program. Raises SandboxError where its runtime is not to be had."""
    runtime = RUNTIMES[program.runtime]
    flags = node(runtime.interpreter).flags if program.runtime == NODE else ()
    return runtime.argv(program.entry, bot_dir, limits, flags)


def _laid_out(
    program: Program, runtime: Runtime, python: str, kit: bytes, bot_dir: str, kit_dir: str
) -> dict[str, bytes]:
    """The files that the program finds, by path; the kit is compiled by `python`."""
    files = {f"{bot_dir}/{path}": content for path, content in program.files.items()}
    if runtime.has_kit:
        for path, content in kit_files(python, kit).items():
            files[f"{kit_dir}/{path}"] = content
    return files


@functools.cache
def _mounts(name: str) -> tuple[str, ...]:
    """What a sandbox shows of the host: the system's shared libraries, prlimit, /dev/null, and what the runtime needs.

    No /proc. Raises SandboxError where the runtime is not to be had.
    """
    options = [
        "--ro-bind", LIBRARIES, LIBRARIES,
        "--ro-bind", PRLIMIT, PRLIMIT,
        "--symlink", "usr/lib", "/lib",
        "--symlink", LIBRARIES.lstrip("/"), "/lib64",
        "--dev-bind", "/dev/null", "/dev/null",
        "--dir", "/tmp",  # noqa: S108 - a folder in the sandbox, which is not writable
    ]  # fmt: skip
    return (*options, *_OWN_MOUNTS[name](RUNTIMES[name].interpreter))


def _python_mounts(path: str) -> list[str]:
    """The interpreter and its standard library, and no packages of the host: the folders that Debian imports from are
    missing, or under an empty one."""
    python = interpreter(path)
    options = ["--ro-bind", python.library, python.library, "--ro-bind", python.executable, path]
    packages = f"{python.library}/{_PACKAGES}"
    if os.path.isdir(packages):
        options += ["--tmpfs", packages, "--remount-ro", packages]
    return options


def _node_mounts(path: str) -> list[str]:
    """The interpreter and those parts of its library that are not in it."""
    found = node(path)
    beside = [part for folder in found.folders for part in ("--ro-bind", folder, folder)]
    return ["--ro-bind", found.executable, path, *beside]


_OWN_MOUNTS: Final[Mapping[str, Callable[[str], list[str]]]] = {
    PYTHON: _python_mounts,
    NODE: _node_mounts,
    EXECUTABLE: lambda path: [],
}


def _environment_options(environment: Mapping[str, str]) -> list[str]:
    return [part for name, value in environment.items() for part in ("--setenv", name, value)]


@functools.cache
def _filter_code(has_reserve: bool) -> bytes:
    return seccomp.assemble(has_reserve=has_reserve)


def kit_source() -> bytes:
    """The text of `skyjo.py`."""
    # Also where this package lies in a zip, as in the kit that authors run.
    return pkgutil.get_data("bots.kit", KIT_NAME) or b""


def _sandbox_user() -> int | None:
    # By the process too: the workers' children inherit one count.
    return _FIRST_UID + (os.getpid() * 16 + next(_n_started)) % _UIDS if os.geteuid() == 0 else None


def _in_memory(content: bytes) -> int:
    """A descriptor from which bubblewrap copies a file: no mode, umask or folder of the host can be in its way."""
    descriptor = os.memfd_create("bot", os.MFD_CLOEXEC)
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _spawn(
    argv: list[str],
    *,
    env: Mapping[str, str],
    cwd: str,
    keep: list[int],
    user: int | None,
    is_guarded: bool = False,
) -> tuple[subprocess.Popen[bytes], tuple[int, int, int]]:
    """A process in a group of its own, and our ends of its three pipes, none of which ever blocks us.

    A guarded one is to be released, by the pipe of its standard input, when it has ended.
    """
    with _closing() as theirs, _closing() as ours:
        for to_child in (True, False, False):
            read, write = os.pipe2(os.O_CLOEXEC)
            theirs.append(read if to_child else write)
            ours.append(write if to_child else read)
            os.set_blocking(ours[-1], False)
        with guard().holding(ours[0]) if is_guarded else contextlib.nullcontext():
            popen = subprocess.Popen(
                argv, env=env, cwd=cwd, stdin=theirs[0], stdout=theirs[1], stderr=theirs[2], pass_fds=keep,
                process_group=0, user=user, group=user, extra_groups=None if user is None else [],
            )  # fmt: skip
        pipes = (ours[0], ours[1], ours[2])
        ours.clear()
    return popen, pipes


@contextlib.contextmanager
def _closing() -> Iterator[list[int]]:
    """A list of descriptors, closed at the end as far as they are still in it. An OSError becomes a SandboxError."""
    descriptors: list[int] = []
    try:
        yield descriptors
    except OSError as error:
        raise SandboxError(f"A bot's process cannot be started: {error}") from error
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
