"""A batch as one process does it: the submission, its journal, what failed, and the figures."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from core.annotations import Prediction
from core.averitec.averitec import read_submission
from core.batch.command import BatchOrder
from core.batch.journal import Tail, add_line, is_locked, journal_path, read_journal, record_of
from core.batch.report import percentile, report_lines, report_on
from core.batch.run import executor_for, run_batch
from core.batch.types import BatchPlan, Cost, Done, cost_of
from core.batch.worker import StoreCache, Worker, family, peak_bytes
from core.errors import BadInput, BadRecord, VerideskError
from core.interfaces import Models
from core.retrieval.index_cache import kept_stores
from core.settings import settings
from core.types import Claim, Completion, Label
from core.verification.request import Request
from tests.batch.executors import ExecutorHere
from tests.fakes import ScriptedModel, WordEncoder
from tests.verification.test_steps import SettledJudge

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = [Claim(f"Town {name} has a bridge.", id=str(number)) for number, name in enumerate(("Ash", "Bow", "Cop"))]


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    folder = tmp_path / "stores"
    folder.mkdir()
    for claim in CLAIMS:
        record = {"url": f"https://example.org/{claim.id}", "url2text": [claim.text, "It crosses the river."]}
        (folder / f"{claim.id}.json").write_text(json.dumps(record) + "\n")
    return folder


def plan_for(stores: Path, **settings: object) -> BatchPlan:
    return BatchPlan(replace(Request(Claim("")), **settings), stores)  # type: ignore[arg-type]


def station_at(stores: Path, **settings: object) -> Worker:
    models = Models(WordEncoder(), ScriptedModel(), SettledJudge())
    return Worker(plan_for(stores, **settings), models)


def batch(
    stores: Path, *outs: Path, claims: Sequence[Claim] = CLAIMS, retry: bool = False, **settings: object
) -> list[tuple[str, bool, bool]]:
    """Run and return (claim id, came out, had been done before) for each claim."""
    worker, results = station_at(stores, **settings), []

    def on_done(done: Done, before: bool) -> None:
        results.append((done.claim_id, done.prediction is not None, before))

    run_batch(claims, worker.plan, ExecutorHere(worker), outs, on_done, retry_failures=retry)
    return results


def test_a_store_without_text_is_called_as_in_what_was_uploaded(stores: Path) -> None:
    (stores / "1.json").write_text(json.dumps({"url": "https://example.org/1", "url2text": [""]}) + "\n")
    failed = station_at(stores).work(CLAIMS[1])
    assert "1.json" in failed.error


def test_a_submission_has_each_claim_under_its_own_id_with_its_documents_text(stores: Path, tmp_path: Path) -> None:
    assert batch(stores, tmp_path / "out.json") == [("0", True, False), ("1", True, False), ("2", True, False)]
    for prediction in read_submission(tmp_path / "out.json").predictions:
        assert prediction.claim == CLAIMS[int(prediction.claim_id)].text
        assert prediction.evidence[0].url == f"https://example.org/{prediction.claim_id}"
        assert "It crosses the river." in prediction.evidence[0].scraped_text
        assert prediction.seconds is None


def test_every_format_holds_the_same_predictions(stores: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"out{suffix}" for suffix in (".json", ".jsonl", ".csv")]
    batch(stores, *outs)
    found = [
        [(p.claim_id, p.label, [(e.question, e.answer) for e in p.evidence]) for p in read_submission(out).predictions]
        for out in outs
    ]
    assert len(found[0]) == 3
    assert found[0] == found[1] == found[2]
    assert "scraped_text" in outs[1].read_text()


def test_a_second_run_does_nothing_again(stores: Path, tmp_path: Path) -> None:
    batch(stores, tmp_path / "out.json")
    first = (tmp_path / "out.json").read_bytes()
    assert [before for _, _, before in batch(stores, tmp_path / "out.json")] == [True, True, True]
    assert (tmp_path / "out.json").read_bytes() == first


def test_a_failure_shifts_no_id_and_is_tried_again_when_asked(stores: Path, tmp_path: Path) -> None:
    broken = (stores / "1.json").read_text()
    (stores / "1.json").write_text("{")
    assert [came for _, came, _ in batch(stores, tmp_path / "out.json")] == [True, False, True]
    kept = {item.claim_id: item.claim for item in read_submission(tmp_path / "out.json").predictions}
    assert kept == {"0": CLAIMS[0].text, "2": CLAIMS[2].text}
    assert "1.json:1" in json.loads((tmp_path / "out.json.failures.json").read_text())["1"]
    (stores / "1.json").write_text(broken)
    assert batch(stores, tmp_path / "out.json")[1] == ("1", False, True)
    again = batch(stores, tmp_path / "out.json", retry=True)
    assert sorted(again) == [("0", True, True), ("1", True, False), ("2", True, True)]
    assert json.loads((tmp_path / "out.json.failures.json").read_text()) == {}
    assert [p.claim_id for p in read_submission(tmp_path / "out.json").predictions] == ["0", "1", "2"]


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9])
def test_a_journal_torn_by_a_kill_loses_at_most_the_claim_being_written(
    stores: Path, tmp_path: Path, kept: float
) -> None:
    out = tmp_path / "out.json"
    batch(stores, out)
    whole = out.read_bytes()
    journal = journal_path(out)
    journal.write_bytes(journal.read_bytes()[: int(kept * journal.stat().st_size)])
    batch(stores, out)
    assert out.read_bytes() == whole
    assert len(read_journal(journal)[1]) == 3


def test_a_changed_claim_is_worked_on_again(stores: Path, tmp_path: Path) -> None:
    batch(stores, tmp_path / "out.json")
    changed = [replace(CLAIMS[0], text="Town Ash has no bridge."), *CLAIMS[1:]]
    assert sorted(batch(stores, tmp_path / "out.json", claims=changed))[0] == ("0", True, False)


def test_a_claim_whose_date_was_corrected_is_worked_on_again(stores: Path, tmp_path: Path) -> None:
    (stores / "1.json").unlink()
    batch(stores, tmp_path / "out.json")
    changed = [replace(claim, date=date(2020, 1, number + 1)) for number, claim in enumerate(CLAIMS[:2])]
    again = batch(stores, tmp_path / "out.json", claims=[*changed, CLAIMS[2]])
    assert again == [("2", True, True), ("0", True, False), ("1", False, False)]


def test_an_id_does_not_lead_out_of_the_folder_of_stores(stores: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text((stores / "0.json").read_text())
    claims = [CLAIMS[0], *(Claim(CLAIMS[0].text, id=way) for way in ("../secret", str(tmp_path / "secret")))]
    assert [came for _, came, _ in batch(stores, tmp_path / "out.json", claims=claims)] == [True, False, False]
    assert "no name" in json.loads((tmp_path / "out.json.failures.json").read_text())["../secret"]


def test_a_fault_of_ours_costs_one_claim(stores: Path, caplog: pytest.LogCaptureFixture) -> None:
    worker = station_at(stores)
    worker.models = replace(worker.models, judge=None)  # type: ignore[arg-type]
    done = worker.work(CLAIMS[0])
    assert done.prediction is None
    assert "unexpected error" in done.error
    assert "Traceback" in caplog.text


def test_a_disk_that_is_full_is_a_sentence() -> None:
    with (
        Path("/dev/full").open("wb", buffering=0) as full,
        pytest.raises(BadInput, match="/dev/full cannot be written"),
    ):
        add_line(full, {"settings": {}})


def test_other_settings_do_not_go_on_with_a_journal(stores: Path, tmp_path: Path) -> None:
    batch(stores, tmp_path / "out.json")
    with pytest.raises(BadInput, match=r"seed 0 \(now 7\)"):
        batch(stores, tmp_path / "out.json", seed=7, model="")


def test_a_journal_that_is_none_is_named_by_its_line(tmp_path: Path) -> None:
    journal = tmp_path / "out.json.journal"
    journal.write_text('{"settings": {}}\n[]\n')
    with pytest.raises(BadRecord, match=r"journal:2"):
        read_journal(journal)


def test_a_tail_reads_only_what_came_since(stores: Path, tmp_path: Path) -> None:
    done = Done("4", None, "It failed.", 1.5, Cost(1, 2, 3, 4), ("less",), "here:1", 5)
    path = tmp_path / "out.journal"
    lines = [json.dumps({"settings": {"seed": 3}}), json.dumps(record_of(done)), json.dumps(record_of(done))]
    path.write_text("\n".join(lines[:2]) + "\n" + lines[2][:9])
    tail = Tail(path)
    assert (tail.read(), tail.settings) == ([done], {"seed": 3})
    assert tail.read() == []
    path.write_text("\n".join(lines) + "\n")
    assert tail.read() == [done]


@contextmanager
def in_another_process(code: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run Python that says something when it is ready and goes on until its input ends."""
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        yield child
        child.communicate()


HOLD = """
import sys
from pathlib import Path
from core.batch.journal import locked
with locked(Path(sys.argv[1])):
    print("ready", flush=True)
    sys.stdin.read()
"""
USE_MEMORY = """
import sys
block = bytearray(b"x" * 80_000_000)
print("ready", flush=True)
sys.stdin.read()
"""


def test_two_runs_never_write_one_journal(tmp_path: Path, stores: Path) -> None:
    out = tmp_path / "out.json"
    with in_another_process(HOLD, str(journal_path(out))):
        assert is_locked(journal_path(out))
        with pytest.raises(BadInput, match="Another run is writing"):
            batch(stores, out)
    assert not is_locked(journal_path(out))


def test_a_claim_without_a_store_says_which_file_is_missing_and_costs_no_other(stores: Path, tmp_path: Path) -> None:
    (stores / "1.json").unlink()
    assert [came for _, came, _ in batch(stores, tmp_path / "out.json")] == [True, False, True]
    assert "1.json or .jsonl" in json.loads((tmp_path / "out.json.failures.json").read_text())["1"]


def test_a_store_is_read_once_until_it_changes(stores: Path) -> None:
    cache = StoreCache()
    path = stores / "0.json"
    first = cache.store(path)
    assert cache.store(path) is first
    (stores / "0.json").write_text(json.dumps({"url": "https://example.org/new", "url2text": ["Changed."]}) + "\n")
    assert cache.store(path).documents[0].text == "Changed."


def test_a_kept_index_is_named_by_its_store(stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    worker = station_at(stores, keep_index=True)
    assert worker.work(CLAIMS[0]).prediction
    assert [kept.name for kept in kept_stores(settings().indexes)] == ["0.json"]


def test_the_cache_forgets_what_was_used_longest_ago(stores: Path) -> None:
    cache = StoreCache(most_text=1)
    first = cache.store(stores / "0.json")
    cache.store(stores / "1.json")
    assert list(cache.kept) == [stores / "1.json"]
    assert cache.store(stores / "0.json") == first


def done(claim_id: str, seconds: float, worker: str, peak: int, *left_out: str) -> Done:
    prediction = Prediction(claim_id, "c", Label.REFUTED, ())
    return Done(claim_id, prediction, "", seconds, Cost(2, 100, 60, 10), left_out, worker, peak)


def test_the_report_adds_tokens_up_and_takes_each_workers_peak_once() -> None:
    outcome = [
        done("0", 1.0, "a", 5_000_000_000),
        done("1", 3.0, "a", 7_000_000_000, "Ask: 4 passages of 10"),
        done("2", 2.0, "b", 1_000_000_000),
        Done("3", None, "Search: no store.", 9.0, worker="b", peak_bytes=500),
    ]
    report = report_on(outcome)
    assert (report.median_seconds, report.tail_seconds, report.slowest_seconds) == (2.0, 3.0, 3.0)
    assert report.cost == Cost(6, 300, 180, 30)
    assert (report.workers, report.peak_bytes) == (2, 8_000_000_000)
    assert report.failures == {"3": "Search: no store."}
    said = "\n".join(report_lines(report))
    for words in ("4 claims, 1 failure", "8.00 GB", "claim 1: Ask: 4 passages of 10", "claim 3 FAILED"):
        assert words in said, words


def test_workers_of_an_earlier_run_are_not_added_to_those_of_the_last() -> None:
    before, after, beside = (
        replace(done("0", 4.0, "a", 3_000_000_000), ended=100.0),
        replace(done("1", 4.0, "b", 2_000_000_000), ended=200.0),
        replace(done("2", 4.0, "c", 2_500_000_000), ended=202.0),
    )
    report = report_on([before, after, beside])
    assert (report.workers, report.peak_bytes) == (2, 4_500_000_000)
    assert (report_on([before, after]).workers, report_on([before, after]).peak_bytes) == (1, 3_000_000_000)


def test_percentiles_of_few_values_are_values() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 0.95) == 4.0
    assert percentile([float(n) for n in range(1, 101)], 0.95) == 95.0
    assert percentile([], 0.95) is None


def test_costs_are_the_sums_of_the_completions() -> None:
    completions = [Completion((), "x", 100, 60, 7, 0.1, 0), Completion((), "y", 50, 0, 3, 0.1, 0)]
    assert cost_of(completions) == Cost(2, 150, 60, 10)


def test_the_memory_of_children_counts() -> None:
    before = peak_bytes()
    if before is None:
        pytest.skip("this system has no /proc")
    with in_another_process(USE_MEMORY) as child:
        during = peak_bytes()
        assert during is not None
        assert during - before > 80_000_000
        assert child.pid in family(os.getpid())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"workers": 2, "scheduler": "tcp://a:1"}, "leave out --workers"),
        ({"recipe": "guess"}, "no recipe 'guess'"),
        ({"stores": Path("/nowhere")}, "/nowhere is no folder"),
    ],
)
def test_what_is_wrong_is_said_before_models_are_loaded(
    words: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    asked = BatchOrder(claims=Path("c.json"), stores=tmp_path, out=(tmp_path / "o.json",))
    assert asked.plan.stores == tmp_path
    with pytest.raises(BadInput, match=sentence):
        assert replace(asked, **words).plan  # type: ignore[arg-type]


def test_without_dask_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "core.dask_executor", raising=False)
    with pytest.raises(VerideskError) as refused:
        executor_for(BatchPlan(Request(Claim("")), Path()), scheduler="tcp://127.0.0.1:9")
    command = str(refused.value).rpartition(": ")[2]
    pin = next(line for line in (ROOT / "requirements-dev.txt").read_text().splitlines() if "distributed" in line)
    assert command == f"pip install {pin.split()[0]}"
