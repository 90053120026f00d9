"""Who has already checked this claim: beside the verdict, and no part of it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.errors import VerideskError
from core.search.fact_checks import ReviewFeed, read_feed
from core.search_report import PublishedReview
from core.settings import settings
from core.types import Case
from pages.ui.app_state import AppState
from pages.ui.evidence import day
from pages.ui.markup import Html, link, show, tag
from pages.ui.notices import notice

NOTE = "Published fact-checks of similar claims. They do not influence the verdict above."


def already_checked(app_state: AppState, case: Case) -> None:
    """Show the fact-checks that others published of claims like this one, if any are known."""
    try:
        reviews = (*(case.search.reviews if case.search else ()), *from_feed(app_state, case.claim.text))
    except VerideskError as error:
        notice(str(error))
        return
    if reviews:
        show(
            tag(
                "section",
                tag("h2", "Already checked?", css="vd-heading"),
                tag("p", NOTE, css="vd-quiet"),
                *(card(review) for review in dict.fromkeys(reviews)),
                css="vd",
                aria_label="Already checked",
            )
        )


def from_feed(app_state: AppState, claim: str) -> tuple[PublishedReview, ...]:
    """Return the reviews of the feed on this machine that are of claims like this one."""
    path = settings().review_feed
    if path is None:
        return ()
    from core.retrieval.dense import load_encoder  # it brings torch, for which no page should wait

    modified = path.stat().st_mtime if path.is_file() else 0.0
    return opened_feed(str(path), modified).search(claim, app_state.pool.encoder or load_encoder())


@st.cache_resource(show_spinner="Reading the feed of fact-checks", max_entries=1)
def opened_feed(path: str, modified: float) -> ReviewFeed:
    """Return a feed, read and indexed once for each version of its file. Raises BadInput if it is none."""
    return read_feed(Path(path))


def card(review: PublishedReview) -> Html:
    said = f"said by {review.claimant}" if review.claimant else ""
    facts = [review.publisher, day(review.published) if review.published else "", said]
    return tag(
        "article",
        tag("p", tag("span", review.rating, css="vd-strong"), " – ", review.claim, css="vd-text"),
        tag("p", link(review.url, review.title or review.url), css="vd-text"),
        tag("p", *(tag("span", fact) for fact in facts if fact), css="vd-facts"),
        css="vd-card",
    )
