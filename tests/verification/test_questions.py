"""Which questions are worth asking, and which passages share a card."""

from dataclasses import replace

import pytest

from core.terms import strange_words
from core.types import Case, Claim, Document, Evidence, Hit, Passage
from core.verification.question_judge import LEAST_LIKELIHOOD, DraftQuestion, likely_questions
from core.verification.questions import (
    AskedQuestions,
    asks_of_text,
    cards,
    is_generic,
    is_question,
    speaks_to_nobody,
    without_empty,
    worth_asking,
)
from core.verification.recipes.catalogue import DEFAULT, RECIPES
from core.verification.request import without_questions
from core.verification.steps.asking import AskOfPassages
from core.verification.steps.control import WithAdapter
from core.verification.steps.gathering import QuotePassages
from tests.fakes import ScriptedModel, Training, WordEncoder
from tests.verification.test_steps import context_for

CLAIM = "The Eiffel Tower was finished in 1889."
PASSAGE = "Work on the tower in Paris ended in March 1889, said Gustave Eiffel's company."


def passage(text: str) -> Passage:
    return Passage(Document("https://example.org/x", text), 0, len(text))


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("When was the tower finished?", True),
        ("¿Cuándo se terminó la torre?", True),
        ("铁塔是什么时候建成的？", True),
        ("When?", False),
        ("The tower was finished in 1889.", False),
        ("", False),
    ],
)
def test_a_question_ends_as_one_and_has_words(text: str, asks: bool) -> None:
    assert is_question(text) is asks


@pytest.mark.parametrize(
    ("question", "generic"),
    [
        ("What does the sentence mean?", True),
        ("What is the name of the person who said this?", True),
        ("What is the result of the situation?", True),
        ("Who finished the tower?", False),
        ("Where is Paris?", False),  # of the passage alone
        ("What is the new tower?", True),  # one thing, and no name
        ("Who is the tower of the tower?", True),
        ("How tall is the Statue of Liberty?", True),  # of neither
    ],
)
def test_a_generic_question_names_nothing_of_claim_or_passage(question: str, generic: bool) -> None:
    assert is_generic(question, CLAIM, PASSAGE) is generic


def test_the_words_for_texts_do_not_make_a_question_specific_even_where_the_passage_has_them() -> None:
    assert is_generic("What does the message say?", "The message was sent.", "They say so.")


@pytest.mark.parametrize(
    ("question", "of_text"),
    [
        ("What does the passage say about the tower?", True),
        ("What is the difference between the two claims?", True),
        ("What does this famous phrase mean?", True),
        ("Who published the article on the tower?", True),
        ("What did the mayor say about the tower?", False),
    ],
)
def test_a_question_about_a_text_is_not_about_the_world(question: str, of_text: bool) -> None:
    assert asks_of_text(question, CLAIM) is of_text


def test_a_claim_that_is_about_a_text_may_be_asked_about_it() -> None:
    assert not asks_of_text("Who published the article?", "An article in Nature was withdrawn.")


@pytest.mark.parametrize(
    ("question", "invented"),
    [
        ("What did the mayor of Springfield say about the tower?", True),
        ("Was the tower finished in 1890?", True),
        ("Was the Eiffel Tower finished in 1889?", False),
        ("What do Parisians think of the tower?", False),  # Paris
        ("Which company finished the tower?", False),
    ],
)
def test_names_and_numbers_of_a_question_stand_in_claim_or_passage(question: str, invented: bool) -> None:
    assert bool(strange_words(question, CLAIM, PASSAGE)) is invented


@pytest.mark.parametrize(
    ("question", "nobody"),
    [
        ("Which devices are you using to charge your iPhone?", True),
        ("How can we add more to the story?", True),
        ("How did he say he would detonate a nuclear bomb over the Atlantic?", True),
        ("What did Trump say he would detonate?", False),
        ("Who is Anthony Fauci, and what does he do?", False),
        ("Is US policy on us?", False),
    ],
)
def test_a_question_is_put_to_nobody_and_names_whom_it_is_about(question: str, nobody: bool) -> None:
    assert speaks_to_nobody(question, "Trump wants to detonate a bomb.") is nobody


def test_a_question_may_speak_as_its_claim_does() -> None:
    assert not speaks_to_nobody("Did he say that you will die?", "He said you will die.")


def test_a_question_about_the_claim_alone_may_name_what_else_is_to_be_looked_at() -> None:
    asked = AskedQuestions(CLAIM, WordEncoder())
    assert not asked.is_empty("Did UNESCO list the tower in 1991?")
    assert asked.is_empty("Did UNESCO list the tower in 1991?", PASSAGE)


def test_the_same_words_or_meaning_but_not_another_number_are_a_repeat() -> None:
    asked = AskedQuestions(CLAIM, WordEncoder(), ["When was the tower finished?"])
    assert asked.twin("when was the TOWER finished?") == "When was the tower finished?"
    assert asked.twin("When was the tower, finished?") == "When was the tower finished?"  # its vector is the same
    assert asked.twin("Who painted it?") is None
    asked.add("How many of the very tall iron towers of the world were finished in 1889?")
    assert asked.twin("How many of the very tall iron towers of the world were finished in 1890?") is None


def test_questions_are_kept_in_order_and_once() -> None:
    asked = AskedQuestions(CLAIM, WordEncoder(), ["Who built the tower?"])
    written = ("What does it mean?", "When was the tower finished?", "Who built the tower?", "A tower.", "Is it tall?")
    assert worth_asking(written, asked) == ("When was the tower finished?", "Is it tall?")


def test_answers_stay_without_their_empty_question_and_share_the_words_of_the_same_one() -> None:
    one, other = passage(PASSAGE), passage("The tower was finished on 31 March 1889.")
    evidence = (
        Evidence("When was the tower finished?", "1889", one),
        Evidence("What does the sentence mean?", "A tower", one),
        Evidence("when was the tower finished?", "31 March", other),
    )
    kept = without_empty(evidence, AskedQuestions(CLAIM, WordEncoder()))
    assert [pair.question for pair in kept] == ["When was the tower finished?", "", "When was the tower finished?"]
    assert [pair.answer for pair in kept] == ["1889", "A tower", "31 March"]


def test_answers_to_one_question_share_a_card_and_keep_their_numbers() -> None:
    pairs = [Evidence(question, str(place)) for place, question in enumerate(["Who?", "", "When?", "Who?", ""])]
    shown = [(card.question, [number for number, _ in card.answers]) for card in cards(pairs)]
    assert shown == [("Who?", [1, 4]), ("", [2]), ("When?", [3]), ("", [5])]


def asked_of(script: list[str], *texts: str) -> tuple[Case, ScriptedModel]:
    context = context_for(llm := ScriptedModel(script), tuple(Document(f"u{n}", text) for n, text in enumerate(texts)))
    hits = tuple(Hit(found, rank) for rank, found in enumerate(context.retriever.passages, start=1))
    return AskOfPassages()(Case(Claim(CLAIM), hits=hits), context), llm


def test_an_unlikely_question_heads_no_card() -> None:
    drafts = [DraftQuestion("Of what is the bridge made?", "It is of steel."), DraftQuestion("", "It is old.")]
    likely, unlikely = (ScriptedModel(likelihoods=(value,)) for value in (LEAST_LIKELIHOOD, LEAST_LIKELIHOOD - 0.1))
    assert likely_questions(drafts, likely) == {drafts[0].question}
    assert likely_questions(drafts, unlikely) == set()
    passage = Passage(Document("u", "It is of steel. It is old."), 0, 15)
    sure = Evidence(drafts[0].question, passage.text, passage)
    (shared,) = cards([sure, replace(sure, answer="Of iron.")])
    assert shared.question == drafts[0].question
    assert [card.question for card in cards([replace(sure, doubtful=True), replace(sure, doubtful=True)])] == ["", ""]


def test_an_empty_question_is_asked_for_again_and_then_left_out() -> None:
    case, llm = asked_of(["What does it mean?", "When did work on the tower end?"], PASSAGE)
    assert [pair.question for pair in case.evidence] == ["When did work on the tower end?"]
    assert llm.temperatures == [0.0, 0.7]
    case, llm = asked_of(["What does it mean?", "The tower.", "Who is Napoleon?"], PASSAGE)
    assert [(pair.question, pair.answer) for pair in case.evidence] == [("", PASSAGE)]
    assert (len(llm.asked), len(case.completions)) == (2, 2)
    assert AskOfPassages().found(case) == "0 questions with answers"


def test_a_passage_of_which_only_an_earlier_question_is_asked_joins_its_card() -> None:
    same = "When was the tower finished?"
    case, llm = asked_of([same, same], PASSAGE, "The tower was finished in spring.")
    assert [pair.question for pair in case.evidence] == [same, same]
    assert len(llm.asked) == 2
    assert AskOfPassages().found(case) == "1 question with answers"


def test_a_recipe_that_asks_with_an_adapter_can_leave_its_questions_out() -> None:
    steps = (WithAdapter(AskOfPassages(one_turn=True), "/models/ask.gguf"),)
    kept = without_questions(replace(RECIPES[DEFAULT], steps=steps))
    assert kept.steps == (QuotePassages(),)


def test_an_adapter_is_asked_in_one_turn() -> None:
    context = context_for(llm := ScriptedModel(), (Document("u", PASSAGE),))
    case = Case(Claim(CLAIM), hits=tuple(Hit(one, 1) for one in context.retriever.passages))
    AskOfPassages(one_turn=True)(case, replace(context, models=replace(context.models, examples=Training())))
    assert [message.role for message in llm.asked[0]] == ["system", "user"]
    assert llm.asked[0][1].text == f"Claim: {CLAIM}\nPassage: {PASSAGE}\nAnswer: Paris"
