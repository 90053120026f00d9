import pytest

from core.verification.stance.amounts import amounts
from core.verification.stance.arithmetic import AmountComparison, compare
from core.verification.stance.two_amounts import AmountOutcome, agree, counters


def outcomes(claim: str, passage: str) -> list[str]:
    return [one.outcome.value for one in compare(claim, passage)]


def first(claim: str, passage: str) -> AmountComparison:
    return compare(claim, passage)[0]


@pytest.mark.parametrize(
    ("claim", "passage", "outcome"),
    [
        ("The city has 5 million inhabitants.", "The city has 3.2 million inhabitants.", "differs"),
        ("The city has 12 million inhabitants.", "The city has 12.4 million inhabitants.", "agrees"),
        ("The city has 12.4 million inhabitants.", "The city has about 12 million inhabitants.", "silent"),
        ("The trail is 10 miles long.", "The trail is 16 km long.", "agrees"),
        ("The peak is 8,849 metres high.", "The peak is 8,848.86 m high.", "agrees"),
        ("At noon it was 104 °F.", "At noon it was 40 °C.", "agrees"),
        ("The film runs 125 minutes.", "The film runs 2 hours and 5 minutes.", "agrees"),
        ("Turnout was between 40 and 50 per cent.", "Turnout was 45 per cent.", "agrees"),
        ("Turnout was between 40 and 50 per cent.", "Turnout was 55 per cent.", "differs"),
        ("About 100 ships sailed.", "97 ships sailed.", "agrees"),
        ("More than 200 ships sailed.", "212 ships sailed.", "agrees"),
        ("More than 200 ships sailed.", "200 ships sailed.", "differs"),
        ("More than 200 ships sailed.", "More than 150 ships sailed.", "silent"),
        ("More than 200 ships sailed.", "More than 900 ships sailed.", "silent"),
        ("13 ships sailed.", "12 ships sailed.", "differs"),
        ("A quarter of the schools closed.", "12 of the 48 schools closed.", "agrees"),
        ("United won 3-1.", "United won 2-1.", "differs"),
        ("It was passed under the 25th Amendment.", "It was passed by the 25th Amendment.", "agrees"),
        ("The bridge opened in May 2006.", "The bridge opened on 15 May 2006.", "agrees"),
        ("The bridge opened on 15 May 2006.", "The bridge opened in 2006.", "silent"),
        ("The bridge opened on 15 May 2006.", "The bridge opened in 2007.", "differs"),
        ("The bridge opened before 2006.", "The bridge opened in 2004.", "agrees"),
        ("The plants close by 2022.", "The plants close by 2020.", "silent"),
        ("The 2015–20 plan failed.", "The 2019–20 plan failed.", "silent"),
    ],
)
def test_values_are_compared_within_their_bounds_and_units(claim: str, passage: str, outcome: str) -> None:
    assert outcomes(claim, passage)[0] == outcome


@pytest.mark.parametrize(
    ("claim", "passage", "outcome"),
    [
        ("It cost 4.50 euros in 2006.", "In 2006 a ticket cost 4.50 euros.", "agrees"),
        ("Eleven patients were treated at the hospital.", "The hospital has 640 beds.", "silent"),
        ("The dam holds 610 million cubic metres.", "The dam is 118 metres high.", "silent"),
        (
            "It made a profit of 18 million in 2022.",
            "It lost 18 million in 2022, after a profit the year before.",
            "differs",
        ),
        ("More than 10,000 people attended the rally.", "About 9,800 people attended the rally.", "differs"),
        ("The fair is in May.", "The fair may be late.", "silent"),
        ("It is 8,848.86 metres.", "The peak's height is 8,848.86 m.", "agrees"),
    ],
)
def test_the_wrong_verdicts_of_the_old_rules_are_right(claim: str, passage: str, outcome: str) -> None:
    assert outcomes(claim, passage)[0] == outcome


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("In 2019 the plant employed 300 workers.", "In 2022 the plant employed 400 workers."),
        ("Turnout rose by 5 percentage points.", "Turnout rose by 8 per cent."),
        ("Last month Peru had 54 murders.", "Last month Chile had 45 murders."),
        ("It pays $15 an hour.", "It pays $1,200 a week."),
        ("The ticket costs 10 euros.", "The ticket costs 12 dollars."),
        ("She is 37 years old.", "She worked there for 12 years."),
    ],
)
def test_amounts_of_another_time_subject_or_kind_are_not_compared(claim: str, passage: str) -> None:
    assert outcomes(claim, passage)[0] == "silent"


def test_the_reason_has_both_amounts_and_their_places() -> None:
    claim, passage = "The city has 5 million inhabitants.", "The city has about 3.2 million inhabitants."
    found = first(claim, passage)
    assert found.reason.startswith("says about 3.2 million;")
    assert claim[slice(*found.claim_span)] == "5 million"
    assert [passage[slice(*span)] for span in found.spans] == ["about 3.2 million"]


def test_an_amount_that_says_one_number_of_the_claim_counters_no_other() -> None:
    passage = "12 schools closed and 18 schools opened."
    assert outcomes("12 schools closed and 18 schools opened.", passage) == ["agrees", "agrees"]


def test_an_amount_of_the_claims_own_year_comes_before_one_without_a_year() -> None:
    told = "From Friday to Sunday 31,500 people came to the fair; in 2023 there had been 28,000."
    assert outcomes("In 2023 the fair counted 31,500 visitors.", told)[0] == "differs"
    assert outcomes("In 2023 the fair counted 28,000 visitors.", told)[0] == "agrees"
    assert outcomes("The fair counted 31,500 visitors.", told)[0] == "agrees"


def test_a_date_that_the_passage_has_elsewhere_does_not_differ() -> None:
    claim, passage = "Capra's film was made in 1941.", "Capra's film was shown in 1944. Its scenes date from 1941."
    assert outcomes(claim, passage) == ["silent"]
    assert outcomes(claim, "Capra's film was made in 1944.") == ["differs"]


SHOPS = "Of the shops on Corran Street, 17 of the 85 shops stand empty."


@pytest.mark.parametrize(
    ("claim", "passage", "outcome"),
    [
        ("One shop in five on Corran Street is empty.", SHOPS, "agrees"),
        ("One shop in five on Corran Street is empty.", "Corran Street has 85 shops.", "silent"),
        ("One teacher in eight at Felder School is away.", "Felder School has 96 teachers.", "silent"),
        ("Three out of ten ferries were late.", "Ten ferries sailed and four ferries were late.", "silent"),
        ("1 in 5 people in Harrow smoke.", "In Harrow 20 per cent of people smoke.", "agrees"),
        ("1 in 5 people in Harrow smoke.", "In Harrow 40 per cent of people smoke.", "differs"),
        ("1 in 5 people in Harrow smoke.", "Harrow has 5,400 people.", "silent"),
        ("One guard and others were hurt in five attacks.", "20 guards of 80 were hurt.", "silent"),
    ],
)
def test_one_in_five_is_a_share_and_no_count(claim: str, passage: str, outcome: str) -> None:
    assert outcomes(claim, passage)[0] == outcome


@pytest.mark.parametrize(
    ("claim", "passage", "outcomes_of"),
    [
        (
            "The other plots had 0.3 plants per metre.",
            "There were 5.8 plants per metre in plots with seeds (95% CI 4.9 to 6.7) and 0.3 in the other plots.",
            ["agrees"],
        ),
        (
            "Of the five museums, only the Museum of Glass had fewer guests in 2023 than in 2022.",
            "The fall at the Museum of Glass in 2023 is put down to roadworks.",
            ["silent", "silent"],
        ),
    ],
)
def test_a_rate_goes_on_in_a_list_and_a_year_of_the_claim_counters_no_other(
    claim: str, passage: str, outcomes_of: list[str]
) -> None:
    assert outcomes(claim, passage) == outcomes_of


@pytest.mark.parametrize(
    ("claim", "passage", "outcome"),
    [
        ("The reef is about seven miles from end to end.", "It is eleven kilometres long.", "agrees"),
        ("The reef is about six miles from end to end.", "The reef is eleven kilometres long.", "silent"),
        ("The reef is twelve miles from end to end.", "The reef is eleven kilometres long.", "differs"),
        ("The reef is twelve miles from end to end.", "The reef is 2 kilometres wide.", "silent"),
        ("Lake Ambry is twelve miles long.", "The pier is 300 metres long.", "silent"),
    ],
)
def test_lengths_are_compared_in_one_dimension_of_one_thing(claim: str, passage: str, outcome: str) -> None:
    assert outcomes(claim, passage)[0] == outcome


@pytest.mark.parametrize(
    ("claim", "passage", "outcome"),
    [
        ("More than 4,500 people watched the race.", "About 4,300 spectators came to the race.", "differs"),
        ("More than 4,500 people live in Orne.", "About 4,300 visitors came to Orne.", "silent"),
        ("Brenlow has 45 schools.", "Ostrand has 54 schools.", "silent"),
        ("In Brenlow 45 schools closed.", "Ostrand closed 54 schools.", "silent"),
        ("Brenlow has 45 schools.", "Brenlow has 54 schools.", "differs"),
        ("Brenlow has 45 schools.", "It has 54 schools.", "differs"),
    ],
)
def test_an_audience_is_one_kind_and_a_name_opens_a_sentence(claim: str, passage: str, outcome: str) -> None:
    assert outcomes(claim, passage)[0] == outcome


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Six judges agreed.", "Nine judges sat; three of them dissented."),
        ("Three of the nine judges dissented.", "Six of the nine judges agreed."),
        ("Eight visitors were hurt.", "About 900 visitors came."),
        ("A third of the orders were late.", "Orders fell by a tenth."),
        ("The trip took two hours.", "The trip was delayed by 20 minutes."),
        ("The walk is 3 miles.", "The walk is 900 metres shorter than before."),
        ("12 of the ships did not sail.", "18 of the ships sailed."),
        ("The bag weighs 4 kg.", "The bag can carry 20 kg."),
    ],
)
def test_amounts_of_one_noun_but_another_statement_do_not_differ(claim: str, passage: str) -> None:
    assert "differs" not in outcomes(claim, passage)


@pytest.mark.parametrize(
    ("claimed", "told", "agreeing"),
    [
        ("12 million people", "12.4 million people", True),
        ("some 6,000 acres", "2,430 hectares", True),
        ("13 ships", "12 ships", False),
        ("8 metres", "8 kilograms", False),
        ("more than 200 ships", "150 ships", False),
        ("in 1937", "in March 1937", True),
        ("in 1937", "in 1938", False),
        ("hundreds or thousands of times", "hundreds or thousands of times", True),
    ],
)
def test_amounts_agree_within_their_rounding_and_bounds(claimed: str, told: str, agreeing: bool) -> None:
    assert agree(amounts(claimed)[0], amounts(told)[0]) is agreeing


@pytest.mark.parametrize(
    ("claimed", "told", "differing"),
    [
        ("around 21.9 million people", "around 17.5 million people", True),
        ("at least 4 ships", "at least 5 ships", True),
        ("5 ships", "more than 2 ships", False),
        ("12.4 million people", "12 million people", False),
        ("until 1971", "until 1975", True),
        ("since 2016", "since 2014", True),
        ("in 2019", "in March 2019", False),
        ("after May 2024", "on 31 May 2024", False),
    ],
)
def test_an_amount_is_countered_by_another_in_the_same_form(claimed: str, told: str, differing: bool) -> None:
    assert counters(amounts(claimed)[0], amounts(told)[0]) is differing


def test_each_amount_of_a_claim_has_one_outcome() -> None:
    found = compare("In Rome 12 ships and 5 planes left.", "In Rome 12 ships and 7 planes left.")
    assert [one.outcome for one in found] == [AmountOutcome.AGREES, AmountOutcome.DIFFERS]
    assert compare("Nobody left.", "12 ships left.") == ()


def test_many_numbers_take_bounded_time() -> None:
    claim = "In 2019, 12 men, 13 women, 5 km, 7 miles, 8 kg, 9%, 10 cases, 11 deaths, 14 boys, 15 girls and 16 towns."
    prose = " ".join(f"In {1900 + i % 100} there were {i} dogs and {i * 3} cats." for i in range(100))
    rows = "".join(f"| Town {i} | {i * 37} | {i} km2 | ${i},000 |\n" for i in range(500))
    assert len(compare(claim, prose)) == len(compare(claim, f"| Town | People | Area | Cost |\n{rows}")) == 11
    assert len(compare(prose, prose)) == 40


def test_a_rise_does_not_counter_a_height() -> None:
    (height,) = amounts("Mount Everest is 8,848.86 metres high.")
    (rise,) = amounts("That is about four metres more than before.")
    (other,) = amounts("Mount Everest is 8,844 metres high.")
    assert not counters(height, rise)
    assert counters(height, other)
