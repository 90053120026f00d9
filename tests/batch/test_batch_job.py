"""Batches as jobs with folders of their own: begun, watched, cancelled, resumed, deleted, and nobody else's."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import current_thread, main_thread

import pytest

from core.averitec.averitec import read_submission
from core.batch.batch_job import Batch, Batches, BatchRequest, batch_files, batch_kind
from core.batch.journal import Tail, locked, settings_of
from core.batch.run import executor_for
from core.batch.types import BatchPlan, read_claims_file, stores_from_zip, without_store
from core.errors import BadInput, BadRecord
from core.jobs.jobs import Jobs
from core.jobs.limits import JobLimits
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State
from core.models.choice import keep_key
from core.storage.store import Store
from core.types import Claim
from core.verification.request import Request
from tests.batch.executors import HELD_AFTER, SlowExecutors
from tests.waiting import until

ANNA, BERT = "a" * 64, "b" * 64


Open = Callable[[], Batches]


@pytest.fixture
def slow() -> SlowExecutors:
    return SlowExecutors()


@pytest.fixture
def server(tmp_path: Path, slow: SlowExecutors) -> Iterator[Open]:
    """Opens servers that share a database and a home."""
    jobs = JobStore(Store(f"sqlite:///{tmp_path / 'jobs.db'}"))
    opened: list[Batches] = []

    def open_one() -> Batches:
        opened.append(Jobs(JobQueue(jobs, place="here"), batch_kind(tmp_path / "batches", jobs, slow)))
        return opened[-1]

    yield open_one
    for batches in opened:
        batches.queue.close()


@pytest.fixture
def batches(server: Open) -> Batches:
    return server()


def begin(batches: Batches, texts: list[str], owner: str = ANNA, recipe: str = "quick") -> Batch:
    rows = [{"claim_id": number, "claim": text} for number, text in enumerate(texts)]
    asked = BatchRequest(
        "claims.json", tuple(str(n) for n in range(len(texts))), False, recipe, "bundled", title="my claims"
    )
    batch_id = batches.start(owner, asked, batch_files(asked, json.dumps(rows).encode(), {"0.json": b"{}"}))
    found = batches.find(batch_id, owner)
    assert found
    return found


def test_a_batch_runs_to_its_end_and_leaves_a_submission_in_every_format(batches: Batches) -> None:
    batch = begin(batches, ["one", "two fails", "three late"])
    until(lambda: not batch.running)
    outcomes = batch.progress()
    assert [(one.label, bool(one.error)) for one in outcomes.values()] == [
        ("Refuted", False),
        ("", True),
        ("Refuted", False),
    ]
    assert [one.partition(": ")[2] for one in outcomes["2"].left_out] == ["4 passages of 10"]
    assert batch.figures["failures"].keys() == {"1"}
    assert [path.suffix for path in batch.files()] == [".json", ".jsonl", ".csv"]
    batches.resume(batch.job, replace(batch.asked, retry_failures=True))
    until(lambda: not batch.running)
    assert not any(one.error for one in batch.progress().values())
    assert [p.claim_id for p in read_submission(batch.files()[0]).predictions] == ["0", "1", "2"]


def test_progress_comes_while_it_runs_and_a_cancelled_batch_goes_on_where_it_was(
    batches: Batches, slow: SlowExecutors
) -> None:
    batch = begin(batches, ["claim"] * 6, recipe="slow")
    until(lambda: len(batch.progress()) == HELD_AFTER)
    assert batch.running
    batches.cancel(batch.job)
    until(lambda: not batch.running)
    assert len(batch.progress()) == HELD_AFTER
    assert (batch.figures, batch.trouble) == (None, "")
    slow.released.set()
    batches.resume(batch.job)
    until(lambda: not batch.running)
    assert len(batch.progress()) == 6
    assert batch.tail.lines == 7  # the settings, and each claim once


def test_another_server_sees_it_at_work_and_can_cancel_it(batches: Batches, server: Open) -> None:
    batch = begin(batches, ["claim"] * 3, recipe="slow")
    until(batch.progress)
    other = server()
    found = other.find(batch.id, ANNA)
    assert found
    assert found is not batch
    assert found.running
    assert len(found.progress()) >= 1
    other.cancel(found.job)
    until(lambda: not found.running)
    assert found.status
    assert found.status.state is State.CANCELLED


def test_a_batch_whose_server_closes_resumes_on_the_next_one(
    batches: Batches, server: Open, slow: SlowExecutors
) -> None:
    batch = begin(batches, ["claim"] * 5, recipe="slow")
    until(batch.progress)
    batches.queue.close()
    assert batch.status
    assert batch.status.state is State.WAITING
    assert not batch.files()
    slow.released.set()
    server()
    until(lambda: not batch.running)
    assert batch.status.state is State.DONE
    assert len(batch.progress()) == 5
    assert batch.tail.lines == 6  # the settings, and each claim once


def test_a_batch_waits_while_another_server_still_writes_its_journal(batches: Batches) -> None:
    begin(batches, ["claim"] * 3, recipe="slow")  # keeps the queue busy
    batch = begin(batches, ["one"])
    with locked(batch.tail.path):
        batches.cancel(batches.of(ANNA)[1].job)
        until(lambda: batch.status and batch.status.state is State.RUNNING)
        time.sleep(0.3)
        assert batch.running
    until(lambda: not batch.running)
    assert batch.figures


def test_one_batch_is_at_work_at_a_time(batches: Batches) -> None:
    first = begin(batches, ["claim"] * 3, recipe="slow")
    second = begin(batches, ["claim"], owner=BERT)
    until(first.progress)
    assert second.status
    assert second.status.state is State.WAITING
    assert batches.store.ahead(second.status) == 1
    batches.cancel(first.job)
    until(lambda: not second.running)
    assert second.figures is not None


def test_a_batch_may_begin_while_others_are_looked_through(batches: Batches, monkeypatch: pytest.MonkeyPatch) -> None:
    first, coming, exists = begin(batches, ["one"]), [["two"]], Path.exists

    def begins_another(path: Path) -> bool:
        if path == first.folder and coming and current_thread() is main_thread():  # the queue looks through them too
            begin(batches, coming.pop(), owner=BERT)
        return exists(path)

    monkeypatch.setattr(Path, "exists", begins_another)
    assert batches.find(first.id, ANNA) is not None
    assert len(batches.of(BERT)) == 1


def test_a_batch_belongs_to_its_owner_and_its_id_leads_nowhere_else(batches: Batches) -> None:
    batch = begin(batches, ["one"])
    assert len(batch.id) == 32
    assert batches.find(batch.id, BERT) is None
    assert batches.of(BERT) == []
    assert [one.id for one in batches.of(ANNA)] == [batch.id]
    assert batches.find("../" + batch.id, ANNA) is None
    assert batches.find("x" * 32, ANNA) is None


def test_why_a_batch_ended_before_its_time_is_told(batches: Batches) -> None:
    batch = begin(batches, ["it refuses"])
    until(lambda: not batch.running)
    assert batch.trouble.endswith("cannot be loaded.")
    assert batch.figures is None


def test_a_deleted_batch_is_gone(batches: Batches) -> None:
    batch = begin(batches, ["claim"] * 3, recipe="slow")
    batches.delete(batch.job)
    assert batches.of(ANNA) == []
    assert not batch.folder.exists()
    begin(batches, ["one"])


def test_only_so_many_are_kept(batches: Batches) -> None:
    batches.kind = replace(batches.kind, limits=JobLimits(kept=2))
    ids = []
    for _ in range(3):
        batch = begin(batches, ["one"])
        until(lambda: not batch.running)  # noqa: B023
        ids.append(batch.id)
    assert [one.id for one in batches.of(ANNA)] == [ids[2], ids[1]]


def test_the_plan_holds_all_that_was_asked(tmp_path: Path) -> None:
    asked = BatchRequest("c.json", ("0",), False, "quoted_passages", "bundled", "/s", ("/h",), 3, 9.0, training="/t")
    plan = Batch(None, tmp_path, asked, None).plan
    assert (plan.stores, plan.extra, plan.within, plan.cases) == (Path("/s"), ("/h",), 9.0, tmp_path / "cases")
    assert (plan.request.training, plan.request.keep_index) == ("/t", False)
    assert Batch(None, tmp_path, replace(asked, stores=""), None).plan.stores == tmp_path / "stores"
    searched = Batch(None, tmp_path, replace(asked, stores="", collection="Dossier"), None).plan
    assert (searched.stores, searched.request.keep_index) == (None, True)


def test_pages_that_look_at_once_read_each_line_once(batches: Batches) -> None:
    batch = begin(batches, [f"Claim {number}." for number in range(40)])
    until(lambda: not batch.running)
    for _ in range(20):
        batch.tail = Tail(batch.tail.path)
        with ThreadPoolExecutor(8) as pages:
            seen = [page.result() for page in [pages.submit(batch.progress) for _ in range(8)]]
        assert all(len(outcomes) == 40 for outcomes in seen)
        assert batch.tail.lines == 41


def test_claims_are_read_with_or_without_annotations() -> None:
    plain = json.dumps([{"claim": "One."}, {"claim": "Two.", "claim_id": 7}]).encode()
    claims, gold = read_claims_file("test.json", plain)
    assert ([claim.id for claim in claims], gold) == (["0", "7"], False)
    annotated = json.dumps([{"claim": "One.", "label": "Refuted", "questions": []}]).encode()
    assert read_claims_file("dev.json", annotated)[1] is True
    with pytest.raises(BadRecord):
        read_claims_file("dev.json", b"[]x")


def test_stores_of_a_zip_are_found_in_any_folder_and_never_leave_theirs() -> None:
    files = [("a/b/0.json", b"zero"), ("../../1.jsonl", b"one"), ("readme.txt", b"no"), ("9.json", b"of no claim")]
    assert stores_from_zip(files, ["0", "1", "2"]) == {"0.json": b"zero", "1.jsonl": b"one"}
    with pytest.raises(BadInput, match=r"0\.json twice"):
        stores_from_zip([("a/0.json", b""), ("b/0.json", b"")], ["0"])


def test_claims_without_a_store_are_named() -> None:
    assert without_store(["0", "1", "2"], {"0.json", "2.jsonl", "1.txt"}) == ["1"]


def test_a_servers_key_goes_to_the_workers_and_not_into_the_journal() -> None:
    model = "http://127.0.0.1:9/v1#m"
    plan = BatchPlan(Request(Claim(""), model=model), None)
    keep_key("http://127.0.0.1:9/v1", "secret")
    try:
        executor = executor_for(plan)
        assert executor.environment["VERIDESK_API_KEYS"].split()[0] == "http://127.0.0.1:9/v1=secret"
        assert "secret" not in f"{executor}{settings_of(plan)}"
    finally:
        keep_key("http://127.0.0.1:9/v1", "")
