from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import event, select

from core.agreement.ratings import MajorError
from core.campaigns.assignment import STALLED_SECONDS
from core.campaigns.form import RELEVANCE, Form
from core.campaigns.rating import TOUCH_SECONDS
from core.campaigns.store import Ratings
from core.campaigns.types import CampaignState
from core.errors import BadInput, Denied
from core.storage.store import Store
from core.storage.tables import answer_history, answers, assignments, people
from core.types import Label
from tests.campaigns.builders import ANNA, BERT, ORGANISER, SECRETS, Desk, desk, item, plan
from tests.fakes import Clock

CARA = "c" * 64


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ratings(database_url: str, clock: Clock) -> Ratings:
    return Ratings(Store(database_url, clock=clock))


@pytest.fixture
def spring(ratings: Ratings) -> Desk:
    """A campaign of four items with one rating each, and Anna among its raters."""
    campaign = desk(ratings)
    campaign.join(ANNA)
    return campaign


def rows(ratings: Ratings, table: Any) -> list[Any]:
    with ratings.store.transaction() as connection:
        return list(connection.execute(select(table)).all())


@contextmanager
def statements(ratings: Ratings) -> Iterator[list[str]]:
    """Record the SQL that is sent meanwhile."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        sent.append(statement)

    event.listen(ratings.store.engine, "before_cursor_execute", note)
    yield sent
    event.remove(ratings.store.engine, "before_cursor_execute", note)


# What is saved


def test_an_answer_is_kept_and_comes_back_with_its_time(spring: Desk, clock: Clock) -> None:
    opened = spring.open(ANNA)
    assert (opened.answers, opened.saved, opened.submitted) == ({}, None, False)
    clock.now = 2_000.0
    assert spring.save(opened.id, ANNA, error=MajorError.NONE) == 2_000.0
    clock.now = 2_005.0
    assert spring.save(opened.id, ANNA, relevance=5) == 2_005.0
    again = spring.open(ANNA)
    assert (again.answers, again.saved) == ({"error": "no major errors", "relevance": 5}, 2_005.0)


def test_the_same_value_again_changes_nothing(spring: Desk, clock: Clock) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, relevance=5)
    clock.now += 10
    assert spring.save(opened.id, ANNA, relevance=5) == 1_000.0
    assert [(row.version, row.saved) for row in rows(spring.ratings, answers)] == [(1, 1_000.0)]
    assert len(rows(spring.ratings, answer_history)) == 1


def test_a_changed_answer_leaves_its_history(spring: Desk) -> None:
    opened = spring.open(ANNA)
    for value in (5, 3, 5):
        spring.save(opened.id, ANNA, relevance=value)
    spring.save(opened.id, ANNA, comment="Half of it is behind a paywall.")
    assert [(row.value, row.version) for row in rows(spring.ratings, answers)] == [
        ("5", 3),
        ('"Half of it is behind a paywall."', 1),
    ]
    kept = spring.ratings.history(spring.campaign, opened.id, ORGANISER)
    assert [(one.rater, one.question, one.value, one.version) for one in kept] == [
        ("R01", "relevance", 5, 1),
        ("R01", "relevance", 3, 2),
        ("R01", "relevance", 5, 3),
        ("R01", "comment", "Half of it is behind a paywall.", 1),
    ]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("relevance", 0),
        ("relevance", 6),
        ("relevance", "4"),
        ("relevance", True),
        ("coherence", 3),  # not asked in this campaign
        ("verdict", "Probably"),
        ("error", ""),
        ("comment", "x" * 20_001),
        ("gold", "Supported"),
    ],
)
def test_what_is_no_answer_is_refused_and_not_kept(spring: Desk, question: str, value: object) -> None:
    opened = spring.open(ANNA)
    with pytest.raises(BadInput):
        spring.ratings.save_answer(spring.campaign, opened.id, ANNA, question, value)
    assert rows(spring.ratings, answers) == rows(spring.ratings, answer_history) == []


def test_text_of_any_script_comes_back(spring: Desk) -> None:
    opened = spring.open(ANNA)
    text = "Ünïcödé “quotes” 漢字 😀 \u202e \\u0000 ' ; --"
    spring.save(opened.id, ANNA, support=text)
    assert spring.open(ANNA).answers == {"support": text}


def test_an_item_without_reference_is_not_asked_to_be_compared_with_it(ratings: Ratings) -> None:
    campaign = desk(ratings, replace(plan(1), items=(replace(item(0), reference=()),)))
    campaign.join(ANNA)
    opened = campaign.open(ANNA)
    assert [scale.name for scale in opened.form.scales] == ["relevance"]
    with pytest.raises(BadInput):
        campaign.save(opened.id, ANNA, semantic_coverage=3)
    campaign.save(opened.id, ANNA, error=MajorError.NONE, verdict=Label.REFUTED, relevance=3)
    ratings.submit(campaign.campaign, opened.id, ANNA, 0.0)


# Submitting


def test_submitting_names_what_is_still_asked(spring: Desk) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, error=MajorError.NONE, relevance=2)
    with pytest.raises(BadInput, match=r"Still to be answered: question 2 \(verdict\), Semantic Coverage\."):
        spring.ratings.submit(spring.campaign, opened.id, ANNA, 0.0)
    assert spring.open(ANNA).submitted is False


def test_a_major_error_ends_the_form(spring: Desk) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, error=MajorError.IRRELEVANT)
    spring.ratings.submit(spring.campaign, opened.id, ANNA, 3.0)
    assert spring.open(ANNA).id != opened.id
    assert spring.open(ANNA, opened.id).submitted is True


def test_submitting_again_changes_nothing(spring: Desk, clock: Clock) -> None:
    first = spring.open(ANNA).id
    clock.now += 60
    assert spring.rate(ANNA, seconds=30.0) == first
    clock.now += 60
    spring.ratings.submit(spring.campaign, first, ANNA, 30.0)
    (held,) = spring.ratings.assigned(spring.campaign, ORGANISER)
    assert (held.submitted, held.seconds) == (1_060.0, 30.0)


def test_a_change_that_makes_a_question_due_takes_the_submission_back(spring: Desk) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, error=MajorError.EMPTY)
    spring.ratings.submit(spring.campaign, opened.id, ANNA, 0.0)
    spring.save(opened.id, ANNA, comment="I looked again.")
    assert spring.open(ANNA, opened.id).submitted is True
    spring.save(opened.id, ANNA, error=MajorError.NONE)
    assert spring.open(ANNA).id == opened.id
    assert spring.open(ANNA).submitted is False


def test_time_spent_adds_up_but_never_to_more_than_has_passed(spring: Desk, clock: Clock) -> None:
    opened = spring.open(ANNA)
    clock.now += 100
    spring.ratings.add_seconds(spring.campaign, opened.id, ANNA, 40.0)
    spring.ratings.add_seconds(spring.campaign, opened.id, ANNA, 25.5)
    assert spring.open(ANNA).seconds == 65.5
    spring.ratings.add_seconds(spring.campaign, opened.id, ANNA, 1e9)
    assert spring.open(ANNA).seconds == 100.0
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(BadInput, match="number of seconds"):
            spring.ratings.add_seconds(spring.campaign, opened.id, ANNA, wrong)


# Who may do what


def calls(campaign: Desk, owner: str, of: str) -> list[Callable[[], object]]:
    ratings, here = campaign.ratings, campaign.campaign
    return [
        lambda: ratings.open_item(here, owner),
        lambda: ratings.open_item(here, owner, of),
        lambda: ratings.save_answer(here, of, owner, "relevance", 3),
        lambda: ratings.submit(here, of, owner, 0.0),
        lambda: ratings.add_seconds(here, of, owner, 1.0),
    ]


def test_who_is_no_rater_can_do_nothing(spring: Desk) -> None:
    opened = spring.open(ANNA)
    for call in [*calls(spring, BERT, opened.id), lambda: spring.ratings.my_items(spring.campaign, BERT)]:
        with pytest.raises(Denied, match="invitation link"):
            call()
    assert spring.ratings.my_campaigns(BERT) == ()
    assert rows(spring.ratings, answers) == []


def test_an_organiser_is_no_rater_and_a_rater_no_organiser(spring: Desk) -> None:
    ratings, here = spring.ratings, spring.campaign
    with pytest.raises(Denied):
        ratings.open_item(here, ORGANISER)
    held = spring.open(ANNA).id
    forbidden: list[Callable[[], object]] = [
        lambda: ratings.create(ANNA, plan()),
        lambda: ratings.campaigns(ANNA),
        lambda: ratings.campaign(here, ANNA),
        lambda: ratings.set_state(here, ANNA, CampaignState.CLOSED),
        lambda: ratings.invite(here, ANNA, "", "", "", days=1),
        lambda: ratings.renew(here, ANNA, "", days=1),
        lambda: ratings.revoke(here, ANNA, ""),
        lambda: ratings.raters(here, ANNA),
        lambda: ratings.responses(here, ANNA),
        lambda: ratings.assigned(here, ANNA),
        lambda: ratings.history(here, held, ANNA),
        lambda: ratings.adjudicate(here, held, ANNA, "verdict", "Supported", ""),
        lambda: ratings.adjudications(here, ANNA),
    ]
    for call in forbidden:
        with pytest.raises(Denied, match="Only an organiser"):
            call()
    assert ratings.my_campaigns(ANNA)[0].state is CampaignState.OPEN


def test_a_rater_cannot_touch_an_item_that_is_not_assigned_to_them(ratings: Ratings) -> None:
    campaign = desk(ratings, plan(4, each=2))
    campaign.join(ANNA)
    campaign.join(BERT)
    mine = campaign.open(ANNA).id
    others = {one.id for one in ratings.campaign(campaign.campaign, ORGANISER).plan.items} - {mine}
    for foreign in (*others, "", "claim-0", "' or 1=1 --"):
        for call in calls(campaign, ANNA, foreign)[2:]:
            with pytest.raises(Denied, match="not one of yours"):
                call()
    other = desk(ratings)
    other.join(BERT)
    with pytest.raises(Denied):
        ratings.save_answer(other.campaign, mine, ANNA, "relevance", 3)
    with pytest.raises(Denied):
        ratings.save_answer(other.campaign, mine, BERT, "relevance", 3)


@pytest.mark.parametrize(
    ("state", "words"), [(CampaignState.PAUSED, "has paused “Spring"), (CampaignState.CLOSED, "“Spring.*” is closed")]
)
def test_a_campaign_that_is_not_open_takes_no_answers(spring: Desk, state: CampaignState, words: str) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, relevance=4)
    spring.ratings.set_state(spring.campaign, ORGANISER, state)
    for call in calls(spring, ANNA, opened.id):
        with pytest.raises(Denied, match=words):
            call()
    assert spring.ratings.my_campaigns(ANNA)[0].state is state
    assert [line.id for line in spring.ratings.my_items(spring.campaign, ANNA)] == [opened.id]
    spring.ratings.set_state(spring.campaign, ORGANISER, CampaignState.OPEN)
    assert spring.open(ANNA).answers == {"relevance": 4}


def test_a_withdrawn_rater_is_out_at_once_and_a_new_link_lets_them_in_again(spring: Desk) -> None:
    from core.campaigns import access

    done = spring.rate(ANNA)
    (rater,) = spring.ratings.raters(spring.campaign, ORGANISER)
    spring.ratings.revoke(spring.campaign, ORGANISER, rater.id)
    with pytest.raises(Denied):
        spring.open(ANNA)
    (gone,) = spring.ratings.raters(spring.campaign, ORGANISER)
    assert (gone.revoked, gone.joined, gone.expires) == (True, False, None)
    assert len(spring.ratings.responses(spring.campaign, ORGANISER).responses) == 1
    token = spring.ratings.renew(spring.campaign, ORGANISER, rater.id, days=2)
    access.redeem(spring.ratings.store, token, BERT)
    assert spring.open(BERT, done).submitted is True
    newer = spring.ratings.renew(spring.campaign, ORGANISER, rater.id, days=2)
    with pytest.raises(Denied, match="withdrawn"):
        access.redeem(spring.ratings.store, token, CARA)
    access.redeem(spring.ratings.store, newer, CARA)
    with pytest.raises(Denied, match="no such rater"):
        spring.ratings.revoke(spring.campaign, ORGANISER, "nobody")


def test_an_address_is_invited_once_and_stands_in_one_table(spring: Desk) -> None:
    spring.join(BERT, address="bert@example.org", team="Papelo")
    with pytest.raises(BadInput, match="invited already, as R02"):
        spring.join(CARA, address="Bert@Example.org")
    spring.rate(BERT)
    assert [(row.name, row.address) for row in rows(spring.ratings, people)] == [
        ("A Name", ""),
        ("A Name", "bert@example.org"),
    ]
    told = repr(spring.ratings.responses(spring.campaign, ORGANISER))
    assert "R02" in told
    assert "Papelo" in told
    assert "A Name" not in told
    assert "example.org" not in told


# What a rater may know


def test_a_rater_is_told_nothing_that_could_sway_them(ratings: Ratings) -> None:
    campaign = desk(ratings, plan(3, controls=2, each=2))
    campaign.join(ANNA)
    campaign.join(BERT)
    told = []
    for rater in (ANNA, BERT):
        for _ in range(5):
            opened = campaign.open(rater)
            told += [repr(opened), repr(ratings.my_campaigns(rater)), repr(ratings.my_items(campaign.campaign, rater))]
            assert (opened.reference, opened.predicted) == ((), "")
            campaign.save(opened.id, rater, error=MajorError.NONE)
            assert (campaign.open(rater).reference, campaign.open(rater).predicted) == ((), "")
            campaign.save(opened.id, rater, verdict=Label.SUPPORTED, comment="mine alone " + rater)
            seen = campaign.open(rater)
            assert seen.reference[0].question == "Is it not?"
            assert seen.predicted == "Refuted"
            told.append(repr(seen))
            assert ("mine alone " + (BERT if rater == ANNA else ANNA)) not in told[-1]
            campaign.save(opened.id, rater, semantic_coverage=1, relevance=1)
            ratings.submit(campaign.campaign, opened.id, rater, 1.0)
        assert ratings.open_item(campaign.campaign, rater) is None
    everything = "\n".join(told)
    for secret in (*SECRETS, "control", "gold", "claim-", "(4, 5)"):
        assert secret not in everything


def test_a_major_error_shows_neither_reference_nor_label(spring: Desk) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, verdict=Label.REFUTED, error=MajorError.IRRELEVANT)
    seen = spring.open(ANNA)
    assert (seen.reference, seen.predicted) == ((), "")


def test_the_reference_is_read_only_where_a_scale_needs_it(ratings: Ratings) -> None:
    campaign = desk(ratings, plan(1, form=Form((RELEVANCE,))))
    campaign.join(ANNA)
    opened = campaign.open(ANNA)
    campaign.save(opened.id, ANNA, error=MajorError.NONE, verdict=Label.REFUTED)
    assert (campaign.open(ANNA).reference, campaign.open(ANNA).predicted) == ((), "Refuted")


def test_no_statement_on_a_raters_behalf_reads_what_is_secret(spring: Desk) -> None:
    """Only choosing the next item reads systems, teams and who has what; nothing reads the rest, or others' answers."""
    ratings = spring.ratings
    with statements(ratings) as sent:
        ratings.my_campaigns(ANNA)
        held = spring.rate(ANNA)
        spring.open(ANNA, held)
        ratings.my_items(spring.campaign, ANNA)
        ratings.add_seconds(spring.campaign, held, ANNA, 1.0)
    assert len(sent) > 20
    for statement in sent:
        for column in ("gold", "control_key", "stratum", "scores", "adjudications", "people"):
            assert column not in statement
        if "campaign_items.system" in statement:
            assert not {"claim", "evidence"} & {word.strip(",").split(".")[-1] for word in statement.split()}
        if "FROM answer" in statement:
            assert "answers.rater = " in statement


# Assignment in the database


def test_an_item_comes_back_until_it_is_submitted(spring: Desk) -> None:
    first = spring.open(ANNA)
    assert spring.open(ANNA).id == first.id
    assert (first.position, first.total, first.done) == (1, 4, 0)
    spring.rate(ANNA)
    second = spring.open(ANNA)
    assert (second.position, second.total, second.done) == (2, 4, 1)
    lines = spring.ratings.my_items(spring.campaign, ANNA)
    assert [(line.position, line.submitted, line.answered) for line in lines] == [(1, True, 4), (2, False, 0)]


def test_nobody_gets_their_own_teams_items(ratings: Ratings) -> None:
    mixed = tuple(
        replace(item(n), system=system, team=system) for n, system in enumerate(["Papelo", "Other", "Papelo"])
    )
    campaign = desk(ratings, replace(plan(3), items=mixed))
    campaign.join(ANNA, team="papelo")
    assert campaign.open(ANNA).total == 1
    campaign.rate(ANNA)
    assert ratings.open_item(campaign.campaign, ANNA) is None


def test_an_item_left_lying_goes_to_another_and_is_not_asked_for_again(ratings: Ratings, clock: Clock) -> None:
    campaign = desk(ratings, plan(1))
    campaign.join(ANNA)
    campaign.join(BERT)
    opened = campaign.open(ANNA)
    assert ratings.open_item(campaign.campaign, BERT) is None
    clock.now += STALLED_SECONDS
    assert campaign.rate(BERT) == opened.id
    assert ratings.open_item(campaign.campaign, ANNA) is None
    assert [held.rater for held in ratings.assigned(campaign.campaign, ORGANISER)] == ["R02"]


def test_an_answered_item_left_lying_stays_its_raters(ratings: Ratings, clock: Clock) -> None:
    campaign = desk(ratings, plan(1))
    campaign.join(ANNA)
    campaign.join(BERT)
    opened = campaign.open(ANNA)
    campaign.save(opened.id, ANNA, error=MajorError.NONE)
    clock.now += STALLED_SECONDS
    campaign.rate(BERT)
    assert campaign.open(ANNA).id == opened.id


def test_opening_an_item_keeps_it_from_going_to_others(ratings: Ratings, clock: Clock) -> None:
    campaign = desk(ratings, plan(1))
    campaign.join(ANNA)
    campaign.join(BERT)
    campaign.open(ANNA)
    for _ in range(3):
        clock.now += STALLED_SECONDS - TOUCH_SECONDS
        campaign.open(ANNA)
        assert ratings.open_item(campaign.campaign, BERT) is None


# Many at once


def at_once(*works: Callable[[], object]) -> None:
    """Do all of these at the same moment; the first error of any of them is raised here."""
    ready = threading.Barrier(len(works))
    errors: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        ready.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_saving_on_two_devices_at_once_makes_one_row_and_a_history_without_gaps(spring: Desk) -> None:
    opened = spring.open(ANNA)
    for _ in range(3):
        at_once(*(lambda value=value: spring.save(opened.id, ANNA, relevance=value) for value in (1, 1, 2, 2, 3, 3)))
    (row,) = rows(spring.ratings, answers)
    kept = spring.ratings.history(spring.campaign, opened.id, ORGANISER)
    assert [one.version for one in kept] == list(range(1, len(kept) + 1))
    assert all(one.value != other.value for one, other in pairwise(kept))
    assert (row.version, row.value) == (len(kept), str(kept[-1].value))


def test_submitting_twice_at_once_counts_once(spring: Desk, clock: Clock) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, error=MajorError.EMPTY)
    clock.now += 1_000
    at_once(*[lambda: spring.ratings.submit(spring.campaign, opened.id, ANNA, 7.0)] * 4)
    (held,) = spring.ratings.assigned(spring.campaign, ORGANISER)
    assert held.seconds == 7.0


def test_one_rater_on_several_devices_gets_one_item(spring: Desk) -> None:
    at_once(*[lambda: spring.open(ANNA)] * 6)
    assert len(rows(spring.ratings, assignments)) == 1


def test_raters_who_come_at_once_share_the_items_evenly(ratings: Ratings) -> None:
    campaign = desk(ratings, plan(6, each=2))
    owners = [f"{number:064}" for number in range(1, 13)]
    for owner in owners:
        campaign.join(owner)
    at_once(*(lambda owner=owner: campaign.open(owner) for owner in owners))
    held = ratings.assigned(campaign.campaign, ORGANISER)
    assert set(Counter(one.item for one in held).values()) == {2}
    assert len(held) == 12
    names = [rater.pseudonym for rater in ratings.raters(campaign.campaign, ORGANISER)]
    assert names == [f"R{number:02}" for number in range(1, 13)]


def test_invitations_made_at_once_get_names_of_their_own(spring: Desk) -> None:
    at_once(*[lambda: spring.ratings.invite(spring.campaign, ORGANISER, "", "", "", days=1)] * 5)
    names = [rater.pseudonym for rater in spring.ratings.raters(spring.campaign, ORGANISER)]
    assert sorted(names) == ["R01", "R02", "R03", "R04", "R05", "R06"]


def test_servers_that_start_at_once_make_one_database(database_url: str) -> None:
    at_once(*[lambda: Store(database_url)] * 4)


# What the organiser gets


def test_a_campaign_comes_back_as_it_was_planned(ratings: Ratings) -> None:
    wanted = plan(3, controls=1, each=2)
    campaign = desk(ratings, wanted)
    found = ratings.campaign(campaign.campaign, ORGANISER)
    assert replace(found.plan, items=tuple(replace(one, id="") for one in found.plan.items)) == wanted
    assert len({one.id for one in found.plan.items}) == 4
    assert found.state is CampaignState.OPEN
    with pytest.raises(Denied, match="no such campaign"):
        ratings.campaign("nowhere", ORGANISER)


def test_the_list_counts_items_and_ratings_without_the_controls(ratings: Ratings) -> None:
    campaign = desk(ratings, plan(3, controls=2, each=2))
    campaign.join(ANNA)
    for _ in range(5):
        campaign.rate(ANNA)
    (line,) = ratings.campaigns(ORGANISER)
    assert (line.items, line.controls, line.raters, line.submitted, line.wanted) == (3, 2, 1, 3, 6)


def test_a_plan_that_cannot_be_kept_is_refused_whole(ratings: Ratings) -> None:
    campaign = desk(ratings)
    for wrong in (replace(plan(), title="A\0B"), replace(plan(), items=(replace(item(0), claim="half \ud800"),))):
        with pytest.raises(BadInput, match="sign that is none of any script"):
            ratings.create(ORGANISER, wrong)
    with pytest.raises(BadInput, match="at least one item"):
        ratings.create(ORGANISER, replace(plan(), items=()))
    assert [line.id for line in ratings.campaigns(ORGANISER)] == [campaign.campaign]


def test_responses_are_those_of_the_form(ratings: Ratings, clock: Clock) -> None:
    campaign = desk(ratings, plan(3))
    campaign.join(ANNA, team="Papelo")
    clock.now = 1_724_889_725.842
    opened = campaign.open(ANNA)
    campaign.save(opened.id, ANNA, support="Answer 0.")
    campaign.rate(ANNA, verdict=Label.NOT_ENOUGH_EVIDENCE, rating=2)
    error = campaign.open(ANNA)
    campaign.save(error.id, ANNA, relevance=1, verdict=Label.REFUTED, error=MajorError.EMPTY)
    ratings.submit(campaign.campaign, error.id, ANNA, 0.0)
    campaign.save(campaign.open(ANNA).id, ANNA, error=MajorError.NONE)
    found = ratings.responses(campaign.campaign, ORGANISER)
    first, second = found.responses
    assert found.scales == ("semantic_coverage", "relevance")
    assert (first.row, first.rater, first.team, first.system) == (2, "R01", "Papelo", "Secret System")
    assert (first.error, first.verdict) == (MajorError.NONE, Label.NOT_ENOUGH_EVIDENCE)
    assert first.ratings == {"semantic_coverage": 2, "relevance": 2}
    assert (first.support, first.timestamp) == ("Answer 0.", "2024-08-29 00:02:05.842")
    assert first.item.startswith("claim-")
    assert first.evidence[0].question == "Is it?"
    assert (second.row, second.error, second.verdict, second.ratings) == (3, MajorError.EMPTY, None, {})
    assert (found.report.read, found.report.kept) == (2, 2)
    unfinished = ratings.responses(campaign.campaign, ORGANISER, submitted_only=False)
    assert [one.timestamp != "" for one in unfinished.responses] == [True, True, False]
    assert unfinished.report.missing == {"semantic_coverage": 1, "relevance": 1}


def test_adjudication_keeps_the_last_decision(spring: Desk, clock: Clock) -> None:
    held = spring.rate(ANNA)
    spring.ratings.adjudicate(spring.campaign, held, ORGANISER, "verdict", Label.REFUTED, "at first sight")
    clock.now += 5
    spring.ratings.adjudicate(spring.campaign, held, ORGANISER, "verdict", Label.SUPPORTED, " the second source ")
    (found,) = spring.ratings.adjudications(spring.campaign, ORGANISER)
    assert (found.item, found.question, found.value) == (held, "verdict", "Supported")
    assert (found.reason, found.saved) == ("the second source", 1_005.0)
    with pytest.raises(BadInput):
        spring.ratings.adjudicate(spring.campaign, held, ORGANISER, "relevance", 9, "")
    with pytest.raises(Denied, match="no such item"):
        spring.ratings.adjudicate(spring.campaign, "nothing", ORGANISER, "verdict", Label.SUPPORTED, "")
