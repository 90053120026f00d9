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
from core.campaigns.inviting import invite_rater, invited_raters, renew_link, revoke_rater
from core.campaigns.organising import all_campaigns, create_campaign, load_campaign, set_state
from core.campaigns.planning.rating_form import Form
from core.campaigns.planning.scales import RELEVANCE
from core.campaigns.rating import (
    TOUCH_SECONDS,
    add_seconds,
    my_campaigns,
    my_items,
    open_item,
    save_answer,
    submit_item,
)
from core.campaigns.redeeming import redeem
from core.campaigns.results import adjudicate, adjudicated, all_assigned, campaign_ratings
from core.campaigns.types import CampaignState
from core.errors import BadInput, Denied
from core.storage.store import Store
from core.storage.tables import answer_history, answers, assignments, people
from core.types import Label
from tests.campaigns.builders import ANNA, BERT, ORGANISER, SECRETS, Desk, desk, item, plan
from tests.fakes import Clock
from tests.postgres import Cluster

CARA = "c" * 64


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(made_database_url: str, clock: Clock) -> Store:
    return Store(made_database_url, clock=clock)


@pytest.fixture
def spring(store: Store) -> Desk:
    """A campaign of four items with one rating each, and Anna among its raters."""
    campaign = desk(store)
    campaign.join(ANNA)
    return campaign


def rows(store: Store, table: Any) -> list[Any]:
    with store.transaction() as connection:
        return list(connection.execute(select(table)).all())


@contextmanager
def statements(store: Store) -> Iterator[list[str]]:
    """Record the SQL that is sent meanwhile."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        sent.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    yield sent
    event.remove(store.engine, "before_cursor_execute", note)


# What is saved


def test_an_answer_is_kept_and_comes_back_with_its_time(spring: Desk, clock: Clock) -> None:
    opened = spring.open(ANNA)
    assert (opened.answers, opened.saved, opened.submitted) == ({}, None, False)
    clock.now = 2_000.0
    assert spring.save(opened.id, ANNA, error=MajorError.NONE) == 2_000.0
    clock.now = 2_005.0
    text = "Ünïcödé “quotes” 漢字 😀 \u202e \\u0000 ' ; --"
    assert spring.save(opened.id, ANNA, relevance=5, support=text) == 2_005.0
    again = spring.open(ANNA)
    assert again.answers == {"error": "no major errors", "relevance": 5, "support": text}
    assert again.saved == 2_005.0


def test_the_same_value_again_changes_nothing(spring: Desk, clock: Clock) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, relevance=5)
    clock.now += 10
    assert spring.save(opened.id, ANNA, relevance=5) == 1_000.0
    assert [(row.version, row.saved) for row in rows(spring.store, answers)] == [(1, 1_000.0)]
    assert len(rows(spring.store, answer_history)) == 1


def test_a_changed_answer_leaves_its_history(spring: Desk) -> None:
    opened = spring.open(ANNA)
    for value in (5, 3, 5):
        spring.save(opened.id, ANNA, relevance=value)
    spring.save(opened.id, ANNA, comment="Half.")
    assert [(row.value, row.version) for row in rows(spring.store, answers)] == [("5", 3), ('"Half."', 1)]
    kept = rows(spring.store, answer_history)
    assert [(one.question, one.value, one.version) for one in kept] == [
        ("relevance", "5", 1),
        ("relevance", "3", 2),
        ("relevance", "5", 3),
        ("comment", '"Half."', 1),
    ]
    assert {one.item for one in kept} == {opened.id}


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("relevance", 6),
        ("coherence", 3),  # not asked in this campaign
        ("comment", "x" * 20_001),
    ],
)
def test_what_is_no_answer_is_refused_and_not_kept(spring: Desk, question: str, value: object) -> None:
    opened = spring.open(ANNA)
    with pytest.raises(BadInput):
        save_answer(spring.store, spring.campaign, opened.id, ANNA, question, value)
    assert rows(spring.store, answers) == rows(spring.store, answer_history) == []


def test_an_item_without_reference_is_not_asked_to_be_compared_with_it(store: Store) -> None:
    campaign = desk(store, replace(plan(1), items=(replace(item(0), reference=()),)))
    campaign.join(ANNA)
    opened = campaign.open(ANNA)
    assert [scale.name for scale in opened.form.scales] == ["relevance"]
    with pytest.raises(BadInput):
        campaign.save(opened.id, ANNA, semantic_coverage=3)
    campaign.save(opened.id, ANNA, error=MajorError.NONE, verdict=Label.REFUTED, relevance=3)
    submit_item(store, campaign.campaign, opened.id, ANNA, 0.0)


# Submitting


def test_submitting_names_what_is_still_asked(spring: Desk) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, error=MajorError.NONE, relevance=2)
    with pytest.raises(BadInput, match=r": Verdict, Semantic Coverage\."):
        submit_item(spring.store, spring.campaign, opened.id, ANNA, 0.0)
    assert spring.open(ANNA).submitted is False


def test_a_major_error_ends_the_form(spring: Desk) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, error=MajorError.IRRELEVANT)
    submit_item(spring.store, spring.campaign, opened.id, ANNA, 3.0)
    assert spring.open(ANNA).id != opened.id
    assert spring.open(ANNA, opened.id).submitted is True


def test_submitting_again_changes_nothing(spring: Desk, clock: Clock) -> None:
    first = spring.open(ANNA).id
    clock.now += 60
    assert spring.rate(ANNA, seconds=30.0) == first
    clock.now += 60
    submit_item(spring.store, spring.campaign, first, ANNA, 30.0)
    (held,) = all_assigned(spring.store, spring.campaign, ORGANISER)
    assert (held.submitted, held.seconds) == (1_060.0, 30.0)


def test_a_change_that_makes_a_question_due_takes_the_submission_back(spring: Desk) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, error=MajorError.EMPTY)
    submit_item(spring.store, spring.campaign, opened.id, ANNA, 0.0)
    spring.save(opened.id, ANNA, comment="I looked again.")
    assert spring.open(ANNA, opened.id).submitted is True
    spring.save(opened.id, ANNA, error=MajorError.NONE)
    assert spring.open(ANNA).id == opened.id
    assert spring.open(ANNA).submitted is False


def test_time_spent_adds_up_but_never_to_more_than_has_passed(spring: Desk, clock: Clock) -> None:
    opened = spring.open(ANNA)
    clock.now += 100
    add_seconds(spring.store, spring.campaign, opened.id, ANNA, 40.0)
    add_seconds(spring.store, spring.campaign, opened.id, ANNA, 25.5)
    assert spring.open(ANNA).seconds == 65.5
    add_seconds(spring.store, spring.campaign, opened.id, ANNA, 1e9)
    assert spring.open(ANNA).seconds == 100.0
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(BadInput, match="number of seconds"):
            add_seconds(spring.store, spring.campaign, opened.id, ANNA, wrong)


# Who may do what


def calls(campaign: Desk, owner: str, of: str) -> list[Callable[[], object]]:
    store, here = campaign.store, campaign.campaign
    return [
        lambda: open_item(store, here, owner),
        lambda: open_item(store, here, owner, of),
        lambda: save_answer(store, here, of, owner, "relevance", 3),
        lambda: submit_item(store, here, of, owner, 0.0),
        lambda: add_seconds(store, here, of, owner, 1.0),
    ]


def test_who_is_no_rater_can_do_nothing(spring: Desk) -> None:
    opened = spring.open(ANNA)
    for call in [*calls(spring, BERT, opened.id), lambda: my_items(spring.store, spring.campaign, BERT)]:
        with pytest.raises(Denied, match="invitation link"):
            call()
    assert my_campaigns(spring.store, BERT) == ()
    assert rows(spring.store, answers) == []


def test_an_organiser_is_no_rater_and_a_rater_no_organiser(spring: Desk) -> None:
    store, here = spring.store, spring.campaign
    with pytest.raises(Denied):
        open_item(store, here, ORGANISER)
    held = spring.open(ANNA).id
    forbidden: list[Callable[[], object]] = [
        lambda: create_campaign(store, ANNA, plan()),
        lambda: all_campaigns(store, ANNA),
        lambda: load_campaign(store, here, ANNA),
        lambda: set_state(store, here, ANNA, CampaignState.CLOSED),
        lambda: invite_rater(store, here, ANNA, "", "", "", days=1),
        lambda: renew_link(store, here, ANNA, "", days=1),
        lambda: revoke_rater(store, here, ANNA, ""),
        lambda: invited_raters(store, here, ANNA),
        lambda: campaign_ratings(store, here, ANNA),
        lambda: all_assigned(store, here, ANNA),
        lambda: adjudicate(store, here, held, ANNA, "verdict", "Supported", ""),
        lambda: adjudicated(store, here, ANNA),
    ]
    for call in forbidden:
        with pytest.raises(Denied, match="Only an organiser"):
            call()
    assert my_campaigns(store, ANNA)[0].state is CampaignState.OPEN


def test_a_rater_cannot_touch_an_item_that_is_not_assigned_to_them(store: Store) -> None:
    campaign = desk(store, plan(4, each=2))
    campaign.join(ANNA)
    campaign.join(BERT)
    mine = campaign.open(ANNA).id
    others = {one.id for one in load_campaign(store, campaign.campaign, ORGANISER).plan.items} - {mine}
    for foreign in (*others, "", "claim-0", "' or 1=1 --"):
        for call in calls(campaign, ANNA, foreign)[2:]:
            with pytest.raises(Denied, match="not one of yours"):
                call()
    other = desk(store)
    other.join(BERT)
    with pytest.raises(Denied):
        save_answer(store, other.campaign, mine, ANNA, "relevance", 3)
    with pytest.raises(Denied):
        save_answer(store, other.campaign, mine, BERT, "relevance", 3)


@pytest.mark.parametrize(
    ("state", "words"), [(CampaignState.PAUSED, "has paused “Spring"), (CampaignState.CLOSED, "“Spring.*” is closed")]
)
def test_a_campaign_that_is_not_open_takes_no_answers(spring: Desk, state: CampaignState, words: str) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, relevance=4)
    set_state(spring.store, spring.campaign, ORGANISER, state)
    for call in calls(spring, ANNA, opened.id):
        with pytest.raises(Denied, match=words):
            call()
    assert my_campaigns(spring.store, ANNA)[0].state is state
    assert [line.id for line in my_items(spring.store, spring.campaign, ANNA)] == [opened.id]
    set_state(spring.store, spring.campaign, ORGANISER, CampaignState.OPEN)
    assert spring.open(ANNA).answers == {"relevance": 4}


def test_a_withdrawn_rater_is_out_at_once_and_a_new_link_lets_them_in_again(spring: Desk) -> None:
    done = spring.rate(ANNA)
    (rater,) = invited_raters(spring.store, spring.campaign, ORGANISER)
    revoke_rater(spring.store, spring.campaign, ORGANISER, rater.id)
    with pytest.raises(Denied):
        spring.open(ANNA)
    (gone,) = invited_raters(spring.store, spring.campaign, ORGANISER)
    assert (gone.revoked, gone.joined, gone.expires) == (True, False, None)
    assert len(campaign_ratings(spring.store, spring.campaign, ORGANISER).responses) == 1
    token = renew_link(spring.store, spring.campaign, ORGANISER, rater.id, days=2)
    redeem(spring.store, token, BERT)
    assert spring.open(BERT, done).submitted is True
    newer = renew_link(spring.store, spring.campaign, ORGANISER, rater.id, days=2)
    with pytest.raises(Denied, match="withdrawn"):
        redeem(spring.store, token, CARA)
    redeem(spring.store, newer, CARA)
    with pytest.raises(Denied, match="no such rater"):
        revoke_rater(spring.store, spring.campaign, ORGANISER, "nobody")


def test_an_address_is_invited_once_and_stands_in_one_table(spring: Desk) -> None:
    spring.join(BERT, address="bert@example.org", team="Papelo")
    with pytest.raises(BadInput, match="invited already, as R02"):
        spring.join(CARA, address="Bert@Example.org")
    spring.rate(BERT)
    assert [(row.name, row.address) for row in rows(spring.store, people)] == [
        ("A Name", ""),
        ("A Name", "bert@example.org"),
    ]
    told = repr(campaign_ratings(spring.store, spring.campaign, ORGANISER))
    assert "R02" in told
    assert "Papelo" in told
    assert "A Name" not in told
    assert "example.org" not in told


# What a rater may know


def test_a_rater_is_told_nothing_that_could_sway_them(store: Store) -> None:
    campaign = desk(store, plan(3, controls=2, each=2))
    campaign.join(ANNA)
    campaign.join(BERT)
    told = []
    for rater in (ANNA, BERT):
        for _ in range(5):
            opened = campaign.open(rater)
            told += [repr(opened), repr(my_campaigns(store, rater)), repr(my_items(store, campaign.campaign, rater))]
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
            submit_item(store, campaign.campaign, opened.id, rater, 1.0)
        assert open_item(store, campaign.campaign, rater) is None
    everything = "\n".join(told)
    for secret in (*SECRETS, "control", "gold", "claim-", "(4, 5)"):
        assert secret not in everything


def test_a_major_error_shows_neither_reference_nor_label(spring: Desk) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, verdict=Label.REFUTED, error=MajorError.IRRELEVANT)
    seen = spring.open(ANNA)
    assert (seen.reference, seen.predicted) == ((), "")


def test_the_reference_is_read_only_where_a_scale_needs_it(store: Store) -> None:
    campaign = desk(store, plan(1, form=Form((RELEVANCE,))))
    campaign.join(ANNA)
    opened = campaign.open(ANNA)
    campaign.save(opened.id, ANNA, error=MajorError.NONE, verdict=Label.REFUTED)
    assert (campaign.open(ANNA).reference, campaign.open(ANNA).predicted) == ((), "Refuted")


def test_no_statement_on_a_raters_behalf_reads_what_is_secret(spring: Desk) -> None:
    """Only choosing the next item reads systems, teams and who has what; nothing reads the rest, or others' answers."""
    store = spring.store
    with statements(store) as sent:
        my_campaigns(store, ANNA)
        held = spring.rate(ANNA)
        spring.open(ANNA, held)
        my_items(store, spring.campaign, ANNA)
        add_seconds(store, spring.campaign, held, ANNA, 1.0)
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
    lines = my_items(spring.store, spring.campaign, ANNA)
    assert [(line.position, line.submitted, line.answered) for line in lines] == [(1, True, 4), (2, False, 0)]


def test_an_item_left_lying_goes_to_another_and_is_not_asked_for_again(store: Store, clock: Clock) -> None:
    campaign = desk(store, plan(1))
    campaign.join(ANNA)
    campaign.join(BERT)
    opened = campaign.open(ANNA)
    assert open_item(store, campaign.campaign, BERT) is None
    clock.now += STALLED_SECONDS
    assert campaign.rate(BERT) == opened.id
    assert open_item(store, campaign.campaign, ANNA) is None
    assert [held.rater for held in all_assigned(store, campaign.campaign, ORGANISER)] == ["R02"]


def test_an_answered_item_left_lying_stays_its_raters(store: Store, clock: Clock) -> None:
    campaign = desk(store, plan(1))
    campaign.join(ANNA)
    campaign.join(BERT)
    opened = campaign.open(ANNA)
    campaign.save(opened.id, ANNA, error=MajorError.NONE)
    clock.now += STALLED_SECONDS
    campaign.rate(BERT)
    assert campaign.open(ANNA).id == opened.id


def test_opening_an_item_keeps_it_from_going_to_others(store: Store, clock: Clock) -> None:
    campaign = desk(store, plan(1))
    campaign.join(ANNA)
    campaign.join(BERT)
    campaign.open(ANNA)
    for _ in range(3):
        clock.now += STALLED_SECONDS - TOUCH_SECONDS
        campaign.open(ANNA)
        assert open_item(store, campaign.campaign, BERT) is None


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
    (row,) = rows(spring.store, answers)
    kept = sorted(rows(spring.store, answer_history), key=lambda one: int(one.version))
    assert [one.version for one in kept] == list(range(1, len(kept) + 1))
    assert all(one.value != other.value for one, other in pairwise(kept))
    assert (row.version, row.value) == (len(kept), kept[-1].value)


def test_submitting_twice_at_once_counts_once(spring: Desk, clock: Clock) -> None:
    opened = spring.open(ANNA)
    spring.save(opened.id, ANNA, error=MajorError.EMPTY)
    clock.now += 1_000
    at_once(*[lambda: submit_item(spring.store, spring.campaign, opened.id, ANNA, 7.0)] * 4)
    (held,) = all_assigned(spring.store, spring.campaign, ORGANISER)
    assert held.seconds == 7.0


def test_one_rater_on_several_devices_gets_one_item(spring: Desk) -> None:
    at_once(*[lambda: spring.open(ANNA)] * 6)
    assert len(rows(spring.store, assignments)) == 1


def test_raters_who_come_at_once_share_the_items_evenly(store: Store) -> None:
    campaign = desk(store, plan(6, each=2))
    owners = [f"{number:064}" for number in range(1, 13)]
    for owner in owners:
        campaign.join(owner)
    at_once(*(lambda owner=owner: campaign.open(owner) for owner in owners))
    held = all_assigned(store, campaign.campaign, ORGANISER)
    assert set(Counter(one.item for one in held).values()) == {2}
    assert len(held) == 12
    names = [rater.pseudonym for rater in invited_raters(store, campaign.campaign, ORGANISER)]
    assert names == [f"R{number:02}" for number in range(1, 13)]


def test_invitations_made_at_once_get_names_of_their_own(spring: Desk) -> None:
    at_once(*[lambda: invite_rater(spring.store, spring.campaign, ORGANISER, "", "", "", days=1)] * 5)
    names = [rater.pseudonym for rater in invited_raters(spring.store, spring.campaign, ORGANISER)]
    assert sorted(names) == ["R01", "R02", "R03", "R04", "R05", "R06"]


def test_servers_that_start_at_once_make_one_database(database_url: str) -> None:
    at_once(*[lambda: Store(database_url)] * 4)


# What the organiser gets


def test_a_campaign_comes_back_as_it_was_planned(store: Store) -> None:
    wanted = plan(3, controls=1, each=2)
    campaign = desk(store, wanted)
    found = load_campaign(store, campaign.campaign, ORGANISER)
    assert replace(found.plan, items=tuple(replace(one, id="") for one in found.plan.items)) == wanted
    assert len({one.id for one in found.plan.items}) == 4
    assert found.state is CampaignState.OPEN
    with pytest.raises(Denied, match="no such campaign"):
        load_campaign(store, "nowhere", ORGANISER)


def test_the_list_counts_items_and_ratings_without_the_controls(store: Store) -> None:
    campaign = desk(store, plan(3, controls=2, each=2))
    campaign.join(ANNA)
    for _ in range(5):
        campaign.rate(ANNA)
    (line,) = all_campaigns(store, ORGANISER)
    assert (line.items, line.controls, line.raters, line.submitted, line.wanted) == (3, 2, 1, 3, 6)


def test_a_plan_that_cannot_be_kept_is_refused_whole(store: Store) -> None:
    campaign = desk(store)
    for wrong in (replace(plan(), title="A\0B"), replace(plan(), items=(replace(item(0), claim="half \ud800"),))):
        with pytest.raises(BadInput, match="character of no script"):
            create_campaign(store, ORGANISER, wrong)
    with pytest.raises(BadInput, match="at least one item"):
        create_campaign(store, ORGANISER, replace(plan(), items=()))
    assert [line.id for line in all_campaigns(store, ORGANISER)] == [campaign.campaign]


def test_responses_are_those_of_the_form(store: Store, clock: Clock) -> None:
    campaign = desk(store, plan(3))
    campaign.join(ANNA, team="Papelo")
    clock.now = 1_724_889_725.842
    opened = campaign.open(ANNA)
    campaign.save(opened.id, ANNA, support="Answer 0.")
    campaign.rate(ANNA, verdict=Label.NOT_ENOUGH_EVIDENCE, rating=2)
    error = campaign.open(ANNA)
    campaign.save(error.id, ANNA, relevance=1, verdict=Label.REFUTED, error=MajorError.EMPTY)
    submit_item(store, campaign.campaign, error.id, ANNA, 0.0)
    campaign.save(campaign.open(ANNA).id, ANNA, error=MajorError.NONE)
    found = campaign_ratings(store, campaign.campaign, ORGANISER)
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
    unfinished = campaign_ratings(store, campaign.campaign, ORGANISER, submitted_only=False)
    assert [one.timestamp != "" for one in unfinished.responses] == [True, True, False]
    assert unfinished.report.missing == {"semantic_coverage": 1, "relevance": 1}


def test_adjudication_keeps_the_last_decision(spring: Desk, clock: Clock) -> None:
    held = spring.rate(ANNA)
    adjudicate(spring.store, spring.campaign, held, ORGANISER, "verdict", Label.REFUTED, "at first sight")
    clock.now += 5
    adjudicate(spring.store, spring.campaign, held, ORGANISER, "verdict", Label.SUPPORTED, " the second source ")
    (found,) = adjudicated(spring.store, spring.campaign, ORGANISER)
    assert (found.item, found.question, found.value) == (held, "verdict", "Supported")
    assert (found.reason, found.saved) == ("the second source", 1_005.0)
    with pytest.raises(BadInput):
        adjudicate(spring.store, spring.campaign, held, ORGANISER, "relevance", 9, "")
    with pytest.raises(Denied, match="no such item"):
        adjudicate(spring.store, spring.campaign, "nothing", ORGANISER, "verdict", Label.SUPPORTED, "")


def test_an_item_submitted_while_another_rater_asks_counts_once(postgresql: Cluster) -> None:
    url = postgresql.new_database()
    there = desk(Store(url), plan(1, each=2))
    there.join(ANNA)
    there.join(BERT)
    opened = there.open(ANNA)
    elsewhere = Store(url)
    read = 0

    def submit(*given: Any) -> None:
        nonlocal read
        if "submitted IS NULL" in given[2] and " OR " in given[2]:  # where the campaign stands is being read
            read += 1
            with elsewhere.transaction(writing=True) as connection:
                connection.execute(assignments.update().values(submitted=1.0))

    event.listen(there.store.engine, "after_cursor_execute", submit)
    assert there.open(BERT).id == opened.id
    assert read == 1
