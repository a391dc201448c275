"""Whether the sources of a package compile: found out inside the sandbox."""

from __future__ import annotations

import json
from typing import Final

from bots.packages.reading import Package
from bots.packages.refusals import PackageError
from bots.sandbox.faults import BotFault, quote_line
from bots.sandbox.launcher import Launcher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program


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
    message = quote_line(message.encode(errors="backslashreplace")) + (
        "" if message.endswith(("?", ".")) else "."
    )
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
        found = index, error.lineno or 0, error.msg[:1000]
        break
    except Exception as error:
        found = index, 0, str(error)[:1000] or "too deeply nested or too large"
        break
print(json.dumps(found))
"""
