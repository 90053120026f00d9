"""Whatever reads a passage against a claim has one interface: the built-in reader, language models, cross-encoders."""

from collections.abc import Iterator

import numpy as np
import pytest

from core.errors import Cancelled, JudgeChanged, ServerError
from core.interfaces import Models, UnusableAnswer
from core.llm.server import ServerModel
from core.retrieval.dense import load_encoder
from core.types import Document, Passage
from core.verification.stance.chosen_reader import (
    AGAINST,
    FOR,
    NEITHER,
    BuiltInReader,
    LanguageModelReader,
    kept_reason,
    model_reader,
    quoted_sentence,
)
from core.verification.stance.classifier import sentences_in
from core.verification.written_claims import calibration_claims
from tests.verification.stance.reading_server import Answers, reading_server

TOWN = Document("u", "The town lies on a river. It had 8,000 people in 2021. The railway closed in 1979 for good.")
PASSAGE = Passage(TOWN, 0, len(TOWN.text))
FEW = calibration_claims(12)


@pytest.fixture
def answers() -> Answers:
    return Answers(right=1.0)


@pytest.fixture
def reader(answers: Answers) -> Iterator[LanguageModelReader]:
    with reading_server(answers) as server:
        yield model_reader(ServerModel(server.url, "small"))


def sides(reader: LanguageModelReader) -> list[int]:
    return [int(np.argmax(reader.read(one.claim, one.passage).log_probabilities)) for one in FEW]


@pytest.mark.parametrize("manner", ["weighs", "silent on weights", "refuses weights"])
def test_a_server_s_answers_are_read_with_and_without_probabilities(
    reader: LanguageModelReader, answers: Answers, manner: str
) -> None:
    answers.manner = manner
    assert sides(reader) == [one.label for one in FEW]
    assert reader.weighs is (manner == "weighs")


@pytest.mark.parametrize("manner", ["weighs", "silent on weights"])
def test_the_deciding_sentence_is_one_of_the_passage(
    reader: LanguageModelReader, answers: Answers, manner: str
) -> None:
    answers.manner, answers.truth = manner, {"It has trains.": AGAINST}
    found = reader.read("It has trains.", PASSAGE)
    assert found.sentence == sentences_in(PASSAGE)[-1]
    assert sum(np.exp(found.log_probabilities)) == pytest.approx(1)


def test_a_quotation_that_is_not_in_the_passage_does_not_count(reader: LanguageModelReader, answers: Answers) -> None:
    answers.manner, answers.truth = "invents", {"It has trains.": FOR}
    found = reader.read("It has trains.", PASSAGE)
    assert (found.sentence, int(np.argmax(found.log_probabilities))) == (None, NEITHER)


@pytest.mark.parametrize(
    ("quotation", "place"),
    [
        ("It had 8,000 people in 2021.", 1),
        ("“it HAD   8,000 people”", 1),
        ("The railway closed", 2),
        ("It had 9,000 people in 2021.", None),
        ("", None),
        ("the", None),
        ("(.*) (.*) (.*)", None),
    ],
)
def test_a_quotation_leads_to_its_sentence(quotation: str, place: int | None) -> None:
    spans = sentences_in(PASSAGE)
    assert quoted_sentence(quotation, PASSAGE, spans) == (None if place is None else spans[place])


@pytest.mark.parametrize("manner", ["strays", "over-long"])
def test_an_answer_that_is_none_is_refused(reader: LanguageModelReader, answers: Answers, manner: str) -> None:
    answers.manner = manner
    with pytest.raises(UnusableAnswer):
        reader.read(FEW[0].claim, FEW[0].passage)


def test_a_server_that_fails_or_becomes_another_model_is_said(reader: LanguageModelReader, answers: Answers) -> None:
    before = reader.identity
    reader.read(FEW[0].claim, FEW[0].passage)
    answers.system = "second"
    with pytest.raises(JudgeChanged):
        reader.read(FEW[1].claim, FEW[1].passage)
    assert model_reader(reader.llm).identity.digest != before.digest
    answers.manner = "fails"
    with pytest.raises(ServerError):
        model_reader(reader.llm).read(FEW[1].claim, FEW[1].passage)


def test_a_long_passage_is_read_from_its_beginning_and_reading_can_be_stopped(bundled_models: Models) -> None:
    text = " ".join(f"Sentence {number} is about the river and its bridges." for number in range(400))
    reader = LanguageModelReader(bundled_models.llm)
    found = reader.read("The river has bridges.", Passage(Document("u", text), 0, len(text)))
    assert sum(np.exp(found.log_probabilities)) == pytest.approx(1)
    assert found.sentence is None or found.sentence[1] < 1000
    assert reader.identity.digest
    with pytest.raises(Cancelled):
        reader.read("The river has bridges.", PASSAGE, stop=lambda: True)


def test_the_built_in_reader_agrees_with_the_passage_s_own_words() -> None:
    found = BuiltInReader(load_encoder()).read("The town lies on a river.", PASSAGE)
    assert int(np.argmax(found.log_probabilities)) == FOR
    assert sum(np.exp(found.log_probabilities)) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("It says that the railway closed in 1979.", True),
        ("The town had 8,000 people in 2021.", True),
        ("The railway closed in 1980.", False),
        ("It closed because Mayor Brunner wanted it.", False),
        ("Brunner closed the railway.", False),
    ],
)
def test_a_reason_adds_no_number_and_no_name(sentence: str, kept: bool) -> None:
    assert kept_reason(sentence, "The town has trains.", PASSAGE) == (sentence if kept else "")


def test_a_model_gives_its_reason_in_one_sentence(reader: LanguageModelReader, answers: Answers) -> None:
    answers.reason = "The railway closed in 1979. And Paris is far."
    assert reader.reason("It has trains.", PASSAGE, AGAINST) == "The railway closed in 1979."
    answers.reason = "It was closed by Napoleon in 1805."
    assert reader.reason("It has trains.", PASSAGE, AGAINST) == ""
