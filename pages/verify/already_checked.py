"""Who has already checked this claim: beside the verdict, and no part of it."""

from __future__ import annotations

import streamlit as st

from core.errors import VerideskError
from core.search.fact_checks import ReviewFeed, ReviewFilter, own_feed
from core.search_report import PublishedReview
from core.types import Case
from pages.ui.app_state import AppState
from pages.ui.evidence import day
from pages.ui.markup import Html, link, plain, show, tag
from pages.ui.notices import notice, quiet

AGES = {0: "Any", 365: "Last year", 5 * 365: "Last five years"}
NOTE = "Published fact-checks of similar claims. They do not influence the verdict above."


def already_checked(app_state: AppState, case: Case) -> None:
    """Show the fact-checks that others published of claims like this one, if any are known."""
    try:
        feed = own_feed()
        found = from_feed(feed, app_state, case.claim.text) if feed else ()
    except VerideskError as error:
        notice(str(error))
        return
    reviews = list(dict.fromkeys((*(case.search.reviews if case.search else ()), *found)))
    if reviews:
        show(
            tag(
                "div",
                tag("h2", "Already checked?", css="vd-heading"),
                tag("p", NOTE, css="vd-quiet"),
                css="vd",
            )
        )
        wanted = filter_fields(reviews)
        cards = [card(review) for review in reviews if wanted.wants(review)]
        none = tag("p", "No fact-check of these settings.", css="vd-quiet")
        show(tag("section", *(cards or [none]), css="vd vd-cards", aria_label="Already checked"))
    if feed and feed.remark:
        quiet(feed.remark)


def filter_fields(reviews: list[PublishedReview]) -> ReviewFilter:
    """Show the choice of a language, a publisher and an age, where several reviews differ in them."""
    languages = sorted({review.language.partition("-")[0].lower() for review in reviews if review.language})
    publishers = sorted({review.publisher for review in reviews if review.publisher})
    if len(reviews) < 2:
        return ReviewFilter()
    left, middle, right = st.columns(3)
    language = left.selectbox("Language", ["", *languages], format_func=any_or, key="reviews-language")
    publisher = middle.selectbox("Publisher", ["", *publishers], format_func=any_or, key="reviews-publisher")
    days = right.selectbox("Age", list(AGES), format_func=AGES.__getitem__, key="reviews-days")
    return ReviewFilter(language or "", publisher or "", days or 0)


def any_or(value: str) -> str:
    return plain(value) or "Any"


def from_feed(feed: ReviewFeed, app_state: AppState, claim: str) -> tuple[PublishedReview, ...]:
    """Return the reviews of a feed that are of claims like this one."""
    from core.retrieval.dense import load_encoder  # it brings torch, for which no page should wait

    return feed.search(claim, app_state.pool.encoder or load_encoder())


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
