"""Send one HTTP request to one checked internet address, within limits of time and size."""

from __future__ import annotations

import os
import re
import socket
import ssl
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from urllib.parse import quote, urlsplit

import httpcore

from core.errors import BadInput, Cancelled, NotPublic, TooLarge
from core.http.public_addresses import Address, Allowed, resolve
from core.interfaces import Stop
from core.wording import readable

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?|[0-9a-f:.]+", re.IGNORECASE)
_KEPT = "/%:@!$&'()*+,;=~-._"  # unquoted characters of a path (RFC 3986)
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
    """The parts of an http(s) address; `host` is ASCII, `path` is quoted and includes the query."""

    url: str
    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True)
class Visit:
    """The limits of one fetch with redirects: `deadline` (of time.monotonic) and `bytes` of body.

    `headers` are added to ours or replace them. With `errors`, bodies are read at any status, not only 200.
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
        """Return the seconds left, more than 0. Raises TimeoutError if none are left, Cancelled if stopped."""
        if self.stop():
            raise Cancelled("Stopped.")
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


@dataclass(frozen=True)
class FetchedResponse:
    """A server's answer. `kind` is its media type in lower case, or "". The names in `headers` are in lower case.

    `sent` and `received` are the headers of request and answer, in order. `sent` has only our standard headers, because
    others may hold a key. `at` is the time of the request, to the second.
    """

    status: int
    location: str
    kind: str
    charset: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: tuple[tuple[str, str], ...] = ()
    received: tuple[tuple[str, str], ...] = ()
    at: datetime | None = None


def target(url: str) -> Target:
    """Parse an address. Raises BadInput unless it is http(s), without a password, on a usual port."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if ":" not in host:
            host = host.encode("idna").decode("ascii")
        url.encode()
    except ValueError as error:  # includes UnicodeError
        raise BadInput(
            f"{readable(url)}: this is not a web address; copy it from the browser's address bar."
        ) from error
    if parts.scheme not in _PORTS:
        raise BadInput(f"{url}: only addresses that begin with https:// or http:// can be fetched.")
    if parts.username is not None or parts.password is not None:
        raise BadInput(f"{parts.scheme}://…@{host}: leave the user name and password out of the address.")
    if not _HOST.fullmatch(host) or len(url) > 4000:
        raise BadInput(f"{url[:200]}: this is not a web address; copy it from the browser's address bar.")
    if port is not None and port not in _PORTS.values() and port < 1024:
        raise BadInput(f"{parts.scheme}://{host}:{port}: port {port} is not one that web pages come from.")
    query = f"?{quote(parts.query, safe=_KEPT + '?')}" if parts.query else ""
    path = quote(parts.path or "/", safe=_KEPT) + query
    return Target(url, parts.scheme, host, port or _PORTS[parts.scheme], path)


def get(target: Target, visit: Visit) -> FetchedResponse:
    """Return the server's answer. Raises BadInput if the address is forbidden or the answer unusable."""
    url = httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
    trusted = _trusted(os.environ.get("SSL_CERT_FILE", "")) if target.scheme == "https" else None
    sent, at = _headers(target, visit), datetime.now(UTC).replace(microsecond=0)
    with (
        _explained(target.url, visit),
        httpcore.HTTPConnection(url.origin, trusted, network_backend=_CheckedNetwork(target, visit)) as connection,
        connection.stream("GET", url, headers=sent) as response,
    ):
        received = _text(response.headers)
        headers = {name.lower(): value for name, value in received}
        kind, _, parameters = headers.get("content-type", "").partition(";")
        charset = re.search(r"charset\s*=\s*\"?([\w.:-]+)", parameters, re.IGNORECASE)
        return FetchedResponse(
            response.status,
            headers.get("location", ""),
            kind.strip().lower(),
            charset.group(1) if charset else "",
            _body(target.url, response, headers, visit.bytes) if response.status == 200 or visit.errors else b"",
            headers,
            tuple((name, value) for name, value in _text(sent) if name in ("Host", *_HEADERS)),
            received,
            at,
        )


@contextmanager
def _explained(url: str, visit: Visit) -> Iterator[None]:
    """Turn errors of sockets and servers into sentences."""
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
    except (httpcore.ProtocolError, zlib.error) as error:
        raise BadInput(f"{url}: the server's answer is broken or is not HTTP.") from error


class _CheckedNetwork(httpcore.NetworkBackend):
    """Connects only to a checked address of the target's host."""

    def __init__(self, target: Target, visit: Visit) -> None:
        self._target, self._visit = target, visit

    def connect_tcp(self, host: str, port: int, *_: object, **__: object) -> httpcore.NetworkStream:
        target, visit = self._target, self._visit
        addresses = resolve(target.host, target.port, seconds=visit.remaining)
        if not addresses:
            raise BadInput(
                f"{target.url}: no internet address was found for {target.host}; "
                "check its spelling, and whether this machine is online."
            )
        for address in addresses:
            if not visit.allowed(address):
                raise NotPublic(
                    f"{target.url}: this address leads to {address}, which is not on the public internet; "
                    "save the page and add the file instead."
                )
        return _Connection(_first_that_answers(addresses, target.port, visit), visit)


class _Connection(httpcore.NetworkStream):
    """A connection that checks the time and `stop` while it waits.

    A socket's own time limit restarts with each byte, so a slow server would never reach it.
    """

    def __init__(self, connection: socket.socket, visit: Visit) -> None:
        self._socket, self._visit = connection, visit

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while True:
            self._socket.settimeout(min(_POLL_SECONDS, self._visit.remaining))
            try:
                return self._socket.recv(max_bytes)
            except TimeoutError:
                continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._socket.settimeout(self._visit.remaining)
        self._socket.sendall(buffer)

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        self._socket.settimeout(self._visit.remaining)
        try:
            return _Connection(ssl_context.wrap_socket(self._socket, server_hostname=server_hostname), self._visit)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._socket.close()

    def get_extra_info(self, info: str) -> None:
        """Return nothing; httpcore asks this only for HTTP/2."""


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
    raise AssertionError("connect_tcp asks for at least one address")


@lru_cache(maxsize=1)  # loading them takes a tenth of a second, longer than reading a page
def _trusted(named: str) -> ssl.SSLContext:
    """Return the certificate authorities of the system and of Mozilla; some systems have none.

    `named` is the file of SSL_CERT_FILE, which OpenSSL reads by itself.
    """
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _headers(target: Target, visit: Visit) -> list[tuple[bytes, bytes]]:
    host = f"[{target.host}]" if ":" in target.host else target.host
    port = "" if target.port == _PORTS[target.scheme] else f":{target.port}"
    headers = {"Host": host + port, **_HEADERS, **visit.headers}
    return [(name.encode("ascii"), value.encode("utf-8")) for name, value in headers.items()]


def _text(headers: Sequence[tuple[bytes, bytes]]) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode("latin-1"), value.decode("utf-8", "replace")) for name, value in headers)


def _body(url: str, response: httpcore.Response, headers: Mapping[str, str], most: int) -> bytes:
    """Return the unpacked body. Its bytes are counted, because the server's figure may be wrong."""
    packing = headers.get("content-encoding", "identity").lower()
    if is_packed_oddly(headers):
        raise BadInput(f"{url}: the server compresses its answer as {packing[:40]!r}, which cannot be read.")
    inflate = None if packing == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)
    too_much = TooLarge(f"{url}: this address holds more than {most / 1_000_000:g} MB.")
    if int(headers.get("content-length", 0)) > most:  # h11 refuses a length that is no number
        raise too_much
    blocks: list[bytes] = []
    received = size = 0
    try:
        for block in response.iter_stream():
            received += len(block)  # also bytes after the end of the compressed part
            blocks.append(inflate.decompress(block, most + 1 - size) if inflate else block)
            size += len(blocks[-1])
            if max(received, size) > most:
                raise too_much
    except httpcore.RemoteProtocolError as error:
        raise BadInput(f"{url}: the server broke off before the end; try again.") from error
    return b"".join(blocks)


PACKINGS = ("identity", "gzip", "x-gzip", "deflate")
"""Accepted compressions, each used once; after two, a few bytes can unpack beyond all memory."""


def is_packed_oddly(headers: Mapping[str, str]) -> bool:
    """Return whether an answer is compressed twice or in an unrequested way; `headers` have lower-case names."""
    return headers.get("content-encoding", "identity").strip().lower() not in PACKINGS
