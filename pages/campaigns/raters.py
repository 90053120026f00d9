"""Inviting raters: a link each, shown once; who has one, who opened it, and taking it back."""

from __future__ import annotations

import time
from datetime import datetime
from urllib.parse import urlencode

import streamlit as st

from core.campaigns.inviting import invite_rater, invited_raters, renew_link, revoke_rater
from core.campaigns.types import InvitedRater
from core.errors import VerideskError
from core.storage.store import Store
from core.wording import counted
from pages.ui.cases import zone
from pages.ui.markup import Html, join, plain, show, tag
from pages.ui.notices import attempt, notice, quiet, remark

DAYS = 30
LINK, MADE = "campaign-new-link", "campaign-links-made"


def show_raters(store: Store, who: str, campaign: str) -> None:
    """Show the form for an invitation, the link just made, and everyone invited so far."""
    show_link(campaign)
    invitation_form(store, who, campaign)
    raters = invited_raters(store, campaign, who)
    if not raters:
        remark("Nobody is invited yet. Each rater gets a link of their own; whoever opens it rates under a pseudonym.")
        return
    show(tag("div", tag("h2", f"{counted(len(raters), 'rater')}", css="vd-heading"), css="vd"))
    quiet("Names and addresses are in this list only: tables, charts and downloads know raters by pseudonym.")
    for rater in raters:
        show_rater(store, who, campaign, rater)


def invitation_form(store: Store, who: str, campaign: str) -> None:
    with st.form(key=f"invite-{campaign}", border=True):
        left, right = st.columns(2)
        # A new key empties a field; what was typed stays where no link came of it.
        made = st.session_state.get(MADE, 0)
        name = left.text_input("Name", key=f"invite-name-{made}", max_chars=200)
        address = right.text_input(
            "Address (optional)",
            key=f"invite-address-{made}",
            max_chars=200,
            help="For you alone, to know who it is; nothing is sent to it.",
        )
        team = left.text_input(
            "Team (optional)",
            key="invite-team",
            max_chars=200,
            help="Written as the system's team is: nobody gets items of their own team.",
        )
        days = right.number_input("Days until the link ends", 1, 365, DAYS, key="invite-days")
        sent = st.form_submit_button("Make a link", type="primary", icon=":material/person_add:")
    if sent and not name.strip():
        notice("Write a name, or any word by which you know this rater: the list needs one.")
    elif sent:
        invite(store, who, campaign, (name.strip(), address.strip(), team.strip()), int(days))


def invite(store: Store, who: str, campaign: str, person: tuple[str, str, str], days: int) -> None:
    """Make a rater and a link for them; `person` is name, address and team."""
    try:
        token = invite_rater(store, campaign, who, *person, days=days)
    except VerideskError as error:
        notice(str(error))
        return
    keep_link(campaign, person[0], token, days)
    st.session_state[MADE] = st.session_state.get(MADE, 0) + 1
    st.rerun()


def keep_link(campaign: str, name: str, token: str, days: int) -> None:
    st.session_state[LINK] = (campaign, name, link_of(token), days)


def show_link(campaign: str) -> None:
    """Show a new link until the organiser says that it is copied: the server keeps only its hash."""
    kept = st.session_state.get(LINK)
    if not kept or kept[0] != campaign:
        return
    _, name, link, days = kept
    with st.container(border=True, key="vd-new-link"):
        show(
            tag(
                "div",
                tag("p", f"The link of {name}", css="vd-strong"),
                tag(
                    "p",
                    f"Copy it now and send it to this person alone: it is shown once, and lets whoever opens it rate "
                    f"as them for {counted(days, 'day')}.",
                    css="vd-quiet",
                ),
                css="vd",
            )
        )
        st.code(link, language=None, wrap_lines=True)
        st.button("I have copied it", on_click=st.session_state.pop, args=(LINK, None), icon=":material/check:")


def link_of(token: str) -> str:
    """Return the address at which a token is redeemed, as this browser reaches the server."""
    base = (st.context.url or "").rstrip("/").removesuffix("/campaigns")
    return f"{base}/rate?{urlencode({'invite': token})}"


def show_rater(store: Store, who: str, campaign: str, rater: InvitedRater) -> None:
    with st.container(border=True, gap="xsmall", key=f"rater-{rater.id}"):
        words, buttons = st.columns([3, 2], vertical_alignment="center")
        with words:
            show(rater_line(rater))
        with buttons, st.container(horizontal=True, gap="medium", horizontal_alignment="right"):
            if st.button(
                "New link",
                key=f"renew-{rater.id}",
                type="tertiary",
                icon=":material/link:",
                help="The same rater, the same pseudonym, the same answers; the old link ends.",
            ):
                keep_link(campaign, rater.name, renew_link(store, campaign, who, rater.id, days=DAYS), DAYS)
                st.rerun()
            if not rater.revoked:
                with st.popover("Revoke", icon=":material/person_off:", type="tertiary"):
                    st.write(
                        f"{plain(rater.name or rater.pseudonym)} can then neither open nor answer anything. "
                        "Answers that are there stay; items begun go to others."
                    )
                    st.button(
                        "Revoke it",
                        key=f"revoke-{rater.id}",
                        type="primary",
                        on_click=attempt,
                        args=(revoke_rater, store, campaign, who, rater.id),
                    )


def rater_line(rater: InvitedRater) -> Html:
    facts = [rater.pseudonym, f"team {rater.team}" if rater.team else "", rater.address, standing(rater)]
    return tag(
        "div",
        tag("p", rater.name or rater.pseudonym, css="vd-strong vd-text"),
        tag("p", join(tag("span", fact) for fact in facts if fact), css="vd-facts"),
        css="vd",
    )


def standing(rater: InvitedRater) -> str:
    """Say what became of the rater's link."""
    if rater.revoked:
        return "revoked"
    if rater.joined:
        return "has opened the link"
    if rater.expires is None:
        return "no link"
    until = datetime.fromtimestamp(rater.expires, zone())
    if rater.expires < time.time():
        return f"link ended on {until.day} {until:%B %Y}, never opened"
    return f"link not opened yet, ends on {until.day} {until:%B %Y}"
