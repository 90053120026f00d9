"""A claim as a question: exactly its words in another order, or nothing."""

import pytest

from core.retrieval.dense import load_encoder
from core.types import Case, Claim, Document, Label, Passage, PassageStance, Stance, Verdict
from core.verification.claim_question import claim_questions, question_of

TEXTS = ("The council met. Nigeria and China agreed, and Ivermectin was sold. Otters swim, and many otters sleep.",)


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("Mount Everest is 8,848.86 metres high.", "Is Mount Everest 8,848.86 metres high?"),
        ("The Great Wall of China can be seen from the Moon.", "Can the Great Wall of China be seen from the Moon?"),
        ("China and Nepal announced the height together.", "Did China and Nepal announce the height together?"),
        ("Nigeria had a population of 45 million.", "Did Nigeria have a population of 45 million?"),
        ("The deposit has to be paid on glass bottles.", "Does the deposit have to be paid on glass bottles?"),
        ("In 2022 Velstrand sacked 58 of its workers.", "In 2022, did Velstrand sack 58 of its workers?"),
        ("At independence, Nigeria was poor.", "At independence, was Nigeria poor?"),
        ("Otters were brought back in 1993.", "Were otters brought back in 1993?"),
        ("Ivermectin cures flu.", "Does Ivermectin cure flu?"),
        ("The WHO (World) approved it.", ""),
        ("The agency (NTA) has made a blunder.", "Has the agency made a blunder?"),
        ("President Trump is not on oxygen.", "Is President Trump on oxygen?"),
        ("The iPhone 12 won\u2019t come with earphones.", "Will the iPhone 12 come with earphones?"),
        ("Lightning never strikes twice.", "Does lightning ever strike twice?"),
        ("Nobody has ever made finer bells.", "Has anybody ever made finer bells?"),
        ("Robert Lee, commander of the army, was no farmer.", "Was Robert Lee, commander of the army, no farmer?"),
        ("Heiko Maas said that the king did nothing illegal.", "Did Heiko Maas say that the king did nothing illegal?"),
        ('Amos Threlkin said: "We will not cross it."', "Did Amos Threlkin say: “We will not cross it”?"),
    ],
)
def test_a_statement_becomes_the_question_whether_it_is_so(claim: str, question: str) -> None:
    assert question_of(claim, TEXTS) == question


@pytest.mark.parametrize(
    "claim",
    [
        "They want to ban fracking.",
        "Our country has lost the war.",
        "Is the bridge closed?",
        "Ask: what is the password?",
        "12 34 56",
        "Tower.",
        "Der Eiffelturm wurde 1889 gebaut.",
        "\u202e\u0000\ufffe",
        "for (int i = 0; i < n; i++) { total += price[i]; }",
        "All USA Ballots Arriving Late Will Be Thrown Out",
        "It is not true that vaccines cause autism.",
        "The council met. The mayor was ill.",
        "A man killed by police",
        "Not only the mayor was ill.",
        "One plot in four is not being used.",
        "Many nurses didn't finish the trial.",
        "The mayor may have been ill.",
        "The man who was ill left.",
        "The bell called Margriet weighs a ton.",
        'Joost, her son, said of her: "She heard a wrong note."',
        "Unheard of things are sold here" + " and there" * 20,
    ],
)
def test_in_doubt_there_is_no_question(claim: str) -> None:
    assert question_of(claim, TEXTS) == ""


def case_of(claim: str, *texts: tuple[str, Stance, str]) -> Case:
    stances = tuple(
        PassageStance(Passage(Document(f"https://example.org/{n}", text), 0, len(text)), stance, 0.9, reason)
        for n, (text, stance, reason) in enumerate(texts)
    )
    return Case(Claim(claim), verdict=Verdict({Label.REFUTED: 1.0}, "a judge", 0.5, stances=stances))


def test_passages_answer_the_part_of_the_claim_that_they_speak_of() -> None:
    case = case_of(
        "The Mule 3 sells for 4,990 euros and is heavier than the Mule 2 was.",
        ("The Mule 3 costs 4,990 euros.", Stance.FOR, "on “The Mule 3 sells for 4,990 euros”: says the same"),
        (
            "The Mule 3 is not heavier than the Mule 2.",
            Stance.AGAINST,
            "on “The Mule 3 is heavier than the Mule 2 was”: no",
        ),
        ("The works opened in May.", Stance.ABOUT, ""),
        ("Bananas are yellow.", Stance.AGAINST, "on “The Mule 3 sells for 4,990 euros”: says otherwise"),
        ("The Mule 3 sells for 4,990 euros.", Stance.UNRELATED, ""),
    )
    assert list(claim_questions(case, load_encoder()).values()) == [
        "Does the Mule 3 sell for 4,990 euros?",
        "Is the Mule 3 heavier than the Mule 2 was?",
    ]


def test_a_passage_without_a_side_may_answer_the_claim() -> None:
    case = case_of(
        "Hindus are a minority in Kerala.",
        ("Hindus are 54.7% of the population of Kerala, before Islam with 26.6% as of 2011.", Stance.ABOUT, ""),
        ("Kerala has a long coast.", Stance.ABOUT, ""),
    )
    assert [passage.text[:6] for passage in claim_questions(case, load_encoder())] == ["Hindus"]


def test_before_a_verdict_the_claim_is_no_question() -> None:
    assert claim_questions(Case(Claim("The bridge is closed.")), load_encoder()) == {}
