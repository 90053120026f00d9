"""Which lines of a text are headings, and which are above a place."""

import pytest

from core.documents.headings import headings_above, headings_of

PLAIN = "Rates of the county\nHarl\nThe rate is 4 per cent.\nIt fell.\n\nTarn\n| Dogs | 12 euros |\n| Cats | 3 euros |"
MARKED = (
    "# Rates\n\n## Harl ##\n\nThe rate is 4 per cent.\n\n### Dogs\n\nThey cost 12.\n\n## **Tarn**\n\nThe rate is 6."
)


@pytest.mark.parametrize(
    ("text", "words", "above"),
    [
        (PLAIN, "It fell", ["Rates of the county", "Harl"]),
        (PLAIN, "| Cats", ["Rates of the county", "Tarn"]),
        (PLAIN, "Rates", []),
        (MARKED, "The rate is 4", ["Rates", "Harl"]),
        (MARKED, "They cost", ["Rates", "Harl", "Dogs"]),
        (MARKED, "The rate is 6", ["Rates", "Tarn"]),
    ],
)
def test_a_place_is_under_the_headings_of_its_section(text: str, words: str, above: list[str]) -> None:
    assert [one.text for one in headings_above(text, text.index(words))] == above


@pytest.mark.parametrize(
    "text",
    [
        "The mill burnt.\nNobody was hurt.",
        "Monday shut\nSunday shut\nTuesday open\nThe café is old.",
        "- Bread\n- Milk\nThat is all.",
        "Dear Ann,\nThank you for your letter.",
        "Harl",
        "",
    ],
)
def test_other_lines_are_no_headings(text: str) -> None:
    assert headings_of(text) == ()
