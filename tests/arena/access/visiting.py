"""People who visit every address of a scene, one request at a time."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.cache import cache
from django.db import connection, transaction
from django.http import HttpResponse

from tests.arena.access.scene import PEOPLE, Scene

# What reading may write: who is logged in, and how often somebody has tried.
PASSING = {"django_session", "cache"}
WRITING = re.compile(r'(INSERT INTO|UPDATE|DELETE FROM) "?(\w+)"?')


class Visit:
    """People on the site. What a request changes is taken back, so that the next one finds the scene as it was."""

    def __init__(self, scene: Scene, **options: Any) -> None:
        self.scene = scene
        self.clients = {who: scene.client(who, raise_request_exception=False, **options) for who in PEOPLE}

    def send(self, who: str, method: str, address: str, **options: Any) -> tuple[HttpResponse, set[str]]:
        """The answer, and the tables that were written to."""
        client = self.clients[who]
        cookies = {name: cookie.value for name, cookie in client.cookies.items()}
        written: set[str] = set()
        with transaction.atomic(), watching(written):
            response = getattr(client, method)(address, **options)
            transaction.set_rollback(True)
        client.cookies.clear()
        client.cookies.load(cookies)
        return response, written - PASSING

    def get(self, who: str, address: str) -> tuple[HttpResponse, set[str]]:
        return self.send(who, "get", address)

    def post(self, who: str, address: str, sent: Any) -> tuple[HttpResponse, set[str]]:
        cache.clear()  # of the counts of earlier tries
        type = {"content_type": "application/json"} if address.startswith("/api/") else {}
        return self.send(who, "post", address, data=sent, **type)


@contextmanager
def watching(written: set[str]) -> Iterator[None]:
    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        found = WRITING.match(sql)
        if found and (found[1] == "INSERT INTO" or context["cursor"].rowcount):
            written.add(found[2])
        return result

    with connection.execute_wrapper(watch):
        yield


def body_of(response: HttpResponse) -> bytes:
    """As it is sent; one that is streamed can be read once."""
    return b"".join(response.streaming_content) if response.streaming else response.content


def text_of(response: HttpResponse) -> str:
    """All that an answer says: its headers, and its body, unpacked."""
    body = body_of(response)
    if response.headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    if response.headers.get("Content-Type") == "application/zip":
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            body = b"".join(name.encode() + archive.read(name) for name in archive.namelist())
    return f"{response.headers}{response.cookies}{body.decode(errors='replace')}"
