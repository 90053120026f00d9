"""Two app servers on one PostgreSQL, three browsers, six claims, one server killed: none lost, none twice."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.documents.examples import examples
from core.jobs.types import State
from core.storage.store import Store
from core.storage.tables import jobs
from core.verification.receipt import receipt_from_json
from tests.browser.conftest import (
    OpenPage,
    field,
    serving,
)
from tests.llm.parallel_server import parallel_server
from tests.postgres import Cluster
from tests.waiting import until

pytestmark = pytest.mark.slow
BROWSERS, CLAIMS = 3, 6


@contextmanager
def entrance(server: str) -> Iterator[tuple[str, Callable[[str], None]]]:
    """Yield one address for one browser, as a load balancer gives it, and what leads it to another server from now on.

    A browser's cases belong to the address it knows, which stays when the server behind it does not.
    """
    behind = [server]
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=admit, args=(listener, behind), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", behind.append
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def admit(listener: socket.socket, behind: list[str]) -> None:
    with suppress(OSError):  # closed
        while True:
            visitor, _ = listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", urlsplit(behind[-1]).port or 0))
            except OSError:
                visitor.close()
                continue
            for one, other in ((visitor, server), (server, visitor)):
                threading.Thread(target=carry, args=(one, other), daemon=True).start()


def carry(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while content := one.recv(65536):
            other.sendall(content)
    for end in (one, other):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def rows(store: Store) -> list[Any]:
    with store.transaction() as connection:
        return list(connection.execute(jobs.select()))


def ask(page: Page, address: str, claim: str) -> None:
    page.goto(address)
    page.get_by_text(claim).click()
    expect(field(page, "verify-text")).to_have_value(claim)
    page.get_by_role("button", name="Verify").click()
    expect(page).to_have_url(re.compile("case="))


def test_three_browsers_lose_no_claim_when_one_of_two_servers_is_killed(
    postgresql: Cluster, tmp_path: Path, open_page: OpenPage
) -> None:
    database = postgresql.new_database()
    claims = [example.claim.text for example in examples()]
    asked = [(browser, claims[(browser + turn) % 5]) for turn in range(3) for browser in range(BROWSERS)][:CLAIMS]
    with ExitStack() as stack:
        model = stack.enter_context(parallel_server(delay=0.05, slots=16))
        servers = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            preferences = json.dumps({"default": model.model, "added": [model.model]})
            (tmp_path / name / "models.json").write_text(preferences, encoding="utf-8")
            server = serving(tmp_path / name, VERIDESK_DATABASE=database, VERIDESK_PARALLEL="2")
            servers.append(stack.enter_context(server))
        (one, first), (two, _) = servers
        entrances = [stack.enter_context(entrance((one, two)[browser % 2])) for browser in range(BROWSERS)]
        pages = [open_page(address) for address, _ in entrances]
        for number, (browser, claim) in enumerate(asked):
            if number == CLAIMS - 4:
                model.answering.clear()  # what is asked from now on is still being worked on below
            ask(pages[browser], entrances[browser][0], claim)
        store = Store(database)
        until(lambda: [row.state for row in rows(store)].count(State.RUNNING) == 4, seconds=900)
        first.kill()  # with two claims on its hands
        model.answering.set()
        for _, lead_to in entrances:
            lead_to(two)
        until(lambda: not any(State(row.state).live for row in rows(store)), seconds=900)
        for browser, page in enumerate(pages):
            page.goto(f"{entrances[browser][0]}/history")
            for claim in [claim for asker, claim in asked if asker == browser]:
                expect(page.get_by_text(claim).first).to_be_visible()
    ended = rows(store)
    assert [(row.state, row.error) for row in ended] == [(State.DONE, "")] * CLAIMS
    assert sorted(row.title for row in ended) == sorted(claim for _, claim in asked)
    assert len({(row.owner, row.title) for row in ended}) == CLAIMS
    assert all(receipt_from_json(json.loads(row.result))[1].claim.text == row.title for row in ended)
    # Each may be begun twice, and was begun once but for the two that were taken over from the server that was killed.
    assert sorted(row.tries for row in ended) == [0, 0] + [1] * (CLAIMS - 2)
