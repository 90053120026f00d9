"""Teams that submit before one deadline, to a server that is killed in the middle: each submission is there once.

A team that has no answer looks at its list, as a person does, and submits again only what is not there. Over HTTP, for
`python -m tests.benchmarks.deadline` on the real page takes four times the processor time.
"""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from core.annotations import GoldClaim
from core.averitec.averitec import parse_gold
from core.campaigns.access import command_line
from core.campaigns.redeeming import redeem
from core.storage.store import Store
from core.storage.tables import task_submissions
from core.tasks.shared_task import DAY, TaskPhase, TaskPlan
from core.tasks.task_store import create_task
from core.tasks.teams import invite_team
from tests.postgres import cluster, programs
from tests.search.servers import free_port
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 600.0
WORDS = "the river bridge mayor opened closed report county budget school road price year rose fell".split()
Row = dict[str, Any]


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def gold_rows(claims: int) -> list[Row]:
    """Return made-up annotated claims with two questions each."""
    chance = random.Random(1)
    rows = []
    for number in range(claims):
        asked = [
            {
                "question": f"{text(chance, 8)}?",
                "answers": [
                    {"answer": text(chance, 20), "answer_type": "Abstractive", "source_url": "https://example.org"}
                ],
            }
            for _ in range(2)
        ]
        claim = f"{text(chance, 12)} {number}."
        rows.append({"claim_id": number, "claim": claim, "label": "Refuted", "justification": "", "questions": asked})
    return rows


def submission(gold: list[Row], team: int) -> bytes:
    """Return a made-up submission with three pairs a claim."""
    chance = random.Random(100 + team)
    rows = [
        {
            "claim_id": one["claim_id"],
            "claim": one["claim"],
            "pred_label": chance.choice(["Refuted", "Supported"]),
            "evidence": [
                {"question": f"{text(chance, 8)}?", "answer": text(chance, 20), "url": "https://example.org"}
                for _ in range(3)
            ],
        }
        for one in gold
    ]
    return json.dumps(rows).encode()


@dataclass
class Server:
    """The serving process; `kill` ends it without warning and starts another one at the same port."""

    url: str
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.load.task_server", self.url, str(self.port)]
        self.process = subprocess.Popen(command, cwd=ROOT)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        assert self.process.wait() == -signal.SIGKILL


@dataclass
class Client:
    """One team's browser, and why its submission was refused."""

    number: int
    owner: str
    task: str
    port: int
    refused: str = ""

    @property
    def file(self) -> str:
        return f"team{self.number}.json"

    def ask(self, content: bytes | None = None) -> Any:
        """Return the answer to a list or a submission. Raises OSError, HTTPException without one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            method, headers = ("GET", {}) if content is None else ("POST", {"X-File": self.file})
            connection.request(method, f"/{self.task}/{self.owner}", content, headers)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def listed(self) -> dict[str, str]:
        """Return the state of each of the team's files, from a server that may be starting."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return dict(self.ask())
            except (OSError, http.client.HTTPException):
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)

    def submit(self, content: bytes, wait: float) -> None:
        time.sleep(wait)
        while self.file not in self.listed():
            with suppress(OSError, http.client.HTTPException):  # the server was killed
                self.refused = self.ask(content).get("error", "")
                if self.refused:
                    return


@dataclass
class Deadline:
    """The outcome: clients, files kept by name, states at the end."""

    clients: list[Client]
    kept: Counter[str]
    states: Counter[str]


def rush(url: str, *, teams: int, claims: int, seconds: float, kill_after: int) -> Deadline:
    """Let teams submit within `seconds`; kill the server once `kill_after` submissions are in the database."""
    store, rows = Store(url), gold_rows(claims)
    gold: list[GoldClaim] = parse_gold("gold.json", json.dumps(rows).encode())
    now, me = store.clock(), command_line(store)
    plan = TaskPlan("Deadline", (TaskPhase("Test", now - 1, now + DAY, now + DAY),), metrics=("verdict",))
    task = create_task(store, me, plan, gold)
    server = Server(url)
    clients = [Client(number, f"{number + 1:064}", task, server.port) for number in range(teams)]
    for one in clients:
        redeem(store, invite_team(store, task, me, f"Team {one.number}", days=1), one.owner)

    def kill() -> None:
        until(lambda: len(names(store)) >= kill_after, seconds=600)
        server.kill()
        server.start()

    chance = random.Random(3)
    try:
        with ThreadPoolExecutor(teams + 1) as pool:
            killed = pool.submit(kill)
            work = [pool.submit(c.submit, submission(rows, c.number), chance.uniform(0, seconds)) for c in clients]
            for one in (*work, killed):
                one.result()
        while set(states := Counter(s for c in clients for s in c.listed().values())) - {"done", "failed"}:
            time.sleep(1.0)
    finally:
        server.kill()
    return Deadline(clients, Counter(names(store)), states)


def names(store: Store) -> list[str]:
    with store.transaction() as connection:
        return list(connection.scalars(select(task_submissions.c.file)))


@pytest.mark.slow
def test_each_submission_is_kept_once_and_scored() -> None:
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed here: apt-get install postgresql")
    with cluster(folder, durable=True) as running:
        found = rush(running.new_database(), teams=5, claims=20, seconds=2.0, kill_after=2)
    assert found.kept == Counter(client.file for client in found.clients)
    assert found.states == Counter(done=5)
    assert [client.refused for client in found.clients] == [""] * 5
