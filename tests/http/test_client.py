"""Answers that do not end, servers that are busy and connections that are kept: all on this machine."""

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from core.errors import Cancelled, ServerError
from core.http import client, retries
from core.http.client import ExchangeTimeout, HttpRequest, TooLong, error_words
from core.llm.server_api import ServerApi
from core.models.servers import list_server_models

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
        thread.join(300)


@pytest.mark.parametrize("dripping", [b"HTTP", b"HTTP/1.1 200 OK\r\nX: ", HEAD], indirect=True)
def test_a_server_that_drips_runs_out_of_time(dripping: str) -> None:
    with pytest.raises(ExchangeTimeout) as caught:
        HttpRequest(dripping, 0.4, 1000).send()
    assert error_words(caught.value) == "no answer in time"


@pytest.mark.parametrize("dripping", [HEAD + b"x" * 2000], indirect=True)
def test_an_answer_that_is_too_long_is_cut(dripping: str) -> None:
    with pytest.raises(TooLong):
        HttpRequest(dripping, 300, 1000).send()


@pytest.mark.parametrize("address", ["ftp://a.example", "http://[x", "nonsense", "http://a.example:99999"])
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(httpx.HTTPError) as caught:
        HttpRequest(address, 1, 1).send()
    assert error_words(caught.value) in ("this is no address", "no connection")


class KeepingServer(ThreadingHTTPServer):
    """A server that keeps its connections, counts them, and answers each request with the next of `statuses`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), KeepingHandler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.connections = 0
        self.requests = 0
        self.statuses: list[int] = []
        self.headers: dict[str, str] = {}

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        self.connections += 1
        return super().get_request()


class KeepingHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: KeepingServer

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer()

    def _answer(self) -> None:
        self.server.requests += 1
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        if status == BROKEN:
            self.close_connection = True
            return
        body = b'{"data": [{"id": "small"}], "tokens": [1, 2]}'
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **self.server.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


BROKEN = 0
"""The status of an answer that never begins: the connection ends."""


@pytest.fixture
def server() -> Iterator[KeepingServer]:
    running = KeepingServer()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    thread.join()
    running.server_close()


def status_of(server: KeepingServer, **bounds: float) -> int:
    return HttpRequest(server.url, bounds.get("seconds", 300), 1000).send().status_code


def test_the_listing_of_models_and_every_call_share_one_connection(server: KeepingServer) -> None:
    list_server_models(server.url)
    api = ServerApi(server.url, {}, 300.0)
    for _ in range(20):
        assert api.post("/tokenize", {"content": "words"}, lambda: False)["tokens"] == [1, 2]
    thread = threading.Thread(target=lambda: api.get("/models", lambda: False))
    thread.start()
    thread.join()
    assert (server.requests, server.connections) == (22, 1)


@pytest.mark.parametrize("statuses", [[503], [429, 502], [504], [BROKEN], [BROKEN, 503]])
def test_a_busy_server_is_asked_again(
    server: KeepingServer, statuses: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "PAUSES", (0.01, 0.02))
    server.statuses = [*statuses]
    assert status_of(server) == 200
    assert server.requests == len(statuses) + 1


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_a_refusal_is_not_asked_again(server: KeepingServer, status: int) -> None:
    server.statuses = [status]
    assert status_of(server) == status
    assert server.requests == 1


def test_a_server_says_how_long_it_is_left_alone(server: KeepingServer) -> None:
    server.statuses, server.headers = [503], {"Retry-After": "1"}
    began = time.monotonic()
    assert status_of(server) == 200
    assert time.monotonic() - began > 0.9


def test_the_third_answer_counts(server: KeepingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "PAUSES", (0.01, 0.02))
    server.statuses = [503, 503, 503, 200]
    assert status_of(server) == 503
    server.statuses = [BROKEN, BROKEN, BROKEN]
    with pytest.raises(httpx.HTTPError) as caught:
        status_of(server)
    assert error_words(caught.value) == "the connection ended"


def test_a_wait_beyond_the_bound_is_a_sentence(server: KeepingServer) -> None:
    server.statuses, server.headers = [503, 200], {"Retry-After": "3600"}
    with pytest.raises(ServerError, match=r"loading the model.*3600"):
        ServerApi(server.url, {}, 300.0).get("/models", lambda: False)
    assert server.requests == 1


def test_a_wait_beyond_the_time_for_all_is_not_begun(server: KeepingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.statuses, server.headers = [503, 200], {"Retry-After": "1000"}
    monkeypatch.setattr(client, "MAX_WAIT_SECONDS", 1000.0)
    assert status_of(server, seconds=300) == 503


def test_a_wait_is_cancelled(server: KeepingServer) -> None:
    server.statuses, server.headers = [503, 200], {"Retry-After": "10"}
    began = time.monotonic()
    with pytest.raises(Cancelled):
        HttpRequest(server.url, 300, 1000).send(lambda: time.monotonic() - began > 0.3)
    assert server.requests == 1


def test_no_cookie_is_kept(server: KeepingServer) -> None:
    server.headers = {"Set-Cookie": "session=one"}
    status_of(server)
    assert "Cookie" not in HttpRequest(server.url, 300, 1000).send().request.headers
