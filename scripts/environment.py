"""Makes the machine and the checkout ready for a make target.

    python3 scripts/environment.py run|check|test|bench

Missing Debian packages come by apt (as root, or by sudo), then `.venv/` is made from the locked requirements.
A virtual environment that is half made, was made for other locks, or belongs to a Python that has gone is
made anew. Standard library only: this runs before anything is installed, by whatever `python3` there is.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"
STAMP = VENV / "made-from.json"
SYSTEM_PYTHON = "/usr/bin/python3"
OLDEST_PYTHON = (3, 11)
# How long a started apt or pip may take to stop once we were told to (seconds).
STOP_WITHIN_S = 6.0


class Problem(Exception):
    """What keeps us from going on, in words for the person at the terminal."""


class Interrupted(SystemExit):
    """SIGINT, SIGTERM or SIGHUP has reached us."""


def say(text: str) -> None:
    print(text, flush=True)


def on_signal(number: int, _frame: FrameType | None) -> NoReturn:
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted(128 + number)


def run(command: Sequence[str], environ: Mapping[str, str] | None = None) -> int:
    """The exit status of a program, which ends with us when we are told to stop."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environ) as child:
        try:
            return child.wait()
        except Interrupted:
            child.terminate()
            try:
                child.wait(STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                child.kill()
            raise


# --- Debian packages ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Need:
    """A Debian package, and how to see that what we want from it is there."""

    package: str
    is_there: Callable[[], bool]


def program(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name, path="/usr/bin:/usr/sbin:/bin:/sbin:/usr/local/bin") is not None


def has_venv() -> bool:
    """Whether the Python to choose can make a whole virtual environment (Debian splits this off)."""
    python = choose_python()
    return python is not None and quiet([python, "-c", "import ensurepip, venv"]) == 0


def postgres_bin() -> Path | None:
    """The folder of the newest PostgreSQL server on this machine."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    elsewhere = shutil.which("postgres")
    return Path(elsewhere).parent if elsewhere else None


RUN_NEEDS = (
    Need("python3", Path(SYSTEM_PYTHON).exists),
    Need("python3-venv", has_venv),
    Need("ca-certificates", Path("/etc/ssl/certs/ca-certificates.crt").exists),
    Need("bubblewrap", program("bwrap")),
    Need("util-linux", program("setpriv")),
)
SERVER_NEEDS = (
    Need("postgresql", lambda: postgres_bin() is not None),
    Need("redis-server", program("redis-server")),
)
COMPILER_NEEDS = (
    Need("gcc", program("gcc")),
    Need("libc6-dev", Path("/usr/include/stdio.h").exists),
)
NEEDS = {
    "run": RUN_NEEDS,
    "check": RUN_NEEDS,
    "test": (
        *RUN_NEEDS,
        *SERVER_NEEDS,
        *COMPILER_NEEDS,
        Need("nodejs", Path("/usr/bin/node").exists),
        Need("chromium", program("chromium")),
        Need("curl", program("curl")),
    ),
    "bench": (*RUN_NEEDS, *SERVER_NEEDS, *COMPILER_NEEDS),
}
REQUIREMENTS = {
    "run": ("requirements.txt",),
    "check": ("requirements.txt", "requirements-dev.txt"),
    "test": ("requirements.txt", "requirements-dev.txt"),
    "bench": ("requirements.txt", "requirements-dev.txt"),
}


def as_root() -> list[str] | None:
    """The words before a command that make it run as root; None where nobody lets us."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    if quiet(["sudo", "-n", "true"]) == 0:
        return ["sudo", "-n"]
    if sys.stdin.isatty() and subprocess.call(["sudo", "-v"]) == 0:
        return ["sudo", "-n"]
    return None


def install_packages(needs: Sequence[Need]) -> None:
    missing = [need.package for need in needs if not need.is_there()]
    if not missing:
        return
    by_hand = f"apt-get update && apt-get install --no-install-recommends {' '.join(missing)}"
    if shutil.which("apt-get") is None:
        raise Problem(
            f"This machine lacks what these Debian packages bring: {', '.join(missing)}.\n"
            "It has no apt-get. Install them in its own way, then run the same command again."
        )
    prefix = as_root()
    if prefix is None:
        raise Problem(
            f"These Debian packages are missing: {', '.join(missing)}.\n"
            f"Neither root nor sudo is to be had here. Let an administrator run\n\n    {by_hand}\n\n"
            "then run the same command again."
        )
    say(f"Installing Debian packages: {', '.join(missing)} …")
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", "-o", "Dpkg::Use-Pty=0"]
    with no_servers_started(prefix):
        run([*apt, "update"])
        status = run([*apt, "install", "--no-install-recommends", *missing])
    still = [need.package for need in needs if not need.is_there()]
    if status != 0 or still:
        raise Problem(
            f"apt-get could not install {', '.join(still or missing)} (see above).\n"
            f"Mend that (network, apt sources), or install by hand:\n\n    {by_hand}\n\n"
            "then run the same command again."
        )


@contextlib.contextmanager
def no_servers_started(prefix: Sequence[str]) -> Iterator[None]:
    """Keeps apt from starting the servers that it installs: the tests start private ones of their own."""
    policy = Path("/usr/sbin/policy-rc.d")
    if policy.exists():
        yield
        return
    run([*prefix, "sh", "-c", f"printf '#!/bin/sh\\nexit 101\\n' >{policy} && chmod 755 {policy}"])
    try:
        yield
    finally:
        subprocess.call([*prefix, "rm", "-f", str(policy)])


# --- The virtual environment --------------------------------------------------------------------------------


def quiet(command: Sequence[str]) -> int:
    try:
        return subprocess.call(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        return 127


def python_version(python: str) -> tuple[int, ...] | None:
    try:
        text = subprocess.check_output(
            [python, "-I", "-c", "import sys; print(*sys.version_info[:3])"],
            stderr=subprocess.DEVNULL,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return tuple(int(part) for part in text.split())


def choose_python() -> str | None:
    """The interpreter to build on: the system's if it is young enough, for others can reach it too."""
    base = getattr(sys, "_base_executable", sys.executable)
    for name in (SYSTEM_PYTHON, "python3.13", "python3.12", "python3.11", base):
        path = shutil.which(name)
        if path and (python_version(path) or (0,)) >= OLDEST_PYTHON:
            return path
    return None


def sha256_of(name: str) -> str:
    return hashlib.sha256((CHECKOUT / name).read_bytes()).hexdigest()


def read_stamp() -> dict[str, object]:
    """What the virtual environment was made from; empty while it is not whole."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(stamp: Mapping[str, object]) -> None:
    draft = STAMP.with_suffix(".draft")
    draft.write_text(json.dumps(stamp, indent=2))
    draft.replace(STAMP)


def make_venv(requirements: Sequence[str]) -> None:
    """Leaves `.venv/` whole and holding these locked requirements; the stamp is written last."""
    python = choose_python()
    if python is None:
        raise Problem("Python 3.11 or newer is needed, and none was found. Install python3, then try again.")
    base = {
        "python": str(Path(python).resolve()),
        "version": ".".join(map(str, python_version(python) or ())),
        "checkout": str(CHECKOUT),
    }
    wanted = {name: sha256_of(name) for name in requirements}
    stamp = read_stamp()
    inside = str(VENV / "bin" / "python")
    fits = all(stamp.get(key) == value for key, value in base.items())
    outdated = any(stamp.get(name, digest) != digest for name, digest in wanted.items())
    if not fits or outdated or quiet([inside, "-I", "-c", "import pip"]) != 0:
        say(f"Making .venv with Python {base['version']} …")
        STAMP.unlink(missing_ok=True)
        if run([python, "-m", "venv", "--clear", str(VENV)]) != 0:
            raise Problem(f"{python} could not make .venv (see above). Remove .venv, then try again.")
        stamp = {}
    missing = [name for name in requirements if name not in stamp]
    if not missing:
        return
    say(f"Installing Python packages from {', '.join(missing)} …")
    STAMP.unlink(missing_ok=True)
    pip = [inside, "-I", "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    if run([*pip, "--require-hashes", *(part for name in requirements for part in ("-r", name))]) != 0:
        raise Problem(
            "The Python packages could not be installed (see above).\n"
            "Mend that (network, pip's configuration), then run the same command again: it goes on by itself."
        )
    kept = {name: digest for name, digest in stamp.items() if name.startswith("requirements")}
    write_stamp({**base, **kept, **wanted})


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Lets one make target at a time change `.venv/`; the lock is on the checkout's folder itself."""
    descriptor = os.open(CHECKOUT, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another make target is preparing .venv; waiting for it …")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


# --- The data directory -------------------------------------------------------------------------------------


def check_data_dir() -> None:
    """Names a data directory that cannot be written before Django fails over it."""
    directory = Path(os.environ.get("DATA_DIR") or CHECKOUT / "var")
    probe = directory / f".writable-{os.getpid()}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise Problem(
            f"The data directory {directory} cannot be written: {error.strerror}.\n"
            "Make it writable, or choose another: DATA_DIR=/some/where make run"
        ) from None


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in NEEDS:
        say(f"usage: python3 scripts/environment.py {'|'.join(NEEDS)}")
        return 2
    purpose = sys.argv[1]
    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, on_signal)
    os.chdir(CHECKOUT)
    try:
        if purpose == "run":
            check_data_dir()
        install_packages(NEEDS[purpose])
        with one_at_a_time():
            make_venv(REQUIREMENTS[purpose])
    except Problem as problem:
        print(f"\n{problem}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"\n{error.filename or 'The system'}: {error.strerror}.", file=sys.stderr)
        if VENV.exists() and not os.access(VENV, os.W_OK):
            print(
                ".venv belongs to somebody else: remove it, then run the same command again.", file=sys.stderr
            )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
