"""Answers that do not end, on this machine: the time and the size for all of one are ours to set."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from core.models.http import TooLong, error_words, get

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"


@pytest.fixture
def dripping(request: pytest.FixtureRequest) -> Iterator[str]:
    """A server that sends the parameter at once and then a byte every 50 ms, for ever."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(request.param)
                while not ended.wait(0.05):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        ended.set()
        thread.join(5)


@pytest.mark.parametrize("dripping", [b"HTTP", b"HTTP/1.1 200 OK\r\nX: ", HEAD], indirect=True)
def test_a_server_that_drips_runs_out_of_time(dripping: str) -> None:
    began = time.monotonic()
    with pytest.raises(httpx.ReadTimeout) as caught:
        get(dripping, seconds=0.4, max_bytes=1000)
    assert 0.35 < time.monotonic() - began < 3
    assert error_words(caught.value) == "no answer in time"


@pytest.mark.parametrize("dripping", [HEAD + b"x" * 2000], indirect=True)
def test_an_answer_that_is_too_long_is_cut(dripping: str) -> None:
    with pytest.raises(TooLong):
        get(dripping, seconds=5, max_bytes=1000)


@pytest.mark.parametrize("address", ["ftp://a.example", "http://[x", "nonsense", "http://a.example:99999"])
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(httpx.HTTPError) as caught:
        get(address, seconds=1, max_bytes=1)
    assert error_words(caught.value) in ("this is no address", "no connection")
