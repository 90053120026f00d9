"""The result of a search: queries by source, documents with their sources, those left out, changes of wiki pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher

import streamlit as st

from core.errors import BadInput, VerideskError
from core.search.extraction import read_page
from core.search.footnotes import Footnote, cited_in
from core.search.search_request import own_snapshots
from core.search.snapshots import records_of
from core.search.types import SearchFailure
from core.search.wiki_changes import TextChange, changes, consent_to_today, todays_text, wiki_page
from core.search_report import Origin, SearchReport
from core.tabular.table import Column, Table
from core.verification.reading import each_once
from core.verification.receipt import passages
from core.wording import counted
from pages.ui.claim_form.claim_draft import use_request
from pages.ui.evidence import day
from pages.ui.file_button import DOWNLOAD, file_button
from pages.ui.markup import Html, join, label, plain, show, tag
from pages.ui.notices import attempt_button, notice, quiet
from pages.ui.tables import pick_row, show_table
from pages.verify.opened import OpenedCase

SEARCHES = (Column("Asked"), Column("Query"), Column("Answer"), Column("Addresses", 0), Column("Details"))
LEFT_OUT = (Column("Address"), Column("Why"), Column("In words"), Column("Named by"), Column("For the query"))
READ = (
    Column("Page"), Column("Date"), Column("Date from", help="Source of the date"),
    Column("Is", help="Before or after the claim, or unknown"), Column("Named by"), Column("For the query"),
    Column("Rank", 0, help="Rank at that source; 1 is the first"), Column("Remarks"),
    Column("Read", help="When the page was read, UTC"),
    Column("Snapshot", help="SHA-256 of the page as it was read"),
)  # fmt: skip


def search_view(report: SearchReport) -> None:
    """Show the queries, the pages read and those left out."""
    found = counted(len(report.origins) + len(report.left_out), "page")
    title = f"Searched: {found} found, {len(report.origins)} used, {len(report.left_out)} left out"
    with st.expander(title, expanded=not report.origins, icon=":material/travel_explore:"):
        searches = tuple((one.source, one.query, one.status, one.found, one.message) for one in report.searches)
        show_table(Table("searches", "Queries by source", SEARCHES, searches), "searches")
        pages_read(report)
        left = tuple((one.url, str(one.reason), one.message, one.source, one.query) for one in report.left_out)
        note = "" if left else "Every page that was found is used." if report.origins else "No page was found."
        show_table(Table("left-out", "Found and left out", LEFT_OUT, left, note), "left-out", rows=50)


def pages_read(report: SearchReport) -> None:
    """Show the pages that were used; the chosen one can be opened as it was read."""
    if not report.origins:
        return
    table = Table("pages-read", "Pages used", READ, tuple(_row(origin) for origin in report.origins))
    origin = report.origins[pick_row(table, "pages-read", wide="Page")]
    try:
        kept = own_snapshots().path(origin.snapshot).is_file()
        content = records_of(own_snapshots().open(origin.snapshot, origin.url, origin.read)) if kept else b""
    except VerideskError as error:
        notice(str(error))
        return
    if not kept:
        quiet("The snapshot of this page is not kept any more: the room for snapshots is bounded.")
    else:
        file_button(
            "The page as it was read",
            content,
            f"{origin.snapshot[:12]}.warc.gz",
            mime="application/warc",
            icon=DOWNLOAD,
            help="A WARC file; replayweb.page opens it.",
        )
        changes_since(origin)


def _row(origin: Origin) -> tuple[str | int, ...]:
    remarks = [
        "a fact-checker’s site" if origin.fact_checker else "",
        f"changed on {day(origin.changed)}, after the claim" if origin.changed else "",
    ]
    return (
        origin.url,
        day(origin.published) if origin.published else "",
        origin.date_source,
        str(origin.when),
        origin.source,
        origin.query,
        origin.rank,
        "; ".join(remark for remark in remarks if remark),
        f"{origin.read:%Y-%m-%d %H:%M:%S}" if origin.read else "",
        origin.snapshot[:12],
    )


TODAY = "wiki-today"
STAYED = 0.5


def changes_since(origin: Origin) -> None:
    """Offer to compare a wiki's page with today's revision, and show the difference."""
    if (wiki := wiki_page(origin.url)) is None:
        return
    url, found = st.session_state.get(TODAY, ("", ()))
    if url == origin.url:
        show(difference(found))
        return
    quiet(f"Two requests to {wiki[0].place} read the number and the text of today's revision of {wiki[1]}")
    attempt_button(
        f"Compare with today’s revision: send 2 requests to {wiki[0].place}",
        compare,
        origin,
        consent_to_today(origin.url).digest,
        key="wiki-today-read",
        icon="difference",
    )


def compare(origin: Origin, consent: str) -> None:
    """Read today's revision and keep the difference in the session. Raises as `todays_text` and `changes`."""
    before = read_page(own_snapshots().open(origin.snapshot, origin.url, origin.read))
    if isinstance(before, SearchFailure):
        raise BadInput(before.message)
    after = todays_text(origin.url, consent)
    st.session_state[TODAY] = (origin.url, changes(before.document.text, after.text))


def difference(found: list[TextChange]) -> Html:
    """Return the changed sentences with the words that went crossed out, and the new ones underlined."""
    if not found:
        return tag("p", "Today’s revision has the same text.", css="vd vd-quiet")
    rows = (tag("li", *marked_words(" ".join(one.gone), " ".join(one.new))) for one in found)
    head = tag("p", "Changes since the revision that was read. Crossed out: gone. Underlined: new.", css="vd-quiet")
    return tag("div", head, tag("ul", *rows, css="vd-text vd-bullets", dir="auto"), css="vd vd-card", role="region")


def marked_words(gone: str, new: str) -> Iterator[Html | str]:
    """Yield the words of a change, marked one by one where half of them stayed, else all together."""
    before, after = gone.split(), new.split()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    whole = [("replace", 0, len(before), 0, len(after))]
    for kind, a, b, c, d in matcher.get_opcodes() if matcher.ratio() >= STAYED else whole:
        if kind == "equal":
            yield " ".join(before[a:b]) + " "
            continue
        for name, words in (("del", before[a:b]), ("ins", after[c:d])):
            if words:
                yield join((tag(name, " ".join(words)), " "))


FOUND = "footnotes"
HINT = (
    "The deciding passages cite these sources. The button fills the form; nothing is sent before you press its button."
)


def wiki_sources(found: OpenedCase) -> None:
    """Offer the sources that a wiki cites for the deciding passages; nothing where it cites none."""
    if not (notes := footnotes(found)):
        return
    show(tag("div", tag("h2", "Sources of the deciding passages", css="vd-heading"), css="vd"))
    quiet(HINT)
    chosen = [
        note.url
        for number, note in enumerate(notes)
        if st.checkbox(label(note.words), key=f"footnote-{found.id}-{number}", help=plain(note.url))
    ]
    attempt_button(
        "Check again with these sources",
        use,
        found,
        tuple(chosen),
        key="footnotes-use",
        icon="edit",
        disabled=not chosen,
    )


def footnotes(found: OpenedCase) -> tuple[Footnote, ...]:
    """Return the footnotes of a case, read once a session."""
    kept = st.session_state.get(FOUND)
    if not kept or kept[0] != found.id:
        st.session_state[FOUND] = kept = (found.id, cited_in(found.case))
    return kept[1]


def use(found: OpenedCase, urls: tuple[str, ...]) -> None:
    """Fill the form with the claim, the sources to read, and the documents of the case as files beside them."""
    documents = tuple(each_once(passage.document for passage in passages(found.case)))
    use_request(replace(found.request, urls=urls, documents=documents, search=None, example="", stores=()))
    st.query_params.clear()
