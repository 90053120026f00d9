"""Show a claim as a page's heading, with who said it, when and where, and its case's address to copy."""

from __future__ import annotations

import streamlit as st

from core.types import Claim
from core.wording import place_in_words
from pages.ui.evidence import day
from pages.ui.markup import Html, join, tag
from pages.ui.page_script import case_address, copy_button

LONG_CLAIM = 220
"""Characters beyond which a claim is set smaller."""


def claim_heading(claim: Claim) -> Html:
    facts = [claim.speaker, day(claim.date) if claim.date else "", claim.source, place_in_words(claim.place)]
    size = "vd-claim vd-long" if len(claim.text) > LONG_CLAIM else "vd-claim"
    case = st.query_params.get("case")
    address = copy_button(case_address(case), "Copy the address", quiet=True) if case else ""
    return tag(
        "header",
        tag("h1", claim.text, css=size),
        tag("p", join(tag("span", fact) for fact in facts if fact), css="vd-facts"),
        tag("div", copy_button(claim.text, "Copy the claim", quiet=True), address, css="vd-copies") if case else "",
        css="vd",
    )
