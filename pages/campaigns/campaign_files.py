"""A campaign's ratings, items and progress as files. Raters have pseudonyms in every file."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.agreement.ratings import RatingImport
from core.campaigns.adjudication import settled
from core.campaigns.exchange.rating_exports import ratings_csv
from core.campaigns.exchange.study import study_of
from core.campaigns.exchange.study_files import to_zip
from core.campaigns.planning.sources import items_jsonl
from core.campaigns.progress_tables import item_table, progress_of, rater_table
from core.campaigns.results import adjudicated, all_assigned, campaign_ratings
from core.campaigns.types import Campaign
from core.storage.store import Store
from core.tabular.exports import to_csv
from core.wording import counted
from pages.ui.file_button import file_button
from pages.ui.notices import quiet
from pages.ui.rating_files import show_exports


def show_files(store: Store, who: str, campaign: Campaign) -> None:
    """Offer everything for download; raters are pseudonyms throughout."""
    ratings = campaign_ratings(store, campaign.id, who)
    controls = sum(one.control for one in ratings.responses)
    among = f", {controls:,} of them of control items" if controls else ""
    quiet(f"{counted(len(ratings.responses), 'submitted rating')}{among}.")
    study_files(store, who, campaign)
    show_exports(ratings)
    settled_files(store, who, campaign, ratings)
    standing_files(store, who, campaign)


def study_files(store: Store, who: str, campaign: Campaign) -> None:
    row = titled_row(
        "The whole study: items with both evidence sets, labels, keys and scores; every answer with its time and its "
        "history. Exclusions, decisions and a data dictionary are included. You can make a new campaign from it."
    )
    file_button(
        "Study (CSV, zip)", lambda: to_zip(study_of(store, campaign.id, who)), "study.zip", place=row, key="study.zip"
    )


def settled_files(store: Store, who: str, campaign: Campaign, ratings: RatingImport) -> None:
    row = titled_row(
        "One answer per item: the adjudicated one, else that of more than half of its raters. Scales else have their "
        "median (of an even number the lower of the middle two)."
    )

    def one_an_item(*, median: bool) -> str:
        decided = adjudicated(store, campaign.id, who)
        return ratings_csv(settled(campaign.plan.items, ratings, decided, median=median))

    for label, name, median in (("Medians (CSV)", "medians", True), ("Settled ratings (CSV)", "settled", False)):
        make = partial(one_an_item, median=median)
        file_button(label, make, f"{name}.csv", place=row, key=f"{name}.csv")


def standing_files(store: Store, who: str, campaign: Campaign) -> None:
    row = titled_row("Progress, and the items drawn. Items have gold labels and control keys: not for raters.")
    now = progress_of(store, who, campaign, all_assigned(store, campaign.id, who))
    for label, name, table in (("Raters (CSV)", "raters", rater_table(now)), ("Items (CSV)", "items", item_table(now))):
        file_button(label, to_csv(table), f"{name}.csv", place=row, key=f"{name}.csv")
    make = partial(items_jsonl, campaign.plan.items)
    file_button("Items with keys (JSON lines)", make, "items.jsonl", place=row, key="items.jsonl")


def titled_row(words: str) -> DeltaGenerator:
    """Return a row for buttons under a small explanation."""
    with st.container(gap="xsmall"):
        quiet(words)
        return st.container(horizontal=True)
