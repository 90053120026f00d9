"""A campaign's ratings, items and progress as files. No file has a name or an address."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.campaigns.adjudication import settled
from core.campaigns.exchange.rating_exports import ratings_csv
from core.campaigns.planning.sources import items_jsonl
from core.campaigns.results import adjudicated, all_assigned, campaign_ratings
from core.campaigns.types import Campaign
from core.storage.store import Store
from core.tabular.exports import to_csv
from core.wording import counted
from pages.agreement.importing import show_exports
from pages.campaigns.progress import item_table, progress_of, rater_table
from pages.ui.notices import quiet


def show_files(store: Store, who: str, campaign: Campaign) -> None:
    """Offer everything for download; raters are pseudonyms throughout."""
    ratings = campaign_ratings(store, campaign.id, who)
    now = progress_of(store, who, campaign, all_assigned(store, campaign.id, who))
    quiet(f"{counted(len(ratings.responses), 'submitted rating')}, controls among them.")
    show_exports(ratings)
    row = titled_row("One answer an item: what was adjudicated, else what more than half of its raters said.")
    row.download_button(
        "Settled ratings (CSV)",
        lambda: ratings_csv(settled(campaign.plan.items, ratings, adjudicated(store, campaign.id, who))),
        "settled.csv",
        "text/csv",
        on_click="ignore",
    )
    row = titled_row("How it stands, and what was drawn. Items have gold labels and control keys: not for raters.")
    for label, name, table in (("Raters (CSV)", "raters", rater_table(now)), ("Items (CSV)", "items", item_table(now))):
        row.download_button(label, to_csv(table), f"{name}.csv", "text/csv", on_click="ignore")
    row.download_button(
        "Items with keys (JSON lines)",
        lambda: items_jsonl(campaign.plan.items),
        "items.jsonl",
        "application/jsonl",
        on_click="ignore",
    )


def titled_row(words: str) -> DeltaGenerator:
    """Return a row for buttons under a small explanation."""
    with st.container(gap="xsmall"):
        quiet(words)
        return st.container(horizontal=True)
