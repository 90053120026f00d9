"""One HTTP request to one checked internet address, within a time and a size."""

from __future__ import annotations

import io
import re
import socket
import ssl
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import cast
from urllib.parse import quote, urlsplit

from core.documents.addresses import Address, Allowed, resolve
from core.errors import BadInput, Cancelled
from core.interfaces import Stop

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?|[0-9a-f:.]+", re.IGNORECASE)
_KEPT = "/%:@!$&'()*+,;=~-._"  # what may stand unquoted in a path (RFC 3986)
_POLL_SECONDS = 0.2
_CONNECT_SECONDS = 8.0
USER_AGENT = "Mozilla/5.0 (compatible; Veridesk/0.1; fact-checking, one page at a person's request)"
_HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.1",
    "Accept-Language": "en,*;q=0.5",
    "Accept-Encoding": "gzip",
    "Connection": "close",
}


@dataclass(frozen=True)
class Target:
    """An http(s) address taken apart; `host` is ASCII, `path` quoted and with its query."""

    url: str
    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True)
class Visit:
    """What one fetch may do, redirects included: until `deadline` (of time.monotonic), `bytes` of body.

    `headers` are sent too, or in place of ours of the same name. With `errors`, the body of an answer that is not
    200 is read as well.
    """

    url: str
    deadline: float
    seconds: float
    bytes: int
    stop: Stop
    allowed: Allowed
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    errors: bool = False

    @property
    def remaining(self) -> float:
        """Return the seconds left, more than 0. Raises TimeoutError without any, Cancelled if stopped."""
        if self.stop():
            raise Cancelled("Stopped.")
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


@dataclass(frozen=True)
class Answer:
    """A server's answer; `kind` is its media type in lower case, "" if it names none; so are the names in `headers`."""

    status: int
    location: str
    kind: str
    charset: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def target(url: str) -> Target:
    """Take an address apart. Raises BadInput unless it is http(s), without a password, on a usual port."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if ":" not in host:
            host = host.encode("idna").decode("ascii")
    except ValueError as error:  # UnicodeError is one
        raise BadInput(f"{url}: this is not a web address; copy it from the browser's address bar.") from error
    if parts.scheme not in _PORTS:
        raise BadInput(f"{url}: only addresses that begin with https:// or http:// can be fetched.")
    if parts.username is not None or parts.password is not None:
        raise BadInput(f"{parts.scheme}://…@{host}: leave the user name and password out of the address.")
    if not _HOST.fullmatch(host) or len(url) > 4000:
        raise BadInput(f"{url[:200]}: this is not a web address; copy it from the browser's address bar.")
    if port is not None and port not in _PORTS.values() and port < 1024:
        raise BadInput(f"{url}: port {port} is not one that web pages come from.")
    query = f"?{quote(parts.query, safe=_KEPT + '?')}" if parts.query else ""
    path = quote(parts.path or "/", safe=_KEPT) + query
    return Target(url, parts.scheme, host, port or _PORTS[parts.scheme], path)


def get(target: Target, visit: Visit) -> Answer:
    """Return what the server answers. Raises BadInput where it may not be asked or gives no usable answer."""
    with _explained(target.url, visit), _connect(target, visit) as connection:
        connection.sendall(_request(target, visit))
        response = HTTPResponse(cast(socket.socket, _Readable(connection, visit)))
        response.begin()
        kind, _, parameters = (response.getheader("Content-Type") or "").partition(";")
        charset = re.search(r"charset\s*=\s*\"?([\w.:-]+)", parameters, re.IGNORECASE)
        return Answer(
            response.status,
            _as_utf8(response.getheader("Location") or ""),
            kind.strip().lower(),
            charset.group(1) if charset else "",
            _body(target.url, response, visit.bytes) if response.status == 200 or visit.errors else b"",
            {name.lower(): value for name, value in response.getheaders()},
        )


@contextmanager
def _explained(url: str, visit: Visit) -> Iterator[None]:
    """Turn what sockets and servers do wrong into sentences."""
    try:
        yield
    except TimeoutError as error:
        raise BadInput(f"{url}: the server did not answer fully within {visit.seconds:g} seconds.") from error
    except ssl.SSLCertVerificationError as error:
        raise BadInput(f"{url}: the server's certificate is not valid ({error.verify_message}).") from error
    except ssl.SSLError as error:
        raise BadInput(f"{url}: no secure connection could be made ({error.reason or 'TLS failed'}).") from error
    except OSError as error:
        raise BadInput(f"{url}: the server cannot be reached ({error.strerror or 'connection failed'}).") from error
    except (HTTPException, ValueError, zlib.error) as error:
        raise BadInput(f"{url}: the server's answer is broken or is not HTTP.") from error


@contextmanager
def _connect(target: Target, visit: Visit) -> Iterator[socket.socket]:
    """Connect to an address of the host that was checked, and to no other."""
    addresses = resolve(target.host, target.port, seconds=visit.remaining)
    if not addresses:
        raise BadInput(
            f"{target.url}: no internet address was found for {target.host}; "
            "check its spelling, and whether this machine is online."
        )
    for address in addresses:
        if not visit.allowed(address):
            raise BadInput(
                f"{target.url}: this address leads to {address}, which is not on the public internet; "
                "save the page and add the file instead."
            )
    raw = _first_that_answers(addresses, target.port, visit)
    try:
        if target.scheme == "https":
            raw.settimeout(visit.remaining)
            raw = _trust().wrap_socket(raw, server_hostname=target.host)
        raw.settimeout(visit.remaining)
        yield raw
    finally:
        raw.close()


def _first_that_answers(addresses: list[Address], port: int, visit: Visit) -> socket.socket:
    for address in addresses:
        connection = socket.socket(socket.AF_INET6 if address.version == 6 else socket.AF_INET)
        try:
            connection.settimeout(min(_CONNECT_SECONDS, visit.remaining))
            connection.connect((str(address), port))
        except BaseException as error:
            connection.close()
            if not isinstance(error, OSError) or address == addresses[-1]:
                raise
        else:
            return connection
    raise AssertionError("_connect asks for at least one address")


def _trust() -> ssl.SSLContext:
    """Return the system's certificate authorities and Mozilla's, for systems that bring none."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _request(target: Target, visit: Visit) -> bytes:
    host = f"[{target.host}]" if ":" in target.host else target.host
    port = "" if target.port == _PORTS[target.scheme] else f":{target.port}"
    lines = [f"{name}: {value}" for name, value in {"Host": host + port, **_HEADERS, **visit.headers}.items()]
    if not all(line.isprintable() for line in lines):
        raise ValueError("a header may not break its line")
    return "\r\n".join([f"GET {target.path} HTTP/1.1", *lines, "", ""]).encode("ascii")


class _Readable(io.RawIOBase):
    """A connection as a stream that looks at the clock and at `stop` while it waits.

    A socket's own time limit starts anew with each byte, so a server that drips would never run out of it.
    """

    def __init__(self, connection: socket.socket, visit: Visit) -> None:
        self.connection, self.visit = connection, visit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed's Buffer is 3.12's
        while True:
            self.connection.settimeout(min(_POLL_SECONDS, self.visit.remaining))
            try:
                return self.connection.recv_into(buffer)
            except TimeoutError:
                continue

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return the stream that HTTPResponse reads from; it asks its socket for one."""
        return io.BufferedReader(self)


def _body(url: str, response: HTTPResponse, most: int) -> bytes:
    """Return the body, unpacked, counting what it unpacks to and not what the server says."""
    packing = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip", "deflate"):
        raise BadInput(f"{url}: the server packs its answer as {packing[:40]!r}, which nobody asked for.")
    inflate = None if packing == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)
    announced = response.length  # None if it is not; counted here, as read1 counts only from Python 3.12 on
    if (announced or 0) > most:
        raise BadInput(f"{url}: this address holds more than {most / 1_000_000:g} MB.")
    blocks: list[bytes] = []
    received = size = 0
    while received != announced and (block := response.read1(1 << 16)):
        received += len(block)
        blocks.append(inflate.decompress(block, most + 1 - size) if inflate else block)
        size += len(blocks[-1])
        if size > most:
            raise BadInput(f"{url}: this address holds more than {most / 1_000_000:g} MB.")
    if announced is not None and received < announced:
        raise BadInput(f"{url}: the server broke off before the end; try again.")
    return b"".join(blocks)


def _as_utf8(header: str) -> str:
    """Return a header's text; http.client reads it as Latin-1, servers that write more mean UTF-8."""
    return header.encode("latin-1", "replace").decode("utf-8", "replace").strip()
