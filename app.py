"""Veridesk: page settings, who is there, and the pages."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.shared.owner import identify

HERE = Path(__file__).parent

PAGES = {
    "Journalist": [("verify", "Verify", "fact_check"), ("history", "History", "history")],
    "Organiser": [
        ("score", "Score submissions", "leaderboard"),
        ("agreement", "Agreement", "compare_arrows"),
    ],
    "Settings": [("models", "Models", "deployed_code")],
}

st.set_page_config(page_title="Veridesk", page_icon=str(HERE / "assets" / "icon.svg"), initial_sidebar_state="auto")
st.html(HERE / "assets" / "style.css")
st.logo(str(HERE / "assets" / "wordmark.svg"), icon_image=str(HERE / "assets" / "icon.svg"))
pages = {
    section: [
        st.Page(f"pages/{name}.py", title=title, icon=f":material/{icon}:", default=name == "verify")
        for name, title, icon in entries
        if (HERE / "pages" / f"{name}.py").exists()
    ]
    for section, entries in PAGES.items()
}
page = st.navigation({section: entries for section, entries in pages.items() if entries})
# Not before st.navigation: until it has said which page this is, the browser's answer asks for the first one.
identify()
page.run()
