"""Settle the raters' disagreements, without knowing who answered or which system it is."""

from __future__ import annotations

import streamlit as st

from core.campaigns.adjudication import Disagreement, disagreements
from core.campaigns.planning.form_questions import AnswerKind
from core.campaigns.planning.plans import EvidencePair
from core.campaigns.planning.rating_form import CANNOT_JUDGE, VERDICT
from core.campaigns.results import adjudicate, adjudicated, campaign_ratings, remarks
from core.campaigns.types import Adjudication, Campaign, Remark
from core.storage.store import Store
from core.wording import counted
from pages.ui.markup import Html, join, link, plain, readable, show, tag
from pages.ui.notices import attempt_button, quiet, remark


def show_adjudication(store: Store, who: str, campaign: Campaign) -> None:
    """Show the items in dispute one at a time, and take a decision and its reason for each question."""
    show_remarks(campaign, remarks(store, campaign.id, who))
    found = disagreements(campaign.plan.items, campaign_ratings(store, campaign.id, who), campaign.plan.form)
    if not found:
        remark(
            "No disagreement so far. Raters disagree if their verdicts or major errors differ. Ratings on a scale "
            "must differ by two or more, on a long scale by a fifth of it."
        )
        return
    decided = {(one.item, one.question): one for one in adjudicated(store, campaign.id, who)}
    open_ones = [one for one in found if any((one.item, question) not in decided for question in one.questions)]
    quiet(
        f"{counted(len(found), 'item')} in dispute, {len(found) - len(open_ones)} settled. You see neither the raters "
        f"nor the system: answers are A, B, C in a new order for each item."
    )
    numbers = {one.item: number for number, one in enumerate(found, 1)}
    chosen = st.selectbox(
        "Item",
        found,
        index=found.index(open_ones[0]) if open_ones else 0,
        key=f"dispute-{campaign.id}-{len(open_ones)}",
        format_func=lambda one: readable(
            f"{numbers[one.item]}. {one.claim[:90]}{'' if one in open_ones else ' (settled)'}"
        ),
    )
    show_dispute(store, who, campaign, chosen, decided)


def show_remarks(campaign: Campaign, said: tuple[Remark, ...]) -> None:
    """Show the raters' flags and items they could not judge, without names."""
    if not said:
        return
    claims = {item.id: item.claim for item in campaign.plan.items}
    with st.expander(f"{counted(len(said), 'remark')} of raters", icon=":material/flag:"):
        for one in said:
            what = "Cannot be judged" if one.question == CANNOT_JUDGE else "Flagged"
            head = tag("p", f"{what}: {claims.get(one.item, '')}", css="vd-strong vd-text")
            show(tag("div", head, tag("p", one.text, css="vd-text"), css="vd"))


def show_dispute(
    store: Store, who: str, campaign: Campaign, one: Disagreement, decided: dict[tuple[str, str], Adjudication]
) -> None:
    show(tag("div", tag("h2", one.claim, css="vd-claim vd-long"), css="vd"))
    left, right = st.columns([1, 1], gap="large")
    with left:
        show(evidence_list("Predicted evidence", one.evidence))
        if one.reference:
            with st.expander("Reference evidence"):
                show(evidence_list("", one.reference))
    with right:
        for question in one.questions:
            show_question(store, who, campaign, one, question, decided.get((one.item, question)))


def show_question(
    store: Store, who: str, campaign: Campaign, one: Disagreement, question: str, before: Adjudication | None
) -> None:
    """Show the answers to one question, and take a decision; nothing is chosen beforehand."""
    key = f"settle-{one.item}-{question}"
    with st.container(border=True, key=f"vd-{key}"):
        asked = campaign.plan.form.question(question)
        show(answers_given(one, question, asked.title))
        options = [option.value for option in asked.options]
        if before:
            st.session_state.setdefault(key, before.value)
            st.session_state.setdefault(f"{key}-reason", before.reason)
        if asked.slides:
            low, high = int(options[0]), int(options[-1])
            st.number_input("Your decision", low, high, None, step=1, key=key, persist_state="session")
        else:
            st.radio(
                "Your decision",
                options,
                index=None,
                key=key,
                horizontal=asked.answer is AnswerKind.SCALE,
                format_func=lambda value: plain(str(value)),
                persist_state="session",
            )
        st.text_area("Reason", key=f"{key}-reason", height=70, max_chars=2000, persist_state="session")
        attempt_button(
            "Save" if before is None else "Save again",
            settle,
            store,
            campaign.id,
            one.item,
            who,
            question,
            key=f"{key}-save",
            disabled=st.session_state.get(key) is None,
        )
        if before:
            quiet("Settled. Saving again replaces the decision.")


def settle(store: Store, campaign: str, item: str, who: str, question: str) -> None:
    key = f"settle-{item}-{question}"
    adjudicate(store, campaign, item, who, question, st.session_state[key], st.session_state.get(f"{key}-reason", ""))


def answers_given(one: Disagreement, question: str, title: str) -> Html:
    rows = (
        tag(
            "li",
            tag("span", given.letter, css="vd-letter"),
            tag("span", str(given.answers.get(question, "no answer")), css="vd-strong"),
            tag("p", given.support, css="vd-quiet vd-text vd-clamp") if given.support and question == VERDICT else "",
        )
        for given in one.given
    )
    return tag("div", tag("h3", title), tag("ul", join(rows), css="vd-given"), css="vd")


def evidence_list(title: str, pairs: tuple[EvidencePair, ...]) -> Html:
    """Return question–answer pairs as a list; addresses as links, the page's text folded away."""
    return tag(
        "section",
        tag("h3", title) if title else "",
        join(evidence_pair(pair) for pair in pairs) if pairs else tag("p", "There is none.", css="vd-quiet"),
        css="vd vd-cards",
    )


def evidence_pair(pair: EvidencePair) -> Html:
    return tag(
        "div",
        tag("p", pair.question, css="vd-question") if pair.question else "",
        tag("p", pair.answer, css="vd-text"),
        tag("p", link(pair.url, pair.url), css="vd-source") if pair.url else "",
        tag("details", tag("summary", "Text of the page"), tag("p", pair.scraped_text, css="vd-passage vd-text"))
        if pair.scraped_text
        else "",
        css="vd-evidence",
    )
