"""What went wrong with a connection, in words for people who do not read class names."""

from __future__ import annotations

import httpx


def connection_words(error: httpx.HTTPError) -> str:
    """Return in a few words why a request got no answer; the class's name where there are no better ones."""
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    if isinstance(error, httpx.ConnectError):
        return "no connection"
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return "the connection ended"
    if isinstance(error, httpx.TooManyRedirects):
        return "it sends from one address to the next without end"
    return type(error).__name__
