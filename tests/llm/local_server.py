"""A small OpenAI-compatible server on this machine, whose answers are functions."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Asked", dict[str, Any]], None]


class Asked(BaseHTTPRequestHandler):
    """Answers by the functions of its server; keeps the bodies that were posted."""

    server: LocalServer

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append((self.path, body))
        self._answer(body)

    def _answer(self, body: dict[str, Any]) -> None:
        self.server.authorization = self.headers.get("Authorization")
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.json({"error": {"message": "no such path"}}, status=404)
        else:
            answer(self, body)

    def json(self, value: object, *, status: int = 200) -> None:
        self.text(json.dumps(value), status=status, kind="application/json")

    def text(self, text: str, *, status: int = 200, kind: str = "text/event-stream") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


class LocalServer(ThreadingHTTPServer):
    """A server on a free port of this machine."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.bodies: list[tuple[str, dict[str, Any]]] = []
        self.authorization: str | None = None
        models = {"data": [{"id": "small", "max_model_len": 2000}, {"id": "other"}]}
        self.answers: dict[str, Answer] = {"/v1/models": lambda asked, _: asked.json(models)}

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # a client that goes away in the middle is what some tests are about


@contextmanager
def local_server() -> Iterator[LocalServer]:
    """Run a server while the block lasts."""
    local = LocalServer()
    thread = threading.Thread(target=local.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield local
    finally:
        local.shutdown()
        thread.join()
        local.server_close()


def events(*texts: str, finish: str | None = "stop", usage: dict[str, Any] | None = None) -> Answer:
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in texts]
    if finish:
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage:
        chunks.append({"choices": [], "usage": usage})
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return lambda asked, _: asked.text(f": hello\n\n{lines}data: [DONE]\n\n")
