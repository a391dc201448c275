"""Where the site listens, and whether it is well there."""

from __future__ import annotations

import errno
import http.client
import json
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


class AddressProblem(Exception):
    """The address cannot be listened on; the text says why and what to do."""


@dataclass(frozen=True)
class Address:
    host: str
    port: int

    @property
    def url(self) -> str:
        """How a person on this machine reaches it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    @property
    def is_wildcard(self) -> bool:
        return self.host in {"0.0.0.0", "::", ""}  # noqa: S104


def read_address(host: str, port: str) -> Address:
    """From the texts of HOST and PORT."""
    if not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65536:
        raise AddressProblem(f"PORT is {port!r}; it must be a number from 1 to 65535.")
    return Address(host.strip("[]"), int(port))


def listen(address: Address) -> socket.socket:
    """A listening socket, held from now on, so that nobody can take the port while the rest starts."""
    try:
        family = socket.getaddrinfo(address.host or None, address.port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Connections inherit it: an answer's body, sent after its headers, would wait 40 ms for their receipt.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            listener.bind((address.host, address.port))
            listener.listen(2048)
        except BaseException:
            listener.close()
            raise
    except socket.gaierror:
        raise AddressProblem(f"HOST is {address.host!r}; no address goes by that name.") from None
    except OSError as error:
        raise AddressProblem(_in_words(error, address)) from None
    return listener


def _in_words(error: OSError, address: Address) -> str:
    if error.errno == errno.EADDRINUSE:
        owner = port_owner(address.port)
        by = f" by {owner}" if owner else ""
        return (
            f"Port {address.port} on {address.host} is taken{by}. "
            f"Stop that program, or choose another port: PORT={other_port(address)} make run"
        )
    if error.errno == errno.EACCES:
        return f"Port {address.port} is reserved for root. Choose one above 1023: PORT=8000 make run"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"HOST is {address.host!r}, which is no address of this machine. 127.0.0.1 always is."
    return f"{address.host}:{address.port} cannot be listened on: {error.strerror}."


def other_port(address: Address) -> int:
    """A port that is free now."""
    for port in range(address.port + 1, min(address.port + 100, 65536)):
        with socket.socket() as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if attempt.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED:
                return port
    return 8000


def port_owner(port: int) -> str | None:
    """The program that listens on a TCP port, as `python manage.py (process 123)`, where we may see it."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for fields in (line.split() for line in lines):
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                inodes.add(f"socket:[{fields[9]}]")
    holders = {}
    for entry in os.listdir("/proc") if inodes else ():
        if entry.isdecimal():
            try:
                if not inodes.isdisjoint(os.readlink(path) for path in Path("/proc", entry, "fd").iterdir()):
                    parent = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()[1]
                    command = (
                        Path("/proc", entry, "cmdline").read_bytes().decode(errors="replace").split("\0")
                    )
                    holders[entry] = (parent, " ".join([Path(command[0]).name, *command[1:2]]).strip())
            except OSError:
                continue
    # Children hold their parent's sockets too; it is the parent that has to be stopped.
    for entry, (parent, name) in holders.items():
        if parent not in holders:
            return f"{name} (process {entry})"
    return None


def site_name(address: Address, allowed_hosts: Sequence[str]) -> str:
    """A name that the site answers to."""
    for name in allowed_hosts:
        if name not in {"", "*"}:
            return f"arena{name}" if name.startswith(".") else name
    return address.url.removeprefix("http://").rstrip("/")


@dataclass(frozen=True)
class Health:
    """What /healthz or /readyz said, or why it said nothing."""

    is_well: bool
    reasons: Sequence[str]


def probe(address: Address, name: str, timeout_s: float = 2.0, path: str = "/healthz") -> Health:
    """Asks the path under one of the names that the site answers to, as a proxy with HTTPS in front would."""
    target = Address(address.url.removeprefix("http://").rpartition(":")[0].strip("[]"), address.port)
    connection = http.client.HTTPConnection(target.host, target.port, timeout=timeout_s)
    try:
        connection.request("GET", path, headers={"Host": name, "X-Forwarded-Proto": "https"})
        response = connection.getresponse()
        body = response.read(65536)
    except (OSError, http.client.HTTPException) as error:
        return Health(False, [f"no answer yet ({str(error) or type(error).__name__})"])
    finally:
        connection.close()
    if response.status == 200:
        return Health(True, [])
    try:
        reasons = [str(reason) for reason in json.loads(body)["reasons"]]
    except (ValueError, KeyError, TypeError):
        reasons = []
    return Health(False, reasons or [f"{path} answered {response.status}"])
