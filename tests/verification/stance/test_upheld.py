import pytest

from core.types import Document, Passage
from core.verification.stance.features import Read
from core.verification.stance.reader import read_passages, upheld
from tests.fakes import WordEncoder


def read(claim: str, text: str) -> Read:
    return read_passages(claim, [Passage(Document("u", text), 0, len(text))], WordEncoder())[0]


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("More than 70 cases were confirmed in Germany.", "In Germany 191 cases were confirmed."),
        ("Fewer than 900 ships sailed from Genoa.", "From Genoa 300 ships sailed."),
    ],
)
def test_a_number_that_agrees_by_arithmetic_is_no_difference(claim: str, text: str) -> None:
    found = read(claim, text)
    assert [one.kind for one in found.differences] == ["number"]
    assert upheld(found) == []


def test_a_number_that_differs_stays_one() -> None:
    found = read("More than 70 cases were confirmed in Germany.", "In Germany 31 cases were confirmed.")
    assert [one.kind for one in upheld(found)] == ["number"]
