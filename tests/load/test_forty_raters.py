"""Forty raters at once, on a server that is killed twice: what was confirmed is there, and there once.

Each rater rates as the page does: it saves every answer and then reads the item again. Between two answers they
wait for a tenth of a second on average, far less than people do.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from core.agreement.ratings import MajorError
from core.storage.store import Store
from core.storage.tables import answer_history, answers, assignments, campaign_items, members
from core.types import Label
from tests.campaigns.builders import desk, plan
from tests.postgres import cluster, programs
from tests.search.servers import free_port

ROOT = Path(__file__).resolve().parents[2]
RATERS, KILLS, THINKING_SECONDS = 40, 2, 0.2
ITEMS, EACH, CONTROLS = 12, 4, 4
"""48 ratings are wanted, and more are given with the raters' controls."""
PATIENCE_SECONDS = 300.0
"""How long a rater tries to reach a server that is being started again."""


class Server:
    """The serving process; `kill` ends it without warning and starts another at the same port."""

    def __init__(self, url: str) -> None:
        self.url, self.port = url, free_port()
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.load.rating_server", self.url, str(self.port)]
        self.process = subprocess.Popen(command, cwd=ROOT)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        assert self.process.wait() == -signal.SIGKILL
        self.start()


@dataclass
class Rater:
    """One rater's browser: what it sent, and what was confirmed to it."""

    owner: str
    campaign: str
    port: int
    chance: random.Random
    confirmed: dict[tuple[str, str], list[Any]] = field(default_factory=lambda: defaultdict(list))
    submitted: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    thinking_seconds: float = THINKING_SECONDS
    trouble: str = ""
    connection: socket.socket | None = None

    def ask(self, call: str, *arguments: Any) -> Any:
        """Send a call until it is answered, as a page does that says "not saved yet, trying again"."""
        line = json.dumps([call, *arguments]).encode() + b"\n"
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                self.connection = self.connection or socket.create_connection(
                    ("127.0.0.1", self.port), timeout=PATIENCE_SECONDS
                )
                begun = time.perf_counter()
                self.connection.sendall(line)
                reply = self._read_line(self.connection)
                if call == "save":
                    self.seconds.append(time.perf_counter() - begun)
                elif call == "open" and len(arguments) == 2:
                    self.opened.append(time.perf_counter() - begun)
                break
            except OSError:
                self.connection = None
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        if "error" in reply:
            raise AssertionError(f"{call}: {reply['error']}")
        return reply["value"]

    def _read_line(self, connection: socket.socket) -> Any:
        received = b""
        while not received.endswith(b"\n"):
            part = connection.recv(65_536)
            if not part:
                raise ConnectionResetError("the server is gone")
            received += part
        return json.loads(received)

    def work(self) -> None:
        try:
            while opened := self.ask("open", self.campaign, self.owner):
                self.rate(opened["id"])
        except (AssertionError, OSError) as error:
            self.trouble = f"{type(error).__name__}: {error}"

    def rate(self, item: str) -> None:
        rating = self.chance.randint(1, 5)
        self.save(item, "error", MajorError.NONE)
        self.save(item, "verdict", self.chance.choice(list(Label)))
        self.save(item, "semantic_coverage", rating)
        if self.chance.random() < 0.1:  # some change their mind
            self.save(item, "semantic_coverage", rating % 5 + 1)
        self.save(item, "relevance", self.chance.randint(1, 5))
        self.ask("submit", self.campaign, item, self.owner, 1.0)
        self.submitted.append(item)

    def save(self, item: str, question: str, value: str | int) -> None:
        time.sleep(self.chance.uniform(0, self.thinking_seconds))
        self.ask("save", self.campaign, item, self.owner, question, value)
        self.confirmed[item, question].append(value)
        seen = self.ask("open", self.campaign, self.owner, item)
        assert seen["answers"][question] == value


def kill_at_random(server: Server, raters: list[Rater], chance: random.Random, done: threading.Event) -> int:
    """Kill the server when so many answers are confirmed; return how often that was."""
    expected = ITEMS * EACH * 4
    moments = sorted(chance.randint(expected // 20, expected * 9 // 10) for _ in range(KILLS))
    killed = 0
    while moments and not done.wait(chance.uniform(0.0, 0.02)):
        if sum(len(rater.seconds) for rater in raters) >= moments[0]:
            moments.pop(0)
            server.kill()
            killed += 1
            done.wait(1.0)  # the new one must come up before the next one is killed
    return killed


def work(server: Server, raters: list[Rater], chance: random.Random) -> int:
    """Let all raters work until nothing is left, and return how often the server was killed meanwhile."""
    done = threading.Event()
    with ThreadPoolExecutor(len(raters) + 1) as pool:
        kills = pool.submit(kill_at_random, server, raters, chance, done)
        for working in [pool.submit(rater.work) for rater in raters]:
            working.result()
        done.set()
    return kills.result()


@pytest.fixture
def durable_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database that waits for the disk at every commit, as in use."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'veridesk.db'}"
        return
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed here: apt-get install postgresql")
    with cluster(folder, durable=True) as running:
        yield running.new_database()


@pytest.mark.slow
@pytest.mark.parametrize("durable_url", ["sqlite", "postgresql"], indirect=True)
def test_no_confirmed_rating_is_lost_or_doubled(durable_url: str) -> None:
    chance = random.Random(8)
    store = Store(durable_url)
    papers = replace(plan(ITEMS, controls=CONTROLS, each=EACH), items_per_rater=35, controls_per_rater=1)
    campaign = desk(store, papers)
    with closing(Server(durable_url)) as server:
        raters = [
            Rater(f"{number:064}", campaign.campaign, server.port, random.Random(chance.random()))
            for number in range(1, RATERS + 1)  # 0 is the organiser
        ]
        for rater in raters:
            campaign.join(rater.owner)
        kills = work(server, raters, chance)
    assert [rater.trouble for rater in raters if rater.trouble] == []
    assert kills
    check_all_confirmed(store, raters)
    check_balance(store)


def check_all_confirmed(store: Store, raters: list[Rater]) -> None:
    """Compare what raters were told with what the database has: every value once, the last one standing."""
    with store.transaction() as connection:
        owners = {rater.owner: _rater_id(connection, rater.owner) for rater in raters}
        standing = {
            (row.rater, row.item, row.question): json.loads(row.value) for row in connection.execute(select(answers))
        }
        kept: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
        for row in connection.execute(select(answer_history).order_by(answer_history.c.id)):
            kept[row.rater, row.item, row.question].append(json.loads(row.value))
        handed_in = Counter(
            (row.rater, row.item)
            for row in connection.execute(select(assignments).where(assignments.c.submitted.is_not(None)))
        )
    told = {(owners[rater.owner], *key): values for rater in raters for key, values in rater.confirmed.items()}
    assert standing == {key: values[-1] for key, values in told.items()}
    assert kept == told
    assert handed_in == Counter((owners[rater.owner], item) for rater in raters for item in rater.submitted)


def _rater_id(connection: Connection, owner: str) -> str:
    return str(connection.scalar(select(members.c.rater).where(members.c.owner == owner)))


def check_balance(store: Store) -> None:
    with store.transaction() as connection:
        joined = select(assignments.c.item, campaign_items.c.control).join(
            campaign_items, campaign_items.c.id == assignments.c.item
        )
        rows = connection.execute(joined).all()
    items = Counter(row.item for row in rows if not row.control)
    controls = Counter(row.item for row in rows if row.control)
    assert (len(items), set(items.values())) == (ITEMS, {EACH})
    # Not 1: the next rater who is due for a control may have had the one that was given least.
    assert max(controls.values()) - min(controls.values()) <= 2
    assert len(rows) >= ITEMS * EACH
