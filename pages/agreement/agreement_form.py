"""The form of Agreement: ratings and scores from files or the example, kept for this session."""

from __future__ import annotations

import streamlit as st

from core.agreement.ratings import read_ratings
from core.agreement.scored_items import ScoredItems, read_control_key, read_scored_items
from core.errors import VerideskError
from core.files import ASSETS
from pages.agreement.agreement_files import Loaded, keep
from pages.ui.notices import notice, quiet

EXAMPLE = ASSETS / "agreement"
TABLES = ["csv", "tsv", "xlsx"]


def agreement_form() -> None:
    """Ask for ratings and scores; the files read are kept in the session."""
    ratings = st.file_uploader(
        "Ratings",
        [*TABLES, "jsonl"],
        key="agreement-ratings",
        help="The rating form's export, CSV or XLSX: one row per response. Its columns are id, Email Address and "
        "one for each scale. Or a campaign's ratings in JSON lines. Pseudonyms replace addresses on reading.",
    )
    scores = st.file_uploader(
        "Scores (optional)",
        TABLES,
        accept_multiple_files=True,
        key="agreement-scores",
        help="CSV with a column id and a column for each metric, or the items file of Score submissions. More files "
        "are joined by id, such as one with the claims and both evidence texts. Without scores, the page shows the "
        "agreement between raters.",
    )
    controls = st.file_uploader(
        "Control items (optional)",
        TABLES,
        key="agreement-controls",
        help="CSV with the columns id and label: items with a known verdict, which test the raters. The "
        "correlations leave them out.",
    )
    row = st.container(horizontal=True)
    # A distinct label, because a visitor may press it early and must see which study it shows.
    raters = ratings and not scores
    compare, key = ("Compare raters", "agreement-raters") if raters else ("Compare", "agreement-compare")
    if row.button(compare, type="primary", disabled=not ratings, key=key):
        assert ratings is not None
        _load(
            (ratings.name, ratings.getvalue()),
            [(file.name, file.getvalue()) for file in scores],
            (controls.name, controls.getvalue()) if controls else None,
        )
    if row.button("Look at an example", key="agreement-example"):
        files = [(path.name, path.read_bytes()) for path in (EXAMPLE / "ratings.csv", EXAMPLE / "scores.csv")]
        _load(files[0], files[1:], None)
    quiet("The example is invented: four raters, twelve claims, three systems, two metrics.")


def _load(ratings: tuple[str, bytes], scores: list[tuple[str, bytes]], controls: tuple[str, bytes] | None) -> None:
    try:
        found = Loaded(
            read_ratings(*ratings),
            read_scored_items(scores) if scores else ScoredItems({}, (), ()),
            read_control_key(*controls) if controls else {},
            ratings[0],
        )
    except VerideskError as error:
        notice(str(error))
        return
    keep(found)
    st.rerun()
