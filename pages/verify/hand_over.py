"""Everything that leaves the desk: the report on the page and as files, the receipt, and words for the clipboard."""

from __future__ import annotations

import json
from datetime import datetime

import streamlit as st

from core.dataclass_json import to_json
from core.jobs.types import State
from core.types import Case, is_web_address
from core.verification.report.case_report import CaseReport, case_report
from core.verification.report.claimreview import ADDRESS_TO_FILL_IN, NAME_TO_FILL_IN, to_claimreview
from core.verification.report.command import FORMATS
from core.verification.report.html import report_body, report_style
from core.verification.report.judge_measurements import judge_measurements
from core.verification.review import Review, for_others
from core.verification.review_store import Reviews
from core.verification.verdict.documents_say import said_of_documents
from core.verification.verdict.verdict_words import shown_label, words_of
from core.wording import day
from pages.ui.app_state import AppState
from pages.ui.cases import zone
from pages.ui.kept import link_leads_nowhere, shared_job
from pages.ui.markup import Html, show, tag
from pages.ui.notices import notice, remark
from pages.ui.page_script import bring_into_view, copy_button, print_button
from pages.verify.opened import OpenedCase, opened

HAND_OVER = "hand-over"
"""The place on a case's page where its report and its files are."""
ICONS = {"html": "html", "docx": "description", "md": "markdown"}


def claim_and_verdict(case: Case, review: Review) -> str:
    """Return the claim with its verdict, as a line of a message to a colleague. A person's verdict comes first."""
    claim, verdict = case.claim, case.verdict
    assert verdict is not None  # only finished cases are shown
    said = ", ".join(part for part in (claim.speaker, day(claim.date), claim.source) if part)
    own, label = review.conclusion, review.conclusion.label or shown_label(verdict)
    by = f" ({own.name or 'by a person'})" if own.label else " (by a program, not yet by a person)" if label else ""
    return f"“{claim.text}”{f' ({said})' if said else ''}\n{words_of(label).word}{by}. {said_of_documents(case)}"


def report_now(found: OpenedCase, review: Review) -> CaseReport:
    """Return the report of a case as of today, in the reader's time zone."""
    assert found.case.verdict is not None  # only finished cases are opened
    measured = judge_measurements(found.case.verdict)
    today = datetime.now(zone()).date()
    return case_report(found.request, found.case, found.llm, review=review, measured=measured, made=today)


def show_report(found: OpenedCase, review: Review) -> None:
    """Show the report as it will be on paper, with its files to download."""
    report = report_now(found, review)
    with st.container(horizontal=True, key="vd-report-files"):
        show(print_button(), width="content")
        for name in ICONS:
            report_file(found, report, name)
        claimreview_file(found, report)
    bring_into_view("vd-report-files")  # the button that opened it is far down the case
    st.html(f"<style>{report_style()}</style>")
    show(Html(report_body(report)))


def report_file(found: OpenedCase, report: CaseReport, name: str) -> None:
    kind = FORMATS[name]
    st.download_button(
        kind.name,
        lambda: kind.write(report),
        f"veridesk-{found.id[:8]}.{kind.suffix}",
        kind.media_type,
        icon=f":material/{ICONS[name]}:",
        key=f"report-{name}",
        on_click="ignore",
    )


def claimreview_file(found: OpenedCase, report: CaseReport) -> None:
    """Offer the draft of ClaimReview, with fields that only its publisher knows."""
    with st.popover("ClaimReview", icon=":material/verified:"):
        st.write("A draft for search engines (schema.org, JSON-LD). Somebody must read, complete and sign it.")
        publisher = st.text_input("Who publishes it", key="claimreview-publisher", placeholder=NAME_TO_FILL_IN)
        url = st.text_input("Address of your article", key="claimreview-url", placeholder=ADDRESS_TO_FILL_IN)
        if url and not is_web_address(url):
            notice(f"{url} is no web address: it should begin with https://.")
            return
        draft = to_claimreview(report, url=url or ADDRESS_TO_FILL_IN, publisher=publisher or NAME_TO_FILL_IN)
        kind = FORMATS["claimreview"]
        name = f"veridesk-{found.id[:8]}.{kind.suffix}"
        st.download_button(
            "Draft",
            draft,
            name,
            kind.media_type,
            icon=":material/download:",
            on_click="ignore",
            key="claimreview-draft",
        )


def receipt_file(found: OpenedCase, review: Review) -> bytes:
    """Return the receipt with the person's own conclusion, where there is one; without notes that are private."""
    receipt = found.receipt if review.empty else {**found.receipt, "review": to_json(for_others(review))}
    return json.dumps(receipt, indent=1, ensure_ascii=False).encode("utf-8", "replace")


def downloads(found: OpenedCase, review: Review) -> None:
    """Offer the files behind the case; the report has a page of its own."""
    name = f"veridesk-{found.id[:8]}"
    st.button("Report", key="report", type="primary", icon=":material/article:", on_click=open_report)
    st.download_button(
        "Receipt",
        lambda: receipt_file(found, review),
        f"{name}.json",
        "application/json",
        icon=":material/receipt_long:",
        on_click="ignore",
        help="Every prompt, answer, model and document hash. `python -m core replay` runs it again.",
        key="receipt",
    )
    st.download_button(
        "Evidence table",
        found.table,
        f"{name}.csv",
        "text/csv",
        icon=":material/table:",
        on_click="ignore",
        key="evidence-table",
    )


def open_report() -> None:
    st.query_params["view"] = "report"


def close_report() -> None:
    del st.query_params["view"]


def copy_verdict(case: Case, review: Review) -> Html:
    """Return the button that copies a claim with its verdict, and the link to all files."""
    copy = copy_button(claim_and_verdict(case, review), "Copy claim and verdict")
    return tag("div", copy, tag("a", "Report and files", href=f"#{HAND_OVER}", css="vd-open"), css="vd vd-copies")


def show_shared(app_state: AppState, token: str) -> None:
    """Show the report of a link to any visitor."""
    stored = shared_job(app_state.cases, token)
    if stored is None or stored.state is not State.DONE:
        show(tag("div", tag("h1", "Nothing is shared here", css="vd-claim"), css="vd"))
        link_leads_nowhere("case")
        st.button("Check a claim of your own", icon=":material/add:", on_click=st.query_params.clear, key="own-claim")
        return
    remark("A colleague shares this case with you. You can read and download it; only they can change it.")
    show_report(opened(stored), Reviews(app_state.store).load(stored.id))
