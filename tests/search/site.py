"""Web sites of the tests' own, on loopback."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Respond = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A web server: `pages` gives each path, with its query, a function that answers; `otherwise` (404) the others.

    It takes `delay` seconds before it begins to answer; `busiest` is the largest number of requests that ever waited
    for that.
    """

    def __init__(self, host: str = "127.0.0.1", *, delay: float = 0.0) -> None:
        self.pages: dict[str, Respond] = {}
        self.otherwise = reply(404)
        self.requests: list[str] = []
        self.agents: set[str] = set()
        self.times: list[float] = []
        self.at_once = self.busiest = 0
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.at_once += 1
                site.busiest = max(site.busiest, site.at_once)
                site.requests.append(self.path)
                site.times.append(time.monotonic())
                site.agents.add(self.headers["User-Agent"])
                self.close_connection = True
                time.sleep(delay)
                site.at_once -= 1
                with suppress(OSError):  # the reader has had enough
                    site.pages.get(self.path, site.otherwise)(self)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.server.daemon_threads = True
        self.port = int(self.server.server_address[1])
        self.base = f"http://{host}:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def page(self, path: str, body: str | bytes, kind: str = "text/html; charset=utf-8", **headers: str) -> str:
        """Serve `body` at `path` and return its address."""
        self.pages[path] = reply(200, body, {"Content-Type": kind, **headers})
        return self.base + path

    def asked(self, path: str) -> int:
        return self.requests.count(path)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@contextmanager
def running(*sites: Site) -> Iterator[tuple[Site, ...]]:
    try:
        yield sites
    finally:
        for site in sites:
            site.close()


def reply(status: int, body: str | bytes = b"", headers: dict[str, str] | None = None) -> Respond:
    content = body.encode() if isinstance(body, str) else body

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return respond


def in_turn(*replies: Respond) -> Respond:
    """Answer with one after the other, and then always with the last."""
    left = list(replies)
    return lambda handler: (left.pop(0) if len(left) > 1 else left[0])(handler)


def drip(handler: BaseHTTPRequestHandler) -> None:
    """Never come to an end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    while True:
        handler.wfile.write(b"<p>and then</p>" * 4000)


WORDS = (
    "The {0} was opened on a Monday in spring, and two thousand people walked across it in the first hour. "
    "The mayor of the town cut a ribbon at {0} and said that it had cost less than was planned. "
    "An engineer explained that {0} is made of steel and that it will stand for a hundred years. "
    "Nobody of those who spoke about {0} remembered the flood that carried the old one away."
)


def article(subject: str, *, day: str = "", head: str = "", body: str = "") -> str:
    """Return a page of four sentences about a subject, which bears a date if one is given."""
    dated = f'<meta property="article:published_time" content="{day}T08:00:00Z">' if day else ""
    paragraphs = "".join(f"<p>{sentence.format(subject)}</p>" for sentence in (WORDS + " ").split(". ") if sentence)
    return (
        f"<!DOCTYPE html><html><head><title>{subject}</title>{dated}{head}</head>"
        f"<body><nav>Home</nav><article><h1>{subject}</h1>{paragraphs}</article>{body}</body></html>"
    )
