"""A server that owns the ratings of a database and answers raters over a loopback socket, one JSON line each way.

It stands in for Streamlit's server in the load test, which kills it: `python -m tests.load.rating_server URL PORT`.
"""

import json
import socketserver
import sys
from typing import Any

from core.campaigns.rating import open_item, save_answer, submit_item
from core.errors import VerideskError
from core.storage import database
from core.storage.store import Store


def answer(store: Store, call: str, arguments: list[Any]) -> Any:
    """Return what a rater's call gives, as far as a rater's script looks at it."""
    if call == "open":
        opened = open_item(store, *arguments)
        return opened and {"id": opened.id, "answers": opened.answers}
    return {"save": save_answer, "submit": submit_item}[call](store, *arguments)


class Raters(socketserver.ThreadingTCPServer):
    """One thread for each rater's connection, as Streamlit has one for each session."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, port: int, store: Store) -> None:
        super().__init__(("127.0.0.1", port), Connection)
        self.store = store


class Connection(socketserver.StreamRequestHandler):
    """Answers the calls of one rater until they hang up."""

    server: Raters

    def handle(self) -> None:
        for line in self.rfile:
            call, *arguments = json.loads(line)
            try:
                reply = {"value": answer(self.server.store, call, arguments)}
            except VerideskError as error:
                reply = {"error": str(error)}
            self.wfile.write(json.dumps(reply).encode() + b"\n")


if __name__ == "__main__":
    database.PATIENCE_SECONDS = 300  # forty raters wait in turn for one slow disk
    Raters(int(sys.argv[2]), Store(sys.argv[1])).serve_forever()
