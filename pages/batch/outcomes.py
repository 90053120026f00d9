"""List the results of a batch: one line per claim, with or without evidence, each a link to its case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st

from core.batch.batch_job import Batch, Outcome
from core.types import Label
from core.verification.verdict.verdict_words import CANNOT_TELL
from core.wording import counted
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import quiet
from pages.ui.verdicts import badge, look_named

SHOWN = 200
ALL, EVIDENCE, NONE, FAILED = "All", "With evidence", "Without evidence", "Failed"
LISTED = (*Label, CANNOT_TELL)
TITLES = ("Id", "Claim", "Verdict", "For or against it", "Seconds")


def show_outcomes(batch: Batch, outcomes: Mapping[str, Outcome]) -> None:
    """List the claims in their order."""
    if not outcomes and not batch.running:
        return
    counts = {look_named(label).word: sum(one.label == label for one in outcomes.values()) for label in LISTED}
    counts["failed"] = sum(bool(one.error) for one in outcomes.values())
    show(tag("div", tag("h2", "Claims", css="vd-heading"), css="vd"))
    quiet(", ".join(f"{count} {word}" for word, count in counts.items() if count) or "No claim is finished yet.")
    kinds = (ALL, EVIDENCE, NONE, FAILED)
    chosen = st.segmented_control("Show", kinds, default=ALL, required=True, key=f"outcomes-{batch.id}")
    ids = [claim_id for claim_id in in_order(batch) if is_of(outcomes.get(claim_id), chosen or ALL)]
    rows = (claim_row(batch, claim_id, outcomes.get(claim_id)) for claim_id in ids[:SHOWN])
    head = tag("thead", tag("tr", *(tag("th", title, scope="col") for title in TITLES)))
    show(tag("div", tag("table", head, tag("tbody", *rows), css="vd-listing"), css="vd"))
    if len(ids) > SHOWN:
        more = counted(len(ids) - SHOWN, "more claim")
        quiet(f"{more} not shown here. The submission has every finished claim.")
    elif not ids:
        quiet("No claim is of this kind.")


def in_order(batch: Batch) -> Sequence[str]:
    """Return the claims in the file's order; if the page cannot show all, the newest first."""
    if batch.running and len(batch.asked.ids) > SHOWN:
        return list(batch.outcomes)[::-1]
    return batch.asked.ids


def is_of(one: Outcome | None, kind: str) -> bool:
    """Return whether a claim is shown under this choice; an unfinished one has no outcome."""
    if kind == ALL or one is None:
        return kind == ALL
    return {FAILED: bool(one.error), EVIDENCE: bool(one.speaking), NONE: one.speaking == 0}[kind]


def claim_row(batch: Batch, claim_id: str, one: Outcome | None) -> Html:
    """Return one claim with its result, or as waiting."""
    claim = batch.claims.get(claim_id)
    text = claim.text if claim else claim_id
    link = tag("a", text, href=f"?{urlencode({'batch': batch.id, 'claim': claim_id})}", target="_self")
    words = link if one and not one.error else tag("span", text)
    cells = (words, came_to(one), speaking(one), f"{one.seconds:.1f}" if one else "–")
    data = (tag("td", cell, data_title=title) for cell, title in zip(cells, TITLES[1:], strict=True))
    return tag("tr", tag("th", claim_id, scope="row"), *data)


def came_to(one: Outcome | None) -> Html:
    if one is None:
        return tag("span", "waits", css="vd-quiet")
    less = tag("p", f"Less was done: {'; '.join(one.left_out)}", css="vd-quiet vd-wrap") if one.left_out else ""
    what = tag("p", one.error, css="vd-wrap") if one.error else badge(look_named(one.label))
    return join((what, less))


def speaking(one: Outcome | None) -> str:
    """Return in words the number of passages for or against a claim."""
    if one is None or one.error or one.speaking is None:
        return "–"
    return counted(one.speaking, "passage") if one.speaking else "none"
