"""Where the site listens, in words when it cannot, and whether it is well there."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from arena.serving.address import Address, AddressProblem, listen, probe, read_address, site_name


@pytest.mark.parametrize("port", ["", "eighty", "0", "70000", "-1", "8 0", "٨٠"])
def test_a_port_that_is_no_port_is_named(port):
    with pytest.raises(AddressProblem, match="it must be a number from 1 to 65535"):
        read_address("127.0.0.1", port)


def test_an_address_of_another_machine_is_named():
    with pytest.raises(
        AddressProblem, match=r"HOST is '192\.0\.2\.7', which is no address of this machine\."
    ):
        listen(read_address("192.0.2.7", "8000"))


def test_a_host_that_nobody_knows_is_named(monkeypatch):
    def unknown(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(AddressProblem, match="HOST is 'nowhere'; no address goes by that name"):
        listen(read_address("nowhere", "8000"))


def test_a_taken_port_is_named_with_its_owner_and_a_free_one():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AddressProblem) as problem:
            listen(Address("127.0.0.1", port))
        said = str(problem.value)
        assert f"Port {port} on 127.0.0.1 is taken by" in said
        assert f"(process {os.getpid()})" in said
        other = int(said.rpartition("PORT=")[2].split()[0])
        listen(Address("127.0.0.1", other)).close()


def test_people_are_told_an_address_that_they_can_open():
    assert Address("127.0.0.1", 8000).url == "http://127.0.0.1:8000/"
    assert Address("0.0.0.0", 8000).url == "http://127.0.0.1:8000/"
    assert read_address("[::1]", "9000").url == "http://[::1]:9000/"


def test_the_site_is_asked_under_a_name_that_it_answers_to():
    address = Address("127.0.0.1", 8000)
    assert site_name(address, ["arena.example.org", "localhost"]) == "arena.example.org"
    assert site_name(address, [".example.org"]) == "arena.example.org"
    assert site_name(address, ["*"]) == "127.0.0.1:8000"


@contextmanager
def answering(status: int, body: str) -> Iterator[tuple[Address, list[dict[str, str]]]]:
    """A web server that gives one answer to everything, and the headers it was asked with."""
    asked: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append({"path": self.path, **dict(self.headers)})
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Address("127.0.0.1", server.server_port), asked
        finally:
            server.shutdown()
            thread.join()


def test_a_site_that_is_well_says_so():
    with answering(200, "{}") as (address, asked):
        assert probe(address, "arena.example.org").is_well
    assert asked[0]["path"] == "/healthz"
    assert asked[0]["Host"] == "arena.example.org"


@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        (
            '{"reasons": ["The sweep has never run.", "No sandbox."]}',
            ["The sweep has never run.", "No sandbox."],
        ),
        ("<html>", ["/healthz answered 503"]),
        ('{"reasons": []}', ["/healthz answered 503"]),
        ("[1]", ["/healthz answered 503"]),
    ],
)
def test_a_site_that_is_not_well_gives_its_reasons(body, reasons):
    with answering(503, body) as (address, _):
        health = probe(address, "localhost")
    assert not health.is_well
    assert list(health.reasons) == reasons


def test_a_site_that_does_not_answer_is_not_well():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = Address("127.0.0.1", closed.getsockname()[1])
    health = probe(address, "localhost")
    assert not health.is_well
    assert "no answer yet" in health.reasons[0]


def test_an_answer_in_two_pieces_does_not_wait_for_the_receipt_of_the_first() -> None:
    with listen(Address("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
