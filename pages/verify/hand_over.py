"""Everything that leaves the desk: the report on the page and as files, the receipt, and words for the clipboard."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO

import streamlit as st

from core.archive.catalogue import check_readable
from core.dataclass_json import to_json
from core.jobs.types import State
from core.search.sources.wayback import consent_to_save, save, save_request
from core.settings import settings
from core.tabular.exports import csv_text
from core.types import Case, Document, is_web_address
from core.verification.package.container import SUFFIX
from core.verification.package.signing import signing_key
from core.verification.report.case_report import CaseReport, case_report
from core.verification.report.claimreview import ADDRESS_TO_FILL_IN, NAME_TO_FILL_IN, to_claimreview
from core.verification.report.command import FORMATS
from core.verification.report.html import report_body, report_style
from core.verification.report.judge_measurements import judge_measurements
from core.verification.review import Review, Reviews, for_others
from core.verification.verdict.documents_say import said_of_documents
from core.verification.verdict.verdict_words import shown_label, words_of
from core.wording import day
from pages.ui.app_state import AppState
from pages.ui.cases import zone
from pages.ui.file_button import DOWNLOAD, file_button
from pages.ui.kept import link_leads_nowhere, shared_job
from pages.ui.markup import Html, link, show, tag
from pages.ui.notices import attempt_button, notice, quiet, remark
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
    file_button(
        kind.name,
        lambda: kind.write(report),
        f"veridesk-{found.id[:8]}.{kind.suffix}",
        mime=kind.media_type,
        icon=f":material/{ICONS[name]}:",
        key=f"report-{name}",
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
        file_button("Draft", draft, name, mime=kind.media_type, icon=DOWNLOAD, key="claimreview-draft")


def receipt_file(found: OpenedCase, review: Review) -> bytes:
    """Return the receipt with the person's own conclusion, where there is one; without notes that are private."""
    receipt = found.receipt if review.empty else {**found.receipt, "review": to_json(for_others(review))}
    return json.dumps(receipt, indent=1, ensure_ascii=False).encode("utf-8", "replace")


def downloads(found: OpenedCase, review: Review) -> None:
    """Offer the files behind the case; the report has a page of its own."""
    name = f"veridesk-{found.id[:8]}"
    st.button("Report", key="report", type="primary", icon=":material/article:", on_click=open_report)
    file_button(
        "Receipt",
        lambda: receipt_file(found, review),
        f"{name}.json",
        icon=":material/receipt_long:",
        help="Every prompt, answer, model and document hash. `python -m core replay` runs it again.",
        key="receipt",
    )
    file_button(
        "Evidence table", evidence_csv(found.case), f"{name}.csv", icon=":material/table:", key="evidence-table"
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


MADE, KEY = "package-made", "package-key"


def package_fields(found: OpenedCase, owner: str, review: Review) -> None:
    """Offer the package: it is made first, for that reads all documents of the case again."""
    with st.popover("Evidence package", icon=":material/inventory_2:"):
        st.write(
            "One file with the receipt, the report and each page as it was read. Open it in replayweb.page. "
            "The command `replay` runs it again without a network."
        )
        st.file_uploader(
            "Sign it with your key (optional)",
            type=["pem"],
            key=KEY,
            max_upload_size=1,
            help="A private key (Ed25519, PEM). It is used once and not kept.",
        )
        attempt_button("Make the package", make, found, owner, review, key="package-make")
        case_id, content = st.session_state.get(MADE, ("", b""))
        if case_id == found.id:
            file_button(
                "Download the package",
                content,
                f"veridesk-{found.id[:8]}{SUFFIX}",
                mime="application/wacz+zip",
                icon=DOWNLOAD,
                key="package",
            )


def make(found: OpenedCase, owner: str, review: Review) -> None:
    """Make the package and keep it in the session.

    Raises BadInput as `check_readable`, `write_evidence` and `signing_key`.
    """
    from core.verification.package.writing import write_evidence  # WARC, which few pages need

    st.session_state.pop(MADE, None)
    check_readable(found.request.stores, owner)
    given = st.session_state.get(KEY)
    key = signing_key(given.getvalue(), given.name) if given else None
    receipt = found.receipt if review.empty else {**found.receipt, "review": to_json(for_others(review))}
    file = BytesIO()
    write_evidence(file, receipt, made=datetime.now(UTC).replace(microsecond=0), key=key)
    st.session_state[MADE] = (found.id, file.getvalue())


def evidence_csv(case: Case) -> bytes:
    """Return the question–answer pairs as CSV for a spreadsheet (UTF-8 with a byte-order mark)."""
    titles = ("number", "question", "answer", "title", "site", "date", "address", "passage")
    rows = []
    for number, pair in enumerate(case.evidence, start=1):
        at = pair.passage.document if pair.passage else Document("", "")
        passage = pair.passage.text if pair.passage else ""
        rows.append((number, pair.question, pair.answer, at.title, at.site, at.published, at.url, passage))
    return csv_text(titles, rows).encode("utf-8-sig", "replace")


COPIES = "wayback-copies"


def pages_of(case: Case) -> list[str]:
    """Return the web addresses that a case read, each once."""
    searched = [origin.url for origin in case.search.origins] if case.search else []
    read = [*searched, *(one.url for one in case.fetched if not one.problem)]
    return [url for url in dict.fromkeys(read) if is_web_address(url)]


def keep_fields(found: OpenedCase) -> None:
    """Offer to send one request for a page of the case; nothing where it read none."""
    if not (urls := pages_of(found.case)):
        return
    with st.popover("Wayback Machine", icon=":material/archive:"):
        st.write("The Wayback Machine can keep a public copy of a page as it is today.")
        url = st.selectbox("Page", urls, key="wayback-page")
        quiet(f"One request is sent: {save_request(url).url}")
        attempt_button("Send 1 request to web.archive.org", keep, url, consent_to_save(url).digest, key="wayback-save")
        for original, copy in st.session_state.get(COPIES, {}).items():
            if original in urls:
                show(tag("p", "Copy: ", link(copy, copy), css="vd vd-text"))


def keep(url: str, consent: str) -> None:
    copy = save(url, consent, settings().contact)
    st.session_state[COPIES] = {**st.session_state.get(COPIES, {}), url: copy}
