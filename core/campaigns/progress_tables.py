"""Return the progress of a stored campaign, and its tables by rater and by item."""

from __future__ import annotations

from collections.abc import Sequence

from core.campaigns.inviting import invited_raters
from core.campaigns.practice import practised
from core.campaigns.progress import SECONDS_A_MINUTE, CampaignProgress, practice_in_words, progress
from core.campaigns.reliability import signs_of_carelessness
from core.campaigns.results import campaign_ratings
from core.campaigns.types import Assigned, Campaign
from core.storage.store import Store
from core.tabular.table import Column, Table


def progress_of(store: Store, who: str, campaign: Campaign, assigned: Sequence[Assigned]) -> CampaignProgress:
    """Return the progress of a campaign; excluded ratings count. Raises Denied unless `who` is an organiser."""
    ratings = campaign_ratings(store, campaign.id, who, excluded_too=True)
    tried = practised(store, campaign.id, who)
    return progress(campaign.plan, invited_raters(store, campaign.id, who), assigned, ratings, tried)


def rater_table(now: CampaignProgress) -> Table:
    """Return one row per rater, under pseudonyms."""
    columns = (
        Column("Rater"),
        Column("Team", files_only=not any(one.team for one in now.raters)),
        Column("Submitted", 0),
        Column("Begun", 0),
        Column("Seconds a rating", 0),
        Column("Practice right", files_only=not any(one.practice for one in now.raters)),
        Column("Controls right"),
        Column("Same on all scales", 2),
        Column("Signs of carelessness", files_only=True),
    )
    rows = tuple(
        (
            one.rater,
            one.team,
            one.submitted,
            one.opened - one.submitted,
            None if one.minutes is None else one.minutes * SECONDS_A_MINUTE,
            practice_in_words(one.practice),
            f"{one.controls.correct} of {one.controls.answered}" if one.controls and one.controls.answered else "–",
            one.uniform_share,
            "; ".join(signs_of_carelessness(one, now.minutes, now.words)),
        )
        for one in now.raters
    )
    note = (
        "Begun: opened and not submitted. Seconds: median of the submitted ratings. Same on all scales: share of a "
        "rater's items with the same rating on every scale. Excluded raters and ratings are included here."
    )
    return Table("raters", "Raters", columns, rows, note)


def item_table(now: CampaignProgress) -> Table:
    """Return one row per item; controls want nothing, because every rater gets some of them."""
    names = ("Item", "System", "Drawn from", "Claim")
    columns = (*(Column(name) for name in names), *(Column(name, 0) for name in ("Submitted", "Begun", "Wanted")))
    rows = tuple(
        (
            one.item.item,
            one.item.system,
            one.item.stratum,
            one.item.claim,
            one.submitted,
            one.opened - one.submitted,
            one.wanted,
        )
        for one in now.items
    )
    return Table("items", "Items", columns, rows, "")
