"""Whether the sources of a package compile: found out inside the sandbox."""

from __future__ import annotations

import json
import re
from typing import Final
from urllib.parse import quote, unquote

from bots.packages.reading import SUFFIXES, Package, suffix_of
from bots.packages.refusals import PackageError
from bots.sandbox.faults import BotFault, quote_line
from bots.sandbox.launcher import Launcher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import EXECUTABLE, NODE, PYTHON, Program

# What Node writes as it ends by an error in a module; quotes of the source stand between.
_PLACE_IN_MODULE: Final = re.compile(
    rb"^file:///bot/package/([^\n]*):(\d+)\n(?:.*\n){0,4}?SyntaxError: ([^\n]{1,1000})", re.MULTILINE
)


def check_syntax(package: Package, launcher: Launcher, limits: Limits) -> None:
    """Compiles every source of the package, inside the sandbox. Raises PackageError with file and line.

    A hostile source can make a compiler use any amount of time, memory and C stack, and deep nesting has crashed
    CPython's more than once. So it is never compiled in the caller's process. SandboxError passes through. A program
    has no source.
    """
    if package.runtime == EXECUTABLE:
        return
    sources = sorted(path for path in package.files if SUFFIXES.get(suffix_of(path)) == package.runtime)
    checker = _javascript_checker if package.runtime == NODE else _python_checker
    with launcher.start(checker(package, sources), limits) as process:
        try:
            answer = process.ask(b"", cpu_ms=limits.start_ms, wall_ms=limits.start_wall_ms)
            found = json.loads(answer.line)
            if found is None:
                return
            path, line, message = sources[found[0]], int(found[1]), str(found[2])
        except (BotFault, ValueError, TypeError, LookupError) as error:
            told = process.stderr()
            if (place := _PLACE_IN_MODULE.search(told)) and (
                path := unquote(place[1].decode(errors="replace"))
            ) in sources:
                raise _syntax_error(
                    path, int(place[2]), place[3].decode(errors="backslashreplace")
                ) from error
            at = told.strip().rpartition(b"\n")[2]
            path = sources[int(at)] if at.isdigit() and int(at) < len(sources) else package.entry
            raise PackageError(
                "too_much_source", path=path, seconds=limits.start_ms / 1000, memory=limits.memory_mib
            ) from error
    raise _syntax_error(path, line, message)


def _syntax_error(path: str, line: int, message: str) -> PackageError:
    message = quote_line(message.encode(errors="backslashreplace")) + (
        "" if message.endswith(("?", ".")) else "."
    )
    if not line:
        return PackageError("not_source", path=path, message=message)
    return PackageError("syntax", path=path, line=line, message=message)


def _python_checker(package: Package, sources: list[str]) -> Program:
    files = {f"sources/{index}": package.files[path] for index, path in enumerate(sources)}
    files |= {"check.py": _CHECK_PYTHON, "sources/count": str(len(sources)).encode()}
    return Program(PYTHON, files, "check.py")


def _javascript_checker(package: Package, sources: list[str]) -> Program:
    """Modules are found by their names, so the files keep them. What imports one after a module that fails has it
    compiled and linked, and never run."""
    files = {f"package/{path}": content for path, content in package.files.items()}
    files |= {"check.mjs": _CHECK_JAVASCRIPT, "sources.json": json.dumps(sources).encode()}
    files["linked/fail.mjs"] = b"throw 'linked';"
    for index, path in enumerate(sources):
        url = quote(f"../package/{path}")
        files[f"linked/{index}.mjs"] = f"import './fail.mjs'; import '{url}';".encode()
    return Program(NODE, files, "check.mjs")


# These run in the sandbox, and answer null or [index, line, message] once they are asked: on a busy host they may be
# done before that. Standard error says which file they were at.
_CHECK_PYTHON: Final = b"""
import json, sys, warnings
sys.stdin.readline()
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

_CHECK_JAVASCRIPT: Final = rb"""
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
fs.readSync(0, Buffer.alloc(1));
const sources = JSON.parse(fs.readFileSync("sources.json", "utf8"));
const isModule = (file) => {
  if (!file.endsWith(".js")) return file.endsWith(".mjs");
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const settings = `package/${folder}/package.json`;
    if (fs.existsSync(settings)) {
      try { return JSON.parse(fs.readFileSync(settings, "utf8")).type === "module"; } catch { return false; }
    }
    if (folder === ".") return false;
  }
};
const wrapping = ["exports", "require", "module", "__filename", "__dirname"];
let found = null;
for (const [index, file] of sources.entries()) {
  process.stderr.write(`${index}\n`);
  try {
    if (isModule(file)) {
      await import(`./linked/${index}.mjs`);
    } else {
      const source = fs.readFileSync(`package/${file}`, "utf8").replace(/^\uFEFF/, "").replace(/^#!.*/, "");
      vm.compileFunction(source, wrapping, { filename: `package/${file}` });
    }
  } catch (error) {
    if (error instanceof SyntaxError) {
      const place = /package\/(.*):(\d+)\n/.exec(error.stack);
      // Node tells where in a module an error is only as it ends by it.
      if (place === null && isModule(file)) throw error;
      const [, where, line] = place ?? [null, file, 0];
      const at = sources.indexOf(decodeURI(where));
      found = [at < 0 ? index : at, Number(line), String(error.message).slice(0, 1000)];
      break;
    }
  }
}
console.log(JSON.stringify(found));
"""
