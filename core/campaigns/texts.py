"""The raters' texts, changed while a campaign runs: every version stays, with the time of its first showing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import select, update

from core.campaigns.assignment_store import lock
from core.campaigns.organising import organised
from core.campaigns.planning.options import CampaignOptions, checked_options
from core.campaigns.redeeming import storable
from core.storage.store import Store
from core.storage.tables import campaigns, reviews

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
