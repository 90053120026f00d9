"""The differences of a passage from a claim: a number or date that agrees by arithmetic is none."""

import pytest

from core.types import Document, Passage
from core.verification.stance.classifier import compare_passages
from core.verification.stance.differences import another_of_its_series
from core.verification.stance.features import Read, hedges
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
        ("At Fort Essery it was hotter than 106 degrees Fahrenheit.", "Fort Essery measured 41.3 °C.", []),
        ("At Fort Essery it was hotter than 120 degrees Fahrenheit.", "Fort Essery measured 41.3 °C.", ["number"]),
        ("The fair of Graz opened on 3 May 2019.", "The fair of Graz opened on 5 June 2019.", ["date"]),
        ("The fair of Graz opened on Monday.", "The fair of Graz opened on Friday.", ["date"]),
        ("Graz won the third list.", "Graz won the third list of the 10th Circuit.", []),
        ("Graz won the third list.", "Graz won the fifth list.", ["number"]),
        ("Graz won the third list.", "Graz won the list at the 10th Circuit.", []),
        ("Graz sold three bells.", "Of the walls of Graz 2.6 million bricks were counted.", []),
        ("Rask made a dozen goals fewer than the best.", "Rask made 19 goals.", []),
        ("In 2023 Graz had 31,500 visitors.", "31,500 visitors came to Graz; in 2023 it was 28,000.", ["number"]),
        ("May was dry in Graz.", "May was the driest in Graz; June was wetter.", []),
        ("May was dry in Graz.", "May was wet in Graz.", ["antonym"]),
        ("Small boats sail longer than big ones.", "Larger boats sail until May.", []),
        ("No May in Graz was as dry as this one.", "May was the driest in Graz.", []),
        ("No rain fell in Graz.", "Rain fell in Graz.", ["negation"]),
        ("The mill of Graz burned in 1767.", "The mill of Graz, built in 1231, burned in 1677.", ["date"]),
        ("The profit of Graz was 21 crowns in May.", "The revenue of Graz was 418 crowns in May.", []),
        ("The profit of Graz was 21 crowns in May.", "The profit of Graz was 23 crowns in May.", ["number"]),
        ("Graz had never before had such a crowd.", "Graz had a crowd.", []),
        ("It rose by 3 per cent, more than last year.", "It rose by 3 per cent, lower than last year.", ["antonym"]),
        ("A boy of Graz made the film.", "A film claims that the mill of Graz burned. The claim is false.", []),
        ("The mill of Graz burned.", "A film claims that the mill of Graz burned. The claim is false.", ["denial"]),
        (
            "The long report of Graz grew. No report of Graz was ready.",
            "The long report of Graz grew. No report of Graz was ready.",
            [],
        ),
        ("Graz frees them within five years.", "He died in 1857. Graz frees them within five years.", []),
        ("Graz named its mill.", "Graz named its mill. That was not a name which others call false.", ["denial"]),
        ("Graz named its mill.", "Graz named its mill. That was its rule, which nobody called false.", []),
    ],
)
def test_a_number_that_agrees_by_arithmetic_is_no_difference(claim: str, text: str, kinds: list[str]) -> None:
    assert [one.kind for one in read(claim, text).differences] == kinds


def test_amounts_that_make_the_claims_are_a_feature() -> None:
    claim = "One plot in four is empty."
    assert read(claim, "37 of the 148 plots are empty.").values["amounts computed"] == 1.0
    assert read(claim, "37 plots are empty.").values["amounts computed"] == 0.0


@pytest.mark.parametrize(
    ("claim", "text", "found"),
    [
        ("District 7 has 264 houses.", "District 69 has 2,558 houses.", ("District 69", "District 7")),
        ("District 7 has 264 houses.", "District 7 has 264 houses, District 8 has 301.", None),
        ("The Mule 3 is heavier than the Mule 2.", "The Mule 2 is light.", None),
        ("It opened in May 2019.", "It opened in May 2020.", None),
        ("Nearly 300 people came.", "Nearly 400 people came.", None),
    ],
)
def test_another_thing_of_a_numbered_series_is_found(claim: str, text: str, found: tuple[str, str] | None) -> None:
    assert another_of_its_series(claim, text) == found


def test_without_differences_only_their_numbers_change() -> None:
    found = read("The bridge of Graz has 12 arches.", "The bridge of Graz has 9 arches.")
    changed = {name for name in found.values if found.values[name] != found.plain[name]}
    assert {"number × coverage", "rest"} <= changed
    assert not changed & {"coverage", "exact", "backward", "amounts differs"}


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "It was 41 °C warm at Skarnby in 2019.",
            "At Fort Essery 41 °C were measured, the most since measurements began there in 1887.",
        ),
        (
            "The bakers of Graz sold 12% more bread to schools.",
            "The bakers of Graz, where 83% took part, opened again.",
        ),
    ],
)
def test_an_amount_of_another_matter_is_no_difference(claim: str, text: str) -> None:
    assert read(claim, text).differences == ()


@pytest.mark.parametrize(
    ("claim", "text", "kinds"),
    [
        ("The bridge of Graz was built by Otto Kern.", "The bridge of Graz was built by Ida Roth.", ["name"]),
        ("The Silver Girls live in a house in Graz.", "The show has Rue Clan and Ida Roth in a house in Graz.", []),
        ("It is a vaccine against measles.", "It is a vaccine for measles.", []),
        ("Emmett voted against the ban of cars.", "Emmett voted for the ban of cars.", ["negation"]),
        ("31% of the bakers drink tea.", "69% of the bakers do not drink tea.", ["negation"]),
        ("Graz lost nearly a quarter of the seats.", "Graz took 29.7 percent and 53 seats.", []),
        ("Graz lost 24% of the seats.", "Graz lost 29.7% of the seats.", ["number"]),
        ("The bridge over the Aller is old.", "The bridge over the Weser is old.", ["name"]),
        ("The bridge over the Aller is old and green.", "The bridge over the Weser is old.", []),
        ("Do not go to the mill of Graz in December.", "The mill of Graz was built on 9 June 1974.", []),
        ("Mars was a film.", "Mars is a science fiction film.", []),
        ("Mars was a film.", "That Mars was a film is fiction.", ["denial"]),
    ],
)
def test_differences_are_in_the_same_place_and_of_the_claim(claim: str, text: str, kinds: list[str]) -> None:
    assert [one.kind for one in read(claim, text).differences] == kinds


@pytest.mark.parametrize(
    ("text", "words"), [("Graz may have a mill.", ("may",)), ("In May Graz had a mill.", ()), ("Graz has a mill.", ())]
)
def test_words_of_doubt_are_found_and_the_month_of_may_is_none(text: str, words: tuple[str, ...]) -> None:
    assert hedges(read("Graz has a mill.", text).alignment) == words
