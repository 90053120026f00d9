"""The report as a draft of ClaimReview (schema.org, JSON-LD): for a person to complete and to sign."""

from __future__ import annotations

import json
from typing import Any

from core.types import Label, is_web_address
from core.verification.report.case_report import CaseReport
from core.verification.verdict.verdict_words import words_of

ADDRESS_TO_FILL_IN = "https://example.org/the-address-of-your-article"
NAME_TO_FILL_IN = "The name of your organisation"

RATINGS = {Label.SUPPORTED: 5, Label.REFUTED: 1, Label.CONFLICTING: 3}
"""Numbers from 1, false, to 5, true. That there is not enough evidence is no point on that scale."""


def to_claimreview(report: CaseReport, *, url: str = ADDRESS_TO_FILL_IN, publisher: str = NAME_TO_FILL_IN) -> str:
    """Return the draft as JSON that may stand in a <script> as it is.

    `url` is where the article will stand, `publisher` who signs it. Source of the fields: schema.org/ClaimReview,
    and Google's guide to it (claimReviewed, reviewRating.alternateName and url are required).
    """
    draft = claim_review(report, url=url, publisher=publisher)
    # Inside a <script>, "</script>" and "<!--" in a claim would end it.
    return json.dumps(draft, ensure_ascii=False, indent=1).replace("<", "\\u003c") + "\n"


def claim_review(report: CaseReport, *, url: str, publisher: str) -> dict[str, Any]:
    """Return the draft as plain JSON values."""
    own = report.own
    said = (own.reason if own else "") or report.finding.said
    return {
        "@context": "https://schema.org",
        "@type": "ClaimReview",
        "creativeWorkStatus": "Draft",
        "url": url,
        "claimReviewed": report.claim,
        "datePublished": report.made.isoformat(),
        "author": {"@type": "Organization", "name": publisher},
        "reviewRating": _rating(report.label),
        "reviewBody": said,
        "itemReviewed": _claim(report),
        "citation": _citations(report),
    }


def _rating(label: Label | None) -> dict[str, Any]:
    rating = {"@type": "Rating", "alternateName": words_of(label).word}
    if label not in RATINGS:
        return rating
    return {**rating, "ratingValue": RATINGS[label], "bestRating": 5, "worstRating": 1}


def _claim(report: CaseReport) -> dict[str, Any]:
    claim, facts = report.subject, dict(report.facts)
    known: dict[str, Any] = {"@type": "Claim"}
    if claim.speaker:
        known["author"] = {"@type": "Person", "name": facts["Said by"]}
    if claim.date:
        known["datePublished"] = claim.date.isoformat()
    if claim.source:
        place = {"url": claim.source} if is_web_address(claim.source) else {"name": facts["Appeared in"]}
        known["appearance"] = {"@type": "CreativeWork", **place}
    return known


def _citations(report: CaseReport) -> list[dict[str, str]]:
    """Return the web pages that the evidence quotes, each once."""
    named = [one.source for exhibit in report.evidence for one in exhibit.answers if one.source]
    sources = {source.address: source for source in (*(one.source for one in report.cited), *named)}
    return [
        {"@type": "CreativeWork", "url": address, "name": source.title or source.site}
        for address, source in sources.items()
        if is_web_address(address)
    ]
