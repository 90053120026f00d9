"""Two servers on one PostgreSQL, twelve claims, one server killed: each claim verified once, none lost."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.jobs.store import JobStore
from core.jobs.types import Listed, State, Status
from core.storage.store import Store
from core.storage.tables import jobs as table
from core.types import Claim
from core.verification.receipt import receipt_from_json, request_to_json
from core.verification.request import Request
from core.verification.verify_job import VERIFY
from tests.fakes import DOCUMENTS
from tests.llm.parallel_server import parallel_server
from tests.postgres import Cluster
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
OWNERS = [letter * 64 for letter in "abcdefgh"]
CLAIMS = 12


@contextmanager
def claims_server(url: str, home: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.verification.claims_server", url]
    environment = {**os.environ, "VERIDESK_HOME": str(home), "VERIDESK_PARALLEL": "2"}
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        assert server.stdout.readline() == "ready\n"
        yield server
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def everybodys(jobs: JobStore) -> list[Status]:
    return [entry for owner in OWNERS for entry in jobs.search(owner, VERIFY).entries]


def servers_at_work(jobs: JobStore) -> dict[str, int]:
    """Return how many claims each server works on, by its token."""
    with jobs.store.transaction() as connection:
        rows = connection.execute(table.select().where(table.c.state == State.RUNNING)).all()
    return {row.server: sum(other.server == row.server for other in rows) for row in rows}


@pytest.mark.slow
def test_a_killed_server_loses_no_claim_and_none_is_verified_twice(postgresql: Cluster, tmp_path: Path) -> None:
    url = postgresql.new_database()
    jobs = JobStore(Store(url))
    with (
        parallel_server(delay=0.0, slots=16) as model,
        claims_server(url, tmp_path / "one") as one,
        claims_server(url, tmp_path / "two") as two,
    ):
        model.answering.clear()
        for number in range(CLAIMS):
            request = Request(Claim(f"The tower was finished in {number}."), documents=DOCUMENTS, model=model.model)
            listed = Listed(request.claim.text, slot=model.model)
            jobs.add(VERIFY, OWNERS[number % 8], listed, request_to_json(request), tries=2)
        until(lambda: list(servers_at_work(jobs).values()) == [2, 2])
        one.kill()  # with two claims on its hands
        model.answering.set()
        until(lambda: not any(entry.state.live for entry in everybodys(jobs)))
        assert two.poll() is None
    ended = everybodys(jobs)
    assert [(entry.state, entry.error) for entry in ended] == [(State.DONE, "")] * CLAIMS
    assert {entry.title for entry in ended} == {f"The tower was finished in {number}." for number in range(CLAIMS)}
    for entry in ended:
        kept = jobs.load(entry.id, entry.owner)
        assert kept
        assert kept.result
        assert receipt_from_json(kept.result)[1].claim.text == entry.title
    with jobs.store.transaction() as connection:
        tries = [row.tries for row in connection.execute(table.select())]
    # Every claim was begun once, but for the one or two that were taken over: these were begun a second time.
    assert (set(tries), tries.count(0) <= 2) == ({0, 1}, True)
