"""A claim that compares with an earlier time, and sentences that go the same way or the other."""

from __future__ import annotations

import pytest

from core.verification.stance.trends import contrary_trends

MORE = "The farmers of Varn brought in a better crop than the year before."


@pytest.mark.parametrize(
    ("claim", "text", "words"),
    [
        (MORE, "In Varn 5.1 tonnes were harvested, down from 6.8 tonnes.", "down from 6.8 tonnes"),
        (MORE, "The crop of Varn fell by 2 tonnes.", "fell by 2 tonnes"),
        ("Fewer boats sailed than in 2019.", "More sailed than the year before.", "More sailed than the year before"),
        (MORE, "The crop of Varn rose from 5 to 6 tonnes.", ""),
        (MORE, "The crop rose from 5 to 6 tonnes, and its price fell from 9 to 8 crowns.", ""),
        (MORE, "The crop did not fall from 6 to 5 tonnes.", ""),
        ("The crop of Varn was no better than last year.", "It fell from 6 to 5 tonnes.", ""),
        ("The profit of Varn fell to 21 crowns.", "Its revenue was up from 5 to 6 crowns.", ""),
        ("Varn has more boats than Kesh.", "The boats of Varn fell from 6 to 5.", ""),
    ],
)
def test_a_contrary_trend_is_found_with_its_words(claim: str, text: str, words: str) -> None:
    found = contrary_trends(claim, text)
    assert (text[slice(*found[1].span)] if found else "") == words
