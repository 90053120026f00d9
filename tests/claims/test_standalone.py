"""A sentence is made to stand by itself where there is one candidate, and left alone where there is doubt."""

import pytest

from core.claims.speech import speech_of
from core.claims.standalone import standalone_sentences

DATED = "Kelmouth, 12 March 2023\n\n"


def last(text: str) -> str:
    return standalone_sentences(speech_of("x", text))[-1]


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Mayor Ruth Vane spoke first. She promised 500 homes.", "Mayor Ruth Vane promised 500 homes."),
        ("Ruth Vane spoke. Vane left. Under her, taxes fell.", "Under Ruth Vane, taxes fell."),
        ("Ruth Vane spoke. Now she’s the mayor.", "Now Ruth Vane is the mayor."),
        ("Ruth Vane spoke. Now she’s promised homes.", "Now Ruth Vane has promised homes."),
        ("Harold Pike spoke. Under his plan taxes fall.", "Under Harold Pike’s plan taxes fall."),
        ("The Kelmouth bridge opened in 2006. It cost 340 million.", "The Kelmouth bridge cost 340 million."),
        ("The ministers met in spring. They raised taxes.", "The ministers raised taxes."),
        (f"{DATED}This year we built 400 homes.", "In 2023 we built 400 homes."),
        (f"{DATED}We built 400 homes last year.", "We built 400 homes in 2022."),
        (f"{DATED}Prices rose by last month.", "Prices rose by February 2023."),
        (f"{DATED}This year’s budget fell.", "2023’s budget fell."),
        (f"{DATED}Yesterday prices fell.", "On 11 March 2023 prices fell."),
        ("We met in Tarrow. Nobody votes here.", "Nobody votes in Tarrow."),
    ],
)
def test_one_candidate_replaces_the_word(text: str, alone: str) -> None:
    assert last(text) == alone


@pytest.mark.parametrize(
    "text",
    [
        "Ruth Vane met Harold Pike. She promised 500 homes.",
        "Ruth Vane spoke. A woman said she promised 500 homes.",
        "Ruth Vane spoke. Joe knows that she promised 500 homes.",
        "VANE: Ruth Vane spoke. She promised 500 homes.",
        "We pay Pell Grants. All grants fell. He promised more.",
        "Mr Harold Pike spoke. She promised 500 homes.",
        "New York grew. She promised 500 homes.",
        "The Labour Party won. He promised 500 homes.",
        "The council sold a house. It cost 340 million.",
        "The bridge opened. It is clear that prices rose.",
        "Now we won. It cost 340 million.",
        "The ministers met. They say prices rose.",
        "In 2006 the bridge opened. It cost 340 million.",
        "This year we built 400 homes.",
        "We met in Tarrow and in Kelmouth. Nobody votes here.",
        f"{DATED}Over the last year prices fell.",
    ],
)
def test_in_doubt_the_sentence_stays(text: str) -> None:
    assert last(text) == speech_of("x", text).sentences[-1].text
