"""Keeping a claim inside its time: what is done less, what is said of it, and that no verdict is ever made up."""

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.batch.time_limit import SHARES, Speeds, TimeBudget, at_shares, left_out, scale_down, truncate
from core.batch.types import BatchPlan, Done
from core.batch.worker import Worker
from core.errors import Cancelled
from core.interfaces import Models, Stop, never
from core.llm.caching import caching_model
from core.types import Case, Claim, Completion, Document, Evidence, Hit, Message, Passage, Prompt
from core.verification.receipt import receipt_from_json, same_findings
from core.verification.recipes.catalogue import RECIPES, recipe_named
from core.verification.request import Request
from core.verification.runner import investigate
from core.verification.steps.asking import AskOfPassages
from core.verification.steps.retrieving import Retrieve
from tests.fakes import Clock, ScriptedModel, WordEncoder
from tests.verification.test_steps import SettledJudge

CLAIM = Claim("Town Ash has a bridge over the river.", id="0")
WORDS = "oak elm ash fir yew box bay fig gum ivy".split()


@dataclass
class SlowModel(ScriptedModel):
    """Takes `seconds` to write, and asks after each hundredth whether to stop."""

    clock: Clock = field(default_factory=Clock)
    seconds: float = 1.0
    written: int = 0

    def generate(self, prompt: Prompt, *, stop: Stop = never, **options: Any) -> Completion:
        for _ in range(100):
            self.clock.now += self.seconds / 100
            if stop():
                raise Cancelled("Stopped.")
        self.written += 1
        return super().generate(prompt, **options)

    def said(self, prompt: Prompt, seed: int) -> str:
        word = prompt[-1].text.rpartition("The bridge of ")[2].split()[0]
        return f"What of the bridge {' '.join(word)}?"  # letters apart: the encoder takes some words for the same


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    records = [
        {"url": f"https://example.org/{word}", "url2text": [f"The bridge of {word} crosses the river Ash in town."]}
        for word in WORDS
    ]
    for claim_id in range(4):
        (tmp_path / f"{claim_id}.json").write_text("".join(json.dumps(record) + "\n" for record in records))
    return tmp_path


def worker(stores: Path, monkeypatch: pytest.MonkeyPatch, *, within: float | None, seconds: float = 1.0) -> Worker:
    clock = Clock()
    monkeypatch.setattr("core.batch.worker.TimeBudget", lambda *given: TimeBudget(*given, clock=clock))
    monkeypatch.setattr("core.batch.worker.time.perf_counter", clock)
    models = Models(WordEncoder(), SlowModel(clock=clock, seconds=seconds), SettledJudge())
    return Worker(BatchPlan(Request(Claim("")), stores, within=within), models)


def pairs(done: Done) -> int:
    assert done.prediction, done.error
    return len(done.prediction.evidence)


@pytest.mark.parametrize("within", [None, 60.0])
def test_with_time_enough_everything_is_done(
    stores: Path, monkeypatch: pytest.MonkeyPatch, within: float | None
) -> None:
    done = worker(stores, monkeypatch, within=within).work(CLAIM)
    assert (pairs(done), done.seconds, done.left_out) == (10, pytest.approx(10.0), ())


def test_the_first_claim_stops_in_the_middle_and_keeps_what_it_had(
    stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = worker(stores, monkeypatch, within=6.0)
    done = here.work(CLAIM)
    assert done.seconds <= 6.0
    assert pairs(done) == 5  # 6 s less what is kept free: five whole generations, and ten times .5
    assert [one.partition(": ")[2] for one in done.left_out] == ["5 of 10 passages"]
    assert done.cost.generations == 5
    assert here.models.llm.written == 5  # type: ignore[attr-defined]  # doing it again asked nothing anew


def test_a_claim_of_which_less_was_done_comes_out_the_same_again(stores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = worker(stores, monkeypatch, within=6.0)
    here.plan = replace(here.plan, cases=stores / "cases")
    here.work(CLAIM)
    (receipt,) = (stores / "cases").iterdir()
    record = json.loads(receipt.read_text())
    request, before, *_ = receipt_from_json(record)
    again = investigate(request, here.models, run_step=at_shares(record["shares"]))
    assert min(record["shares"]) == 0.5
    assert isinstance(again, Case)
    assert same_findings(before, again) == []


def test_the_next_claim_knows_the_speed_and_plans(stores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = worker(stores, monkeypatch, within=6.0)
    here.work(CLAIM)
    done = here.work(Claim(CLAIM.text, id="1"))
    assert done.seconds == pytest.approx(4.0)  # nothing begun that had to be thrown away
    assert [one.partition(": ")[2] for one in done.left_out] == ["4 of 10 passages"]


def test_when_it_becomes_quicker_all_is_done_again(stores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = worker(stores, monkeypatch, within=6.0)
    here.work(CLAIM)
    here.models.llm.seconds = 0.1  # type: ignore[attr-defined]
    for claim_id in "123":
        done = here.work(Claim(CLAIM.text, id=claim_id))
    assert (pairs(done), done.left_out) == (10, ())


def test_where_nothing_can_be_done_in_time_it_is_a_failure_and_no_verdict(
    stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = worker(stores, monkeypatch, within=2.0, seconds=4.0).work(CLAIM)
    assert done.prediction is None
    assert "could not be done" in done.error
    assert "The 2 s" in done.error
    assert done.seconds <= 2.0


def test_the_user_who_stops_is_not_a_deadline(stores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = worker(stores, monkeypatch, within=6.0)
    clock: Clock = here.models.llm.clock  # type: ignore[attr-defined]
    with pytest.raises(Cancelled):
        here.work(CLAIM, stop=lambda: clock.now > 1_002.0)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("recipe", RECIPES)
def test_every_step_of_every_recipe_can_be_done_less(recipe: str, share: float) -> None:
    for step in recipe_named(recipe).steps:
        lesser = scale_down(step, share)
        assert type(lesser) is type(step)
        assert (lesser == step) == (left_out(step, lesser, Case(CLAIM), Case(CLAIM), examples=True) == "")


def test_amounts_are_lessened_and_nothing_else() -> None:
    assert scale_down(Retrieve(pool=100, keep=40), 0.5) == Retrieve(pool=50, keep=20)
    assert scale_down(Retrieve(pool=1), 0.1).pool == 1  # type: ignore[attr-defined]
    assert scale_down(AskOfPassages(examples=10), 0.1) == AskOfPassages(examples=1)
    told = left_out(Retrieve(), scale_down(Retrieve(), 0.5), Case(CLAIM), Case(CLAIM), examples=False)
    assert re.findall(r"(pool|keep) (\d+)\D+(\d+)", told) == [("pool", "50", "100"), ("keep", "20", "40")]


def test_fewer_examples_are_nothing_less_where_there_are_none() -> None:
    step, lesser, case = AskOfPassages(), scale_down(AskOfPassages(), 0.1), Case(CLAIM)
    assert left_out(step, lesser, case, case, examples=False) == ""
    assert re.findall(r"\d+", left_out(step, lesser, case, case, examples=True)) == ["0", "3"]


@given(st.integers(0, 30), st.integers(0, 30), st.sampled_from(SHARES))
def test_trimming_keeps_the_best_and_at_least_one(hits: int, answers: int, share: float) -> None:
    passage = Passage(Document("u", "text"), 0, 4)
    case = Case(
        CLAIM,
        hits=tuple(Hit(passage, rank) for rank in range(1, hits + 1)),
        evidence=tuple(Evidence(str(number), "a") for number in range(answers)),
    )
    less = truncate(case, share)
    assert less.hits == case.hits[: len(less.hits)]
    assert less.evidence == case.evidence[: len(less.evidence)]
    assert len(less.hits) >= min(1, hits)
    assert len(less.evidence) <= max(1, round(answers * share))


def test_speeds_go_by_the_nearest_share_measured() -> None:
    speeds = Speeds()
    assert speeds.predicted("Ask", 1.0) is None
    speeds.note("Ask", 0.5, 4.0)
    assert speeds.predicted("Ask", 1.0) == 8.0
    speeds.note("Ask", 1.0, 6.0)
    assert speeds.predicted("Ask", 0.75) in (4.5, 6.0)
    assert speeds.predicted("Ask", 0.1) == pytest.approx(0.8)


def test_a_remembering_writer_asks_once_and_under_only_known_never() -> None:
    inner = ScriptedModel()
    llm = caching_model(inner)
    prompt = (Message("user", "x"),)
    first = llm.generate(prompt, max_tokens=5)
    assert llm.generate(prompt, max_tokens=5) == first
    assert llm.generate(prompt, max_tokens=6) == first
    assert len(inner.asked) == 2
    with llm.calls.only_known():
        assert llm.generate(prompt, max_tokens=5) == first
        with pytest.raises(Cancelled):
            llm.generate(prompt, max_tokens=7)
        with pytest.raises(Cancelled):
            llm.log_likelihoods(prompt, ["A"])
    likelihoods, _ = llm.log_likelihoods(prompt, ["A", "B", "C", "D"])
    assert np.array_equal(likelihoods, llm.log_likelihoods(prompt, ["A", "B", "C", "D"])[0])
    assert len(inner.asked) == 3
