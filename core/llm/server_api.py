"""Send requests to an OpenAI-compatible server, read JSON or events, and turn each failure into a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from core.errors import ServerError, ServerFailed
from core.files import json_of
from core.http.client import ExchangeTimeout, HttpRequest, OddlyPacked, TooLong, error_words
from core.http.retries import BUSY, MAX_WAIT_SECONDS, retry_after
from core.http.statuses import OTHER_STATUS, STATUSES
from core.interfaces import Stop

TELL_SECONDS = 20.0
"""Seconds for questions about the server and for token counts."""

MAX_SECONDS = 600.0
"""Seconds for a whole answer, even if the server sends a word a second."""

MAX_BYTES = 16 * 1024 * 1024
"""The most bytes of one answer."""

Json = dict[str, Any]


@dataclass(frozen=True)
class ServerApi:
    """The address, key and limits of a server. `timeout_seconds` is the longest wait for the next byte."""

    url: str
    headers: dict[str, str]
    timeout_seconds: float

    def get(self, path: str, stop: Stop) -> Json:
        """Return the JSON object at a path. Raises ServerError or Cancelled."""
        return self._parsed(self._text(path, None, stop, min(self.timeout_seconds, TELL_SECONDS)))

    def post(self, path: str, body: Json, stop: Stop, *, seconds: float = MAX_SECONDS) -> Json:
        """Return the JSON object that answers a request. Raises ServerError or Cancelled."""
        return self._parsed(self._text(path, body, stop, seconds))

    def stream(self, path: str, body: Json, stop: Stop) -> list[Json]:
        """Return the events that answer a request, without the final "[DONE]". Raises ServerError or Cancelled.

        A server that ignores "stream" answers with one JSON object, which is then the only event.
        """
        text = self._text(path, body, stop, MAX_SECONDS)
        if text.lstrip().startswith("{"):
            return [self._parsed(text)]
        *lines, _ = text.split("\n")  # the last event has no end, so the answer was cut off
        return [self._parsed(data) for data in _events(lines)]

    def _text(self, path: str, body: Json | None, stop: Stop, seconds: float) -> str:
        """Return the text of an answer of status 200."""
        request = HttpRequest(self.url + path, seconds, MAX_BYTES, self.headers, body, silence=self.timeout_seconds)
        response = self._answer(request, stop)
        text = response.content.decode("utf-8", "replace")  # JSON is UTF-8, even if the server names another
        if response.status_code != 200:
            failed = response.status_code >= 500 and response.status_code not in BUSY
            raise (ServerFailed if failed else ServerError)(self._refusal(path, response, text))
        return text

    def _answer(self, request: HttpRequest, stop: Stop) -> httpx.Response:
        try:
            return request.send(stop)
        except ExchangeTimeout as error:
            raise ServerError(
                f"{self.url} did not finish its answer within {request.seconds:g} seconds. Is it busy? "
                "Try again, or use a smaller model."
            ) from error
        except UnicodeEncodeError as error:
            raise ServerError(
                f"The key for {self.url} has characters that keys cannot have. Enter it again."
            ) from error
        except httpx.TimeoutException as error:
            raise ServerFailed(
                f"{self.url} did not answer within {self.timeout_seconds:g} seconds. Is it busy or still loading "
                "the model? Try again, or use a smaller model."
            ) from error
        except OddlyPacked as error:
            raise ServerError(f"{self.url} uses an unknown compression. Make it send plain JSON.") from error
        except TooLong as error:
            raise ServerError(
                f"{self.url} answered more than a model would write. Is this an OpenAI-compatible server?"
            ) from error
        except httpx.HTTPError as error:
            raise ServerError(
                f"{self.url} cannot be reached ({error_words(error)}). Is the server running, and its address right?"
            ) from error

    def _parsed(self, text: str) -> Json:
        try:
            answer = json_of(text)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise ServerError(
                f"{self.url} gave an answer that is not JSON: “{_short(text)}”. Is this an OpenAI-compatible server? "
                "Its address usually ends in /v1."
            )
        if answer.get("error"):
            raise ServerError(f"{self.url} reports an error: “{_short(_message(answer))}”.")
        return answer

    def _refusal(self, path: str, response: httpx.Response, text: str) -> str:
        try:
            said = _short(_message(json_of(text)))
        except ValueError:
            said = _short(text)
        status, wait = response.status_code, retry_after(response.headers) or 0.0
        way_out = STATUSES.get(status, OTHER_STATUS).service
        if status in BUSY and wait > MAX_WAIT_SECONDS:
            way_out += f" It asks to be left alone for {wait:.0f} seconds."
        return f"{self.url}{path} refused the request with status {status}: “{said}”. {way_out}"


def _events(lines: list[str]) -> Iterator[str]:
    """Yield the data of each event, without comments and other fields."""
    for line in map(str.strip, lines):
        if line and not line.startswith((":", "event:", "id:", "retry:")) and line != "data: [DONE]":
            yield line.removeprefix("data:")


def _message(answer: Any) -> str:
    """Return what a server says of an error: {"error": {"message": …}}, {"error": …}, {"message": …} or the whole."""
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)


def _short(text: str) -> str:
    return " ".join(text.split())[:200]
