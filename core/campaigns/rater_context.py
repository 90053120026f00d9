"""A rater in a campaign and the items in their hands, as the rater's side reads them.

Nothing here reads gold labels, controls' keys, systems, scores or others' answers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, select, update
from sqlalchemy.sql.dml import Update

from core.agreement.own_questions import BETWEEN_SYSTEMS
from core.agreement.ratings import MajorError
from core.campaigns.access import Role
from core.campaigns.assignment import shown_order
from core.campaigns.planning.form_questions import Answer, AnswerKind
from core.campaigns.planning.options import CampaignOptions, words_of
from core.campaigns.planning.plans import EvidencePair, pairs_from_json
from core.campaigns.planning.rating_form import ERROR, VERDICT, Form, FormKind
from core.campaigns.types import CampaignState
from core.errors import BadInput, Denied
from core.storage.tables import answers, assignments, campaign_items, campaigns, members, raters

LETTERS = "ABCD"
"""The names of compared evidence, as raters see them."""
NOT_A_RATER = "You are not among this campaign's raters: open the invitation link that you were sent."
NOT_YOURS = "This item is not one of yours: go back to your list."


@dataclass(frozen=True)
class RaterContext:
    """A rater in a campaign; `form`, `options` and `seed` are the campaign's."""

    campaign: str
    title: str
    state: CampaignState
    form: Form
    options: CampaignOptions
    rater: str
    pseudonym: str
    seed: int

    def require_open(self) -> None:
        """Raise Denied, with the reason, unless the campaign takes answers now."""
        if self.state is not CampaignState.OPEN:
            raise Denied(words_of(self.form.language)[f"refused_{self.state}"].format(title=self.title))


@dataclass(frozen=True)
class Held:
    """An item in its rater's hands; `form` has the questions asked of this item. Times are in seconds since 1970.

    `order` has the compared systems as the rater sees them: A, B and so on. It is empty where the item is one
    system's. Raters answer with letters; the database has the systems.
    """

    context: RaterContext
    item: str
    form: Form
    position: int
    opened: float
    touched: float
    submitted: float | None
    seconds: float
    order: tuple[str, ...] = ()

    def stored(self, question: str, answer: Answer) -> Answer:
        """Return a rater's answer as it is stored: a letter becomes the system."""
        return (
            dict(zip(LETTERS, self.order, strict=False)).get(str(answer), answer) if self.chooses(question) else answer
        )

    def shown(self, answers: Mapping[str, Answer]) -> dict[str, Answer]:
        """Return stored answers as the rater gave them: a system becomes its letter."""
        letters: dict[Answer, Answer] = dict(zip(self.order, LETTERS, strict=False))
        return {name: letters.get(value, value) if self.chooses(name) else value for name, value in answers.items()}

    def chooses(self, question: str) -> bool:
        return self._takes(question, AnswerKind.CHOICE)

    def marks(self, question: str) -> bool:
        """Return whether a question is answered by marking sentences."""
        return self._takes(question, AnswerKind.SPANS)

    def _takes(self, question: str, kind: AnswerKind) -> bool:
        return any(one.name == question and one.answer is kind for one in self.form.own)

    def spent(self, seconds: float, now: float) -> float:
        """Return the time spent with `seconds` added, but never more than has passed. Raises BadInput below 0."""
        if not (math.isfinite(seconds) and seconds >= 0):
            raise BadInput(f"The time spent on an item is a number of seconds from 0, got {seconds}.")
        return min(self.seconds + seconds, max(self.seconds, now - self.opened))

    @property
    def practice(self) -> bool:
        return self.position < 0

    def change(self, **columns: float | bool | None) -> Update:
        """Return the statement that changes the assignment."""
        mine = update(assignments).where(
            assignments.c.campaign == self.context.campaign,
            assignments.c.item == self.item,
            assignments.c.rater == self.context.rater,
        )
        return mine.values(**columns)


def rater_context(connection: Connection, campaign: str, owner: str) -> RaterContext:
    """Return the owner as a rater. Raises Denied if they are no rater of the campaign, or there is none."""
    wanted = (
        select(*(campaigns.c[name] for name in ("title", "state", "form", "options", "seed")), members.c.rater)
        .add_columns(raters.c.pseudonym)
        .join(members, members.c.campaign == campaigns.c.id)
        .join(raters, raters.c.id == members.c.rater)
        .where(members.c.owner == owner, members.c.campaign == campaign, members.c.role == Role.ANNOTATOR)
    )
    row = connection.execute(wanted).one_or_none()
    if row is None:
        raise Denied(NOT_A_RATER)
    form, options = Form.from_json(row.form), CampaignOptions.from_json(row.options)
    state = CampaignState(row.state)
    return RaterContext(campaign, row.title, state, form, options, row.rater, row.pseudonym, row.seed)


def held_item(connection: Connection, context: RaterContext, item: str, *, lock: bool = False) -> Held:
    """Return the rater's item, locked if it is to be changed. Raises Denied if it is not theirs."""
    wanted = (
        select(assignments, (campaign_items.c.reference != "[]").label("has_reference"))
        .add_columns(campaign_items.c.system, campaign_items.c.position.label("place"))
        .join(campaign_items, campaign_items.c.id == assignments.c.item)
        .where(
            assignments.c.campaign == context.campaign, assignments.c.rater == context.rater, assignments.c.item == item
        )
    )
    row = connection.execute(wanted.with_for_update(of=assignments) if lock else wanted).one_or_none()
    if row is None:
        raise Denied(NOT_YOURS)
    form = context.form.for_item(has_reference=row.has_reference)
    order: tuple[str, ...] = ()
    if form.kind is not FormKind.RATING:
        order = shown_order(row.system.split(BETWEEN_SYSTEMS), context.pseudonym, row.place, seed=context.seed)
        form = form.bound(LETTERS[: len(order)])
    return Held(context, item, form, row.position, row.opened, row.touched, row.submitted, row.seconds, order)


def unfinished(connection: Connection, context: RaterContext) -> str | None:
    """Return the first of the rater's items that is not submitted."""
    wanted = select(assignments.c.item).where(
        assignments.c.campaign == context.campaign,
        assignments.c.rater == context.rater,
        assignments.c.submitted.is_(None),
    )
    return connection.scalar(wanted.order_by(assignments.c.position).limit(1))


def submitted_items(connection: Connection, campaign: str, rater: str) -> int:
    """Return how many items the rater has submitted, practice items left out."""
    wanted = select(func.count()).where(
        assignments.c.campaign == campaign,
        assignments.c.rater == rater,
        assignments.c.position > 0,
        assignments.c.submitted.is_not(None),
    )
    return connection.scalar(wanted) or 0


def given_answers(connection: Connection, held: Held) -> tuple[dict[str, Answer], float | None]:
    """Return the rater's answers to the item by question, and when the last one was saved."""
    wanted = select(answers.c.question, answers.c.value, answers.c.saved).where(
        answers.c.campaign == held.context.campaign, answers.c.item == held.item, answers.c.rater == held.context.rater
    )
    rows = connection.execute(wanted).all()
    return {row.question: json.loads(row.value) for row in rows}, max((row.saved for row in rows), default=None)


def revealed(connection: Connection, held: Held, given: Mapping[str, Answer]) -> tuple[tuple[EvidencePair, ...], str]:
    """Return the reference evidence and the predicted label: nothing before question 2 is answered.

    The reference is read only where a question compares with it. Where the campaign shows both from the start, both
    are. A form of one's own never shows the label. It shows the reference at once if a question asks for it.
    """
    first = held.context.options.label_first or bool(held.form.own)
    if not first and (VERDICT not in given or given.get(ERROR) != MajorError.NONE):
        return (), ""
    row = connection.execute(
        select(campaign_items.c.reference, campaign_items.c.predicted).where(campaign_items.c.id == held.item)
    ).one()
    needed = held.context.options.label_first or any(one.reference for one in held.form.questions)
    return pairs_from_json(row.reference) if needed else (), "" if held.form.own else row.predicted
