"""An organiser's actions on campaigns: make them, look at them, pause, close and open them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, Select, case, func, select, update

from core.campaigns.access import require_organiser
from core.campaigns.assignment_store import lock
from core.campaigns.planning.options import CampaignOptions, checked_options
from core.campaigns.planning.plans import (
    PLAIN,
    CampaignItem,
    CampaignPlan,
    ControlKey,
    EvidencePair,
    checked_plan,
    pairs_from_json,
)
from core.campaigns.planning.rating_form import Form
from core.campaigns.redeeming import storable
from core.campaigns.types import Campaign, CampaignLine, CampaignState
from core.errors import Denied
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import assignments, campaign_items, campaigns, raters, reviews
from core.types import Label

NO_CAMPAIGN = "There is no such campaign here: go back to the list."


def create_campaign(store: Store, owner: str, plan: CampaignPlan) -> str:
    """Store a campaign, open for raters, and return its id. Raises BadInput as `checked_plan` does."""
    checked_plan(plan)
    campaign = new_id()
    row = {
        "id": campaign,
        "owner": owner,
        "title": storable(plan.title.strip(), "The title"),
        "form": plan.form.to_json(),
        "seed": plan.seed,
        "ratings_per_item": plan.ratings_per_item,
        "items_per_rater": plan.items_per_rater,
        "controls_per_rater": plan.controls_per_rater,
        "options": storable(plan.options.to_json(), "An introduction, guidelines or examples"),
        "state": CampaignState.OPEN,
        "created": store.clock(),
    }
    everything = (*plan.items, *plan.practice)
    rows = [
        _row(campaign, position, item) | {"practice": position >= len(plan.items)}
        for position, item in enumerate(everything)
    ]
    with store.transaction(writing=True) as connection:
        require_organiser(connection, owner)
        connection.execute(campaigns.insert().values(row))
        connection.execute(campaign_items.insert(), rows)
    return campaign


def all_campaigns(store: Store, owner: str) -> tuple[CampaignLine, ...]:
    """Return all campaigns with how far they came, the newest first."""
    with store.transaction() as connection:
        require_organiser(connection, owner)
        rows = connection.execute(select(campaigns).order_by(campaigns.c.created.desc(), campaigns.c.id)).all()
        items, controls = (_counts(connection, _items(control=control)) for control in (False, True))
        people = _counts(connection, select(raters.c.campaign, func.count()).group_by(raters.c.campaign))
        submitted = _counts(connection, _submitted())
    return tuple(
        CampaignLine(
            id=row.id,
            title=row.title,
            state=CampaignState(row.state),
            created=row.created,
            items=items.get(row.id, 0),
            controls=controls.get(row.id, 0),
            raters=people.get(row.id, 0),
            submitted=submitted.get(row.id, 0),
            wanted=items.get(row.id, 0) * row.ratings_per_item,
        )
        for row in rows
    )


def load_campaign(store: Store, campaign: str, owner: str) -> Campaign:
    """Return a campaign with its whole plan; the items have their ids. Raises Denied if there is none."""
    wanted = select(campaign_items).where(campaign_items.c.campaign == campaign)
    with store.transaction() as connection:
        row = organised(connection, campaign, owner)
        items = connection.execute(wanted.order_by(campaign_items.c.position)).all()
    plan = CampaignPlan(
        title=row.title,
        items=tuple(_item(item) for item in items if not item.practice),
        form=Form.from_json(row.form),
        seed=row.seed,
        ratings_per_item=row.ratings_per_item,
        items_per_rater=row.items_per_rater,
        controls_per_rater=row.controls_per_rater,
        practice=tuple(_item(item) for item in items if item.practice),
        options=CampaignOptions.from_json(row.options),
    )
    return Campaign(row.id, plan, CampaignState(row.state), row.created)


def set_state(store: Store, campaign: str, owner: str, state: CampaignState) -> None:
    """Pause, close or open a campaign. From then on raters' answers are refused, or taken again."""
    with store.transaction(writing=True) as connection:
        organised(connection, campaign, owner)
        change = update(campaigns).where(campaigns.c.id == campaign)
        connection.execute(change.values(state=CampaignState(state)))


def organised(connection: Connection, campaign: str, owner: str) -> Row[Any]:
    """Return the campaign's row for an organiser. Raises Denied for anybody else, or without a campaign."""
    require_organiser(connection, owner)
    row = connection.execute(select(campaigns).where(campaigns.c.id == campaign)).one_or_none()
    if row is None:
        raise Denied(NO_CAMPAIGN)
    return row


def _row(campaign: str, position: int, item: CampaignItem) -> dict[str, object]:
    where = f"Item {item.item[:40]!r}"
    return {
        "id": new_id(),
        "campaign": campaign,
        "position": position,
        **{name: storable(getattr(item, name), where) for name in ("item", "system", "team", "claim", "stratum")},
        "rank": item.rank,
        "about": json.dumps(item.about),
        "evidence": _pairs_json(item.evidence),
        "reference": _pairs_json(item.reference),
        "predicted": item.predicted or "",
        "gold": item.gold or "",
        "control": item.control,
        "control_key": json.dumps(PLAIN.unstructure(item.control_key)) if item.control_key else None,
        "scores": json.dumps(item.scores),
    }


def _item(row: Row[Any]) -> CampaignItem:
    return CampaignItem(
        item=row.item,
        claim=row.claim,
        evidence=pairs_from_json(row.evidence),
        system=row.system,
        team=row.team,
        rank=row.rank,
        about=json.loads(row.about),
        predicted=Label(row.predicted) if row.predicted else None,
        gold=Label(row.gold) if row.gold else None,
        reference=pairs_from_json(row.reference),
        control=row.control,
        control_key=ControlKey.from_json(json.loads(row.control_key)) if row.control_key else None,
        stratum=row.stratum,
        scores=json.loads(row.scores),
        id=row.id,
    )


def _pairs_json(pairs: tuple[EvidencePair, ...]) -> str:
    return json.dumps(PLAIN.unstructure(pairs))


def _items(*, control: bool) -> Select[str, int]:
    wanted = select(campaign_items.c.campaign, func.count()).where(
        campaign_items.c.control.is_(control), campaign_items.c.practice.is_(False)
    )
    return wanted.group_by(campaign_items.c.campaign)


def _submitted() -> Select[str, int]:
    """Count submitted ratings by campaign, without those of controls; no item counts above the wanted number."""
    given = (
        select(assignments.c.campaign, campaigns.c.ratings_per_item.label("most"), func.count().label("given"))
        .join(campaign_items, campaign_items.c.id == assignments.c.item)
        .join(campaigns, campaigns.c.id == assignments.c.campaign)
        .where(assignments.c.submitted.is_not(None), assignments.c.counted, campaign_items.c.control.is_(False))
        .group_by(assignments.c.campaign, assignments.c.item, campaigns.c.ratings_per_item)
        .subquery()
    )
    counted = case((given.c.given < given.c.most, given.c.given), else_=given.c.most)
    return select(given.c.campaign, func.sum(counted)).group_by(given.c.campaign)


def _counts(connection: Connection, wanted: Select[str, int]) -> dict[str, int]:
    return {row[0]: int(row[1]) for row in connection.execute(wanted)}


SUBJECT = "texts"
TEXTS = ("introduction", "guidelines", "examples")


@dataclass(frozen=True)
class RaterTexts:
    """The raters' texts from `since` on, in seconds since 1970, until the next version."""

    options: CampaignOptions
    since: float


def change_texts(
    store: Store, campaign: str, owner: str, *, introduction: str, guidelines: str, examples: str
) -> CampaignOptions:
    """Change the raters' texts from now on, and keep the earlier ones; the same texts again change nothing.

    All other choices stay as they were when the first rater came. Raises BadInput for a text that is too long or
    cannot be kept, Denied if the owner is no organiser.
    """
    introduction, guidelines, examples = introduction.strip(), guidelines.strip(), examples.strip()
    for name, text in zip(TEXTS, (introduction, guidelines, examples), strict=True):
        storable(text, f"The text of the {name}")
    with store.transaction(writing=True) as connection:
        lock(connection, campaign)
        row = organised(connection, campaign, owner)
        before = CampaignOptions.from_json(row.options)
        after = replace(before, introduction=introduction, guidelines=guidelines, examples=examples)
        if after == before:
            return before
        checked_options(after, after.pass_mark)
        kept = connection.scalars(select(reviews.c.version).where(reviews.c.job == campaign)).all()
        told = [] if kept else [(before, row.owner, row.created)]
        told.append((after, owner, store.clock()))
        for version, (options, who, since) in enumerate(told, start=len(kept) + 1):
            value = {"version": version, "value": options.to_json(), "owner": who, "saved": since}
            connection.execute(reviews.insert().values({"job": campaign, "subject": SUBJECT} | value))
        connection.execute(update(campaigns).where(campaigns.c.id == campaign).values(options=after.to_json()))
    return after


def text_history(store: Store, campaign: str, owner: str) -> tuple[RaterTexts, ...]:
    """Return every version of the texts, the oldest first; empty where they were never changed."""
    wanted = select(reviews.c.value, reviews.c.saved).where(reviews.c.job == campaign, reviews.c.subject == SUBJECT)
    with store.transaction() as connection:
        organised(connection, campaign, owner)
        rows = connection.execute(wanted.order_by(reviews.c.version)).all()
    return tuple(RaterTexts(CampaignOptions.from_json(row.value), row.saved) for row in rows)
