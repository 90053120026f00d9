"""A campaign's ratings, items and progress as files. Raters have pseudonyms in every file."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.agreement.ratings import RatingImport
from core.campaigns.adjudication import settled
from core.campaigns.exchange.rating_exports import ratings_csv
from core.campaigns.exchange.study import study_of
from core.campaigns.exchange.study_files import WRITERS
from core.campaigns.planning.sources import items_jsonl
from core.campaigns.progress_tables import item_table, progress_of, rater_table
from core.campaigns.results import adjudicated, all_assigned, campaign_ratings
from core.campaigns.types import Campaign
from core.storage.store import Store
from core.tabular.exports import to_csv
from core.wording import counted
from pages.ui.notices import quiet
from pages.ui.rating_files import show_exports

STUDY_FILES = (
    ("Study (CSV, zip)", "zip", "application/zip"),
    ("Study (JSON lines)", "jsonl", "application/jsonl"),
    ("Study (XLSX)", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
)


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
    for label, kind, mime in STUDY_FILES:
        make = partial(exported, kind, store, campaign.id, who)
        row.download_button(label, make, f"study.{kind}", mime, on_click="ignore", key=f"study.{kind}")


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
        row.download_button(label, make, f"{name}.csv", "text/csv", on_click="ignore", key=f"{name}.csv")


def standing_files(store: Store, who: str, campaign: Campaign) -> None:
    row = titled_row("Progress, and the items drawn. Items have gold labels and control keys: not for raters.")
    now = progress_of(store, who, campaign, all_assigned(store, campaign.id, who))
    for label, name, table in (("Raters (CSV)", "raters", rater_table(now)), ("Items (CSV)", "items", item_table(now))):
        row.download_button(label, to_csv(table), f"{name}.csv", "text/csv", on_click="ignore", key=f"{name}.csv")
    make = partial(items_jsonl, campaign.plan.items)
    row.download_button(
        "Items with keys (JSON lines)",
        make,
        "items.jsonl",
        "application/jsonl",
        on_click="ignore",
        key="items.jsonl",
    )


def exported(kind: str, store: Store, campaign: str, who: str) -> bytes:
    return WRITERS[kind](study_of(store, campaign, who))


def titled_row(words: str) -> DeltaGenerator:
    """Return a row for buttons under a small explanation."""
    with st.container(gap="xsmall"):
        quiet(words)
        return st.container(horizontal=True)
