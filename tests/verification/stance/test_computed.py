"""What the amounts of a text make, in the claim's words: shares, changes, multiples and other units, or nothing."""

import pytest

from core.verification.stance.computed import computed_amounts, with_computed_amounts


@pytest.mark.parametrize(
    ("claim", "text", "said"),
    [
        (
            "Visits to Tarn rose by a quarter between 2019 and 2022.",
            "Tarn: visits 2019: 48,000; visits 2022: 60,000.",
            ["60,000 is a quarter more than 48,000"],
        ),
        ("Half of the letters were answered.", "Of 2,300 letters, 1,150 were answered.", ["1,150 is half"]),
        (
            "A fifth fewer swans came than in May.",
            "After 500 swans in May, 400 came.",
            ["400 is a fifth fewer than 500"],
        ),
        (
            "The new bridge costs three times as much as the old bridge.",
            "The old bridge cost 3 million euros, the new bridge 9 million euros.",
            ["9 million euros is three times as much"],
        ),
        ("Six in ten pupils passed.", "Only 54 of the 90 pupils passed.", ["54 of the 90 is six in ten"]),
        (
            "The reserve has some 6,000 acres.",
            "The reserve covers 2,430 hectares.",
            ["2,430 hectares is some 6,000 acres"],
        ),
        (
            "Nurses slept about twenty minutes more.",
            "They slept 19 minutes more.",
            ["19 minutes is about twenty minutes"],
        ),
        (
            "Half as many ships again call at the port.",
            "In 2007 there were 1,460 ships, and now there are 2,190 ships.",
            ["2,190 is half as many ships again"],
        ),
        (
            "A quarter of the cost of the works is public money.",
            "The works cost 11.2 million euros; 2.8 million of that is a grant from the state.",
            ["2.8 million is a quarter"],
        ),
        ("It took 30 years.", "It took 30 years.", []),
        ("The mill has over 2,000 doors.", "The mill has 2,100 doors.", []),
        ("A third of the letters were answered.", "Of 2,300 letters, 1,150 were answered.", []),
        ("Half of the letters were answered.", "The mill has 1,150 doors and 2,300 windows.", []),
        ("The team won the cup four times.", "The team played the cup in 8 halls and 2 tents.", []),
        ("The film scored over 52.5 % with critics.", "Of 80 critics, 53 gave the film a score.", []),
        ("A search is four times as fast now.", "A search took 1.6 seconds, and now 0.4 seconds.", []),
    ],
)
def test_an_amount_is_said_in_the_claims_words(claim: str, text: str, said: list[str]) -> None:
    assert [one.said for one in computed_amounts(text, claim)] == said


def test_the_note_stands_beside_the_amount_that_it_is_true_of() -> None:
    claim = "Loans fell by a quarter from 2021 to 2022."
    text = "In 2022 there were 300 loans, after 400 loans in 2021."
    assert with_computed_amounts(text, claim) == text.replace("300", "300 (a quarter less than 400)")
