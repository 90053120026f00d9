"""The titles that a search found, before any page is read: strike some, or add addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.errors import BadInput, without_middle
from core.search.asking import Answer
from core.search.search_plan import MAX_PAGES, ChosenPage
from core.search_report import AskedQuery
from core.wording import counted
from pages.ui.claim_form.claim_draft import addresses
from pages.ui.evidence import day
from pages.ui.markup import label
from pages.ui.notices import notice, quiet
from pages.ui.search_sources import title_of

FOUND, EXTRA = "verify-titles-found", "verify-titles-added"
SHOWN = 50
LONGEST = 200
"""Characters of a title that are shown."""

Json = dict[str, Any]


@dataclass(frozen=True)
class FoundTitles:
    """The pages found for one claim with its queries and sources, the answers, and the query that may find more."""

    of: tuple[object, ...] = ()
    pages: tuple[ChosenPage, ...] = ()
    answers: tuple[Answer, ...] = ()
    next_query: str = ""

    @property
    def asked(self) -> tuple[AskedQuery, ...]:
        return tuple(told for told, _ in self.answers)


def keep_titles(typed: Json, pages: Sequence[ChosenPage], answers: tuple[Answer, ...], next_query: str) -> None:
    """Keep the titles found. Raises BadInput where there are none, with the reasons."""
    if not pages:
        reasons = dict.fromkeys(f"{one.source}: {one.message or one.status}" for one, _ in answers)
        raise BadInput(f"No page was found. {' '.join(reasons)}")
    st.session_state[FOUND] = FoundTitles(_asked_by(typed), tuple(pages[:SHOWN]), answers, next_query)


def found_titles(typed: Json) -> FoundTitles:
    """Return the titles found for the form; none once its claim, queries or sources have changed."""
    kept: FoundTitles = st.session_state.get(FOUND, FoundTitles())
    return kept if kept.of == _asked_by(typed) else FoundTitles()


def _asked_by(typed: Json) -> tuple[object, ...]:
    return typed["text"], typed["date"], typed["queries"], tuple(typed["sources"] or ()), typed["same_day"]


def titles_list(typed: Json) -> None:
    """List the titles found, each with a tick, its source and its date, and a field for further addresses."""
    pages = found_titles(typed).pages
    if not pages:
        return
    with st.container(key="vd-titles"):
        quiet(f"{counted(len(pages), 'page')} found, the best first. Untick those that are not to be read.")
        for number, page in enumerate(pages):
            said = day(page.published) if page.published else "no date yet"
            title = without_middle(page.title or page.url, LONGEST)
            st.checkbox(
                label(f"{title} ({title_of(typed['sources'][page.source])}, {said})"),
                value=number < int(typed["pages"]),
                key=_tick(page),
            )
        st.text_area("Further addresses to read, one per line", key=EXTRA, height=70)
        try:
            added_addresses()
        except BadInput as error:
            notice(str(error))
        st.button("Do without the list", key="verify-titles-drop", type="tertiary", on_click=drop_titles)


def drop_titles() -> None:
    st.session_state.pop(FOUND, None)


def chosen_pages(typed: Json) -> tuple[ChosenPage, ...]:
    """Return the ticked pages and the added addresses. Raises BadInput for a malformed address."""
    pages = found_titles(typed).pages
    if not pages:
        return ()
    ticked = [
        page for number, page in enumerate(pages) if st.session_state.get(_tick(page), number < int(typed["pages"]))
    ]
    chosen = (*ticked, *(ChosenPage(url) for url in added_addresses()))
    if not chosen:
        raise BadInput("Tick at least one of the titles found, or add an address.")
    return chosen[:MAX_PAGES]


def added_addresses() -> tuple[str, ...]:
    """Return the addresses that the person adds. Raises BadInput for a malformed one."""
    written = str(st.session_state.get(EXTRA) or "")
    return addresses(written) if written.strip() else ()


def _tick(page: ChosenPage) -> str:
    return f"verify-title-{page.url}"
