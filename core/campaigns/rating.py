"""What a rater may do: open items, answer and submit."""

from __future__ import annotations

import json

from sqlalchemy import Connection, func, select

from core.campaigns.access import Role
from core.campaigns.assigning import assign, give_back, lock, total, turn
from core.campaigns.form import COMMENT, ERROR, SUPPORT, VERDICT, Form, checked_answer, still_asked
from core.campaigns.plans import pairs_from_json
from core.campaigns.rater_context import (
    Held,
    RaterContext,
    given_answers,
    held_item,
    rater_context,
    revealed,
    submitted_items,
    unfinished,
)
from core.campaigns.types import CampaignState, ItemLine, MyCampaign, RatingItem
from core.errors import BadInput
from core.storage.database import upsert
from core.storage.store import Store
from core.storage.tables import answer_history, answers, assignments, campaign_items, campaigns, members

TOUCH_SECONDS = 60.0
"""That an item was opened again is written down no more often: it happens at every run of the page."""


def my_campaigns(store: Store, owner: str) -> tuple[MyCampaign, ...]:
    """Return the campaigns in which the owner is a rater, the newest first."""
    mine = (
        select(campaigns.c.id, campaigns.c.title, campaigns.c.state, members.c.rater)
        .join(members, members.c.campaign == campaigns.c.id)
        .where(members.c.owner == owner, members.c.role == Role.ANNOTATOR)
    )
    with store.transaction() as connection:
        rows = connection.execute(mine.order_by(campaigns.c.created.desc(), campaigns.c.id)).all()
        return tuple(
            MyCampaign(row.id, row.title, CampaignState(row.state), *_progress(connection, row.id, row.rater))
            for row in rows
        )


def my_items(store: Store, campaign: str, owner: str) -> tuple[ItemLine, ...]:
    """Return the items that the owner has opened, in the order in which they came."""
    with store.transaction() as connection:
        rater = rater_context(connection, campaign, owner).rater
        counts = select(answers.c.item, func.count()).where(answers.c.campaign == campaign, answers.c.rater == rater)
        answered = {row[0]: row[1] for row in connection.execute(counts.group_by(answers.c.item))}
        mine = (
            select(assignments.c.item, assignments.c.position, assignments.c.submitted, campaign_items.c.claim)
            .join(campaign_items, campaign_items.c.id == assignments.c.item)
            .where(assignments.c.campaign == campaign, assignments.c.rater == rater)
        )
        rows = connection.execute(mine.order_by(assignments.c.position)).all()
    return tuple(
        ItemLine(row.item, row.position, row.claim, row.submitted is not None, answered.get(row.item, 0))
        for row in rows
    )


def open_item(store: Store, campaign: str, owner: str, item: str | None = None) -> RatingItem | None:
    """Return one of the owner's items, or the first that is not submitted; a new one is assigned if need be.

    None means that nothing is left for the owner to rate, for now or for good.
    """
    with store.transaction() as connection:
        context = rater_context(connection, campaign, owner)
        context.require_open()
        wanted = item or unfinished(connection, context)
        held = held_item(connection, context, wanted) if wanted else None
        if held and store.clock() - held.touched < TOUCH_SECONDS:
            return _shown(store, connection, held)
    return _take(store, campaign, owner, item)


def save_answer(store: Store, campaign: str, item: str, owner: str, question: str, value: object) -> float:
    """Keep an answer and return when it was saved, in seconds since 1970; it is on disk by then.

    The same value again changes nothing. Another value takes its place, and both stay in the history. A
    submitted item to which the new value makes another question due has to be submitted again.
    """
    with store.transaction(writing=True) as connection:
        held = _held(store, connection, campaign, item, owner)
        text = json.dumps(checked_answer(held.form, question, value))
        key = {"campaign": campaign, "item": item, "rater": held.context.rater, "question": question}
        before = connection.execute(select(answers).filter_by(**key)).one_or_none()
        if before is not None and before.value == text:
            return float(before.saved)
        now = store.clock()
        row = key | {"value": text, "saved": now, "version": before.version + 1 if before else 1}
        upsert(connection, answers, row)
        connection.execute(answer_history.insert().values(row))
        given, _ = given_answers(connection, held)
        submitted = None if still_asked(held.form, given) else held.submitted
        connection.execute(held.change(touched=now, submitted=submitted))
    return now


def submit_item(store: Store, campaign: str, item: str, owner: str, seconds: float) -> None:
    """Submit an item, with the seconds spent since they were last added. Doing so again changes nothing.

    Raises BadInput that names the questions that are still to be answered.
    """
    with store.transaction(writing=True) as connection:
        held = _held(store, connection, campaign, item, owner)
        given, _ = given_answers(connection, held)
        unanswered = still_asked(held.form, given)
        if unanswered:
            titles = _titles(held.form)
            raise BadInput(f"Still to be answered: {', '.join(titles[name] for name in unanswered)}.")
        now = store.clock()
        spent = held.spent(seconds, now)
        if held.submitted is None:
            connection.execute(held.change(submitted=now, touched=now, seconds=spent))


def add_seconds(store: Store, campaign: str, item: str, owner: str, seconds: float) -> None:
    """Add to the time spent on an item. Never more than has passed since it was opened is counted."""
    with store.transaction(writing=True) as connection:
        held = _held(store, connection, campaign, item, owner)
        now = store.clock()
        connection.execute(held.change(touched=now, seconds=held.spent(seconds, now)))


def _held(store: Store, connection: Connection, campaign: str, item: str, owner: str) -> Held:
    context = rater_context(connection, campaign, owner)
    context.require_open()
    return held_item(connection, context, item, lock=True)


def _take(store: Store, campaign: str, owner: str, item: str | None) -> RatingItem | None:
    now = store.clock()
    with store.transaction(writing=True) as connection:
        lock(connection, campaign)
        context = rater_context(connection, campaign, owner)
        context.require_open()
        wanted = item or _own_or_next(store, connection, context, now)
        if wanted is None:
            return None
        held = held_item(connection, context, wanted)
        connection.execute(held.change(touched=now))
        return _shown(store, connection, held)


def _own_or_next(store: Store, connection: Connection, context: RaterContext, now: float) -> str | None:
    here = turn(connection, context.campaign, context.rater, now=now)
    own = unfinished(connection, context)
    if own and not give_back(connection, here, own):
        return own
    if own:
        here = turn(connection, context.campaign, context.rater, now=now)
    return assign(connection, here)


def _shown(store: Store, connection: Connection, held: Held) -> RatingItem:
    wanted = select(campaign_items.c.claim, campaign_items.c.about, campaign_items.c.evidence)
    row = connection.execute(wanted.where(campaign_items.c.id == held.item)).one()
    given, saved = given_answers(connection, held)
    reference, predicted = revealed(connection, held, given)
    done, in_all = _progress(connection, held.context.campaign, held.context.rater)
    return RatingItem(
        id=held.item,
        position=held.position,
        total=in_all,
        done=done,
        claim=row.claim,
        about=json.loads(row.about),
        evidence=pairs_from_json(row.evidence),
        reference=reference,
        predicted=predicted,
        answers=given,
        saved=saved,
        seconds=held.seconds,
        submitted=held.submitted is not None,
        form=held.form,
    )


def _progress(connection: Connection, campaign: str, rater: str) -> tuple[int, int]:
    return submitted_items(connection, campaign, rater), total(connection, campaign, rater)


def _titles(form: Form) -> dict[str, str]:
    fixed = {ERROR: "question 1 (major errors)", VERDICT: "question 2 (verdict)", SUPPORT: "supporting text"}
    return fixed | {COMMENT: "comment"} | {scale.name: scale.title for scale in form.scales}
