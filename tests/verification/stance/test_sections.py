"""The section of a sentence: the headings that a claim needs, and other sections and rows that settle nothing."""

import pytest

from core.verification.stance.sections import section_of

TOWNS = "Fees\nHarl\nThe fee is 4 euros.\nTarn\nThe fee is 6 euros. In Harl it is lower."
TOPICS = "Visitors\nA ticket costs 4 euros.\nHistory\nThe hall opened in 1931 and had many visitors."
FARES = "| Adult single | 9 euros |\n| Child single | 6 euros |\n| Day ticket | 15 euros |"
BOX = "Harl: a town\nInhabitants: 3,000\nDogs: 210"
FORM = "Number of members: 40.\nNumber of boats: 9."
AMENDED = "Nine sheep fled.\n\nCorrection: We wrote that nine sheep fled. Six did."
BRIDGE = "The bridge opened again in May. The works took eleven weeks. It reopened on a Monday."


@pytest.mark.parametrize(
    ("text", "claim", "sentence", "headings", "settles"),
    [
        (TOWNS, "The fee in Tarn is 6 euros", "The fee is 6 euros.", "Tarn", True),
        (TOWNS, "The fee in Tarn is 6 euros", "The fee is 4 euros.", "", False),
        (TOWNS, "The fee in Harl is 6 euros", "In Harl it is lower.", "Fees", True),
        (TOWNS, "Tarn has a higher fee than Harl", "The fee is 4 euros.", "Harl", True),
        (TOPICS, "Visitors like the old hall", "The hall opened in 1931 and had many visitors.", "", True),
        (FARES, "A single for a child costs 6 euros", "| Child single | 6 euros |", "", True),
        (FARES, "A single for a child costs 6 euros", "| Adult single | 9 euros |", "", False),
        (FARES, "A single for a child costs 6 euros", "| Day ticket | 15 euros |", "", False),
        (FARES, "A ticket for the bus costs 6 euros", "| Day ticket | 15 euros |", "", True),
        (BOX, "Harl has 3,000 people", "Inhabitants: 3,000", "", True),
        (FORM, "The club has 40 members", "Number of members: 40.", "", True),
        (FORM, "The club has 40 members", "Number of boats: 9.", "", False),
        (BOX, "There are 210 dogs", "Inhabitants: 3,000", "", False),
        (AMENDED, "Nine sheep fled", "Correction: We wrote that nine sheep fled.", "", False),
        (AMENDED, "Nine sheep fled", "Six did.", "", True),
        (BRIDGE, "The bridge was closed for eleven weeks", "The bridge opened again in May.", "", False),
        (BRIDGE, "The bridge was closed for eleven weeks", "The works took eleven weeks.", "", True),
        (BRIDGE, "The bridge was closed in spring", "It reopened on a Monday.", "", False),
        (BRIDGE, "The bridge is closed", "The bridge opened again in May.", "", True),
        (BRIDGE, "The bridge was closed until June", "The bridge opened again in May.", "", True),
    ],
)
def test_a_sentence_has_its_section(text: str, claim: str, sentence: str, headings: str, settles: bool) -> None:
    start = text.index(sentence)
    section = section_of(claim, text, (start, start + len(sentence)))
    assert section.headings == headings
    assert (section.apart == "") is settles
