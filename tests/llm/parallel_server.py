"""An OpenAI-compatible server on loopback that answers many at once, each after a fixed delay, as its schema wants."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "steady"


def instance(schema: dict[str, Any]) -> Any:
    """Return the least that a JSON schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type", "string")
    if kind == "object":
        return {name: instance(one) for name, one in schema.get("properties", {}).items()}
    if kind == "array":
        return [instance(schema["items"])] * schema.get("minItems", 1)
    return schema.get("minimum", 1) if kind in ("integer", "number") else kind == "boolean" or "What is known of it?"


class Handler(BaseHTTPRequestHandler):
    server: ParallelServer

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._json({"data": [{"id": MODEL}]})
        else:
            self._json({"total_slots": self.server.slots, "default_generation_settings": {"n_ctx": 32768}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/tokenize":
            self._json({"tokens": body["content"].split()})
            return
        with self.server.lock:
            self.server.asked += 1
        self.server.answering.wait()
        time.sleep(self.server.delay)
        if body.get("logprobs"):
            told = [{"token": token, "logprob": -1.0 - n} for n, token in enumerate("12345ABCDEyn")]
            self._json({"choices": [{"logprobs": {"content": [{"top_logprobs": told}]}}]})
            return
        wanted = body.get("response_format", {}).get("json_schema", {}).get("schema")
        passage = " ".join(body["messages"][-1]["content"].split()[-5:])
        text = json.dumps(instance(wanted)) if wanted else f"What is known of {passage}?"
        events = [{"choices": [{"delta": {"content": text}}]}, {"choices": [{"delta": {}, "finish_reason": "stop"}]}]
        lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        self._send(lines, "text/event-stream")

    def _json(self, value: object) -> None:
        self._send(json.dumps(value), "application/json")

    def _send(self, text: str, kind: str) -> None:
        content = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


class ParallelServer(ThreadingHTTPServer):
    """`asked` counts the prompts, which wait while `answering` is not set; `model` is the id Veridesk knows it by."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, delay: float, slots: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.delay, self.slots, self.asked, self.lock = delay, slots, 0, threading.Lock()
        self.answering = threading.Event()
        self.answering.set()

    @property
    def model(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1#{MODEL}"


@contextmanager
def parallel_server(*, delay: float, slots: int) -> Iterator[ParallelServer]:
    """Run the server while the block lasts."""
    server = ParallelServer(delay, slots)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
