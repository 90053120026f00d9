"""Veridesk: page settings, who is there, and the pages."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.errors import VerideskError, unforeseen
from pages.ui.notices import notice
from pages.ui.owner import identify, owner
from pages.ui.page_script import run_script
from pages.ui.roles import bar, in_sidebar, may_open, roles, say_roles

HERE = Path(__file__).parent
FIRST = "verify"

PAGES = {
    "Journalist": [
        ("verify", "Verify", "fact_check"),
        ("history", "History", "history"),
        ("lab", "Lab", "science"),
    ],
    "Annotator": [("rate", "Rate", "rate_review")],
    "Organiser": [
        ("campaigns", "Campaigns", "groups"),
        ("batch", "Batch", "playlist_play"),
        ("score", "Score submissions", "leaderboard"),
        ("agreement", "Agreement", "compare_arrows"),
    ],
    "Settings": [("models", "Models", "deployed_code"), ("stores", "Kept stores", "database")],
}

st.set_page_config(page_title="Veridesk", page_icon=str(HERE / "assets" / "icon.svg"))
st.html(HERE / "assets" / "style.css")
st.logo(str(HERE / "assets" / "wordmark.svg"), icon_image=str(HERE / "assets" / "icon.svg"))
try:
    mine = roles()
except VerideskError as error:
    notice(str(error))
    st.stop()
pages = {
    section: {
        name: st.Page(
            f"pages/{name}/page.py",
            title=title,
            icon=f":material/{icon}:",
            url_path="start" if name == FIRST else name,
            default=name == FIRST,
            visibility="visible" if in_sidebar(name, mine) else "hidden",
        )
        for name, title, icon in entries
    }
    for section, entries in PAGES.items()
}
first = pages["Journalist"][FIRST]
first_by_name = st.Page(
    f"pages/{FIRST}/page.py", title=first.title, visibility="hidden"
)  # Streamlit has it at "/" only
page = st.navigation({section: list(entries.values()) for section, entries in pages.items()} | {"": [first_by_name]})
if page is first_by_name:
    st.switch_page(first, query_params=st.query_params.to_dict())
# Not before st.navigation: until it has said which page this is, the browser's answer asks for the first one.
identify()
run_script()
name = next(name for entries in pages.values() for name, one in entries.items() if one is page)
if owner() is None:
    st.skeleton(height=320)  # nothing is anybody's before it is known whose it is
elif may_open(name, mine):
    say_roles(mine)
    try:
        page.run()
    except Exception:
        notice(unforeseen("This page"))
elif name == FIRST:
    st.switch_page(pages["Annotator"]["rate"])  # the start page of somebody who was invited to rate
else:
    bar()
