"""A rater's way through a campaign: the cover with the introduction, the list of items, and the end."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.campaigns.planning.options import counted_in, words_of
from core.campaigns.rating import my_items
from core.campaigns.types import CampaignState, Feedback, ItemLine, MyCampaign, Practice, RatingItem
from core.storage.store import Store
from pages.rate.entry import progress_line, time_left
from pages.ui.markup import Html, show, tag
from pages.ui.notices import quiet, remark
from pages.ui.rater_introduction import introduction
from pages.ui.verdicts import bar, icon


def show_cover(one: MyCampaign) -> None:
    """Show the campaign, the rater's progress, and the next step."""
    texts = words_of(one.form.language)
    with st.container(key="rate-page"):
        show(tag("div", tag("h1", one.title, css="vd-claim"), progress_line(one), css="vd"))
        if one.state is not CampaignState.OPEN:
            remark(texts[one.state])
            return
        if words := practice_words(one.practice, one.form.language):
            remark(words)
        if one.practice.failed:
            return
        with st.container(horizontal=True):
            words = texts["go_on" if one.done or one.practice.done else "start"]
            if st.button(words, type="primary", shortcut="Enter", icon=":material/arrow_forward:", key="rate-begin"):
                go("next")
            if one.done and st.button(texts["all_items"], icon=":material/list:", key="rate-items"):
                go("items")
        show(introduction(one.form, one.options, scales=False))


def go(view: str, item: str = "") -> None:
    """Open another view of the campaign."""
    st.query_params["view"] = view
    if item:
        st.query_params["item"] = item
    else:
        st.query_params.pop("item", None)
    st.rerun()


def place_line(one: MyCampaign, item: RatingItem) -> Html:
    """Return "12 of 35" with the rest, and how long that takes at the rater's own pace."""
    left = item.total - item.done
    texts = words_of(one.form.language)
    facts = {"place": item.position, "total": item.total, "title": one.title}
    time = "" if item.practice else time_left(one, left)
    return tag(
        "div",
        tag("span", texts["practice_place" if item.practice else "place"].format(**facts), css="vd-strong vd-place"),
        bar(item.done / item.total if item.total else 0.0),
        tag("span", texts["left"].format(n=f"{left:,}") + time, css="vd-quiet"),
        css="vd vd-rate-place",
        role="group",
        aria_label=texts["place_label"].format(**facts, n=left),
    )


def item_list(store: Store, one: MyCampaign, who: str, *, nothing_left: bool = False) -> None:
    """Show the items opened so far, each to be opened again, and say where nothing is left to rate."""
    texts = words_of(one.form.language)
    with st.container(key="rate-page"):
        title, more = heading(one, nothing_left)
        show(tag("div", tag("h1", title, css="vd-claim"), tag("p", more) if more else "", progress_line(one), css="vd"))
        if one.done and one.done == one.total:
            show_completion(one)
        more_to_do = one.done < one.total and not nothing_left
        if more_to_do and st.button(
            texts["go_on"], type="primary", shortcut="Enter", icon=":material/arrow_forward:", key="rate-go-on"
        ):
            go("next")
        lines = my_items(store, one.id, who)
        if not lines:
            remark(texts["nothing_opened"])
        for line in lines:
            show_line(one, line)


def show_completion(one: MyCampaign) -> None:
    """Show the completion code or link to a rater who has rated everything."""
    texts, options = words_of(one.form.language), one.options
    if options.completion_code:
        quiet(texts["code"])
        st.code(options.completion_code, language=None)
    if options.completion_url:
        st.link_button(texts["go_back"], options.completion_url, type="primary")


def heading(one: MyCampaign, nothing_left: bool) -> tuple[str, str]:
    """Return the list's title and the remark below it."""
    texts = words_of(one.form.language)
    if one.done and one.done == one.total:
        return texts["all_rated"].format(n=one.total), texts["all_rated_more"]
    if nothing_left:
        return texts["nothing_left"], texts["nothing_left_more"]
    return texts["your_items"], ""


def show_line(one: MyCampaign, line: ItemLine) -> None:
    texts = words_of(one.form.language)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"line-{line.position}"):
        show(item_line(texts, line))
        words = texts["change" if line.submitted else "go_on"]
        if st.button(words, key=f"open-{line.id}", type="tertiary", help=texts["open_item"].format(n=line.position)):
            go("next", line.id)


def item_line(texts: Mapping[str, str], line: ItemLine) -> Html:
    answers = counted_in(texts, "answer", line.answered)
    begun = texts["not_submitted"].format(answers=answers) if line.answered else texts["not_begun"]
    stands = tag("span", icon("done"), " ", texts["submitted"], css="vd-done") if line.submitted else begun
    return tag(
        "div",
        tag("span", str(line.position), css="vd-cite vd-number"),
        tag("span", line.claim, css="vd-clamp vd-text"),
        tag("span", stands, css="vd-quiet"),
        css="vd vd-item-line",
    )


def practice_words(practice: Practice, language: str) -> str:
    """Return the task before the first item, or the result; "" where there is no practice."""
    if not practice.total:
        return ""
    words = words_of(language)
    if practice.failed:
        return words["not_qualified"].format(**vars(practice))
    if practice.done == practice.total:
        return words["practice_done"].format(**vars(practice))
    begin = words["practice_begin"].format(items=counted_in(words, "practice_item", practice.total))
    mark = words["practice_mark"].format(**vars(practice)) if practice.pass_mark else ""
    so_far = words["practice_so_far"].format(**vars(practice)) if practice.done else ""
    return " ".join(filter(None, (begin, mark, so_far)))


def feedback_view(item: RatingItem) -> Html:
    """Return the expected answers of a practice item, question by question."""
    words = words_of(item.form.language)
    right = all(one.right for one in item.feedback)
    return tag(
        "section",
        tag("h2", words["as_expected" if right else "not_as_expected"], css="vd-heading"),
        tag("p", words["compare"], css="vd-quiet"),
        tag("ul", *(feedback_line(words, one) for one in item.feedback), css="vd-told"),
        css="vd",
        aria_label=words["expected_label"],
    )


def feedback_line(words: Mapping[str, str], one: Feedback) -> Html:
    said = words["you_answered"].format(given=one.given)
    said += "" if one.right else f" {words['expected'].format(expected=one.expected)}"
    return tag(
        "li",
        icon("done") if one.right else tag("span", "≠", css="vd-strong"),
        tag("div", tag("p", one.question, css="vd-strong"), tag("p", said)),
        css="" if one.right else "vd-wrong",
    )
