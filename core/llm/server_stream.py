"""One request to an OpenAI-compatible server: streamed, stoppable, and every way to fail put into a sentence."""

from __future__ import annotations

import asyncio
import codecs
import io
import ssl
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import httpx

from core.errors import Cancelled, ServerError, ServerFailed
from core.files import json_of
from core.interfaces import Stop
from core.models.http import OddlyPacked, check_packing

POLL_SECONDS = 0.05
CONNECT_SECONDS = 5.0
TELL_SECONDS = 20.0
"""For what a server says of itself or counts, while nothing can be shown yet."""

MAX_SECONDS = 600.0
"""For a whole answer: a server that sends a word a second is not waited for much longer than for one that is silent."""

MAX_BYTES = 16 * 1024 * 1024
"""No answer to one of our requests is longer."""

Json = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Connection:
    """Where a server is and how to speak to it. `timeout_seconds` is the longest silence that is waited for."""

    url: str
    headers: dict[str, str]
    timeout_seconds: float

    def get(self, path: str, stop: Stop) -> Json:
        """Return the JSON object at a path. Raises ServerError or Cancelled."""
        return self._run(self._object("GET", path, None), stop, min(self.timeout_seconds, TELL_SECONDS))

    def post(self, path: str, body: Json, stop: Stop, *, seconds: float = MAX_SECONDS) -> Json:
        """Return the JSON object that answers a request. Raises ServerError or Cancelled."""
        return self._run(self._object("POST", path, body), stop, seconds)

    def stream(self, path: str, body: Json, stop: Stop) -> list[Json]:
        """Return the events that answer a request, without the final "[DONE]". Raises ServerError or Cancelled."""
        return self._run(self._events(path, body), stop, MAX_SECONDS)

    def _run(self, work: Coroutine[Any, Any, T], stop: Stop, seconds: float) -> T:
        try:
            return asyncio.run(_until(work, stop, seconds))
        except TimeoutError as error:
            raise ServerError(
                f"{self.url} did not come to the end of its answer within {seconds:g} seconds. Is it busy? Try again, "
                "or use a smaller model."
            ) from error
        except UnicodeEncodeError as error:
            raise ServerError(f"The key for {self.url} holds characters that no key has. Enter it again.") from error
        except httpx.TimeoutException as error:
            raise ServerFailed(
                f"{self.url} did not answer within {self.timeout_seconds:g} seconds. Is it busy or still loading "
                "the model? Try again, or use a smaller model."
            ) from error
        except OddlyPacked as error:
            raise ServerError(
                f"{self.url} packs its answer in a way that nobody asked for. Let it send plain JSON."
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServerError(
                f"{self.url} cannot be reached ({type(error).__name__}). Is the server running, and its address right?"
            ) from error

    async def _object(self, method: str, path: str, body: Json | None) -> Json:
        async with self._response(method, path, body) as response:
            text = "".join([text async for text in _bounded(response, self.url)])
        return self._parsed(text)

    async def _events(self, path: str, body: Json) -> list[Json]:
        async with self._response("POST", path, body) as response:
            lines = _lines(_bounded(response, self.url))
            return [event async for line in lines if (event := self._event(line.strip())) is not None]

    @asynccontextmanager
    async def _response(self, method: str, path: str, body: Json | None) -> AsyncIterator[httpx.Response]:
        timeout = httpx.Timeout(self.timeout_seconds, connect=min(CONNECT_SECONDS, self.timeout_seconds))
        headers = {"Accept-Encoding": "gzip", **self.headers}
        async with (
            httpx.AsyncClient(headers=headers, timeout=timeout, verify=_trusted()) as client,
            client.stream(method, self.url + path, json=body) as response,
        ):
            check_packing(response)
            if response.status_code != 200:
                said = "".join([text async for text in _bounded(response, self.url)])
                kind = ServerFailed if response.status_code >= 500 else ServerError
                raise kind(self._refusal(path, response.status_code, said))
            yield response

    def _event(self, line: str) -> Json | None:
        if not line or line.startswith((":", "event:", "id:", "retry:")) or line == "data: [DONE]":
            return None
        return self._parsed(line.removeprefix("data:"))

    def _parsed(self, text: str) -> Json:
        try:
            answer = json_of(text)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise ServerError(
                f"{self.url} answered what is not JSON: “{_short(text)}”. Is this an OpenAI-compatible server? "
                "Its address usually ends in /v1."
            )
        if answer.get("error"):
            raise ServerError(f"{self.url} reports an error: “{_short(_message(answer))}”.")
        return answer

    def _refusal(self, path: str, status: int, text: str) -> str:
        try:
            said = _short(_message(json_of(text)))
        except ValueError:
            said = _short(text)
        ways_out = {
            401: "Check the key.", 403: "Check the key.", 404: "Check the address, which usually ends in /v1, and the "
            "model's name.", 429: "The server is busy: try again later.", 503: "The server is busy or still loading "
            "the model: try again later.",
        }  # fmt: skip
        way_out = ways_out.get(status, "The server's own log says more.")
        return f"{self.url}{path} refused the request with status {status}: “{said}”. {way_out}"


async def _until(work: Coroutine[Any, Any, T], stop: Stop, seconds: float) -> T:
    """Wait for `work`, asking `stop`; a stop closes the connection, which ends the work on the server too."""
    task = asyncio.ensure_future(work)
    deadline = time.monotonic() + seconds
    try:
        while not (await asyncio.wait({task}, timeout=POLL_SECONDS))[0]:
            if stop():
                raise Cancelled("The request to the server was stopped.")
            if time.monotonic() > deadline:
                raise TimeoutError
        return task.result()
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, httpx.HTTPError, ServerError):
            await task


@cache
def _trusted() -> ssl.SSLContext:
    return httpx.create_ssl_context()  # reading the certificates takes longer than a small request


async def _bounded(response: httpx.Response, url: str) -> AsyncIterator[str]:
    size, decoder = 0, codecs.getincrementaldecoder("utf-8")("replace")  # as JSON is, whatever the server says of it
    async for block in response.aiter_bytes():
        size += len(block)
        if size > MAX_BYTES:
            raise ServerError(f"{url} answered more than a model would write. Is this an OpenAI-compatible server?")
        yield decoder.decode(block)


async def _lines(blocks: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield the lines that have an end. One that arrives byte by byte is joined once, not anew for each byte."""
    line = io.StringIO()
    async for block in blocks:
        *ends, rest = block.split("\n")
        for end in ends:
            line.write(end)
            yield line.getvalue()
            line = io.StringIO()
        line.write(rest)


def _message(answer: Any) -> str:
    """Return what a server says of an error: {"error": {"message": …}}, {"error": …}, {"message": …} or the whole."""
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)


def _short(text: str) -> str:
    return " ".join(text.split())[:200]
