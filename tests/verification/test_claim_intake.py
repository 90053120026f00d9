"""What a text is taken for, on 200 texts by kind, and that nothing is refused."""

from datetime import date

import pytest

from core.documents.language import language_of, mismatch
from core.types import Document
from core.verification.claim_intake import ADVICE, ClaimKind, read_claim, undecidable
from tests.benchmarks.claim_intake import confusion


def test_no_claim_of_the_200_texts_is_remarked_on_and_nine_of_ten_others_are() -> None:
    counts = confusion()
    assert counts[ClaimKind.CLAIM, ClaimKind.CLAIM] == 60
    others = sum(count for (kind, _), count in counts.items() if kind is not ClaimKind.CLAIM)
    right = sum(counts[kind, kind] for kind in ClaimKind if kind is not ClaimKind.CLAIM)
    assert others == 140
    assert right / others >= 0.9


def test_several_statements_are_offered_one_by_one() -> None:
    found = read_claim("The tower is 330 m high.\n- It was built in 1889\n- It is made of iron.")
    assert found.kind is ClaimKind.SEVERAL
    assert found.statements == ("The tower is 330 m high.", "It was built in 1889", "It is made of iron.")
    assert read_claim("Spain won the cup in 2010, but Germany won it in 2014.").statements == (
        "Spain won the cup in 2010",
        "Germany won it in 2014.",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('Boris Johnson said: "The NHS gets 350 million pounds a week."', "The NHS gets 350 million pounds a week."),
        ("According to the World Bank, Nigeria overtook South Africa.", "Nigeria overtook South Africa."),
        ("The minister claimed that unemployment had halved.", "unemployment had halved."),
    ],
)
def test_of_a_quotation_the_content_is_offered(text: str, said: str) -> None:
    found = read_claim(text)
    assert (found.kind, found.statements, found.advice) == (ClaimKind.QUOTATION, (said,), ADVICE[ClaimKind.QUOTATION])


def test_a_name_that_is_a_verb_makes_no_question() -> None:
    assert read_claim("Will Smith slapped Chris Rock at the Oscars.").kind is ClaimKind.CLAIM
    assert read_claim("Can Yaman was born in Istanbul.").kind is ClaimKind.CLAIM


def test_a_language_is_named_only_where_it_can_be_told() -> None:
    assert language_of("Der Nil ist der längste Fluss der Welt.") == "de"
    assert language_of("The Nile is the longest river of the world.") == "en"
    assert language_of("Vaccines cause autism") == ""
    assert language_of("42") == ""


def test_documents_in_another_language_than_the_claim_are_counted_and_named() -> None:
    english, german = (
        Document("u", text) for text in ("The Nile is the longest river.", "Der Nil ist ein langer Fluss.")
    )
    assert mismatch("The Nile is the longest river of the world.", [english]) == ""
    assert mismatch("Der Nil ist der längste Fluss der Welt.", [german]) == ""
    assert mismatch("The Nile is long.", [german]).startswith("The document is in")
    assert mismatch("The Nile is long.", [english, german, Document("u", "42")]).startswith("Of the 3 documents")


@pytest.mark.parametrize("text", ["", "?", "x", "a" * 2000, "?!" * 900, ("so, and " * 250), "“" * 1000])
def test_odd_texts_are_read_at_once(text: str) -> None:
    assert read_claim(text).kind in ClaimKind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Is Dorm in Vorland?", ClaimKind.QUESTION),
        ("Rain.", ClaimKind.WORD),
        ("Vorland should leave the union.", ClaimKind.OPINION),
        ("Oskar Brannvik is the best minister ever.", ClaimKind.OPINION),
        ("The ferry of Dorm will be back by 2035.", ClaimKind.FORECAST),
        ("In the end the council will sell the pool.", ClaimKind.FORECAST),
    ],
)
def test_documents_cannot_settle_a_question_an_opinion_or_a_forecast(text: str, kind: ClaimKind) -> None:
    assert undecidable(text, date(2024, 5, 1)) == ADVICE[kind]


@pytest.mark.parametrize(
    "text",
    [
        "The pool of Dorm will open in 2019.",
        "The council decided that the pool will be sold.",
        "Parents were advised that children should sleep more.",
        "Eating garlic will cure the flu.",
        "A voter needs to show a passport.",
        "The pool of Dorm should have opened in 2019 but was late.",
        "Will Brannvik was born in Dorm.",
        "Lena Tove was best known for her songs.",
        "2016 was the worst year for air accidents since 1972.",
        "House prices are expected to fall.",
    ],
)
def test_documents_can_settle_a_fact_with_such_words(text: str) -> None:
    assert undecidable(text, date(2024, 5, 1)) == ""
