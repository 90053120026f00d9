"""Progress, control accuracy, straight-lining and disagreements, on numbers worked out by hand."""

from dataclasses import replace
from typing import Any

import pytest

from core.agreement.raters import ControlAccuracy, Straightness
from core.agreement.ratings import ImportReport, MajorError, RatingImport, Response
from core.campaigns.adjudication import SETTLED, disagreements, in_dispute, settled
from core.campaigns.planning.own_form import read_form
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, ControlKey, EvidencePair
from core.campaigns.planning.rating_form import STANDARD
from core.campaigns.progress import as_key, controls_answered, median_minutes, progress
from core.campaigns.types import Adjudication, Assigned, InvitedRater
from core.types import Label

SCALES = ("semantic_coverage", "relevance")
ITEMS = (
    CampaignItem("1", "One", (EvidencePair("q", "a"),), "X", id="i1", gold=Label.REFUTED),
    CampaignItem("2", "Two", (), "X", id="i2"),
    CampaignItem("c", "Control", (), "C", control=True, control_key=ControlKey(verdict=Label.SUPPORTED), id="i3"),
)


def given(
    item: str,
    rater: str,
    verdict: Label | None = Label.SUPPORTED,
    ratings: tuple[int, ...] = (4, 4),
    error: MajorError = MajorError.NONE,
) -> Response:
    one = next(one for one in ITEMS if one.item == item)
    scales = dict(zip(SCALES, ratings, strict=False))
    return Response(2, item, rater, "", error, verdict, scales, system=one.system, claim=one.claim)


def imported(*responses: Response) -> RatingImport:
    report = ImportReport("t", len(responses), len(responses), (), (), {}, {}, 0, (), ())
    return RatingImport(responses, SCALES, report)


def work(item: str, rater: str, *, seconds: float = 60.0, submitted: float | None = 9.0) -> Assigned:
    return Assigned(item, rater, 1, 1.0, 5.0, submitted, seconds)


def rater(name: str) -> InvitedRater:
    return InvitedRater(f"id-{name}", name, "T", "", "", 0.0, 0.0, joined=True, revoked=False)


def test_a_campaign_with_two_raters() -> None:
    plan = CampaignPlan("t", ITEMS, ratings_per_item=2)
    assigned = [
        work("i1", "R01", seconds=60),
        work("i2", "R01", seconds=240),
        work("i3", "R01", seconds=90),
        work("i1", "R02", seconds=30),
        work("i2", "R02", submitted=None),
    ]
    ratings = imported(
        given("1", "R01"), given("2", "R01", ratings=(1, 5)), given("c", "R01"), given("1", "R02", Label.REFUTED)
    )
    now = progress(plan, [rater("R01"), rater("R02"), rater("R03")], assigned, ratings)
    assert (now.submitted, now.wanted, now.minutes) == (3, 4, 1.25)
    first, second, third = now.raters
    assert (first.opened, first.submitted, first.minutes, first.touched) == (3, 3, 1.5, 5.0)
    assert first.controls == ControlAccuracy("R01", 1, 1)
    assert first.straight == Straightness("R01", 3, 2, 1)
    assert first.uniform_share == 2 / 3
    assert (second.opened, second.submitted, second.minutes) == (2, 1, 0.5)
    assert second.controls.share is None
    assert third.opened == 0
    assert third.minutes is third.touched is third.controls is third.uniform_share is None
    assert [(one.opened, one.submitted, one.wanted) for one in now.items] == [(2, 2, 2), (2, 1, 2), (1, 1, 0)]


def test_more_ratings_than_wanted_do_not_make_up_for_missing_ones() -> None:
    plan = CampaignPlan("t", ITEMS, ratings_per_item=1)
    now = progress(plan, [], [work("i1", "R01"), work("i1", "R02")], imported())
    assert (now.submitted, now.wanted) == (1, 2)


THREE = "3 ratings are missing and no rater is left: invite one."


@pytest.mark.parametrize(("assigned", "changes", "sentence"), [
    ([work("i1", "R01"), work("i2", "R01")], {}, "2 ratings are missing and no rater is left: invite one."),
    ([work("i1", "R01"), work("i2", "R01", submitted=None)], {}, ""),
    ([work("i1", "R01")], {}, ""),
    ([work("i1", "R01")], {"team": " x "}, THREE),
    ([work("i1", "R01")], {"revoked": True}, THREE),
    ([work("i1", "R01")], {"expires": None, "joined": False}, THREE),
])  # fmt: skip
def test_missing_ratings_that_nobody_can_give_are_named(
    assigned: list[Assigned], changes: dict[str, Any], sentence: str
) -> None:
    plan = CampaignPlan("t", ITEMS, ratings_per_item=2, items_per_rater=3, controls_per_rater=1)
    found = progress(plan, [replace(rater("R01"), **changes)], assigned, imported())
    assert found.nobody_left == sentence


def test_no_time_is_no_minute() -> None:
    assert median_minutes([work("i1", "R01", seconds=0.0), work("i2", "R01", submitted=None)]) is None


@pytest.mark.parametrize(
    ("key", "response", "right"),
    [
        (ControlKey(verdict=Label.SUPPORTED), given("c", "R"), True),
        (ControlKey(verdict=Label.REFUTED), given("c", "R"), False),
        (ControlKey(verdict=Label.REFUTED), given("c", "R", None), False),
        (ControlKey(verdict=Label.SUPPORTED), given("c", "R", None, (), MajorError.EMPTY), False),
        (ControlKey(error=MajorError.EMPTY), given("c", "R", None, (), MajorError.EMPTY), True),
        (ControlKey(error=MajorError.IRRELEVANT), given("c", "R", None, (), MajorError.EMPTY), False),
        (ControlKey(error=MajorError.NONE), given("c", "R"), True),
        (ControlKey(scales={"relevance": (4, 5)}), given("c", "R"), True),
        (ControlKey(scales={"relevance": (1, 3)}), given("c", "R"), False),
        (ControlKey(scales={"relevance": (1, 3)}), given("c", "R", ratings=(3,)), False),
    ],
)
def test_whether_a_control_is_answered_as_its_key_says(key: ControlKey, response: Response, right: bool) -> None:
    assert as_key(response, key) is right
    assert controls_answered([response], {("c", "C"): key}) == (ControlAccuracy("R", 1, int(right)),)


def test_a_key_that_checks_nothing_counts_for_nothing() -> None:
    assert controls_answered([given("c", "R")], {("c", "C"): ControlKey()}) == (ControlAccuracy("R", 0, 0),)


SPREADS = dict.fromkeys(SCALES, 2)


def test_what_is_in_dispute() -> None:
    assert in_dispute([given("1", "R01"), given("1", "R02")], SPREADS) == ()
    assert in_dispute([given("1", "R01"), given("1", "R02", Label.REFUTED, (4, 5))], SPREADS) == ("verdict",)
    assert in_dispute([given("1", "R01", ratings=(1, 4)), given("1", "R02", ratings=(3, 5))], SPREADS) == SCALES[:1]
    wrong = given("1", "R02", None, (), MajorError.EMPTY)
    assert in_dispute([given("1", "R01"), wrong], SPREADS) == ("error",)
    assert in_dispute([given("1", "R01", ratings=(1, 4))], SPREADS) == ()
    near = [given("1", "R01", ratings=(3,)), given("1", "R02", ratings=(4,))]
    assert in_dispute(near, {SCALES[0]: 1}) == SCALES[:1]


@pytest.mark.parametrize(("high", "disputed"), [(5, True), (100, False)])
def test_a_fifth_of_a_long_scale_is_in_dispute(high: int, disputed: bool) -> None:
    table = f'name = "{SCALES[0]}"\ntitle = "T"\nquestion = "?"\nanswer = "scale"\nlow = 0\nhigh = {high}\n'
    form = read_form("form.toml", f"[[questions]]\n{table}")
    ratings = replace(imported(given("1", "R01", None, (1,)), given("1", "R02", None, (4,))), scales=SCALES[:1])
    assert bool(disagreements(ITEMS, ratings, form)) is disputed


def test_the_adjudicator_sees_neither_raters_nor_system() -> None:
    ratings = imported(
        given("1", "R01"), given("1", "R02", Label.REFUTED), given("c", "R01"), given("c", "R02", Label.REFUTED)
    )
    (one,) = disagreements(ITEMS, ratings, STANDARD)
    assert (one.item, one.questions, one.claim) == ("i1", ("verdict",), "One")
    assert [answers.letter for answers in one.given] == ["A", "B"]
    assert {str(answers.answers["verdict"]) for answers in one.given} == {"Supported", "Refuted"}
    for secret in ("R01", "R02", "'X'", "gold"):
        assert secret not in repr(one)


def test_letters_do_not_follow_the_raters() -> None:
    orders = set()
    for number in range(20):
        items = [replace(ITEMS[0], id=f"i{number}")]
        (one,) = disagreements(items, imported(given("1", "R01"), given("1", "R02", Label.REFUTED)), STANDARD)
        orders.add(one.given[0].answers["verdict"])
    assert len(orders) == 2


def test_settled_answers_are_adjudicated_or_the_majoritys_or_missing() -> None:
    ratings = imported(
        given("1", "R01", Label.REFUTED, (1, 5)),
        given("1", "R02", Label.REFUTED, (3, 5)),
        given("1", "R03", Label.SUPPORTED, (5, 4)),
        given("2", "R01"),
        given("2", "R02", None, (), MajorError.EMPTY),
    )
    found = settled(ITEMS, ratings, [])
    (one,) = found.responses
    assert (one.rater, one.verdict, one.ratings) == (SETTLED, Label.REFUTED, {"relevance": 5})
    assert [note.split(":")[0] for note in found.report.notes] == ["1 item is left out"]
    decided = [
        Adjudication("i1", "semantic_coverage", 2, "", 1.0),
        Adjudication("i1", "verdict", "Supported", "", 1.0),
        Adjudication("i2", "error", "entirely empty", "", 1.0),
    ]
    one, two = settled(ITEMS, ratings, decided).responses
    assert (one.verdict, one.ratings) == (Label.SUPPORTED, {"semantic_coverage": 2, "relevance": 5})
    assert (two.error, two.verdict, two.ratings) == (MajorError.EMPTY, None, {})
