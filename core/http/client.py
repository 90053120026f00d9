"""Send requests to configured servers through one client, which keeps its connections.

The client runs in an event loop in a separate thread. So all threads share its connections, and a waiting request can
be cancelled.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import httpx

from core.errors import Cancelled
from core.http.fetching import is_packed_oddly
from core.http.retries import ATTEMPTS, BUSY, MAX_WAIT_SECONDS, wait_before_retry
from core.interfaces import Stop, never

POLL_SECONDS = 0.05
CONNECT_SECONDS = 5.0
KEPT_SECONDS = 60.0
"""Seconds after which an unused connection is closed."""

T = TypeVar("T")

_BROKEN = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)


class OddlyPacked(httpx.HTTPError):
    """The answer has an unrequested compression."""


class TooLong(httpx.HTTPError):
    """The answer is longer than the request allows."""


class ExchangeTimeout(httpx.ReadTimeout):
    """The time for the whole exchange is over."""


@dataclass(frozen=True)
class HttpRequest:
    """One request and its limits: total `seconds`, including retries and pauses, and bytes of the answer.

    `silence` is the longest wait for the next byte. A request with a `body` is a POST. A request is sent again if the
    server is busy or the connection breaks. Requests only read, so repeating them is safe.
    """

    url: str
    seconds: float
    max_bytes: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] | None = None
    silence: float | None = None
    redirects: bool = False

    def send(self, stop: Stop = never) -> httpx.Response:
        """Return the whole answer, of any status.

        Raises httpx.HTTPError, for example ExchangeTimeout or TooLong, and Cancelled soon after `stop` is true.
        """
        return _CLIENT.run(self._within, stop)

    async def _within(self, client: httpx.AsyncClient) -> httpx.Response:
        try:
            # httpx's own limits restart with each byte, so a slow server would never reach them
            async with asyncio.timeout(self.seconds) as limit:
                return await self._tried(client, limit.when() or 0.0)
        except TimeoutError as error:
            raise ExchangeTimeout("no whole answer in time") from error
        except httpx.InvalidURL as error:  # the redirect's target, missing from httpx's own HTTPError
            raise httpx.UnsupportedProtocol(str(error)) from error

    async def _tried(self, client: httpx.AsyncClient, deadline: float) -> httpx.Response:
        for attempt in range(ATTEMPTS - 1):
            try:
                response = await self._answer(client)
            except _BROKEN:
                # first without a pause, because a kept connection may just have ended
                await asyncio.sleep(wait_before_retry(attempt - 1, {}) if attempt else 0)
                continue
            pause = wait_before_retry(attempt, response.headers)
            time_left = deadline - asyncio.get_running_loop().time()
            if response.status_code not in BUSY or pause > min(MAX_WAIT_SECONDS, time_left):
                return response
            await asyncio.sleep(pause)
        return await self._answer(client)

    async def _answer(self, client: httpx.AsyncClient) -> httpx.Response:
        method = "GET" if self.body is None else "POST"
        timeout = httpx.Timeout(self.silence, connect=self.silence and min(CONNECT_SECONDS, self.silence))
        body = bytearray()
        async with client.stream(
            method, self.url, json=self.body, headers=self.headers, timeout=timeout, follow_redirects=self.redirects
        ) as response:
            _acknowledge(response)
            if is_packed_oddly(response.headers):
                raise OddlyPacked("compressed twice, or with an unrequested compression")
            async for block in response.aiter_bytes():
                body += block
                if len(body) > self.max_bytes:
                    raise TooLong(f"more than {self.max_bytes} bytes")
            headers = [(name, value) for name, value in response.headers.items() if name != "content-encoding"]
            return httpx.Response(response.status_code, headers=headers, content=bytes(body), request=response.request)


def _acknowledge(response: httpx.Response) -> None:
    """Acknowledge the head of an answer at once; some servers otherwise send the body 40 ms later."""
    connection = response.extensions["network_stream"].get_extra_info("socket")
    if connection is not None and hasattr(socket, "TCP_QUICKACK"):  # Linux
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


class _KeptClient:
    """The client of this process and its event loop, both started with the first request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def run(self, work: Callable[[httpx.AsyncClient], Coroutine[Any, Any, T]], stop: Stop) -> T:
        """Return the result of `work` while checking `stop`; a stop closes the connection."""
        with self._lock:
            loop, client = self._loop, self._client
        future: Future[T] = asyncio.run_coroutine_threadsafe(work(client), loop)
        try:
            while not wait([future], timeout=POLL_SECONDS).done:
                if stop():
                    raise Cancelled("The request to the server was stopped.")
            return future.result()
        finally:
            future.cancel()

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, name="http-client", daemon=True).start()
        return loop

    @cached_property
    def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers={"Accept-Encoding": "gzip"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # users must not share cookies
            limits=httpx.Limits(max_connections=None, keepalive_expiry=KEPT_SECONDS),
        )


_CLIENT = _KeptClient()


def error_words(error: httpx.HTTPError) -> str:
    """Return the reason for a missing answer, in a few plain words."""
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    if isinstance(error, httpx.ConnectError):
        return "no connection"
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError):
        return "the connection ended"
    if isinstance(error, TooLong):
        return "the answer is too long"
    if isinstance(error, OddlyPacked):
        return "the answer has an unrequested compression"
    if isinstance(error, httpx.UnsupportedProtocol):
        return "this is no address"
    if isinstance(error, httpx.TooManyRedirects):
        return "it sends from one address to the next without end"
    return type(error).__name__
