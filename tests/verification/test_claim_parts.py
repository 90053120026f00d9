"""Which claims are split, into which parts, and which are left whole; by names that nobody knows."""

import pytest

from core.verification.claim_parts import parts_of


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        (
            "Vittoria Ambrel was born in Lozzo and moved to Darnau in 1950.",
            ["Vittoria Ambrel was born in Lozzo", "Vittoria Ambrel moved to Darnau in 1950"],
        ),
        (
            "The pump not only costs less, it also lasts longer.",
            ["The pump costs less", "The pump lasts longer"],
        ),
        (
            "The Tarrow 2 costs 990 crowns and is lighter than the Tarrow 1 was.",
            ["The Tarrow 2 costs 990 crowns", "The Tarrow 2 is lighter than the Tarrow 1 was"],
        ),
        (
            "The weaver must pay a fine, and her former partner was found guilty of theft.",
            ["The weaver must pay a fine", "Her former partner was found guilty of theft"],
        ),
        (
            "Lynxes, which had died out in Korrin, were brought back in 1993.",
            ["Lynxes were brought back in 1993", "Lynxes had died out in Korrin"],
        ),
        (
            "The jury chose Anna Kovel, who won the prize in 2010.",
            ["The jury chose Anna Kovel", "Anna Kovel won the prize in 2010"],
        ),
        (
            "Although the pass was closed in May, the ferry of Dorm ran all summer.",
            ["The pass was closed in May", "The ferry of Dorm ran all summer"],
        ),
        ("The span opened in 2006 and cars pay 4.50.", ["The span opened in 2006", "Cars pay 4.50"]),
        ("In 2022 sales rose and profits fell.", ["In 2022 sales rose", "In 2022 profits fell"]),
        (
            "The drug was approved in 1999, but it was withdrawn in 2004.",
            ["The drug was approved in 1999", "The drug was withdrawn in 2004"],
        ),
        (
            "The play was written by Orla Mend and performed by the Ketter Stage.",
            ["The play was written by Orla Mend", "The play was performed by the Ketter Stage"],
        ),
        (
            "The tower of Halm is 330 m high. It was built in 1889.",
            ["The tower of Halm is 330 m high", "The tower of Halm was built in 1889"],
        ),
        (
            "The mayor of Tarn resigned after the auditors found a hole in the budget.",
            [
                "The mayor of Tarn resigned",
                "The auditors found a hole in the budget",
                "The mayor of Tarn resigned after the auditors found a hole in the budget.",
            ],
        ),
    ],
)
def test_a_claim_of_several_statements_is_split_with_its_subjects(claim: str, parts: list[str]) -> None:
    found = parts_of(claim)
    assert [one.text for one in found] == parts
    for one in found:
        assert one.text.lower() == " ".join(claim[start:end] for start, end in one.pieces).lower()


@pytest.mark.parametrize(
    "claim",
    [
        "Oskar Brannvik and Lena Tove signed the treaty.",
        "Trade between Vorland and Kesh grew by ten per cent.",
        "Oskar Brannvik wrote and directed the play.",
        "The mayor of Tarn resigned after the war.",
        "The dam at Korrin broke two years after the warning was issued.",
        "The firm sells boats and used cars.",
        "The pool is not only small but cold.",
        "The firm owns a house built in 1900 and renovated in 2000.",
        "Tove sells apples and pears imported from Kesh.",
        "Three nurses left the ward and moved to Kesh.",
        "The council did not close the pool and sold the land.",
        "The mayor fired Tom Bell, and he appealed.",
        "Exports declined while Brannvik was minister.",
        "If the dam breaks, the valley is flooded and the road is cut.",
        "Lena Tove said that the pool was closed and the land was sold.",
        "It is not true that the pool was closed and the land was sold.",
        "Was the pool closed and was the land sold?",
        "The tower is high. It was built in 1889. It is made of iron. It was painted green.",
        "Vorland and Kesh announced the height of Mount Orr together. It is 8,848 metres.",
    ],
)
def test_one_statement_or_one_in_doubt_is_left_whole(claim: str) -> None:
    (whole,) = parts_of(claim)
    assert (whole.text, whole.pieces) == (claim, ((0, len(claim)),))


def test_characters_of_a_part_are_found_in_the_claim() -> None:
    claim = "Lynxes, which had died out in Korrin, were brought back in 1993."
    main, other = parts_of(claim)
    at = main.text.index("1993")
    assert [claim[start:end] for start, end in main.in_claim([(at, at + 4)])] == ["1993"]
    across = other.in_claim([(0, len(other.text))])
    assert [claim[start:end] for start, end in across] == ["Lynxes", "had died out in Korrin"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "; ; ;",
        "and",
        ", which was",
        "A not only was, but too",
        "so, and " * 250,
        "A was b, which was c, and " * 80,
    ],
)
def test_odd_texts_are_read_at_once(text: str) -> None:
    assert 1 <= len(parts_of(text)) <= 3
