"""The form: the paper's words, and which answers it takes."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agreement.ratings import MajorError, read_error, read_verdict
from core.campaigns.planning.rating_form import (
    COMMENT,
    ERROR,
    ERRORS,
    STANDARD,
    SUPPORT,
    VERDICT,
    VERDICTS,
    Form,
    checked_answer,
    checked_form,
    questions,
    still_asked,
)
from core.campaigns.planning.scales import COVERAGE, EARLIER, RELEVANCE
from core.errors import BadInput
from core.types import Label

NONE = MajorError.NONE.value


def test_the_questions_in_the_papers_order() -> None:
    assert questions(STANDARD) == ("error", "verdict", "support", "semantic_coverage", "relevance", "comment")
    assert [scale.name for scale in EARLIER] == ["coherence", "redundancy", "consistency"]


def test_the_words_are_those_that_exports_of_the_form_hold() -> None:
    assert {read_error(words) for words in ERRORS.values()} == set(MajorError)
    assert all(read_error(words) is error for error, words in ERRORS.items())
    assert {label: read_verdict(words) for label, words in VERDICTS.items()} == {label: label for label in Label}
    assert COVERAGE.descriptions[0] == "The predicted evidence covers none of the reference evidence."
    assert RELEVANCE.descriptions[4].startswith("Very relevant; the evidence is entirely focused")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (ERROR, "entirely empty"),
        (VERDICT, "Conflicting Evidence/Cherrypicking"),
        ("relevance", 5),
        ("semantic_coverage", 1),
        (SUPPORT, "Some words."),
        (COMMENT, ""),
    ],
)
def test_answers_that_are_taken(question: str, value: object) -> None:
    assert checked_answer(STANDARD, question, value) == value


@pytest.mark.parametrize(
    ("question", "value", "says"),
    [
        (ERROR, "empty", "one of entirely empty"),
        (VERDICT, "", "one of Supported"),
        ("coherence", 3, "no question 'coherence'"),
        ("gold", "Supported", "no question 'gold'"),
        (SUPPORT, 3, "is a text"),
        (COMMENT, "x" * 20_001, "20,001 characters"),
    ],
)
def test_answers_that_are_refused(question: str, value: object, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        checked_answer(STANDARD, question, value)


@settings(max_examples=50)
@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers())))
def test_no_value_of_any_kind_passes_as_a_rating_but_1_to_5(value: object) -> None:
    try:
        kept = checked_answer(STANDARD, "relevance", value)
    except BadInput:
        return
    assert type(kept) is int
    assert kept in range(1, 6)


def test_what_is_still_asked() -> None:
    assert still_asked(STANDARD, {}) == ("error", "verdict", "semantic_coverage", "relevance")
    assert still_asked(STANDARD, {ERROR: "entirely empty"}) == ()
    assert still_asked(STANDARD, {ERROR: NONE, "relevance": 3}) == ("verdict", "semantic_coverage")
    whole = {ERROR: NONE, VERDICT: "Supported", "relevance": 3, "semantic_coverage": 1}
    assert still_asked(STANDARD, whole) == ()


def test_without_a_reference_nothing_is_compared_with_it() -> None:
    form = STANDARD.for_item(has_reference=False)
    assert still_asked(form, {ERROR: NONE, VERDICT: "Supported"}) == ("relevance",)
    assert STANDARD.for_item(has_reference=True) is STANDARD
    with pytest.raises(BadInput, match="no question"):
        checked_answer(form, "semantic_coverage", 3)


def test_a_form_reads_back_as_it_was() -> None:
    own = replace(RELEVANCE, name="fluency_2", title="Flüssigkeit", needs_reference=True)
    form = Form((COVERAGE, own))
    assert Form.from_json(form.to_json()) == form


@pytest.mark.parametrize(
    ("scales", "says"),
    [
        ((), "at least one scale"),
        ((replace(RELEVANCE, name="verdict"),), "cannot be named 'verdict'"),
        ((replace(RELEVANCE, name="My scale"),), "cannot be named"),
        ((RELEVANCE, RELEVANCE), "Two scales"),
        ((replace(RELEVANCE, descriptions=("a", "b", "c", "d", " ")),), "a description for each"),
        ((replace(RELEVANCE, descriptions=("a", "b")),), "a description for each"),
    ],
)
def test_forms_that_cannot_be_asked(scales: tuple[object, ...], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        checked_form(Form(scales))


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"name": "x"}]', '[{"name": "x", "descriptions": 3}]', "null"])
def test_a_form_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Form.from_json(text)
