"""The text of a speech in its order, with the best sentences marked by rank, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby

import streamlit as st

from core.claims.chosen import ChosenClaim, positions_of, with_sentence, without_sentence
from core.claims.ranking import RankedSentence, best_of, ranks_of
from core.claims.speech_report import place_words
from core.claims.worthiness import LOW
from core.wording import counted
from pages.claims.kept_speech import (
    CLAIMS,
    TEXT,
    KeptSpeech,
    go_to,
    keep_chosen,
    keep_picks,
    kept_speech,
    leave_speech,
    picks,
    step,
)
from pages.ui.markup import Html, join, label, show, tag
from pages.ui.notices import remark
from pages.ui.verdicts import badge, look_named

MARKED = (10, 20, 50, 100)
FOLDED_WORDS = 60
"""A longer stretch without a marked sentence is folded to one line."""

FIRST_WORDS = 8
Verdicts = Mapping[str, str]
"""The label of each checked claim that is done, by the claim's id; FAILED for a failure."""

FAILED = "failed"
ASKED = "claims-asked"
"""The session's key of the claim that is to be opened as a case."""

LEAST_MARKED = 3


def show_heading(speech: KeptSpeech) -> None:
    words = sum(len(one.text.split()) for one in speech.sentences)
    speakers = len({one.speaker for one in speech.sentences} - {""})
    facts = (
        counted(len(speech.sentences), "sentence"),
        counted(words, "word"),
        counted(speakers, "speaker") if speakers else "",
    )
    line = tag("p", *(tag("span", fact) for fact in facts if fact), css="vd-facts")
    show(tag("header", tag("h2", speech.name, css="vd-heading"), line, css="vd"))
    for one in speech.remarks:
        remark(one)
    if step() == TEXT:
        st.button(
            "Another speech", type="tertiary", icon=":material/arrow_back:", on_click=leave_speech, key="claims-another"
        )


def show_text(speech: KeptSpeech, verdicts: Verdicts) -> None:
    """Show every sentence in place. Those of the best ranks, and those chosen or checked, can be chosen."""
    kept, ranks, best = picks(), ranks_of(speech.sentences), marked_positions(speech)
    if not best:
        remark("No sentence resembles a claim that people checked. The three best are marked.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(speech.sentences) > MARKED[0]:
            st.segmented_control(
                "Mark at most", MARKED, default=kept.marked, required=True, key="claims-marked", on_change=mark
            )
        st.button("Choose all marked", icon=":material/done_all:", on_click=choose_best, key="claims-best")
    listed = positions_of((*kept.chosen, *kept.checked))
    open_ones = best | listed
    for marked, group in groupby(speech.sentences, key=lambda one: one.position in open_ones):
        if marked:
            for one in group:
                show_marked(one, ranks[one.position], len(ranks), verdicts)
        else:
            show(stretch(list(group)))


def marked_positions(speech: KeptSpeech) -> frozenset[int]:
    """Return the positions of the best sentences: those with a score that is not low, or else the first three."""
    best = best_of(speech.sentences, picks().marked)
    worth = [one for one in best if one.score >= LOW] or best_of(speech.sentences, LEAST_MARKED)
    return frozenset(one.position for one in worth)


def mark() -> None:
    keep_picks(replace(picks(), marked=st.session_state["claims-marked"]))


def choose_best() -> None:
    """Choose every marked sentence that is not chosen yet."""
    speech = kept_speech()
    assert speech
    chosen = picks().chosen
    for position in sorted(marked_positions(speech) - positions_of(chosen)):
        chosen = with_sentence(chosen, speech.sentences[position])
    keep_chosen(chosen)


def show_marked(one: RankedSentence, rank: int, count: int, verdicts: Verdicts) -> None:
    """Show a sentence that can be chosen, with its rank and reason, and its verdicts once it is checked."""
    tier = min(3, 1 + 3 * (rank - 1) // min(picks().marked, count))
    key = f"claims-pick-{one.position}"
    with st.container(key=f"vd-worth-{tier}-{one.position}", gap=None):
        st.session_state[key] = one.position in positions_of(picks().chosen)
        st.checkbox(label(one.text), key=key, on_change=pick, args=(one.position,))
        facts = (f"Rank {rank} of {count:,}", one.reason, place_words(one), f"score {one.score:.2f}")
        alone = tag("p", "Readable alone: ", tag("span", one.standalone, css="vd-text"), css="vd-quiet")
        parts = [tag("p", *(tag("span", fact) for fact in facts if fact), css="vd-facts")]
        show(tag("div", *parts, *([alone] if one.standalone != one.text else []), css="vd vd-worth"))
        for claim in picks().checked:
            if one.position in claim.positions:
                show_verdict(one, claim, verdicts.get(claim.id))


def show_verdict(one: RankedSentence, claim: ChosenClaim, found: str | None) -> None:
    """Show the verdict of a checked claim beside its sentence, and the way into its case."""
    told = tag("span", "Failed" if found else "Not checked yet", css="vd-quiet")
    word = badge(look_named(found)) if found and found != FAILED else told
    text = tag("span", claim.text, css="vd-text") if claim.text not in (one.text, one.standalone) else ""
    with st.container(horizontal=True, vertical_alignment="center", key=f"vd-beside-{one.position}-{claim.id}"):
        show(tag("p", word, " ", text, css="vd vd-worth"), width="content")
        if found and found != FAILED:
            st.button(
                "Open",
                type="tertiary",
                icon=":material/open_in_new:",
                key=f"claims-open-{one.position}-{claim.id}",
                on_click=ask_for,
                args=(claim.id,),
            )


def ask_for(claim_id: str) -> None:
    """Have the page open a claim as a case; in a callback."""
    st.session_state[ASKED] = claim_id


def pick(position: int) -> None:
    """Choose a sentence or leave it out; in a callback."""
    speech = kept_speech()
    assert speech
    chosen = picks().chosen
    if st.session_state[f"claims-pick-{position}"]:
        keep_chosen(with_sentence(chosen, speech.sentences[position]))
    else:
        keep_chosen(without_sentence(chosen, position))


def stretch(sentences: list[RankedSentence]) -> Html:
    """Return sentences that are not marked: as they are, or folded if they are long."""
    paragraphs = [
        tag("p", *words_of(list(group)), css="vd-text")
        for _, group in groupby(sentences, key=lambda one: one.paragraph)
    ]
    if sum(len(one.text.split()) for one in sentences) <= FOLDED_WORDS:
        return tag("div", *paragraphs, css="vd vd-between")
    begins = " ".join(sentences[0].text.split()[:FIRST_WORDS])
    summary = tag("summary", f"{counted(len(sentences), 'sentence')}: {begins} …")
    return tag("div", tag("details", summary, *paragraphs), css="vd vd-between")


def words_of(paragraph: list[RankedSentence]) -> list[Html]:
    speaker = paragraph[0].speaker
    said = join((one.text for one in paragraph), " ")
    return [tag("span", f"{speaker}: ", css="vd-strong"), said] if speaker else [said]


def show_bar() -> None:
    """Show how many claims are chosen, and the way on, at the lower edge of the window."""
    count = len(picks().chosen)
    with st.container(key="vd-claims-bar", horizontal=True, vertical_alignment="center"):
        show(tag("p", f"{counted(count, 'claim')} chosen", css="vd vd-strong"), width="content")
        st.button(
            "Edit and check",
            type="primary",
            icon=":material/arrow_forward:",
            disabled=not count,
            on_click=go_to,
            args=(CLAIMS,),
            key="claims-on",
        )
