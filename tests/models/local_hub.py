"""A model hub on this machine, for tests: lists files and serves them as well or as badly as a test wants."""

import hashlib
import json
import re
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from core.models.hub import HubFile, HubModel


@dataclass
class LocalHub:
    """What the server gives, and what it was asked. Tests change the fields while it runs."""

    files: dict[str, bytes] = field(default_factory=dict)
    listing: Any = None
    ranges: bool = True
    etag: str = '"one"'
    redirect: bool = False
    cut_after: int | None = None
    status: int | None = None
    block: int = 64 * 1024
    pace: threading.Event | None = None
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def model(self, *paths: str, repository: str = "maker/some-GGUF") -> HubModel:
        return HubModel(repository, tuple(
            HubFile(path, len(self.files[path]), hashlib.sha256(self.files[path]).hexdigest()) for path in paths
        ))  # fmt: skip

    def ranges_asked(self) -> list[str]:
        return [headers.get("Range", "") for path, headers in self.requests if "/resolve/" in path]


@contextmanager
def local_hub(**given: Any) -> Iterator[LocalHub]:
    """Run a hub on a free port of this machine until the block ends."""
    hub = LocalHub(**given)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Answers,), {"hub": hub}))
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        if hub.pace is not None:
            hub.pace.set()
        server.shutdown()
        server.server_close()


class _Answers(BaseHTTPRequestHandler):
    hub: LocalHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing: the test says what matters."""

    def do_HEAD(self) -> None:
        """Answer as huggingface_hub asks before it downloads; Veridesk does not ask so."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.hub.files[self.path.split("/resolve/main/")[-1]])))
        self.send_header("ETag", self.hub.etag)
        self.send_header("X-Repo-Commit", "c" * 40)
        self.end_headers()

    def do_GET(self) -> None:
        hub = self.hub
        hub.requests.append((self.path, dict(self.headers)))
        if hub.status is not None:
            self._send(hub.status, b"no")
        elif self.path.startswith("/api/") or self.path.endswith("/models"):
            body = hub.listing if isinstance(hub.listing, bytes) else json.dumps(hub.listing).encode()
            self._send(200, body)
        elif hub.redirect and self.path.startswith("/maker/"):
            self._send(302, b"", Location="/cdn" + self.path)
        else:
            self._file(self.path.split("/resolve/main/")[-1])

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _file(self, path: str) -> None:
        hub = self.hub
        content = hub.files.get(path)
        if content is None:
            return self._send(404, b"none")
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        unchanged = self.headers.get("If-Range", hub.etag) == hub.etag
        start = int(asked[1]) if asked and hub.ranges and unchanged else 0
        if start >= len(content):
            return self._send(416, b"")
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if hub.etag:
            self.send_header("ETag", hub.etag)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self._body(content[start:])
        return None

    def _body(self, content: bytes) -> None:
        hub, block = self.hub, self.hub.block
        end, cut = len(content), hub.cut_after is not None and hub.cut_after < len(content)
        if cut:
            assert hub.cut_after is not None
            end, hub.cut_after = hub.cut_after, None  # once
        for place in range(0, end, block):
            try:
                self.wfile.write(content[place : min(place + block, end)])
            except OSError:
                break
            if hub.pace is not None and not hub.pace.wait(300):
                break
        if cut:
            self.close_connection = True


def gguf(metadata: dict[str, Any], *, tail: bytes = b"", version: int = 3) -> bytes:
    """Return a GGUF file with this metadata (int, float, bool, str, or a list of one of them) and no tensors."""
    pairs = b"".join(_text(key) + _value(value) for key, value in metadata.items())
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(metadata)) + pairs + tail


def model_gguf(size: int = 0) -> bytes:
    """Return a file that passes for a small language model, filled up to `size` bytes."""
    start = gguf({
        "general.architecture": "llama", "general.name": "Tiny", "general.license": "mit", "general.file_type": 15,
        "llama.block_count": 2, "llama.context_length": 2048, "llama.embedding_length": 64,
        "llama.attention.head_count": 4, "llama.attention.head_count_kv": 2,
    })  # fmt: skip
    return start + bytes((place * 31 + place // 251) % 256 for place in range(size - len(start)))


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Any) -> bytes:
    if isinstance(value, list):
        kinds = {_value(item)[:4] for item in value} or {struct.pack("<I", 5)}
        return (
            struct.pack("<I", 9)
            + kinds.pop()
            + struct.pack("<Q", len(value))
            + b"".join(_value(item)[4:] for item in value)
        )
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<IQ", 10, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    return struct.pack("<I", 8) + _text(value)
