"""How a rater comes in: by an invitation link, or by choosing one of their campaigns."""

from __future__ import annotations

import streamlit as st

from core.campaigns.access import Role
from core.campaigns.example import join_example
from core.campaigns.planning.options import counted_in, words_of
from core.campaigns.rating import my_campaigns
from core.campaigns.types import MyCampaign
from core.errors import Denied
from core.storage.store import Store
from pages.ui.markup import Html, plain, show, tag
from pages.ui.notices import attempt_button, remark
from pages.ui.roles import roles
from pages.ui.verdicts import bar

EXTERNAL_IDS = ("PROLIFIC_PID", "external_id")
"""Names in an address for a visitor's id with another service; an open link makes a rater of each."""


def external_id() -> str:
    """Return an invited visitor's id with another service, and take it out of the address."""
    if "invite" not in st.query_params:
        return ""
    found = [st.query_params.pop(name, "") for name in EXTERNAL_IDS]
    return next((one for one in found if one), "")


def my_campaign(store: Store, owner: str) -> MyCampaign | None:
    """Return the campaign that the address names, or the only one there is; else show the choices."""
    mine = my_campaigns(store, owner)
    wanted = st.query_params.get("campaign")
    found = next((one for one in mine if one.id == wanted), None)
    if found or (len(mine) == 1 and not wanted):
        return found or mine[0]
    if wanted:
        raise Denied(
            "There is no such campaign in this browser. Open your invitation link again. If it was withdrawn, your "
            "answers are kept, and the organiser can send a new one."
        )
    show_choice(store, owner, mine)
    return None


def show_choice(store: Store, owner: str, mine: tuple[MyCampaign, ...]) -> None:
    st.title("Rate")
    if not mine:
        remark(
            "You have nothing to rate here yet. Open the invitation link that the organiser of a rating campaign "
            "sent you. It begins with this site’s address and ends in a long key: "
            "…/rate?invite=…"
        )
        if Role.ORGANISER in roles():
            attempt_button(
                "Rate an example",
                rate_example,
                store,
                owner,
                help="Makes the example campaign that the page Campaigns offers, with you as its rater.",
                icon="rate_review",
                key="rate-example",
            )
        return
    for one in mine:
        with st.container(border=True, gap="small", key=f"campaign-{one.id}"):
            show(campaign_line(one))
            if st.button(f"Open {plain(one.title)}", key=f"open-{one.id}", type="primary"):
                st.query_params["campaign"] = one.id
                st.rerun()


def rate_example(store: Store, owner: str) -> None:
    st.query_params["campaign"] = join_example(store, owner)


def campaign_line(one: MyCampaign) -> Html:
    stands = words_of(one.form.language)[one.state]
    return tag(
        "div",
        tag("p", one.title, css="vd-strong"),
        progress_line(one),
        tag("p", stands, css="vd-quiet") if stands else "",
        css="vd",
    )


def time_left(one: MyCampaign, items: int) -> str:
    """Return ", about 12 minutes" for `items` at the rater's own pace, "" if that is not known."""
    if one.seconds is None or not items:
        return ""
    words = words_of(one.form.language)
    return words["about"].format(minutes=counted_in(words, "minute", max(1, round(items * one.seconds / 60))))


def progress_line(one: MyCampaign) -> Html:
    left = one.total - one.done
    texts = words_of(one.form.language)
    words = texts["rated"].format(done=one.done, items=counted_in(texts, "item", one.total))
    if left and one.done:
        words += texts["left_of"].format(n=left) + time_left(one, left)
    return tag(
        "div", bar(one.done / one.total if one.total else 0.0), tag("p", words, css="vd-quiet"), css="vd-rate-bar"
    )
