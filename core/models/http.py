"""One answer of a model hub or server, within a time and a size, however slowly or long it sends."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import httpx

PACKINGS = ("identity", "gzip", "x-gzip", "deflate")
"""How an answer may be packed: once. Packed twice, a few bytes unpack to more memory than there is."""


class OddlyPacked(httpx.HTTPError):
    """An answer is packed in a way that nobody asked for."""


class TooLong(httpx.HTTPError):
    """An answer is longer than any that could be used."""


def get(
    url: str, *, seconds: float, max_bytes: int, headers: Mapping[str, str] | None = None, redirects: bool = False
) -> httpx.Response:
    """Return the whole answer to a GET request.

    Raises httpx.HTTPError: ReadTimeout once `seconds` are over in all, TooLong for more than `max_bytes`.
    """
    return asyncio.run(_within(url, seconds, max_bytes, headers or {}, redirects))


async def _within(
    url: str, seconds: float, max_bytes: int, headers: Mapping[str, str], redirects: bool
) -> httpx.Response:
    try:
        # httpx's own limits start anew with each byte: a server that drips would never run out of them
        async with asyncio.timeout(seconds):
            return await _answer(url, max_bytes, headers, redirects)
    except TimeoutError as error:
        raise httpx.ReadTimeout("no whole answer in time") from error
    except httpx.InvalidURL as error:  # where a redirect leads to: httpx leaves it out of its own HTTPError
        raise httpx.UnsupportedProtocol(str(error)) from error


async def _answer(url: str, max_bytes: int, headers: Mapping[str, str], redirects: bool) -> httpx.Response:
    body = bytearray()
    async with (
        httpx.AsyncClient(  # nosec B113: the caller has a deadline for the whole of it
            timeout=None, headers={"Accept-Encoding": "gzip", **headers}, follow_redirects=redirects
        ) as client,
        client.stream("GET", url) as response,
    ):
        check_packing(response)
        async for block in response.aiter_bytes():
            body += block
            if len(body) > max_bytes:
                raise TooLong(f"more than {max_bytes} bytes")
        links = {"Link": response.headers["Link"]} if "Link" in response.headers else {}
        return httpx.Response(response.status_code, headers=links, content=bytes(body), request=response.request)


def check_packing(response: httpx.Response) -> None:
    """Raise OddlyPacked before any byte of an answer is unpacked that is packed twice, or as nobody asked for."""
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in PACKINGS:
        raise OddlyPacked("packed twice, or as nobody asked for")


def error_words(error: httpx.HTTPError) -> str:
    """Return in a few words why a request got no answer, for people who do not read class names."""
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    if isinstance(error, httpx.ConnectError):
        return "no connection"
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return "the connection ended"
    if isinstance(error, TooLong):
        return "the answer is too long"
    if isinstance(error, OddlyPacked):
        return "the answer is packed in a way that nobody asked for"
    if isinstance(error, httpx.UnsupportedProtocol):
        return "this is no address"
    if isinstance(error, httpx.TooManyRedirects):
        return "it sends from one address to the next without end"
    return type(error).__name__
