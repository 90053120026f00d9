"""Veridesk: page settings, who is there, and the pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.ui.imported import EVERYTHING

HERE = Path(__file__).parent
FIRST = "verify"
# The heading of a page, if it is not the page's name. (A string below it would be shown: Streamlit's magic.)
HEADINGS = {
    "verify": "What do you want to check?",
    "claims": "What in this speech is worth checking?",
    "history": "Past cases",
    "lab": "Which way suits this claim?",
}

PAGES = {
    "Fact-checking": [
        ("verify", "Verify", "fact_check"),
        ("claims", "Claims of a speech", "record_voice_over"),
        ("batch", "Batch", "playlist_play"),
        ("archive", "Archive", "inventory_2"),
        ("history", "History", "history"),
    ],
    "Rating": [("rate", "Rate", "rate_review")],
    "Studies": [
        ("campaigns", "Campaigns", "groups"),
        ("tasks", "Shared tasks", "flag"),
        ("agreement", "Agreement", "compare_arrows"),
        ("score", "Score submissions", "leaderboard"),
        ("lab", "Lab", "science"),
        ("build", "Build stores", "travel_explore"),
    ],
    "Settings": [("models", "Models", "deployed_code"), ("stores", "Kept stores", "database")],
}

ICON = str(HERE / "assets" / "icon.svg")
st.set_page_config(page_title="Veridesk", page_icon=ICON)
st.html(HERE / "assets" / "style.css")
st.logo(str(HERE / "assets" / "wordmark.svg"), icon_image=ICON)
# The page has its place first: its old contents stay until the page itself is drawn.
BODY = st.container(key="vd-page")


def entries(visible: Callable[[str], bool]) -> dict[str, dict[str, StreamlitPage]]:
    """Return the pages by section and name; those that are not visible are hidden in the sidebar."""
    # Streamlit has the first page at "/" only.
    by_name = st.Page(f"pages/{FIRST}/page.py", title="Verify", url_path=FIRST, visibility="hidden")
    return {
        section: {
            name: st.Page(
                f"pages/{name}/page.py",
                title=title,
                icon=f":material/{icon}:",
                url_path="start" if name == FIRST else name,
                default=name == FIRST,
                visibility="visible" if visible(name) else "hidden",
            )
            for name, title, icon in named
        }
        for section, named in PAGES.items()
    } | {"": {FIRST: by_name}}


def chosen(
    pages: dict[str, dict[str, StreamlitPage]], unknown: list[StreamlitPage], position: Literal["sidebar", "hidden"]
) -> StreamlitPage:
    """Return the page at the address of this run."""
    sections = {section: list(named.values()) for section, named in pages.items()}
    return st.navigation(sections | {"": [*sections[""], *unknown]}, position=position, expanded=True)


def name_of(page: StreamlitPage, pages: dict[str, dict[str, StreamlitPage]]) -> str:
    return next((name for named in pages.values() for name, one in named.items() if one is page), "")


def opening(name: str, title: str) -> None:
    """Show a page's heading, but where the address asks for something on it, and that more will come."""
    if not st.query_params:
        BODY.html(f'<div class="vd"><h1 class="vd-claim">{HEADINGS.get(name, title)}</h1></div>')
    BODY.html('<p class="vd vd-quiet">Opening…</p>')


def unknown_addresses() -> list[StreamlitPage]:
    """Return a page for each unknown address asked for in this session. Otherwise Streamlit shows a dialog."""
    context = get_script_run_ctx()
    asked = context.pages_manager.intended_page_name if context else None
    unknown: list[str] = st.session_state.setdefault("unknown-addresses", [])
    if asked and asked not in (FIRST, "start", *(name for named in PAGES.values() for name, _, _ in named), *unknown):
        unknown.append(asked)
    return [st.Page(say_unknown, title="No such page", url_path=path, visibility="hidden") for path in unknown]


def say_unknown() -> None:
    show(tag("div", tag("h1", "No such page", css="vd-claim"), css="vd"))
    remark("Veridesk has no page at this address. Your work is kept: past cases are under History.")
    st.page_link(first, label="Check a claim", icon=":material/arrow_back:")


if not EVERYTHING.is_set() and "pages-named" not in st.session_state:
    # The entries are off in the configuration, for a new server's first visitors would see the names of files. They
    # see those of the pages and this one's heading while the rest is imported. With sign-in they wait until the
    # visitor is identified.
    st.session_state["pages-named"] = True
    st.set_option("client.showSidebarNavigation", True)
    local = st.get_option("server.address") in ("127.0.0.1", "localhost", "::1")
    known = entries(lambda name: True)
    here = chosen(known, unknown_addresses(), "sidebar" if local else "hidden")
    opening(name_of(here, known), here.title)
    time.sleep(0.1)  # unsent changes are dropped when the next run begins
    st.rerun()

from core.errors import VerideskError  # noqa: E402
from pages.ui.markup import show, tag  # noqa: E402
from pages.ui.notices import in_words, notice, remark  # noqa: E402
from pages.ui.owner import identify, owner  # noqa: E402
from pages.ui.page_script import run_script  # noqa: E402
from pages.ui.roles import bar, in_sidebar, may_open, rates, roles, roles_are_plain, say_roles, why_closed  # noqa: E402

try:
    mine = roles()
    closed = why_closed(mine)
except VerideskError as error:
    notice(str(error))
    st.stop()
if closed:
    notice(closed)
    st.stop()
pages = entries(lambda name: in_sidebar(name, mine))
first = pages["Fact-checking"][FIRST]
# Entries that appear late push others away: if some depend on the visitor, all of them wait for the sign-in.
position: Literal["sidebar", "hidden"] = "sidebar" if owner() or roles_are_plain() else "hidden"
unknown = unknown_addresses()
page = chosen(pages, unknown, position)
if page is pages[""][FIRST]:
    st.switch_page(first, query_params=st.query_params.to_dict())
# Not before st.navigation: until it has said which page this is, the browser's answer asks for the first one.
identify()
run_script()
name = name_of(page, pages)
st.set_page_config(page_title=f"{page.title} – Veridesk")
if owner() is None and name != FIRST:
    # Until the visitor is identified, show only the heading.
    opening(name, page.title)
elif owner() is None or page in unknown or may_open(name, mine):
    say_roles(mine)
    with BODY:
        in_words(page.run, "This page")()
elif name == FIRST:
    # the start page of somebody who was invited
    st.switch_page(pages["Rating"]["rate"] if rates(mine) else pages["Studies"]["tasks"])
else:
    bar()
EVERYTHING.set()
