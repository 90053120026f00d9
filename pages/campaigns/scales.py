"""Which scales a campaign asks: the shared task's two, the earlier edition's three, and scales of one's own."""

from __future__ import annotations

import streamlit as st

from core.campaigns.planning.form_questions import AnswerKind, FormQuestion
from core.campaigns.planning.scales import EARLIER, Scale
from pages.campaigns.campaign_draft import OFFERED, add_own, drop_own, field, own_field, own_scale, value
from pages.ui.markup import Html, join, plain, show, tag
from pages.ui.notices import quiet

ENDS = {1: "1 (the lowest)", 5: "5 (the highest)"}


def scale_fields() -> None:
    """Let the organiser choose scales, read the question of each, and write their own."""
    st.pills(
        "Scales",
        list(OFFERED),
        selection_mode="multi",
        format_func=lambda name: plain(OFFERED[name].title),
        key=field("scales"),
        persist_state="session",
        help="Semantic coverage and relevance are the shared task's. The earlier edition also asked for coherence, "
        "redundancy and consistency; these questions have our own words. Major errors, the verdict and the supporting "
        "text are always asked.",
    )
    chosen = [OFFERED[name] for name in OFFERED if name in value("scales")]
    if chosen:
        with st.expander("Shown to raters", icon=":material/visibility:"):
            show(join(scale_words(scale) for scale in chosen))
    for number, scale in enumerate(value("own"), 1):
        own_fields(number, scale)
    st.button("Add a scale of your own", icon=":material/add:", on_click=add_own, key="campaign-add-scale")


def scale_words(scale: Scale) -> Html:
    """Return a scale's question and its five descriptions."""
    note = " Not asked of items without reference evidence." if scale.needs_reference else ""
    if scale in EARLIER:
        note += " The earlier edition's own words are not published; these are ours."
    return tag(
        "section",
        tag("h3", scale.title),
        tag("p", scale.question),
        tag("ol", *(tag("li", words) for words in scale.descriptions), css="vd-levels"),
        tag("p", note.strip(), css="vd-quiet") if note else "",
        css="vd vd-scale",
    )


def question_words(one: FormQuestion) -> Html:
    """Return a question of a form of one's own, with its column, its kind and its answers."""
    options = [" ".join(filter(None, (str(option.value), option.words))) for option in one.options]
    if one.slides:
        options = [options[0], options[-1]]
    if one.answer is not AnswerKind.SCALE:
        options = [option.words for option in one.options]
    kind = ", ".join(dict.fromkeys((one.answer.value, one.measure.value)))
    facts = f"Column {one.name}. Answer: {kind}.{'' if one.required else ' May stay empty.'}"
    return tag(
        "section",
        tag("h3", one.title),
        tag("p", one.question),
        tag("ul", *(tag("li", words) for words in options), css="vd-levels") if options else "",
        tag("p", facts, css="vd-quiet"),
        css="vd vd-scale",
    )


def own_fields(number: int, scale: str) -> None:
    """Show the fields of one scale of the organiser's own."""
    typed = own_scale(scale)
    label = plain(typed.title) or f"Your scale {number}"
    with st.expander(label, expanded=not all((typed.title, typed.question, *typed.descriptions))):
        st.text_input("Title", key=own_field(scale, "title"), max_chars=60, persist_state="session")
        if typed.name:
            quiet(f"Its column in exports: {typed.name}")
        st.text_area("Question", key=own_field(scale, "question"), height=80, max_chars=1000, persist_state="session")
        for level in range(1, 6):
            words = f"What {ENDS.get(level, str(level))} means"
            st.text_input(words, key=own_field(scale, str(level)), max_chars=1000, persist_state="session")
        st.checkbox(
            "Compares with the reference evidence",
            key=own_field(scale, "reference"),
            persist_state="session",
            help="The reference is then shown beside this question, and items without a reference skip the question.",
        )
        st.button("Remove this scale", key=f"drop-{scale}", on_click=drop_own, args=(scale,), type="tertiary")
