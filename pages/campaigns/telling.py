"""The raters' introduction, their practice, and the page after the last item."""

from __future__ import annotations

import streamlit as st

from core.campaigns.planning.options import MAX_TEXT, CampaignOptions, languages, offered_texts
from pages.campaigns.campaign_draft import field, value
from pages.ui.notices import quiet

LANGUAGES = {"": "As the form says (else English)", "en": "English", "de": "Deutsch"}


def telling_fields(*, practice: bool) -> None:
    """Show the fields; `practice` says whether there are gold annotations to make practice items of."""
    with st.expander("Introduction, guidelines and examples", icon=":material/menu_book:"):
        text_fields()
    st.selectbox(
        "Language of the raters’ page",
        ["", *languages()],
        key=field("language"),
        persist_state="session",
        format_func=lambda code: LANGUAGES.get(code, code),
        help="The buttons and notes of the page. The shared task's questions stay in English.",
    )
    st.checkbox(
        "Show the predicted label and the reference evidence from the start",
        key=field("label_first"),
        persist_state="session",
        help="The shared task's form did so. Otherwise both appear after the rater's own verdict, so that they do not "
        "sway it.",
    )
    practice_fields(practice=practice)
    with st.expander("When everything is rated", icon=":material/flag_check:"):
        st.text_input("Completion code", key=field("code"), max_chars=200, persist_state="session")
        st.text_input(
            "Address to go back to",
            key=field("url"),
            max_chars=1000,
            persist_state="session",
            placeholder="https://app.prolific.com/submissions/complete?cc=…",
        )


def text_fields() -> None:
    st.text_area(
        "Introduction",
        key=field("introduction"),
        max_chars=MAX_TEXT,
        height=100,
        persist_state="session",
        help="If you write nothing, raters read the shared task's own. Empty lines divide paragraphs.",
    )
    st.text_area("Guidelines", key=field("guidelines"), max_chars=MAX_TEXT, height=160, persist_state="session")
    st.text_area("Worked examples", key=field("examples"), max_chars=MAX_TEXT, height=160, persist_state="session")
    st.button(
        "Offer me guidelines and examples", on_click=offer, icon=":material/edit_note:", key="campaign-offer-texts"
    )
    quiet("The examples are shortened from Tables 10 and 11 of the shared task's overview; change them freely.")


def practice_fields(*, practice: bool) -> None:
    left, right = st.columns(2)
    if not practice:
        st.session_state[field("practice")] = 0
    left.number_input(
        "Practice items",
        0,
        20,
        key=field("practice"),
        persist_state="session",
        disabled=not practice,
        help="They come first and do not count. The right answers are shown after each. Like controls, they are "
        "made from annotated claims that are not drawn."
        if practice
        else "They need gold annotations, and these items have none.",
    )
    tried = int(value("practice"))
    st.session_state[field("pass_mark")] = min(int(value("pass_mark")), tried)
    right.number_input(
        "Right answers needed",
        0,
        max(tried, 1),
        key=field("pass_mark"),
        persist_state="session",
        disabled=not tried,
        help="A rater with fewer right answers gets no items. Each rater has one try.",
    )


def offer() -> None:
    """Fill in the suggestions, where nothing is written yet; in a callback."""
    for name, text in zip(("guidelines", "examples"), offered_texts(str(value("language"))), strict=True):
        if not str(value(name)).strip():
            st.session_state[field(name)] = text


def chosen_options() -> CampaignOptions:
    return CampaignOptions(
        introduction=str(value("introduction")).strip(),
        guidelines=str(value("guidelines")).strip(),
        examples=str(value("examples")).strip(),
        label_first=bool(value("label_first")),
        pass_mark=min(int(value("pass_mark")), int(value("practice"))),
        completion_code=str(value("code")).strip(),
        completion_url=str(value("url")).strip(),
    )
