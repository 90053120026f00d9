"""An organiser's view of the ratings: responses, times and history, and decisions where raters disagree."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from core.agreement.own_questions import BETWEEN_SYSTEMS
from core.agreement.ratings import ImportReport, MajorError, RatingImport, Response
from core.campaigns.assignment import shown_order
from core.campaigns.assignment_store import NO_TEXT
from core.campaigns.organising import organised
from core.campaigns.planning.form_questions import Answer, AnswerKind
from core.campaigns.planning.plans import pairs_from_json
from core.campaigns.planning.rating_form import (
    CANNOT_JUDGE,
    COMMENT,
    ERROR,
    FLAG,
    SUPPORT,
    VERDICT,
    Form,
    FormKind,
    checked_answer,
)
from core.campaigns.types import Adjudication, Assigned, Remark
from core.errors import Denied
from core.storage.database import upsert
from core.storage.store import Store
from core.storage.tables import adjudications, answers, assignments, campaign_items, raters
from core.types import Evidence, Label


def campaign_ratings(
    store: Store, campaign: str, owner: str, *, submitted_only: bool = True, excluded_too: bool = False
) -> RatingImport:
    """Return the ratings as if they had been imported, by pseudonym; controls are among them.

    All raters' first items are first, then their second ones. Imported ratings so keep the order of their file, on
    which the published recipe depends. Without `submitted_only`, items with an answered first question follow that are
    not submitted yet. Answers after a major error are left out, as are practice items and items that somebody could
    not judge. `excluded_too` adds the excluded ones.
    """
    table = assignments.c
    wanted = (
        select(assignments, raters.c.pseudonym, raters.c.team.label("rater_team"))
        .add_columns(*(campaign_items.c[name] for name in ("system", "claim", "evidence", "control")))
        .add_columns(campaign_items.c.item.label("dataset_id"), campaign_items.c.position.label("place"))
        .join(raters, raters.c.id == table.rater)
        .join(campaign_items, campaign_items.c.id == table.item)
        .where(table.campaign == campaign, table.position > 0)
        .order_by(table.submitted.is_(None), table.position, table.submitted, raters.c.pseudonym)
    )
    with store.transaction() as connection:
        found = organised(connection, campaign, owner)
        rows = connection.execute(wanted).all()
        given = _answers(connection, campaign)
    form = Form.from_json(found.form)
    kept = [row for row in rows if row.submitted is not None or not submitted_only]
    kept = [row for row in kept if row.counted or excluded_too]
    kept = [row for row in kept if _judged(form, given.get((row.item, row.rater), {}))]
    made = _own_response if form.own else _response
    responses = tuple(made(n, row, form, given[row.item, row.rater]) for n, row in enumerate(kept, start=2))
    if form.kind is not FormKind.RATING:
        responses = tuple(
            replace(one, shown=shown_order(one.system.split(BETWEEN_SYSTEMS), one.rater, row.place, seed=found.seed))
            for one, row in zip(responses, kept, strict=True)
        )
    return _imported(found.title, form, responses)


def all_assigned(store: Store, campaign: str, owner: str) -> tuple[Assigned, ...]:
    """Return who has, or had, which item, and for how long, in the order in which items were opened."""
    table = assignments.c
    wanted = select(assignments, raters.c.pseudonym).join(raters, raters.c.id == table.rater)
    with store.transaction() as connection:
        organised(connection, campaign, owner)
        rows = connection.execute(
            wanted.where(table.campaign == campaign, table.position > 0).order_by(table.opened, table.item)
        ).all()
    return tuple(
        Assigned(
            item=row.item,
            rater=row.pseudonym,
            position=row.position,
            opened=row.opened,
            touched=row.touched,
            submitted=row.submitted,
            seconds=row.seconds,
            counted=row.counted,
        )
        for row in rows
    )


def adjudicate(store: Store, campaign: str, item: str, owner: str, question: str, value: object, reason: str) -> float:
    """Keep the organiser's decision for a question of an item; return its time in seconds since 1970.

    Another decision takes the place of the one before.
    """
    with store.transaction(writing=True) as connection:
        found = organised(connection, campaign, owner)
        known = select(campaign_items.c.id).where(campaign_items.c.id == item, campaign_items.c.campaign == campaign)
        if connection.scalar(known) is None:
            raise Denied("There is no such item in this campaign: go back to the list.")
        answer = checked_answer(Form.from_json(found.form), question, value)
        now = store.clock()
        row = {"campaign": campaign, "item": item, "question": question, "value": json.dumps(answer)}
        upsert(connection, adjudications, row | {"reason": reason.strip(), "owner": owner, "saved": now})
    return now


def adjudicated(store: Store, campaign: str, owner: str) -> tuple[Adjudication, ...]:
    """Return the organisers' decisions, the oldest first."""
    table = adjudications.c
    wanted = select(adjudications).where(table.campaign == campaign)
    with store.transaction() as connection:
        organised(connection, campaign, owner)
        rows = connection.execute(wanted.order_by(table.saved, table.item, table.question)).all()
    return tuple(Adjudication(row.item, row.question, json.loads(row.value), row.reason, row.saved) for row in rows)


def remarks(store: Store, campaign: str, owner: str) -> tuple[Remark, ...]:
    """Return the raters' flags and the items they could not judge, the oldest first, without names."""
    table = answers.c
    wanted = select(table.item, table.question, table.value, table.saved)
    wanted = wanted.join(campaign_items, campaign_items.c.id == table.item)
    wanted = wanted.where(table.campaign == campaign, campaign_items.c.practice.is_(False), table.value != NO_TEXT)
    with store.transaction() as connection:
        organised(connection, campaign, owner)
        rows = connection.execute(wanted.where(table.question.in_((CANNOT_JUDGE, FLAG))).order_by(table.saved)).all()
    return tuple(Remark(row.item, row.question, str(json.loads(row.value)), row.saved) for row in rows)


def _judged(form: Form, given: dict[str, Answer]) -> bool:
    begun = any(one.name in given for one in form.own) if form.own else ERROR in given
    return begun and not given.get(CANNOT_JUDGE)


def _answers(connection: Connection, campaign: str) -> dict[tuple[str, str], dict[str, Answer]]:
    """Return (item, rater) → question → answer."""
    wanted = select(answers.c.item, answers.c.rater, answers.c.question, answers.c.value)
    given: dict[tuple[str, str], dict[str, Answer]] = {}
    for row in connection.execute(wanted.where(answers.c.campaign == campaign)):
        given.setdefault((row.item, row.rater), {})[row.question] = json.loads(row.value)
    return given


def _response(number: int, row: Row[Any], form: Form, given: dict[str, Answer]) -> Response:
    error = MajorError(str(given[ERROR]))
    asked = given if error is MajorError.NONE else {}
    return replace(
        _own_response(number, row, form, asked),
        error=error,
        verdict=Label(str(asked[VERDICT])) if VERDICT in asked else None,
        support=str(asked.get(SUPPORT, "")),
        comment=str(given.get(COMMENT, "")),
        own=None,
    )


def _own_response(number: int, row: Row[Any], form: Form, given: dict[str, Answer]) -> Response:
    scales = {one.name for one in form.questions if one.answer is AnswerKind.SCALE}
    submitted = datetime.fromtimestamp(row.submitted, UTC) if row.submitted else None
    answered = {one.name: value for one in form.questions if (value := given.get(one.name, "")) != ""}
    return Response(
        row=number,
        item=row.dataset_id,
        rater=row.pseudonym,
        team=row.rater_team,
        error=MajorError.NONE,
        verdict=None,
        ratings={name: int(value) for name, value in answered.items() if name in scales},
        system=row.system,
        claim=row.claim,
        timestamp=f"{submitted:%Y-%m-%d %H:%M:%S.%f}"[:-3] if submitted else "",
        evidence=tuple(
            Evidence(f"{pair.system}: {pair.question}" if pair.system else pair.question, pair.answer)
            for pair in pairs_from_json(row.evidence)
        ),
        comment=str(given.get(COMMENT, "")),
        control=row.control,
        own={name: str(value) for name, value in answered.items() if name not in scales},
    )


def _imported(title: str, form: Form, responses: tuple[Response, ...]) -> RatingImport:
    scales = tuple(one.name for one in form.questions if one.answer is AnswerKind.SCALE)
    whole = [one for one in responses if one.error is MajorError.NONE]
    report = ImportReport(
        file=title,
        read=len(responses),
        kept=len(responses),
        skipped=(),
        unused_answers=(),
        missing={scale: sum(scale not in one.ratings for one in whole) for scale in scales},
        pasted={},
        renamed=0,
        ignored_columns=(),
        notes=(),
    )
    return RatingImport(responses, scales, report, tuple(one.exported() for one in form.own))
