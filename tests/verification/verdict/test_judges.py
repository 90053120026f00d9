"""A model that is measured as able gives the verdict of a recipe, with the evidence check beside it."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from core.interfaces import Models, never
from core.llm.server import ServerModel
from core.types import Case, Claim, Document, Label, Passage, PassageStance, Stance, Verdict
from core.verification.receipt import receipt_from_json, receipt_to_json
from core.verification.recipes.catalogue import DEFAULT, RECIPES
from core.verification.recipes.recipe_files import recipe_toml
from core.verification.report.case_report import case_report
from core.verification.request import Request
from core.verification.review import Review
from core.verification.runner import investigate
from core.verification.stance.chosen_reader import AGAINST, built_in_digest, model_reader
from core.verification.stance.measurement import keep_measurement
from core.verification.stance.measuring import measure
from core.verification.steps.judging import NOT_ABLE
from core.verification.verdict import judges
from core.verification.verdict.classifier import CLASSIFIER
from core.verification.verdict.classifier_judge import ClassifierJudge
from core.verification.verdict.judges import ANYWAY, stands
from core.verification.verdict.verdict_words import WORDS, both_judges, shown_label
from pages.ui.verdict_card import verdict_card
from tests.fakes import WordEncoder
from tests.verification.stance.reading_server import Answers, Careful, reading_server
from tests.verification.stance.test_second_reading import BETTER, EQUAL

CLAIM = "Trains still stop in Veldersruh."
DOCUMENT = Document("u", "Veldersruh is a town on a river. Trains have not run to Veldersruh since 1979.")
QUOTING = "question_first"
PUBLISHED = ["question_first", "evidence_first", "graph_of_thoughts"]  # one of each way to gather


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))


@pytest.fixture
def answers() -> Answers:
    return Answers(right=1.0, truth={CLAIM: AGAINST})


@pytest.fixture
def llm(answers: Answers) -> Iterator[ServerModel]:
    with reading_server(answers) as server:
        yield ServerModel(server.url, "small")


@pytest.fixture
def able(llm: ServerModel) -> ServerModel:
    keep_measurement(replace(BETTER, reader=model_reader(llm).identity, built_in=built_in_digest()))
    return llm


def request_for(recipe: str) -> Request:
    """Return a request for a recipe that distils no static encoder, which takes a minute."""
    steps = recipe_toml(RECIPES[recipe]).replace("dense_first_stage = true", "dense_first_stage = false")
    return Request(Claim(CLAIM), documents=(DOCUMENT,), recipe=recipe, own_recipe=steps)


def case_of(llm: ServerModel, recipe: str = QUOTING) -> Case:
    case = investigate(request_for(recipe), Models(WordEncoder(), llm, ClassifierJudge(DEFAULT)))
    assert isinstance(case, Case), case
    return case


def verdict_of(llm: ServerModel, recipe: str = QUOTING) -> Verdict:
    verdict = case_of(llm, recipe).verdict
    assert verdict
    return verdict


@pytest.mark.parametrize("recipe", PUBLISHED)
def test_each_published_recipe_ends_with_the_model_s_verdict_and_the_evidence_check(
    recipe: str, able: ServerModel
) -> None:
    case = case_of(able, recipe)
    assert case.verdict
    assert case.verdict.check
    assert (case.verdict.judge, case.verdict.check.judge) == ("small", CLASSIFIER)
    assert shown_label(case.verdict) is Label.REFUTED
    assert case.verdict.stances
    assert case.verdict.second
    prompts = [one.prompt[-1].text for one in case.completions]
    assert sum("Which verdict" in one for one in prompts) == 1
    assert any(pair.question for pair in case.evidence)


def test_the_default_recipe_asks_no_question_before_its_verdict_so_the_evidence_check_decides(
    able: ServerModel,
) -> None:
    verdict = verdict_of(able, DEFAULT)
    assert (verdict.judge, verdict.check, verdict.caveat) == (CLASSIFIER, None, "")


def test_a_server_that_is_measured_as_guessing_does_not_judge(llm: ServerModel, answers: Answers) -> None:
    answers.right = 1 / 3
    measure(partial(nullcontext, model_reader(llm)), Careful(), lambda *_: None, never)
    answers.right = 1.0
    verdict = verdict_of(llm)
    assert (verdict.judge, verdict.check) == (CLASSIFIER, None)
    assert NOT_ABLE.format("small") in verdict.caveat


def test_a_model_that_the_evidence_check_contradicts_gets_no_verdict_and_every_place_says_so(
    able: ServerModel, answers: Answers
) -> None:
    answers.verdict = "A"
    case = case_of(able)
    verdict = case.verdict
    assert verdict
    assert verdict.check
    assert (verdict.label, shown_label(verdict), shown_label(verdict.check)) == (Label.SUPPORTED, None, Label.REFUTED)
    said = both_judges(verdict)
    assert all(f"“{WORDS[one].word}”" in said for one in (Label.SUPPORTED, Label.REFUTED))
    request, identity = request_for(QUOTING), able.identity
    kept = receipt_from_json(receipt_to_json(request, case, identity, WordEncoder.identity))[1]
    assert kept == case
    report = case_report(request, case, identity, review=Review(), measured=None, made=BETTER.made)
    assert said in report.finding.worth
    assert str(verdict_card(case, None)).count("Refuted") >= 2


def test_a_server_without_probabilities_names_the_letter(able: ServerModel, answers: Answers) -> None:
    answers.manner = "refuses weights"
    verdict = verdict_of(able)
    assert (verdict.judge, verdict.label) == ("small", Label.REFUTED)


def test_a_model_without_a_usable_answer_leaves_the_verdict_to_the_evidence_check(
    able: ServerModel, answers: Answers
) -> None:
    answers.manner = "strays"
    verdict = verdict_of(able)
    assert (verdict.judge, verdict.check) == (CLASSIFIER, None)
    assert "small" in verdict.caveat


def test_a_model_that_a_person_lets_judge_is_named(llm: ServerModel) -> None:
    keep_measurement(replace(EQUAL, reader=model_reader(llm).identity, built_in=built_in_digest()))
    assert ANYWAY in verdict_of(llm).caveat


def told(*stances: Stance) -> tuple[PassageStance, ...]:
    documents = (Document(f"u{place}", f"Text {place}.") for place in range(len(stances)))
    return tuple(
        PassageStance(Passage(one, 0, 7), side, 0.5, "x") for one, side in zip(documents, stances, strict=True)
    )


@pytest.mark.parametrize(
    ("stances", "stand"),
    [
        ((), {Label.NOT_ENOUGH_EVIDENCE}),
        ((Stance.FOR,), {Label.SUPPORTED}),
        ((Stance.FOR, Stance.FOR, Stance.AGAINST), {Label.SUPPORTED, Label.CONFLICTING}),
        ((Stance.FOR, Stance.AGAINST), {Label.CONFLICTING}),
        ((Stance.AGAINST, Stance.ABOUT), {Label.REFUTED}),
    ],
)
def test_an_open_evidence_check_lets_labels_stand_to_which_its_passages_lean(
    stances: tuple[Stance, ...], stand: set[Label]
) -> None:
    shares = dict.fromkeys(Label, 0.25)
    check = Verdict(shares, CLASSIFIER, 0.5, stances=told(*stances))
    assert {label for label in Label if stands(label, check)} == stand
    assert not any(stands(label, replace(check, caveat="An opinion.")) for label in Label)
    sure = replace(check, probabilities={**shares, Label.REFUTED: 0.9})
    assert [label for label in Label if stands(label, sure)] == [Label.REFUTED]
    part = replace(check, stances=tuple(replace(one, reason="on “a part”: x") for one in check.stances))
    assert not stands(Label.SUPPORTED, part)


def test_pairs_that_were_read_in_part_are_counted(able: ServerModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "PAIR_TOKENS", 5)
    assert "first 5 tokens" in verdict_of(able).justification
