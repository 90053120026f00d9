"""The person's own conclusion beside the machine's, with its history. If two write at once, neither loses any."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from core.types import Label
from core.verification.review import Conclusion, Mark, Overtaken, Review, Reviews, SavedConclusion
from core.verification.verdict.verdict_words import WORDS
from pages.ui.cases import zone
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import attempt, attempt_button
from pages.ui.page_script import pressed_mark
from pages.ui.passage_tools import IN_USE
from pages.ui.verdicts import LOOKS, badge

UNSAID = "Not decided yet"
SHOW_NOTES = "Show my notes to colleagues and in the report. Otherwise only you read them."
FIELDS = ("label", "reason", "notes", "name", "show_notes")
MAX_LENGTH = 10_000
"""Characters that a reason or a note may have."""
LOW = 70
"""Pixels of a field for text, which a person can pull larger."""


def take_mark(reviews: Reviews, case_id: str, owner: str) -> None:
    """Save the mark of the pressed button; pressed once more, it goes."""
    pressed = pressed_mark()
    if pressed is None:
        return
    key, word = pressed
    if len(key) > 60 or word not in tuple(Mark):
        return  # not from a button of ours
    st.session_state[IN_USE] = key
    mark = None if reviews.load(case_id).marks.get(key) == word else Mark(word)
    attempt(reviews.mark, case_id, owner, key, mark)


def conclusion_fields(reviews: Reviews, case_id: str, owner: str, review: Review) -> None:
    """Show the fields of a conclusion as they were saved, or as they were typed since."""
    begin(case_id, review)
    show(tag("div", tag("h2", "Your conclusion", css="vd-heading"), css="vd"))
    with st.container(border=True, key="vd-own"):
        left, right = st.columns(2)
        left.selectbox(
            "Your verdict", list(Label), format_func=word, key=at("label"), persist_state="session", placeholder=UNSAID
        )
        right.text_input("Signed", key=at("name"), persist_state="session", max_chars=200, placeholder="Your name")
        st.text_area(
            "Why, for the reader",
            key=at("reason"),
            persist_state="session",
            max_chars=MAX_LENGTH,
            height=LOW,
            help="It is first in the report, before the machine's findings.",
        )
        st.text_area("Notes", key=at("notes"), persist_state="session", max_chars=MAX_LENGTH, height=LOW)
        st.checkbox(SHOW_NOTES, key=at("show_notes"), persist_state="session")
        if st.session_state.get("own-overtaken") == case_id:
            show_overtaken(reviews, case_id, owner, review)
        else:
            attempt_button("Save", save, reviews, case_id, owner, key="own-save", icon="save")
        show(tag("p", standing(review), css="vd vd-quiet", role="status"))
        earlier = reviews.history(case_id)[1:] if review.version > 1 else ()
        if earlier:
            with st.expander(f"Earlier versions ({len(earlier)})", icon=":material/history:"):
                show(versions(earlier))


def begin(case_id: str, review: Review) -> None:
    """Fill the fields with the saved values when another case is opened."""
    if st.session_state.get("own-case") != case_id:
        st.session_state["own-case"] = case_id
        take_theirs(review)


def take_theirs(review: Review) -> None:
    """Put the saved values in place of the typed ones."""
    for name in FIELDS:
        st.session_state[at(name)] = getattr(review.conclusion, name)
    st.session_state["own-seen"] = review.version
    st.session_state.pop("own-overtaken", None)


def at(name: str) -> str:
    return f"own-{name}"


def word(label: Label | None) -> str:
    return WORDS[label].word if label else UNSAID


def typed() -> Conclusion:
    return Conclusion(**{name: st.session_state[at(name)] for name in FIELDS})


def save(reviews: Reviews, case_id: str, owner: str) -> None:
    """Save the draft, unless somebody saved something else since it was shown: the page then asks."""
    if reviews.load(case_id).conclusion != typed():
        try:
            reviews.conclude(case_id, owner, typed(), seen=st.session_state["own-seen"])
        except Overtaken:
            st.session_state["own-overtaken"] = case_id
            return
    st.session_state["own-seen"] = reviews.load(case_id).version
    st.session_state.pop("own-overtaken", None)


def show_overtaken(reviews: Reviews, case_id: str, owner: str, review: Review) -> None:
    """Show another person's newer text beside the draft, and let the person choose; both are kept."""
    said = "Somebody saved another conclusion while you wrote yours. Nothing is lost: yours is in the fields above."
    theirs = SavedConclusion(review.version, review.conclusion, review.saved or 0.0)
    show(tag("div", tag("p", said), versions((theirs,)), css="vd vd-notice vd-refuted", role="alert"))

    def save_mine() -> None:
        st.session_state["own-seen"] = review.version
        save(reviews, case_id, owner)

    with st.container(horizontal=True):
        attempt_button("Save mine after theirs", save_mine, key="own-mine", type="primary")
        st.button("Take theirs", key="own-theirs", on_click=take_theirs, args=(review,))


def concluded(review: Review) -> Html:
    """Return the person's own verdict with who signed it, for the top of the case; nothing before they gave one."""
    said = review.conclusion
    if said.label is None:
        return Html()
    signed = f", signed {said.name}" if said.name else ""
    return tag("p", "Your conclusion: ", badge(LOOKS[said.label]), signed, css="vd", role="note")


def standing(review: Review) -> str:
    if not review.version:
        return "Nothing is saved yet."
    changed = "" if typed() == review.conclusion else " Your text since then is not saved."
    unsigned = "" if review.conclusion.label else " Choose your verdict: until then the report shows the program’s."
    return f"Saved {moment(review.saved or 0.0)}, version {review.version}.{changed or unsigned}"


def moment(seconds: float) -> str:
    when = datetime.fromtimestamp(seconds, zone())
    return f"on {when.day} {when:%B %Y at %H:%M}"


def versions(saved: tuple[SavedConclusion, ...]) -> Html:
    """Return conclusions as they were saved, one after the other."""
    return tag("div", join(version(one) for one in saved), css="vd")


def version(one: SavedConclusion) -> Html:
    said = one.conclusion
    name = f" ({said.name})" if said.name else ""
    head = tag("p", f"Version {one.number}, saved {moment(one.saved)}: {word(said.label)}{name}", css="vd-strong")
    return tag("div", head, *(tag("p", text, css="vd-text") for text in (said.reason, said.notes) if text))
