"""Talking to an arena: its public API, and what it says when something is wrong."""

from __future__ import annotations

import email.message
import http.client
import json
import secrets
import urllib.error
import urllib.parse
import urllib.request
from http import HTTPStatus
from typing import IO, Any, Final, NoReturn

from .about import version_line
from .problems import NO, TROUBLE, WRONG, Problem

_TIMEOUT_S: Final = 30.0
_MOST_BYTES: Final = 4 * 1024 * 1024
_ERROR_BYTES: Final = 64 * 1024


class Away(Problem):
    """The arena does not answer just now, and may soon; `wait_s` is what it asked for, if anything."""

    def __init__(self, sentence: str, wait_s: float | None = None) -> None:
        super().__init__(sentence, TROUBLE)
        self.wait_s = wait_s


class NotThere(Problem):
    """There is nothing at this address."""


class NoArena(Problem):
    """What answers at this address is no arena's API."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{url} does not answer as an arena's API does: is that the arena's address?", TROUBLE
        )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token goes to whom it was given for, and to nobody that they name."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: email.message.Message,
        newurl: str,
    ) -> NoReturn:
        raise Problem(f"{req.full_url} has moved to {printable(newurl)}: give that address.")


def fetch(url: str, most: int = _MOST_BYTES, *, token: str = "") -> bytes:
    """The body of the answer, at most so many bytes. Raises Problem."""
    return _ask(url, most, token=token)[1]


def fetch_json(url: str, *, token: str = "") -> dict[str, Any]:
    """The JSON object that the address answers. Raises Problem."""
    return _object(url, fetch(url, token=token))


def post_json(url: str, *, token: str, data: bytes, kind: str) -> tuple[bool, dict[str, Any]]:
    """What is answered to a POST of these data, of this content type, and whether it made something. Raises Problem."""
    status, body = _ask(url, _MOST_BYTES, token=token, data=data, kind=kind)
    return status == HTTPStatus.CREATED, _object(url, body)


def _ask(url: str, most: int, *, token: str, data: bytes | None = None, kind: str = "") -> tuple[int, bytes]:
    headers = {"Accept": "application/json", "User-Agent": version_line()}
    if token:
        headers["Authorization"] = f"Token {token}"
    if kind:
        headers["Content-Type"] = kind
    try:
        request = urllib.request.Request(url, data, headers)  # noqa: S310 - checked by whoever calls
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_TIMEOUT_S) as answer:
            return answer.status, answer.read(most)
    except urllib.error.HTTPError as error:
        raise _refusal(url, error) from error
    except (http.client.InvalidURL, ValueError) as error:
        raise Problem(f"“{url}” is no address that can be asked: is it written right?") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise Away(
            f"{_place(url)} does not answer: {getattr(reason, 'strerror', None) or reason}."
        ) from error


def _object(url: str, body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NoArena(url)
    return found


def form(fields: dict[str, str], filename: str, content: bytes) -> tuple[bytes, str]:
    """A form with these fields and a file, and its content type."""
    boundary = secrets.token_hex(16)
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode(
            errors="replace"
        )
        for name, value in fields.items()
    ]
    named = filename.replace("\\", "_").replace('"', "_").replace("\r", "_").replace("\n", "_")
    parts += [
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{named}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n".encode(errors="replace"),
        content,
        f"\r\n--{boundary}--\r\n".encode(),
    ]
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def _refusal(url: str, error: urllib.error.HTTPError) -> Problem:
    """What an answer that is an error comes to."""
    try:
        said = printable(str(json.loads(error.read(_ERROR_BYTES))["error"]["message"]))
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, RecursionError):
        said = ""
    if error.code in {429, 502, 503, 504}:
        wait = error.headers.get("Retry-After", "")
        return Away(
            f"{_place(url)} has no time just now ({error.code}): {said or 'try again in a minute.'}",
            float(wait) if wait.isascii() and wait.isdigit() and len(wait) < 5 else None,
        )
    if error.code == 401:
        return Problem(
            f"{_place(url)} does not know this token (401): {said or 'make another on your account page.'}"
        )
    if error.code == 404:
        return NotThere(f"{url} is not there (404): {said}" if said else f"{url} answers 404 {error.reason}.")
    if not said:
        return Problem(f"{url} answers {error.code} {error.reason}.", TROUBLE if error.code >= 500 else WRONG)
    status = {400: NO}.get(error.code, TROUBLE if error.code >= 500 else WRONG)
    return Problem(f"{_place(url)} refuses ({error.code}): {said}", status)


def _place(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc or url


def printable(text: str) -> str:
    """What an arena said, without what a terminal would obey."""
    return "".join(char if char.isprintable() else " " for char in text)
