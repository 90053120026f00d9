"""A rater's way through a campaign: the cover with the introduction, the list of items, and the end."""

from __future__ import annotations

import streamlit as st

from core.campaigns.planning.options import CampaignOptions
from core.campaigns.rating import my_items
from core.campaigns.types import CampaignState, ItemLine, MyCampaign, RatingItem
from core.storage.store import Store
from core.wording import counted
from pages.rate.entry import STANDS, progress_line, time_left
from pages.rate.practice import practice_words
from pages.ui.markup import Html, show, tag
from pages.ui.notices import quiet, remark
from pages.ui.rater_introduction import introduction
from pages.ui.verdicts import bar, icon


def show_cover(one: MyCampaign) -> None:
    """Show the campaign, the rater's progress, and the next step."""
    with st.container(key="rate-page"):
        show(tag("div", tag("h1", one.title, css="vd-claim"), progress_line(one), css="vd"))
        if one.state is not CampaignState.OPEN:
            remark(STANDS[one.state])
            return
        if words := practice_words(one.practice):
            remark(words)
        if one.practice.failed:
            return
        with st.container(horizontal=True):
            words = "Go on" if one.done or one.practice.done else "Start"
            if st.button(words, type="primary", shortcut="Enter", icon=":material/arrow_forward:", key="rate-begin"):
                go("next")
            if one.done and st.button("All items", icon=":material/list:", key="rate-items"):
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
    what = "Practice " if item.practice else ""
    time = "" if item.practice else time_left(left, one.seconds)
    return tag(
        "div",
        tag("span", f"{what}{item.position} of {item.total}", css="vd-strong vd-place"),
        bar(item.done / item.total if item.total else 0.0),
        tag("span", f"{left:,} left{time}", css="vd-quiet"),
        css="vd vd-rate-place",
        role="group",
        aria_label=f"{one.title}: item {item.position} of {item.total}, {left} left",
    )


def item_list(store: Store, one: MyCampaign, who: str, *, nothing_left: bool = False) -> None:
    """Show the items opened so far, each to be opened again, and say where nothing is left to rate."""
    with st.container(key="rate-page"):
        title, more = heading(one, nothing_left)
        show(tag("div", tag("h1", title, css="vd-claim"), tag("p", more) if more else "", progress_line(one), css="vd"))
        if one.done and one.done == one.total:
            show_completion(one.options)
        more_to_do = one.done < one.total and not nothing_left
        if more_to_do and st.button(
            "Go on", type="primary", shortcut="Enter", icon=":material/arrow_forward:", key="rate-go-on"
        ):
            go("next")
        lines = my_items(store, one.id, who)
        if not lines:
            remark("You have not opened an item yet.")
        for line in lines:
            show_line(line)


def show_completion(options: CampaignOptions) -> None:
    """Show the completion code or link to a rater who has rated everything."""
    if options.completion_code:
        quiet("Your completion code:")
        st.code(options.completion_code, language=None)
    if options.completion_url:
        st.link_button("Go back and have it counted", options.completion_url, type="primary")


def heading(one: MyCampaign, nothing_left: bool) -> tuple[str, str]:
    """Return the list's title and the remark below it."""
    if one.done and one.done == one.total:
        more = "Every answer is saved. Until the campaign closes you can open an item again and change any of them."
        return f"You have rated all {one.total}: thank you", more
    if nothing_left:
        more = "The other items are in other raters’ hands. Some may come back to you, so look in again later."
        return "Nothing is left for now", more
    return "Your items", ""


def show_line(line: ItemLine) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"line-{line.position}"):
        show(item_line(line))
        words = "Change" if line.submitted else "Go on"
        if st.button(words, key=f"open-{line.id}", type="tertiary", help=f"Open item {line.position}"):
            go("next", line.id)


def item_line(line: ItemLine) -> Html:
    begun = f"{counted(line.answered, 'answer')}, not submitted" if line.answered else "Not begun"
    stands = tag("span", icon("done"), " Submitted", css="vd-done") if line.submitted else begun
    return tag(
        "div",
        tag("span", str(line.position), css="vd-cite vd-number"),
        tag("span", line.claim, css="vd-clamp vd-text"),
        tag("span", stands, css="vd-quiet"),
        css="vd vd-item-line",
    )
