"""A server that owns the ratings of a database and answers raters over a loopback socket, one JSON line each way.

It stands in for Streamlit's server in the load test, which kills it: `python -m tests.load.rating_server URL PORT`.
"""

from __future__ import annotations

import json
import socketserver
import sys
from typing import Any

from core.campaigns.store import Ratings
from core.errors import VerideskError
from core.storage.store import Store


def answer(ratings: Ratings, call: str, arguments: list[Any]) -> Any:
    """Return what a rater's call gives, as far as a rater's script looks at it."""
    if call == "open":
        opened = ratings.open_item(*arguments)
        return opened and {"id": opened.id, "answers": opened.answers}
    return {"save": ratings.save_answer, "submit": ratings.submit}[call](*arguments)


class Raters(socketserver.ThreadingTCPServer):
    """One thread for each rater's connection, as Streamlit has one for each session."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, port: int, ratings: Ratings) -> None:
        super().__init__(("127.0.0.1", port), Connection)
        self.ratings = ratings


class Connection(socketserver.StreamRequestHandler):
    """Answers the calls of one rater until they hang up."""

    server: Raters

    def handle(self) -> None:
        for line in self.rfile:
            call, *arguments = json.loads(line)
            try:
                reply = {"value": answer(self.server.ratings, call, arguments)}
            except VerideskError as error:
                reply = {"error": str(error)}
            self.wfile.write(json.dumps(reply).encode() + b"\n")


if __name__ == "__main__":
    Raters(int(sys.argv[2]), Ratings(Store(sys.argv[1]))).serve_forever()
