"""A form of one's own on the page: loaded, built question by question, read as raters will, and downloaded.

The TOML text is the form. The builder writes into it, and so may the organiser.
"""

from __future__ import annotations

import re

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.campaigns.planning.form_questions import MEASURES, AnswerKind
from core.campaigns.planning.own_form import question_toml, read_form, with_kind
from core.campaigns.planning.rating_form import Form, FormKind
from core.campaigns.rater_context import LETTERS
from core.errors import BadInput, VerideskError
from core.records import MAX_TOML
from pages.campaigns.campaign_draft import field, value
from pages.campaigns.scales import question_words
from pages.ui.file_button import DOWNLOAD, file_button
from pages.ui.markup import join, show
from pages.ui.notices import attempt, attempt_button, notice, quiet

KINDS = {
    FormKind.RATING: "One system’s evidence",
    FormKind.PAIRWISE: "Two systems, compared",
    FormKind.BEST_WORST: "Best and worst of four",
}
ANSWERS = {
    AnswerKind.CHOICE: "Which system",
    AnswerKind.SCALE: "A scale",
    AnswerKind.LABELS: "Labels",
    AnswerKind.TEXT: "A text",
    AnswerKind.SPANS: "Sentences of the evidence",
}


def own_form_fields() -> None:
    """Show the file, the builder, the text and the questions of the form."""
    st.file_uploader("Form (TOML)", ["toml"], key="campaign-form-file", on_change=attempt, args=(load,))
    kind = st.segmented_control(
        "Raters see",
        list(KINDS),
        default=kind_now(),
        key=f"campaign-kind-{kind_now()}",
        format_func=lambda one: KINDS[one],
        required=True,
    )
    if kind != kind_now():
        st.session_state[field("toml")] = with_kind(str(value("toml")), FormKind(kind))
        st.rerun()
    with st.expander("Add a question", icon=":material/add:", expanded=not str(value("toml")).strip()):
        builder(FormKind(kind))
    st.text_area("The form in TOML", key=field("toml"), height=220, max_chars=MAX_TOML, persist_state="session")
    file_button(
        "Download the form",
        str(value("toml")),
        "form.toml",
        icon=DOWNLOAD,
        key="campaign-form-download",
        disabled=not str(value("toml")).strip(),
    )
    show_questions()


def show_questions() -> None:
    """Show the questions as raters read them, or the mistake in the form."""
    if not str(value("toml")).strip():
        quiet("The form has no question yet: add one, or choose a file.")
        return
    try:
        form = own_form()
    except VerideskError as error:
        notice(str(error))
        return
    with st.expander("Shown to raters", icon=":material/visibility:"):
        show(join(question_words(one) for one in form.bound(LETTERS[: form.kind.systems]).own))


def own_form() -> Form:
    """Return the form of the text. Raises BadInput with the mistake."""
    return read_form("The form", str(value("toml")))


def kind_now() -> FormKind:
    """Return the kind that the text names, one system's evidence where it names none."""
    found = re.search(r'^kind *= *"([a-z-]+)"', str(value("toml")), flags=re.MULTILINE)
    return FormKind(found[1]) if found and found[1] in list(FormKind) else FormKind.RATING


def load() -> None:
    """Put the file's text into the form, for a callback."""
    file: UploadedFile | None = st.session_state["campaign-form-file"]
    if file is None:
        return
    if file.size > 4 * MAX_TOML:
        raise BadInput(f"{file.name} has {file.size:,} bytes. A form has {MAX_TOML:,} characters at most.")
    try:
        text = file.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file.name} is no text in UTF-8: save it as UTF-8.") from error
    read_form(file.name, text)
    st.session_state[field("toml")] = text


def builder(kind: FormKind) -> None:
    """Ask for one question."""
    offered = [one for one in ANSWERS if one in kind.answers]
    st.text_input("Title", key=part("title"), max_chars=60)
    st.text_area("Question", key=part("question"), height=80, max_chars=1000)
    answer = st.segmented_control(
        "Answer",
        offered,
        default=offered[0],
        key=f"{part('answer')}-{kind}",
        format_func=lambda one: ANSWERS[one],
        required=True,
    )
    if answer is AnswerKind.LABELS:
        st.text_area("Labels, one per line", key=part("labels"), height=110)
    if answer is AnswerKind.SCALE:
        low, lowest, high, highest = st.columns([1, 2, 1, 2])
        low.number_input("From", -100, 100, 1, key=part("low"))
        lowest.text_input("Meaning of the lowest", key=part("lowest"), max_chars=200)
        high.number_input("To", -100, 100, 7, key=part("high"))
        highest.text_input("Meaning of the highest", key=part("highest"), max_chars=200)
    if answer in (AnswerKind.LABELS, AnswerKind.SCALE):
        measures = MEASURES[answer]
        st.segmented_control(
            "Measure of α", measures, default=measures[0], key=f"{part('measure')}-{answer}", required=True
        )
    st.checkbox("Must be answered", value=True, key=part("required"))
    attempt_button("Add the question", add_question, kind, icon="add", key="campaign-build-add")


def part(name: str) -> str:
    return f"campaign-build-{name}"


def add_question(kind: FormKind) -> None:
    """Write the question into the form if the form can be asked with it, for a callback."""
    state = st.session_state
    answer = state[f"{part('answer')}-{kind}"]
    title = str(state[part("title")]).strip()
    row = {
        "name": re.sub(r"[^a-z0-9]+", "_", title.casefold()).strip("_")[:40],
        "title": title,
        "question": str(state[part("question")]).strip(),
        "answer": answer,
        "required": bool(state[part("required")]),
    }
    if answer is AnswerKind.LABELS:
        row["labels"] = [line.strip() for line in str(state[part("labels")]).splitlines() if line.strip()]
    if answer is AnswerKind.SCALE:
        row |= {"low": int(state[part("low")]), "high": int(state[part("high")])}
        row["ends"] = [str(state[part("lowest")]).strip(), str(state[part("highest")]).strip()]
    if measure := state.get(f"{part('measure')}-{answer}"):
        row["measure"] = measure
    text = with_kind(str(value("toml")), kind).rstrip() + "\n\n" + question_toml(row)
    read_form("The form", text)
    state[field("toml")] = text
    for name in ("title", "question", "labels", "lowest", "highest"):
        if part(name) in state:
            state[part(name)] = ""
