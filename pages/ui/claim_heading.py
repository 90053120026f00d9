"""Show a claim as a page's heading, with who said it, when and where."""

from __future__ import annotations

from core.types import Claim
from core.wording import place_in_words
from pages.ui.evidence import day
from pages.ui.markup import Html, join, tag

LONG_CLAIM = 220
"""Characters beyond which a claim is set smaller."""


def claim_heading(claim: Claim) -> Html:
    facts = [claim.speaker, day(claim.date) if claim.date else "", claim.source, place_in_words(claim.place)]
    size = "vd-claim vd-long" if len(claim.text) > LONG_CLAIM else "vd-claim"
    return tag(
        "header",
        tag("h1", claim.text, css=size),
        tag("p", join(tag("span", fact) for fact in facts if fact), css="vd-facts"),
        css="vd",
    )
