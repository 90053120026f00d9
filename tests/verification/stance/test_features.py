"""The differences of a passage from a claim: a number or date that agrees by arithmetic is none."""

import pytest

from core.types import Document, Passage
from core.verification.stance.classifier import compare_passages
from core.verification.stance.features import Read
from tests.fakes import WordEncoder


def read(claim: str, text: str) -> Read:
    return compare_passages(claim, [Passage(Document("u", text), 0, len(text))], WordEncoder())[0]


@pytest.mark.parametrize(
    ("claim", "text", "kinds"),
    [
        ("More than 70 cases were confirmed in Germany.", "In Germany 191 cases were confirmed.", []),
        ("Fewer than 900 ships sailed from Genoa.", "From Genoa 300 ships sailed.", []),
        ("More than 70 cases were confirmed in Germany.", "In Germany 31 cases were confirmed.", ["number"]),
        ("The marsh of Rosk covers some 6,000 acres.", "The marsh of Rosk covers 2,430 hectares.", []),
        ("The fair of Graz opened on 3 May 2019.", "The fair of Graz opened on 5 June 2019.", ["date"]),
        ("The fair of Graz opened on Monday.", "The fair of Graz opened on Friday.", ["date"]),
        ("Graz won the third list.", "Graz won the third list of the 10th Circuit.", []),
        ("Graz won the third list.", "Graz won the fifth list.", ["number"]),
        ("Graz won the third list.", "Graz won the list at the 10th Circuit.", []),
    ],
)
def test_a_number_that_agrees_by_arithmetic_is_no_difference(claim: str, text: str, kinds: list[str]) -> None:
    assert [one.kind for one in read(claim, text).differences] == kinds


def test_without_differences_only_their_numbers_change() -> None:
    found = read("The bridge of Graz has 12 arches.", "The bridge of Graz has 9 arches.")
    changed = {name for name in found.values if found.values[name] != found.plain[name]}
    assert {"number", "differences"} <= changed
    assert not changed & {"coverage", "exact", "cosine", "amounts differs"}
