"""Take a pasted or uploaded speech, and rank its sentences."""

from __future__ import annotations

import time

import streamlit as st

from core.claims.ranking import rank_sentences
from core.claims.speech import FILE_TYPES, MAX_WORDS, read_speech, title_of
from core.errors import VerideskError
from core.files import ASSETS
from core.wording import counted, readable_name, time_words
from pages.claims.kept_speech import FORM, KeptSpeech, keep_speech
from pages.ui.app_state import app_state
from pages.ui.markup import join, tag
from pages.ui.notices import notice, quiet

EXAMPLE = ASSETS / "speeches" / "example.txt"
PASTED = "Pasted text"


def show_form(who: str) -> None:
    """Show the form. Rank the sentences in the run that its button starts."""
    quiet(
        "Paste or upload a speech, an article or a transcript. Veridesk ranks its sentences on this computer. Choose "
        "some, and check them together."
    )
    st.text_area(
        "Text",
        key=FORM.field("text"),
        persist_state="session",
        height=240,
        placeholder="RUTH VANE: This year we built 400 homes …",
    )
    file = st.file_uploader(
        "Or a file",
        type=list(FILE_TYPES),
        key="claims-file",
        max_upload_size=50,
        help=f"Text, Markdown, Word, OpenDocument, RTF, PDF, HTML, or subtitles (SRT, WebVTT) with their times and "
        f"speakers. {MAX_WORDS:,} words at most. “NAME:” before a line names its speaker.",
    )
    FORM.keep(app_state().store, who, FORM.current())
    row = st.container(horizontal=True)
    pressed = row.button(
        "Find the claims",
        type="primary",
        icon=":material/manage_search:",
        help="Ctrl+Enter in the text does the same.",
        key="claims-find",
    )
    tried = row.button(
        "Try the example", help="A short speech at a school. Its claims can be checked.", key="claims-example"
    )
    if tried:
        rank_now("Example: an evening at school", EXAMPLE.read_bytes(), suffix=".txt")
    elif pressed and file:
        rank_now(file.name, file.getvalue())
    elif pressed and FORM.value("text").strip():
        text = FORM.value("text")
        rank_now(PASTED, text.encode(), title=title_of(text))
    elif pressed:
        notice("Paste a text first, or choose a file.")


def rank_now(name: str, content: bytes, *, suffix: str = "", title: str = "") -> None:
    """Rank a speech and show it; "Stop" ends this run, and the text stays in the form."""
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Reading the text")
        st.button("Stop", icon=":material/stop_circle:", key="claims-stop")
        first = st.empty()
    begun = time.monotonic()

    def show_first(best: list[str]) -> None:
        items = (tag("li", text, css="vd-text") for text in best)
        words = tag("p", "Best so far", css="vd-eyebrow")
        first.html(tag("div", words, tag("ol", join(items), css="vd-bullets"), css="vd"))

    def report(done: int, total: int) -> None:
        left = (time.monotonic() - begun) / done * (total - done) if done else 0.0
        soon = f", {time_words(left)} left" if left else ""
        bar.progress(done / max(total, 1), f"{done:,} of {counted(total, 'sentence')} read{soon}")

    try:
        speech = read_speech(f"{name}{suffix}", content)
        bar.progress(0.0, "Loading the encoder")
        encoder = app_state().pool.open_encoder()
        begun = time.monotonic()
        ranked = rank_sentences(speech, encoder, report=report, best_so_far=show_first)
    except VerideskError as error:
        place.empty()
        notice(str(error))
        return
    keep_speech(KeptSpeech(title or readable_name(name), ranked, speech.remarks, speech.day))
    st.rerun()
