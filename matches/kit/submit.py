"""`submit mybot.py`: through the arena's public API, and then its check, stage by stage."""

from __future__ import annotations

import argparse
import os
import re
import time
import urllib.parse
from pathlib import Path
from typing import Any, Final

from matches.local import UnknownBot, read_file

from . import reports
from .about import origin_url
from .arena import Away, NoArena, NotThere, fetch_json, form, post_json, printable
from .main import print_line, whole_number
from .problems import NO, TROUBLE, Problem
from .table_options import FILE_HELP

TOKEN_VARIABLE: Final = "SKYJO_TOKEN"  # noqa: S105 - a name
URL_VARIABLE: Final = "SKYJO_URL"
_ASK_EVERY_S: Final = 1.0


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Sends a bot to the arena and follows its check. The status is 0 if it is ready, 1 if it, its file or its name "
        "is not taken, 2 for a wrong token or address, 3 if the arena does not answer or has trouble of its own."
    )
    origin = origin_url()
    parser.add_argument("file", metavar="FILE", help=FILE_HELP)
    parser.add_argument(
        "--token", help=f"from your account page; otherwise the environment variable {TOKEN_VARIABLE}"
    )
    parser.add_argument(
        "--url",
        help=f"the arena's address; otherwise {URL_VARIABLE}" + (f", otherwise {origin}" if origin else ""),
    )
    parser.add_argument("--bot", metavar="NAME", help="the bot's name; otherwise the file's")
    parser.add_argument(
        "--wait",
        type=whole_number(86_400),
        default=900,
        metavar="SECONDS",
        help="how long to follow the check; default 900",
    )


def run(options: argparse.Namespace) -> int:
    token = options.token or os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        raise Problem(
            f"A token is needed: make one on your account page, then give it with --token or as {TOKEN_VARIABLE}."
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise Problem(
            "What was given as a token is none: it has letters and digits alone. Copy it again from your account page."
        )
    try:
        filename, content = read_file(options.file)
    except UnknownBot as error:
        raise Problem(str(error)) from error
    base = _base(options.url or os.environ.get(URL_VARIABLE, "") or origin_url())
    name = options.bot or re.sub(r"[^A-Za-z0-9_-]+", "-", Path(filename).stem).strip("-")
    if not name:
        raise Problem("The file's name holds no letters from A to Z for a bot's name: give one with --bot.")
    data, kind = form({"name": name}, filename, content)
    try:
        is_new, version = post_json(f"{base}/api/v1/bots/", token=token, data=data, kind=kind)
    except NotThere as error:
        raise Problem(f"{error.sentence} Is {base} the address of the arena's first page?") from error
    try:
        page = f"{base}/bots/{version['bot']}/versions/{version['number']}/"
        which = f"{version['bot']} v{version['number']}"
        print_line(
            printable(
                f"{which} is at {page}"
                if is_new
                else f"Nothing new: this file was sent before and is {which}, at {page}"
            )
        )
        return _follow(f"{base}/api/v1/versions/{version['id']}/", version, token, options.wait)
    except (LookupError, TypeError) as error:
        raise NoArena(base) from error


def _base(url: str) -> str:
    """The arena's address without a slash at its end. Raises Problem."""
    if not url:
        raise Problem(f"Which arena? Give its address with --url or as {URL_VARIABLE}.")
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError:
        parts = urllib.parse.urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise Problem(f"“{url}” is no address of an arena: it begins with http:// or https://.")
    return url.rstrip("/")


def _follow(url: str, version: dict[str, Any], token: str, wait_s: float) -> int:
    """Print each stage as it ends, until there is a verdict; the exit status."""
    deadline = time.monotonic() + wait_s
    told: set[str] = set()
    while True:
        for stage in version["stages"]:
            if stage["status"] in {"passed", "failed"} and stage["name"] not in told:
                told.add(stage["name"])
                # What a failed one has to say comes with the verdict.
                detail = f": {stage['detail']}" if stage["detail"] and stage["status"] == "passed" else ""
                print_line(printable(f"{stage['name'].capitalize()} {stage['status']}{detail}"))
        if version["status"] == "ready":
            print_line("Ready: it plays from now on.")
            return 0
        if version["status"] == "rejected":
            print_line(printable(f"Rejected. {version['rejection']}"))
            for line in reports.of_check(version.get("report") or {}):
                print_line(printable(line))
            return NO
        if version["status"] == "parked":
            raise Problem(
                "The arena could not check it, through no fault of the bot. An operator will look.", TROUBLE
            )
        version = _asked_again(url, token, deadline)


def _asked_again(url: str, token: str, deadline: float) -> dict[str, Any]:
    """What the arena says a moment later; it may be busy or restarted meanwhile, and the check goes on."""
    pause_s = _ASK_EVERY_S
    while time.monotonic() + pause_s <= deadline:
        time.sleep(pause_s)
        try:
            return fetch_json(url, token=token)
        except Away as away:
            pause_s = 5 * _ASK_EVERY_S if away.wait_s is None else away.wait_s
    raise Problem("No verdict in that time; the check goes on, see the version's page.", TROUBLE)
