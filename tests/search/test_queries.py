"""The thirteen kinds of query of Table 9, and what is asked where there is only a claim."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from core.errors import BadInput
from core.search.queries import (
    Material,
    QueryWriter,
    content_words,
    each_once,
    named_entities,
    queries_of,
    read_kinds,
    written_queries,
)
from core.search.rounds import ClaimWords, QueryRounds, first_queries
from core.types import Claim, Document
from tests.fakes import ScriptedModel

CLAIM = Claim("The Eiffel Tower in Paris is made of wood.", speaker="A tour guide", date=date(2020, 10, 31))
MATERIAL = Material(
    CLAIM,
    questions=("When was the Eiffel Tower built?", "What is it made of?"),
    answers=("From 1887 to 1889.", "It is made of iron."),
    urls=("https://example.org/tower",),
    paragraphs=("Paris lies on the Seine.", "The Eiffel Tower is made of wrought iron.", "It has lifts."),
)
ANSWERS = {
    "questions": json.dumps({"questions": ["Is the Eiffel Tower made of wood?", "What is it made of?"]}),
    "queries": json.dumps({"queries": ["Eiffel Tower iron", "Eiffel  Tower IRON", "wood or iron"]}),
}
KINDS = read_kinds()
EXPECTED = {
    "generated questions": ("Is the Eiffel Tower made of wood?", "What is it made of?"),
    "generated background queries": ("Eiffel Tower iron", "wood or iron"),
    "generated provenance queries": ("Eiffel Tower iron", "wood or iron"),
    "claim named entities": ("Eiffel Tower", "Paris", "Eiffel Tower Paris"),
    "most similar gold evidence": ("The Eiffel Tower is made of wrought iron.",),
    "gold URL generated questions": ("Is the Eiffel Tower made of wood?", "What is it made of?"),
    "different event same entity": ("Eiffel Tower iron", "wood or iron"),
    "similar entities": ("Eiffel Tower iron", "wood or iron"),
    "gold questions": MATERIAL.questions,
    "claim and gold question": (
        "Eiffel Tower Paris made wood When was the Eiffel Tower built?",
        "Eiffel Tower Paris made wood What is it made of?",
    ),
    "rephrased gold questions": ("Eiffel Tower iron", "wood or iron"),
    "gold answers": MATERIAL.answers,
    "rephrased gold answers": ("Eiffel Tower iron", "wood or iron"),
}


def test_the_kinds_are_those_of_table_9() -> None:
    assert list(KINDS) == list(EXPECTED)
    distractors = [kind.name for kind in KINDS.values() if kind.role == "distractor"]
    assert distractors == ["different event same entity", "similar entities"]
    assert sum(kind.needs_gold for kind in KINDS.values()) == 7


@pytest.mark.parametrize("name", EXPECTED)
def test_every_kind_makes_its_queries(name: str) -> None:
    kind = KINDS[name]
    asked = len(getattr(MATERIAL, kind.each)) if kind.each else 1
    model = ScriptedModel([ANSWERS[kind.answer]] * asked)
    assert queries_of(kind, MATERIAL, QueryWriter(model)) == EXPECTED[name]
    assert len(model.asked) == (asked if kind.method == "model" else 0)
    for prompt in model.asked:
        assert "$" not in prompt[-1].text


def test_a_kind_without_its_material_makes_nothing() -> None:
    bare = Material(CLAIM)
    for kind in KINDS.values():
        if kind.each or kind.method == "similar":
            assert queries_of(kind, bare, QueryWriter(ScriptedModel())) == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("In 2020 the United States of America joined the WHO.", ("United States of America", "WHO")),
        ("Biden won the election.", ("Biden",)),
        ("Drinking hot water cures COVID-19, says Ann O’Neil.", ("COVID-19", "Ann O’Neil")),
        ("Nokia 3310 was sold 126 million times.", ("Nokia 3310",)),
        ("They gave Velmora 2.4 million euros, and Noordam 25%.", ("Velmora", "Noordam")),
        ("Χθες η Ελλάδα κέρδισε το Euro 2004.", ("Ελλάδα", "Euro 2004")),
        ("Владимир Путин родился в Ленинграде.", ("Владимир Путин", "Ленинграде")),
        ("日本の橋は木製です。", ()),
        ("nothing here has a name", ()),
    ],
)
def test_names_in_a_claim(text: str, names: tuple[str, ...]) -> None:
    assert named_entities(text) == names


def test_content_words_keep_their_order_and_their_form() -> None:
    assert content_words("The Eiffel Tower was built by 300 workers.") == "Eiffel Tower built 300 workers"


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        (CLAIM.text, ("Eiffel Tower wood", "Paris wood", "Eiffel Paris")),
        ("U.S. GDP fell 3.5%", ("US GDP fell", "US GDP", "GDP fell")),
        ("COVID-19 vaccines cause 5G", ("COVID-19 vaccines cause", "cause 5G", "COVID-19 5G")),
        ("Mayor Brandvik's house burned.", ("Mayor Brandvik house", "Brandvik house", "Mayor Brandvik")),
        (
            "The Lindqvist Group owns 4 boats on Lake Ormsjö.",
            ("Lindqvist Group boats", "boats Lake Ormsjö", "Lindqvist Ormsjö"),
        ),
        ("the tarnholm lighthouse is tall", ("tarnholm lighthouse tall", "tarnholm lighthouse", "tarnholm tall")),
        ("The EU gave Velmora 2.4 million euros for its harbour.", ("Velmora euros harbour", "EU euros", "EU Velmora")),
        (
            "Schoolchildren in Ravenholt learn chess instead of mathematics.",
            ("Schoolchildren Ravenholt chess", "Schoolchildren Ravenholt", "Ravenholt chess"),
        ),
        ("THE EARTH IS FLAT", ("earth flat", "flat", "earth")),
        ("日本の橋は木製です。", ("日本の橋は木製です",)),
    ],
)
def test_the_first_queries_are_a_few_rare_words(text: str, queries: tuple[str, ...]) -> None:
    assert first_queries(Claim(text)) == queries


def test_a_model_writes_no_names_or_numbers_of_its_own() -> None:
    made_up = json.dumps({"queries": ["Gustave Eiffel iron", "Eiffel Tower 1889", "wood of the Eiffel Tower"]})
    written = written_queries(CLAIM, 2, QueryWriter(ScriptedModel([made_up, ANSWERS["questions"]])))
    assert written == ("wood of the Eiffel Tower", "Is the Eiffel Tower made of wood?")


def test_the_best_query_stays_first_when_it_is_repeated() -> None:
    assert each_once(["Eiffel Tower", " ", "iron", "eiffel  tower"]) == ("Eiffel Tower", "iron")


def later(rounds: QueryRounds, count: int, *, all_known: bool = False, documents: Sequence[Document] = ()) -> list[str]:
    """Return the next queries of a claim, each answered with nothing, or with more than was shown."""
    sent = []
    for _ in range(count):
        sent.append(rounds.next((), documents))
        rounds.answered(sent[-1], all_known=all_known)
    return sent


def test_later_queries_spell_numbers_and_words_in_other_ways() -> None:
    sent = later(QueryRounds(Claim("Varga paid 12,000 workers for yoghurt.")), 40)
    assert {"12000 Varga", "twelve thousand Varga", "Varga worker", "Varga yogurt"} <= set(sent)
    assert sent[-1] == ""  # it comes to an end


def test_more_words_are_not_added_to_a_query_that_showed_all_it_finds() -> None:
    rounds = QueryRounds(CLAIM)
    rounds.answered("Eiffel", all_known=True)
    assert [query for query in later(rounds, 20, all_known=True) if "Eiffel" in query] == []


def test_a_later_query_may_use_a_title_that_was_found_and_no_other_name() -> None:
    rounds = QueryRounds(Claim("The inventor of the Calloway pump died poor."))
    sent = [rounds.next(["Edith Calloway"], ())]
    rounds.answered(sent[0], all_known=False, found=1)
    for _ in range(20):
        sent.append(rounds.next(["Edith Calloway"], ()))
        rounds.answered(sent[-1], all_known=False)
    assert any(query.startswith("Edith Calloway ") for query in sent)


def test_nothing_more_is_asked_once_a_passage_speaks_of_the_whole_claim() -> None:
    rounds = QueryRounds(CLAIM)
    assert rounds.next((), [Document("https://a.example", "It rains in Paris.")])
    whole = Document("https://a.example", "It rains. The Eiffel Tower stands in Paris. It is of iron, not of wood.")
    assert rounds.next((), [whole]) == ""


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("x = 1", "not a file of kinds"),
        ("[[kind]]\nname = 'a'", "required field missing"),
        ("[[kind]]\nname='a'\ntype='a'\ninputs=['moon']\nmethod='verbatim'\nrole='evidence'", "'moon' is no input"),
        ("[[kind]]\nname='a'\ntype='a'\ninputs=['claim']\nmethod='magic'\nrole='evidence'", "'magic' is no method"),
        ("[[kind]]\nname='a'\ntype='a'\ninputs=['claim']\nmethod='verbatim'\nrole='x'", "the role is"),
        ("[[kind", "is not TOML"),
        ("kind = 5", "not a file of kinds"),
        ("kind = [5]", "of another sort"),
        (
            "[[kind]]\nname='a'\ntype='a'\ninputs=['claim']\nmethod='model'\nrole='evidence'\ntemplate='x'",
            "no template 'x'",
        ),
    ],
)
def test_kinds_of_ones_own_that_cannot_be(written: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "kinds.toml").write_text(written, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_kinds(tmp_path / "kinds.toml")


def test_a_model_is_named_where_one_is_needed() -> None:
    with pytest.raises(BadInput, match="language model"):
        queries_of(KINDS["generated questions"], MATERIAL, QueryWriter())


@pytest.mark.parametrize("text", ["", " ", "🙂", "It is what it is.", "…", "。"])
def test_a_text_without_content_words_gives_no_query(text: str) -> None:
    assert content_words(text) == ""
    assert first_queries(Claim(text)) == ()
    assert ClaimWords.of(text) == ClaimWords((), (), (), ClaimWords.of(text).order)
