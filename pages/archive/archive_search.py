"""Search an archive, and show the versions of each document found."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.archive.actions import found_table
from core.archive.catalogue import own_archives
from core.archive.engine import KeptArchive
from core.archive.types import ArchiveEntry, Filters, Found, Version
from core.wording import counted, readable_name
from pages.ui.evidence import day, matched
from pages.ui.markup import Html, link, show, tag
from pages.ui.notices import attempt, quiet
from pages.ui.tables import table_files

SHOWN = 20
MAX_OFFERED = 200
"""Hosts and folders to choose from."""


def show_search(entry: ArchiveEntry, *, writes: bool) -> None:
    """Show the field, the filters and the passages found."""
    archive = own_archives().open(entry.id)
    stats = archive.stats()
    if not stats.documents:
        quiet("This archive is empty. The part “Add documents” fills it.")
        return
    query = st.text_input("Search for", key="archive-query", placeholder="A claim or a few words", max_chars=2000)
    with st.expander("Filters", icon=":material/tune:"):
        before = st.date_input(
            "Versions of the day", None, min_value="1900-01-01", format="YYYY-MM-DD", key="archive-before",
            help="Each document in its version of that day; later documents are left out.",
        )  # fmt: skip
        sources = st.multiselect(
            "Sources", [name for name, _ in stats.sources[:MAX_OFFERED] if name], key="archive-sources"
        )
        kinds = st.multiselect("Kinds", [name for name, _ in stats.kinds if name], key="archive-kinds")
    if not query.strip():
        quiet("The search compares words (BM25) and meaning (static vectors). It sends nothing anywhere.")
        return
    filters = Filters(before, tuple(sources), tuple(kinds))
    with st.spinner("Searching …"):
        found = archive.search(query, k=SHOWN, filters=filters)
    quiet(f"{counted(len(found), 'passage')} found, best first." if found else "No passage was found.")
    for number, one in enumerate(found):
        with st.container(border=True, key=f"archive-found-{number}"):
            show(passage(one, query))
            show_versions(archive, one.version.url, f"{number}", writes=writes)
    if found:
        table_files(found_table(found)[0], entry.id)


def show_versions(archive: KeptArchive, url: str, key: str, *, writes: bool) -> None:
    """Offer the days of a document's versions, and its deletion."""
    versions = archive.versions(url)
    if len(versions) == 1 and not writes:
        return
    with st.popover(counted(len(versions), "version"), icon=":material/history:", type="tertiary"):
        show(versions_list(versions))
        if writes:
            st.button(
                "Delete this document", key=f"archive-remove-{key}", icon=":material/delete:",
                help="All of its versions are deleted. Cases keep the passages that they found.",
                on_click=attempt, args=(remove, archive, url),
            )  # fmt: skip


def remove(archive: KeptArchive, url: str) -> None:
    archive.remove([url])


def passage(one: Found, query: str) -> Html:
    """Return a passage with its title, place and date."""
    version = one.version
    title = readable_name(version.title or version.url)
    ranks = [
        f"rank {one.word_rank} by words" if one.word_rank else "",
        f"rank {one.meaning_rank} by meaning" if one.meaning_rank else "",
    ]
    facts = [readable_name(version.source), day(version.published), version.kind, *ranks]
    return tag(
        "div",
        tag("p", link(version.url, title), css="vd-strong vd-text"),
        tag("p", *(tag("span", fact) for fact in facts if fact), css="vd-facts"),
        tag("p", matched(one.text, query), css="vd-text"),
        css="vd",
    )


def versions_list(versions: Sequence[Version]) -> Html:
    """Return the versions of a document with their days, newest first."""
    lines = (
        tag("li", f"{day(one.since)} – {day(one.until) if one.until else 'now'}", css="vd-text")
        for one in reversed(versions)
    )
    return tag("div", tag("p", counted(len(versions), "version"), css="vd-strong"), tag("ul", *lines), css="vd")
