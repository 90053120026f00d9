"""The table of jobs, on both kinds of database: owners, searching, who takes a job, and what becomes of it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.jobs.store import JobStore
from core.jobs.types import STALE_SECONDS, Job, JobResult, Listed, State
from core.storage.store import Store
from tests.fakes import Clock

ANNA, BERT = "a" * 64, "b" * 64
KINDS = {"verify": ()}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jobs(made_database_url: str, clock: Clock) -> JobStore:
    return JobStore(Store(made_database_url, clock=clock))


def add(jobs: JobStore, title: str = "x", owner: str = ANNA, *, about: str = "", slot: str = "", tries: int = 1) -> str:
    jobs.store.clock.now += 0.001  # type: ignore[attr-defined]
    listed = Listed(title, {"recipe": "quoted"}, about, uses="bundled", slot=slot)
    return jobs.add("verify", owner, listed, {"claim": title}, tries=tries)


def take(jobs: JobStore, server: str = "one") -> Job | None:
    return jobs.claim(KINDS, server=server, place="")


def done(jobs: JobStore, label: str) -> None:
    job = take(jobs)
    assert job
    assert jobs.end(job.id, "one", State.DONE, 6.5, error="", result=JobResult({"evidence": []}, label))


def test_progress_does_not_write_the_request_anew(tmp_path: Path, empty_database: Path, clock: Clock) -> None:
    """A request may be 100 MB. SQLite writes a changed row whole, and a job reports twice a second."""
    path = tmp_path / "veridesk.db"
    path.write_bytes(empty_database.read_bytes())
    jobs = JobStore(Store(f"sqlite:///{path}", clock=clock))
    jobs.add("verify", ANNA, Listed("x"), {"claim": "x" * 3_000_000}, tries=1)
    job = take(jobs)
    assert job
    with jobs.store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    for done in range(20):
        jobs.advance(job.id, "one", {"done": 10**done})
        jobs.beat("one")
    assert path.with_name("veridesk.db-wal").stat().st_size < 1_000_000
    jobs.store.engine.dispose()


def state(jobs: JobStore, job_id: str) -> State:
    status = jobs.status(job_id, ANNA)
    assert status
    return status.state


def test_a_job_is_found_by_its_owner_and_by_nobody_else(jobs: JobStore) -> None:
    job_id = add(jobs, "The moon is cheese.")
    mine = jobs.load(job_id, ANNA)
    assert mine
    assert (mine.title, mine.state, mine.request) == ("The moon is cheese.", State.WAITING, {"claim": mine.title})
    assert (jobs.load(job_id, BERT), jobs.status(job_id, BERT), jobs.cancel(job_id, BERT)) == (None, None, None)
    assert jobs.search(BERT, "verify").entries == ()
    assert jobs.delete(job_id, BERT) is False
    assert jobs.delete(job_id, ANNA) is True


def test_ids_are_long_and_differ(jobs: JobStore) -> None:
    ids = {add(jobs) for _ in range(20)}
    assert len(ids) == 20
    assert min(len(job_id) for job_id in ids) == 32  # 24 random bytes in base64


def test_a_job_passes_through_its_states(jobs: JobStore, clock: Clock) -> None:
    job_id = add(jobs)
    clock.now = 1_002.0
    assert take(jobs)
    jobs.advance(job_id, "one", {"stage": "Search"})
    running = jobs.load(job_id, ANNA)
    assert running
    assert (running.state, running.started, running.progress) == (State.RUNNING, 1_002.0, {"stage": "Search"})
    jobs.end(job_id, "one", State.DONE, 6.5, error="", result=JobResult({"evidence": []}, "Refuted"))
    ended = jobs.load(job_id, ANNA)
    assert ended
    assert (ended.state, ended.result, ended.label, ended.seconds) == (State.DONE, {"evidence": []}, "Refuted", 6.5)
    clock.now += 1e6
    assert state(jobs, job_id) is State.DONE


def test_the_oldest_is_taken_first_and_each_once(jobs: JobStore) -> None:
    first, second = add(jobs), add(jobs)
    taken = [take(jobs, "one"), take(jobs, "two"), take(jobs, "one")]
    assert [job.id if job else None for job in taken] == [first, second, None]


def test_full_slots_other_kinds_and_other_places_are_passed_by(jobs: JobStore) -> None:
    add(jobs, slot="busy")
    free = add(jobs, slot="free")
    assert jobs.claim({"score": ()}, server="one", place="") is None
    assert jobs.claim({}, server="one", place="") is None
    here = jobs.claim({"verify": ["busy"]}, server="one", place="")
    assert here
    assert here.id == free
    local = jobs.add("download", ANNA, Listed("x"), {}, place="machine:home", tries=1)
    assert jobs.claim({"download": ()}, server="two", place="elsewhere:home") is None
    found = jobs.claim({"download": ()}, server="one", place="machine:home")
    assert found
    assert found.id == local


def test_many_at_once_take_each_job_once(made_database_url: str) -> None:
    store = Store(made_database_url)
    jobs = JobStore(store)
    ids = {jobs.add("verify", ANNA, Listed(str(n)), {}, tries=1) for n in range(24)}
    servers, begin = 6, threading.Barrier(6)

    def work(server: int) -> list[str]:
        begin.wait(300)
        taken = []
        while job := jobs.claim(KINDS, server=str(server), place=""):
            taken.append(job.id)
        return taken

    with ThreadPoolExecutor(servers) as threads:
        taken = [job_id for found in threads.map(work, range(servers)) for job_id in found]
    left = []
    while job := jobs.claim(KINDS, server="last", place=""):  # what all skipped at the same moment
        left.append(job.id)
    assert sorted([*taken, *left]) == sorted(ids)


def test_a_job_whose_server_fell_silent_is_interrupted(jobs: JobStore, clock: Clock) -> None:
    job_id = add(jobs)
    assert take(jobs)
    clock.now += STALE_SECONDS
    assert state(jobs, job_id) is State.RUNNING
    clock.now += 0.1
    assert state(jobs, job_id) is State.INTERRUPTED
    assert take(jobs, "two") is None
    assert jobs.beat("one") == {job_id: False}
    assert state(jobs, job_id) is State.RUNNING


def test_one_that_can_be_begun_anew_is_taken_over_once(jobs: JobStore, clock: Clock) -> None:
    job_id = add(jobs, tries=2)
    assert take(jobs, "one")
    assert take(jobs, "two") is None
    clock.now += STALE_SECONDS + 1
    assert state(jobs, job_id) is State.WAITING
    again = take(jobs, "two")
    assert again
    assert again.id == job_id
    # What the first server still writes does not count: it is not its job any more.
    assert jobs.beat("one") == {}
    assert jobs.end(job_id, "one", State.DONE, 1.0, error="", result=JobResult({"by": "one"})) is False
    assert state(jobs, job_id) is State.RUNNING
    clock.now += STALE_SECONDS + 1
    assert (state(jobs, job_id), take(jobs, "three")) == (State.INTERRUPTED, None)


def test_what_is_released_can_be_taken_at_once(jobs: JobStore) -> None:
    add(jobs, tries=2)
    job = take(jobs)
    assert job
    jobs.release(job.id, "one")
    assert take(jobs, "two")


def test_a_waiting_job_is_cancelled_at_once_and_a_running_one_is_asked(jobs: JobStore) -> None:
    running, waiting = add(jobs), add(jobs)
    assert take(jobs)
    assert jobs.cancel(waiting, ANNA) is State.WAITING
    assert state(jobs, waiting) is State.CANCELLED
    assert jobs.cancel(running, ANNA) is State.RUNNING
    assert jobs.beat("one") == {running: True}
    assert [status.stop for job_id in (running, waiting) if (status := jobs.status(job_id, ANNA))] == [True, False]
    assert jobs.cancel(waiting, ANNA) is None


def test_who_waits_knows_how_many_are_ahead_in_the_slot(jobs: JobStore) -> None:
    ids = [add(jobs) for _ in range(3)]
    other = add(jobs, slot="server")
    take(jobs)
    ahead = [jobs.ahead(status) for job_id in (*ids, other) if (status := jobs.status(job_id, ANNA))]
    assert ahead == [0, 1, 2, 0]


def test_a_model_is_in_use_while_a_job_waits_or_runs(jobs: JobStore) -> None:
    add(jobs)
    assert (jobs.using("bundled"), jobs.using("other")) == ("verify", "")
    done(jobs, "Refuted")
    assert jobs.using("bundled") == ""


def test_what_has_ended_can_be_resumed_and_what_lives_not(jobs: JobStore) -> None:
    job_id = add(jobs)
    assert jobs.resume(job_id, ANNA, tries=1, request=None) is False
    done(jobs, "Refuted")
    assert jobs.resume(job_id, BERT, tries=1, request=None) is False
    assert jobs.resume(job_id, ANNA, tries=1, request={"again": True}) is True
    again = jobs.load(job_id, ANNA)
    assert again
    assert (again.state, again.label, again.result, again.request) == (State.WAITING, "", None, {"again": True})


def test_search_ignores_case_and_takes_wildcards_literally(jobs: JobStore) -> None:
    add(jobs, "Über 100% der Stimmen")
    add(jobs, "A hundred people voted", about="Jane Doe")
    words = ("über", "0%", "jane", "%")
    found = {text: [entry.title for entry in jobs.search(ANNA, "verify", text).entries] for text in words}
    assert found == {
        "über": ["Über 100% der Stimmen"],
        "0%": ["Über 100% der Stimmen"],
        "jane": ["A hundred people voted"],
        "%": ["Über 100% der Stimmen"],
    }


def test_listing_is_newest_first_counts_all_and_is_of_one_kind(jobs: JobStore) -> None:
    for title in ("first", "second", "third"):
        add(jobs, title)
    jobs.add("score", ANNA, Listed("a run"), {}, tries=1)
    add(jobs, "elsewhere", BERT, slot="there")
    add(jobs, "here", BERT, slot="here")
    assert [entry.title for entry in jobs.search(BERT, "verify", slot="here").entries] == ["here"]
    page = jobs.search(ANNA, "verify", limit=2)
    assert [entry.title for entry in page.entries] == ["third", "second"]
    assert page.total == 3
    assert [entry.title for entry in jobs.search(ANNA, "verify", limit=2, offset=2).entries] == ["first"]


def test_the_label_finds_finished_jobs_alone(jobs: JobStore) -> None:
    add(jobs, "sure")
    done(jobs, "Refuted")
    add(jobs, "doubtful")
    done(jobs, "Cannot tell")
    add(jobs, "still waiting")
    assert [entry.title for entry in jobs.search(ANNA, "verify", label="Refuted").entries] == ["sure"]
    assert [entry.title for entry in jobs.search(ANNA, "verify", label="Cannot tell").entries] == ["doubtful"]


def test_folders_hold_their_owners_jobs_only(jobs: JobStore) -> None:
    mine, other, theirs = add(jobs, "One"), add(jobs, "Two"), add(jobs, "Three", BERT)
    odd = 'Bridge "100 %" _Ä\\'
    for job, owner in ((mine, ANNA), (theirs, BERT), (other, BERT)):
        jobs.rename(job, owner, "x", {"recipe": "quoted", "folder": odd})
    assert [one.id for one in jobs.search(ANNA, "verify", folder=odd).entries] == [mine]
    assert jobs.search(ANNA, "verify", folder='Bridge "100 %"').entries == ()
    assert jobs.folders(ANNA, "verify") == [odd]
    jobs.rename(mine, ANNA, "x", {"recipe": "quoted", "folder": ""})
    assert jobs.folders(ANNA, "verify") == []
