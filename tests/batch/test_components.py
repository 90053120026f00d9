"""A batch that goes one component after the other: the same submission, and a kill costs one step of one claim."""

from __future__ import annotations

import json
import zlib
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.batch.report import report_on
from core.batch.run import run_batch, source_for
from core.batch.types import Done, Plan, Source
from core.batch.underway import AT_WORK, SETTINGS, AtWork, Checkpoint, CheckpointFolder, at_work, put, underway_path
from core.batch.worker import Worker
from core.cli.batch import add_arguments, check, component_line
from core.errors import BadInput, BadRecord, ModelError
from core.interfaces import Schema, Stop, never
from core.types import Case, Claim, Prompt
from core.verification.receipt import case_from_json, case_to_json
from core.verification.recipes.catalogue import RECIPES
from core.verification.runner import Request, Workbench, investigate
from core.verification.verdict.judges import HeadJudge
from tests.fakes import DOCUMENTS, TOWER, ScriptedModel, WordEncoder

CLAIMS = [Claim(f"Town {name} has a bridge.", id=str(number)) for number, name in enumerate(("Ash", "Bow", "Cop"))]
WORDS = "oak elm ash fir yew box bay fig gum ivy".split()


class Killed(BaseException):
    """Stands for SIGKILL: nothing catches it."""


class Neighbourly(WordEncoder):
    """Like the real encoder, it encodes a text a little differently with other texts beside it; here it shows."""

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        rows = super().encode(texts, stop=stop)
        rows[:, len(texts) % 64] += 0.4
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9).astype(np.float32)


class EchoModel(ScriptedModel):
    """Asks of each prompt what it says, or breaks off as told."""

    dies_at = -1
    fails_on = "\0"

    def said(self, prompt: Prompt, seed: int) -> str:
        if len(self.asked) == self.dies_at:
            raise Killed
        if any(self.fails_on in message.text for message in prompt):
            raise ModelError("The model refuses.")
        varied = zlib.crc32(f"{seed} {prompt}".encode()) % 7
        words = " ".join(f"{varied} {prompt[-1].text[-40:]}".split())
        schema = self.schemas[-1] if self.schemas else None
        return json.dumps(filled(schema, words)) if schema else f"Does it say {words}?"


def filled(schema: Schema, words: str) -> object:
    """Return the smallest value under a schema, its texts made of these words."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: filled(inner, f"{name} {words}") for name, inner in schema["properties"].items()}
    if schema["type"] == "array":
        return [filled(schema["items"], f"{words} {number}") for number in range(schema.get("minItems", 2))]
    return schema.get("minimum", 1) if schema["type"] == "integer" else words


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    folder = tmp_path / "stores"
    folder.mkdir()
    for claim in CLAIMS:
        texts = [f"The bridge of {word} crosses the river. {claim.text} It is made of {word}." for word in WORDS]
        records = [
            {"url": f"https://example.org/{claim.id}/{word}", "url2text": [text]}
            for word, text in zip(WORDS, texts, strict=True)
        ]
        (folder / f"{claim.id}.json").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


class Bench:
    """One batch with fakes for the models, in either order, and what was asked of them."""

    def __init__(self, stores: Path, monkeypatch: pytest.MonkeyPatch, **settings: object) -> None:
        self.plan = Plan(replace(Request(Claim("")), **settings), stores)  # type: ignore[arg-type]
        self.encoder, self.llm = Neighbourly(), EchoModel()
        self.told: list[AtWork] = []
        judge = HeadJudge("quoted_passages")
        bench = Workbench(self.encoder, self.llm, judge, stores)
        monkeypatch.setattr("core.batch.components.open_worker", lambda plan: Worker(plan, bench))
        monkeypatch.setattr("core.batch.run.open_worker", lambda plan: Worker(plan, bench))

    def run(self, out: Path, *, by_components: bool, retry: bool = False) -> list[Done]:
        underway = underway_path(out) if by_components else None
        source: Source = source_for(self.plan, underway=underway, told=self.told.append)
        return [done for done, _ in run_batch(CLAIMS, self.plan, source, [out], retry_failures=retry)]


def submission(out: Path) -> tuple[bytes, bytes]:
    return out.read_bytes(), out.with_name(out.name + ".failures.json").read_bytes()


@pytest.mark.parametrize("recipe", RECIPES)
def test_both_orders_write_the_same_bytes(
    recipe: str, stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_claim, by_component = tmp_path / "claims.json", tmp_path / "components.json"
    first = Bench(stores, monkeypatch, recipe=recipe).run(by_claim, by_components=False)
    second = Bench(stores, monkeypatch, recipe=recipe).run(by_component, by_components=True)
    assert submission(by_component) == submission(by_claim)
    costs = [{done.claim_id: (done.cost, done.error) for done in outcome} for outcome in (first, second)]
    assert costs[0] == costs[1]
    assert not underway_path(by_component).exists()


def test_the_usual_recipe_comes_to_evidence_with_these_fakes(
    stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = Bench(stores, monkeypatch).run(tmp_path / "out.json", by_components=True)
    assert [len(done.prediction.evidence) for done in outcome if done.prediction] == [10, 10, 10]


def test_a_component_is_done_for_all_claims_before_the_next_begins(
    stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(stores, monkeypatch)
    outcome = bench.run(tmp_path / "out.json", by_components=True)
    titles = ["Read and index the documents", *(step.title for step in RECIPES["quoted_passages"].steps)]
    count = len(titles)
    assert [(one.component, one.position, one.components, one.done, one.claims) for one in bench.told] == [
        (title, place, count, done, 3) for place, title in enumerate(titles, start=1) for done in range(4)
    ]
    assert component_line(bench.told[2]) == f"component 1 of {count}  Read and index the documents: 2 of 3 claims"
    assert all(done.seconds > 0 for done in outcome)


@pytest.mark.parametrize("dies_at", [1, 9, 14, 30])
def test_a_kill_in_a_step_costs_that_step_of_that_claim_alone(
    dies_at: int, stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed, out = tmp_path / "undisturbed.json", tmp_path / "out.json"
    whole = Bench(stores, monkeypatch)
    whole.run(undisturbed, by_components=True)
    killed = Bench(stores, monkeypatch)
    killed.llm.dies_at = dies_at
    with pytest.raises(Killed):
        killed.run(out, by_components=True)
    again = Bench(stores, monkeypatch)
    again.run(out, by_components=True)
    assert submission(out) == submission(undisturbed)
    asked_in_step = dies_at - (dies_at - 1) // 10 * 10  # ten passages a claim
    assert len(killed.llm.asked) + len(again.llm.asked) == len(whole.llm.asked) + asked_in_step
    assert not any("Read and index" in one.component and one.done < 3 for one in again.told)


class DyingDisk:
    """Writes files as `put` does, until it dies: with half of a file beside its place, or just after it was moved."""

    def __init__(self, writes: int, *, torn: bool) -> None:
        self.writes, self.torn = writes, torn

    def put(self, file: Path, content: bytes) -> None:
        self.writes -= file.name not in (AT_WORK, SETTINGS)
        if self.writes <= 0 and self.torn:
            file.with_name(f".{file.name}.new").write_bytes(content[: len(content) // 2])
            raise Killed
        put(file, content)
        if self.writes <= 0:
            raise Killed


@pytest.mark.parametrize("torn", [True, False])
def test_a_kill_at_every_second_write_ends_with_the_same_submission(
    torn: bool, stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed, out = tmp_path / "undisturbed.json", tmp_path / "out.json"
    Bench(stores, monkeypatch).run(undisturbed, by_components=True)
    kills = 0
    while not out.exists() and kills < 50:
        monkeypatch.setattr("core.batch.underway.put", DyingDisk(2, torn=torn).put)
        try:
            Bench(stores, monkeypatch).run(out, by_components=True)
        except Killed:
            kills += 1
    assert kills > 5
    assert submission(out) == submission(undisturbed)


def test_a_failing_claim_stops_no_other_and_can_be_tried_again(
    stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, by_claim = tmp_path / "out.json", tmp_path / "claims.json"
    (stores / "0.json").rename(stores / "away")
    for path, by_components in ((out, True), (by_claim, False)):
        bench = Bench(stores, monkeypatch)
        bench.llm.fails_on = "Town Bow"
        outcome = bench.run(path, by_components=by_components)
        assert sorted(done.claim_id for done in outcome) == ["0", "1", "2"]
    assert submission(out) == submission(by_claim)
    failures = json.loads((tmp_path / "out.json.failures.json").read_text())
    assert failures["0"].startswith("Find the store: ")
    assert failures["1"] == "Ask what each passage answers: The model refuses."
    (stores / "away").rename(stores / "0.json")
    again = Bench(stores, monkeypatch).run(out, by_components=True, retry=True)
    assert all(done.prediction for done in again)


def test_what_one_order_finished_the_other_goes_on_with(
    stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed, out = tmp_path / "undisturbed.json", tmp_path / "out.json"
    Bench(stores, monkeypatch).run(undisturbed, by_components=False)
    killed = Bench(stores, monkeypatch)
    killed.llm.dies_at = 15  # in the second claim
    with pytest.raises(Killed):
        killed.run(out, by_components=False)
    killed = Bench(stores, monkeypatch)
    killed.llm.dies_at = 5
    with pytest.raises(Killed):
        killed.run(out, by_components=True)
    assert killed.told[0].claims == 2
    assert underway_path(out).exists()
    Bench(stores, monkeypatch).run(out, by_components=False)
    assert submission(out) == submission(undisturbed)
    assert not underway_path(out).exists()


def test_what_another_plan_left_is_not_gone_on_with(
    stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = CheckpointFolder(tmp_path / "kept")
    kept.begin(Plan(Request(Claim("")), stores))
    kept.write(CLAIMS[0], Checkpoint(Case(CLAIMS[0]), 2, 1.5))
    kept.begin(Plan(Request(Claim("")), stores))
    assert kept.components_of(CLAIMS[0]) == 2
    assert kept.components_of(replace(CLAIMS[0], speaker="Someone")) == 0  # a claim that was changed
    kept.begin(Plan(Request(Claim(""), recipe="evidence_first"), stores))
    assert kept.components_of(CLAIMS[0]) == 0


def test_documents_that_change_underway_fail_their_claim(
    stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, out = Bench(stores, monkeypatch), tmp_path / "out.json"

    def told(standing: AtWork) -> None:
        if standing.position == 1 and standing.done == 3:
            (stores / "2.json").write_text(json.dumps({"url": "https://example.org", "url2text": ["New."]}) + "\n")

    bench.told = type("Told", (), {"append": staticmethod(told)})()  # type: ignore[assignment]
    bench.run(out, by_components=True)
    failures = json.loads((tmp_path / "out.json.failures.json").read_text())
    assert list(failures) == ["2"]
    assert "The documents have changed" in failures["2"]


def test_a_case_comes_back_from_disk_as_it_was(stores: Path, tmp_path: Path) -> None:
    bench = Workbench(Neighbourly(), EchoModel(), HeadJudge("quoted_passages"), tmp_path)
    case = investigate(Request(TOWER, documents=DOCUMENTS), bench)
    assert isinstance(case, Case)
    assert case.verdict
    assert case.completions
    assert case.times
    case = replace(case, notes=("A note with \ud800 and “quotes”.",), questions=("Is it?",))
    assert case_from_json(json.loads(json.dumps(case_to_json(case)))) == case
    kept = CheckpointFolder(tmp_path)
    vectors = {"": np.array([0.1, -1e-30], np.float32), "tower": np.array([1 / 3, 2.0], np.float32)}
    kept.write(TOWER, Checkpoint(case, 3, 0.1 + 0.2, vectors))
    read = kept.read(TOWER)
    assert (read.case, read.components, read.seconds) == (case, 3, 0.1 + 0.2)
    assert list(read.case.verdict.probabilities) == list(case.verdict.probabilities)  # type: ignore[union-attr]
    assert {text: row.tobytes() for text, row in read.vectors.items()} == {
        text: row.tobytes() for text, row in vectors.items()
    }


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    kept = CheckpointFolder(tmp_path)
    kept.write(TOWER, Checkpoint(Case(TOWER), 1))
    file = next(tmp_path.glob("*.json"))
    file.write_bytes(b"{")
    with pytest.raises(BadRecord, match=f"{file.name} is damaged .* delete it"):
        kept.read(TOWER)


def test_a_disk_that_takes_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot be written .* what is done is kept"):
        CheckpointFolder(tmp_path / "nowhere").write(TOWER, Checkpoint(Case(TOWER)))


def test_what_is_at_work_can_be_read_beside_it(tmp_path: Path) -> None:
    assert at_work(tmp_path) is None
    standing = AtWork("Search the documents", 2, 5, 1, 3)
    CheckpointFolder(tmp_path).tell(standing)
    assert at_work(tmp_path) == standing


def test_two_runs_one_after_the_other_are_one_worker_at_a_time() -> None:
    first = Done("0", None, "x", 40.0, worker="a", peak_bytes=3, ended=140.0, began=100.0)
    second = Done("1", None, "x", 90.0, worker="b", peak_bytes=2, ended=160.0, began=150.0)
    assert (report_on([first, second]).workers, report_on([first, second]).peak_bytes) == (1, 3)
    assert report_on([first, replace(second, began=None)]).workers == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--within", "60"], "Leave out --within, or give --order claims"),
        (["--workers", "2"], "Leave out --workers, or give --order claims"),
        (["--scheduler", "tcp://a:1"], "Leave out --scheduler, or give --order claims"),
    ],
)
def test_what_does_not_go_with_components_is_refused_and_why(words: list[str], sentence: str, tmp_path: Path) -> None:
    parser = ArgumentParser()
    add_arguments(parser)
    needed = ["--claims", "c.json", "--stores", str(tmp_path), "--out", str(tmp_path / "o.json")]
    check(parser.parse_args([*needed, "--order", "components"]))
    check(parser.parse_args([*needed, *words]))
    with pytest.raises(BadInput, match=sentence):
        check(parser.parse_args([*needed, "--order", "components", *words]))
