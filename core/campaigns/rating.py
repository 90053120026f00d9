"""A rater's actions: open items, answer and submit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import median

from sqlalchemy import Connection, func, select

from core.campaigns.access import Role
from core.campaigns.assignment_store import assign, give_back, lock, recount, total, turn
from core.campaigns.planning.form_questions import Answer
from core.campaigns.planning.options import words_of
from core.campaigns.planning.plans import EvidencePair, pairs_from_json
from core.campaigns.planning.rating_form import CANNOT_JUDGE, checked_answer, still_asked
from core.campaigns.planning.spans import check_spans, renumbered, shown_places
from core.campaigns.practice import assign_practice, feedback, practice_of
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
from core.campaigns.types import ItemLine, MyCampaign, RatingItem
from core.errors import BadInput, Denied
from core.storage.database import upsert
from core.storage.store import Store
from core.storage.tables import answer_history, answers, assignments, campaign_items, campaigns, members

TOUCH_SECONDS = 60.0
"""That an item was opened again is written down no more often: it happens at every run of the page."""


def my_campaigns(store: Store, owner: str) -> tuple[MyCampaign, ...]:
    """Return the campaigns in which the owner is a rater, the newest first."""
    mine = (
        select(campaigns.c.id)
        .join(members, members.c.campaign == campaigns.c.id)
        .where(members.c.owner == owner, members.c.role == Role.ANNOTATOR)
    )
    with store.transaction() as connection:
        ids = connection.scalars(mine.order_by(campaigns.c.created.desc(), campaigns.c.id)).all()
        return tuple(_mine(connection, rater_context(connection, campaign, owner)) for campaign in ids)


def my_items(store: Store, campaign: str, owner: str) -> tuple[ItemLine, ...]:
    """Return the items that the owner has opened, in the order in which they came."""
    with store.transaction() as connection:
        rater = rater_context(connection, campaign, owner).rater
        counts = select(answers.c.item, func.count()).where(answers.c.campaign == campaign, answers.c.rater == rater)
        answered = {row[0]: row[1] for row in connection.execute(counts.group_by(answers.c.item))}
        mine = (
            select(assignments.c.item, assignments.c.position, assignments.c.submitted, campaign_items.c.claim)
            .join(campaign_items, campaign_items.c.id == assignments.c.item)
            .where(assignments.c.campaign == campaign, assignments.c.rater == rater, assignments.c.position > 0)
        )
        rows = connection.execute(mine.order_by(assignments.c.position)).all()
    return tuple(
        ItemLine(row.item, row.position, row.claim, row.submitted is not None, answered.get(row.item, 0))
        for row in rows
    )


def open_item(store: Store, campaign: str, owner: str, item: str | None = None) -> RatingItem | None:
    """Return one of the owner's items, or the first that is not submitted. A new one is assigned if none is left.

    Practice items come first. None means that nothing is left for the owner to rate, for now or for good. Raises
    Denied also where too few of the practice items were right.
    """
    with store.transaction() as connection:
        context = rater_context(connection, campaign, owner)
        context.require_open()
        wanted = item or unfinished(connection, context)
        held = held_item(connection, context, wanted) if wanted else None
        if held and store.clock() - held.touched < TOUCH_SECONDS:
            return _shown(connection, held)
    return _take(store, campaign, owner, item)


def save_answer(
    store: Store, campaign: str, item: str, owner: str, question: str, value: object, seconds: float | None = None
) -> float:
    """Keep an answer and return when it was saved, in seconds since 1970; it is on disk by then.

    `seconds` is the time that the question was in view before, where it was taken.
    The same value again changes nothing. Another value takes its place, and both stay in the history. A
    submitted item to which the new value makes another question due has to be submitted again.
    """
    with store.transaction(writing=True) as connection:
        if question == CANNOT_JUDGE:
            lock(connection, campaign)
        held = _held(connection, campaign, item, owner)
        if held.practice and held.submitted is not None:
            raise Denied(words_of(held.form.language)["practice_ended"])
        text = json.dumps(held.stored(question, _checked(connection, held, question, value)))
        key = {"campaign": campaign, "item": item, "rater": held.context.rater, "question": question}
        before = connection.execute(select(answers).filter_by(**key)).one_or_none()
        if before is not None and before.value == text:
            return float(before.saved)
        now = store.clock()
        if seconds is not None:
            seconds = max(0.0, min(seconds, now - held.opened))  # the clock may have been set back
        row = key | {"value": text, "saved": now, "version": before.version + 1 if before else 1, "seconds": seconds}
        upsert(connection, answers, row)
        connection.execute(answer_history.insert().values(row))
        given, _ = given_answers(connection, held)
        submitted = None if still_asked(held.form, given) else held.submitted
        connection.execute(held.change(touched=now, submitted=submitted))
        if question == CANNOT_JUDGE:
            recount(connection, campaign, held.context.rater)
    return now


def submit_item(store: Store, campaign: str, item: str, owner: str, seconds: float) -> bool:
    """Submit an item, with the seconds spent since they were last added. Doing so again changes nothing.

    Return whether it is a practice item, so that the rater reads the right answers now. Raises
    BadInput that names the questions that are still to be answered.
    """
    with store.transaction(writing=True) as connection:
        held = _held(connection, campaign, item, owner)
        given, _ = given_answers(connection, held)
        unanswered = still_asked(held.form, given)
        if unanswered:
            titles = held.form.titles
            left = ", ".join(titles[name] for name in unanswered)
            raise BadInput(words_of(held.form.language)["still_asked"].format(titles=left))
        now = store.clock()
        spent = held.spent(seconds, now)
        if held.submitted is None:
            connection.execute(held.change(submitted=now, touched=now, seconds=spent))
        return held.practice


def add_seconds(store: Store, campaign: str, item: str, owner: str, seconds: float) -> None:
    """Add to the time spent on an item. Never more than has passed since it was opened is counted."""
    with store.transaction(writing=True) as connection:
        held = _held(connection, campaign, item, owner)
        now = store.clock()
        connection.execute(held.change(touched=now, seconds=held.spent(seconds, now)))


def _checked(connection: Connection, held: Held, question: str, value: object) -> Answer:
    """Return an answer that the form takes. Spans must also lie in the item's evidence, and get its numbers."""
    answer = checked_answer(held.form, question, value)
    if not held.marks(question):
        return answer
    text = connection.scalar(select(campaign_items.c.evidence).where(campaign_items.c.id == held.item))
    evidence = pairs_from_json(text or "[]")
    spans = renumbered(str(answer), dict(enumerate(shown_places(evidence, held.order), start=1)))
    check_spans(spans, evidence)
    return spans


def _as_shown(held: Held, evidence: Sequence[EvidencePair], given: Mapping[str, Answer]) -> dict[str, Answer]:
    """Return stored answers as the rater gave them: with letters, and pairs numbered as on the page."""
    numbers = {at: number for number, at in enumerate(shown_places(evidence, held.order), start=1)}
    return {
        name: renumbered(str(value), numbers) if held.marks(name) else value
        for name, value in held.shown(given).items()
    }


def _held(connection: Connection, campaign: str, item: str, owner: str) -> Held:
    context = rater_context(connection, campaign, owner)
    context.require_open()
    return held_item(connection, context, item, lock=True)


def _take(store: Store, campaign: str, owner: str, item: str | None) -> RatingItem | None:
    now = store.clock()
    with store.assigning, store.transaction(writing=True) as connection:
        lock(connection, campaign)
        context = rater_context(connection, campaign, owner)
        context.require_open()
        wanted = item or _own_or_next(connection, context, now)
        if wanted is None:
            return None
        held = held_item(connection, context, wanted)
        connection.execute(held.change(touched=now))
        return _shown(connection, held)


def _own_or_next(connection: Connection, context: RaterContext, now: float) -> str | None:
    own = unfinished(connection, context)
    practice = practice_of(connection, context)
    if practice.done < practice.total:
        return own or assign_practice(connection, context, now)
    if practice.failed:
        raise Denied(words_of(context.form.language)["not_qualified"].format(**vars(practice)))
    here = turn(connection, context.campaign, context.rater, now=now)
    if own and not give_back(connection, here, own):
        return own
    if own:
        here = turn(connection, context.campaign, context.rater, now=now)
    return assign(connection, here)


def _shown(connection: Connection, held: Held) -> RatingItem:
    wanted = select(campaign_items.c.claim, campaign_items.c.about, campaign_items.c.evidence)
    row = connection.execute(wanted.where(campaign_items.c.id == held.item)).one()
    given, saved = given_answers(connection, held)
    reference, predicted = revealed(connection, held, given)
    evidence = pairs_from_json(row.evidence)
    done, in_all = _progress(connection, held)
    return RatingItem(
        id=held.item,
        position=abs(held.position),
        total=in_all,
        done=done,
        claim=row.claim,
        about=json.loads(row.about),
        evidence=evidence,
        sides=tuple(tuple(pair for pair in evidence if pair.system == system) for system in held.order),
        reference=reference,
        predicted=predicted,
        answers=_as_shown(held, evidence, given),
        saved=saved,
        seconds=held.seconds,
        submitted=held.submitted is not None,
        form=held.form,
        practice=held.practice,
        feedback=feedback(connection, held, given),
        label_first=held.context.options.label_first,
    )


def _progress(connection: Connection, held: Held) -> tuple[int, int]:
    if held.practice:
        practice = practice_of(connection, held.context)
        return practice.done, practice.total
    campaign, rater = held.context.campaign, held.context.rater
    return submitted_items(connection, campaign, rater), total(connection, campaign, rater)


def _mine(connection: Connection, context: RaterContext) -> MyCampaign:
    table = assignments.c
    taken = select(table.seconds).where(table.campaign == context.campaign, table.rater == context.rater)
    seconds = list(connection.scalars(taken.where(table.position > 0, table.submitted.is_not(None), table.seconds > 0)))
    return MyCampaign(
        id=context.campaign,
        title=context.title,
        state=context.state,
        done=submitted_items(connection, context.campaign, context.rater),
        total=total(connection, context.campaign, context.rater),
        practice=practice_of(connection, context),
        options=context.options,
        form=context.form,
        seconds=median(seconds) if seconds else None,
    )
