"""Inviting raters: a link each, shown once; who has one, who opened it, and taking it back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode, urlsplit

import streamlit as st

from core.campaigns.access import is_loopback
from core.campaigns.inviting import (
    Person,
    invite_anyone,
    invite_raters,
    invited_raters,
    read_people,
    renew_link,
    revoke_rater,
)
from core.campaigns.types import InvitedRater
from core.errors import VerideskError
from core.storage.store import Store
from core.tabular.exports import csv_text
from core.wording import counted
from pages.ui.cases import zone
from pages.ui.file_button import file_button
from pages.ui.markup import Html, join, plain, show, tag
from pages.ui.notices import attempt_button, notice, quiet, remark

DAYS = 30
MADE = "campaign-links-made"


def show_raters(store: Store, who: str, campaign: str) -> None:
    """Show the form for an invitation, the link just made, and everyone invited so far."""
    show_links(campaign)
    invitation_form(store, who, campaign)
    many_form(store, who, campaign)
    raters = invited_raters(store, campaign, who)
    if not raters:
        remark("Nobody is invited yet. Each rater gets a personal link, and rates under a pseudonym.")
        return
    show(tag("div", tag("h2", f"{counted(len(raters), 'rater')}", css="vd-heading"), css="vd"))
    quiet("Names and addresses are in this list only: tables, charts and downloads know raters by pseudonym.")
    for rater in raters:
        show_rater(store, who, campaign, rater)


def invitation_form(store: Store, who: str, campaign: str) -> None:
    with st.form(key=f"invite-{campaign}", border=True):
        left, right = st.columns(2)
        # A new key empties a field; the text stays where it made no link.
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
            help="Spell it like the system's team: nobody gets items of their own team.",
        )
        days = right.number_input("Days until the link ends", 1, 365, DAYS, key="invite-days")
        sent = st.form_submit_button("Make a link", type="primary", icon=":material/person_add:", key="invite-one")
    if sent and not name.strip():
        notice("Write a name, or any word by which you know this rater: the list needs one.")
    elif sent:
        invite(store, who, campaign, [Person(name.strip(), address.strip(), team.strip())], int(days))


def many_form(store: Store, who: str, campaign: str) -> None:
    """Take a list of names at once, or make one open link."""
    with st.expander("Invite many", icon=":material/group_add:"):
        made = st.session_state.get(MADE, 0)
        names = st.text_area(
            "Names, one per line; after commas an address and a team", key=f"invite-many-{made}", height=120
        )
        with st.container(horizontal=True):
            if st.button("Make links", disabled=not names.strip(), key="invite-each"):
                try:
                    invite(store, who, campaign, read_people(names), DAYS)
                except VerideskError as error:
                    notice(str(error))
            if st.button(
                "One link for everybody",
                help="For a recruiting service: each visitor becomes a rater. PROLIFIC_PID or external_id in the "
                "address identifies each, and is shown in this list alone.",
                key="invite-anyone",
            ):
                token = invite_anyone(store, campaign, who, days=DAYS)
                keep_links(campaign, [NewLink("everybody", "", link_of(token))], DAYS)
                st.rerun()


def invite(store: Store, who: str, campaign: str, people: Sequence[Person], days: int) -> None:
    """Make raters and a link for each."""
    try:
        made = invite_raters(store, campaign, who, people, days=days)
    except VerideskError as error:
        notice(str(error))
        return
    keep_links(campaign, [NewLink(one.person.name, one.pseudonym, link_of(one.token)) for one in made], days)
    st.session_state[MADE] = st.session_state.get(MADE, 0) + 1
    st.rerun()


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
                token = renew_link(store, campaign, who, rater.id, days=DAYS)
                keep_links(campaign, [NewLink(rater.name, rater.pseudonym, link_of(token))], DAYS)
                st.rerun()
            if not rater.revoked:
                with st.popover("Revoke", icon=":material/person_off:", type="tertiary"):
                    st.write(
                        f"{plain(rater.name or rater.pseudonym)} can then neither open nor answer anything. "
                        "Answers that are there stay; items begun go to others."
                    )
                    attempt_button(
                        "Revoke it",
                        revoke_rater,
                        store,
                        campaign,
                        who,
                        rater.id,
                        key=f"revoke-{rater.id}",
                        type="primary",
                    )


def rater_line(rater: InvitedRater) -> Html:
    known = f"id {rater.external}" if rater.external else ""
    facts = [rater.pseudonym, f"team {rater.team}" if rater.team else "", rater.address, known, standing(rater)]
    return tag(
        "div",
        tag("p", rater.name or rater.pseudonym, css="vd-strong vd-text"),
        tag("p", join(tag("span", fact) for fact in facts if fact), css="vd-facts"),
        css="vd",
    )


def standing(rater: InvitedRater) -> str:
    """Show the result for the rater's link."""
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


KEPT = "campaign-new-links"
SHOWN = 3
"""The most links to show one by one; the file has all."""


@dataclass(frozen=True)
class NewLink:
    """The rater, their pseudonym ("" of an open link), and the address."""

    name: str
    pseudonym: str
    address: str


def link_of(token: str) -> str:
    """Return the address at which a token is redeemed, as this browser reaches the server."""
    base = (st.context.url or "").rstrip("/").removesuffix("/campaigns")
    return f"{base}/rate?{urlencode({'invite': token})}"


def keep_links(campaign: str, links: list[NewLink], days: int) -> None:
    """Keep new links beside those that are not copied yet."""
    kept = st.session_state.setdefault(KEPT, {})
    kept.setdefault(campaign, []).extend((link, days) for link in links)


def show_links(campaign: str) -> None:
    """Show the new links, and one file of them all."""
    kept: list[tuple[NewLink, int]] = st.session_state.get(KEPT, {}).get(campaign, [])
    if not kept:
        return
    with st.container(border=True, key="vd-new-link"):
        show(tag("p", f"{counted(len(kept), 'new link')}", css="vd vd-strong"))
        quiet(
            "Copy them now and send each to its person alone. They are shown until you confirm that they are copied. "
            f"For {counted(kept[-1][1], 'day')} a link lets anybody rate as that person."
        )
        host = urlsplit(kept[-1][0].address).hostname or ""
        if is_loopback(host):
            remark(
                f"These links begin with {host}, which only this machine can open. To invite others, open this page by "
                "the address under which they reach the server, and make the links there."
            )
        for link, _ in kept[:SHOWN]:
            show(tag("p", f"The link of {link.name or link.pseudonym}", css="vd vd-strong"))
            st.code(link.address, language=None, wrap_lines=True)
        if len(kept) > SHOWN:
            quiet(f"… and {len(kept) - SHOWN} more in the file.")
        with st.container(horizontal=True):
            rows = [[link.name, link.pseudonym, link.address] for link, _ in kept]
            file_button("All links (CSV)", csv_text(["Name", "Rater", "Link"], rows), "links.csv", key="campaign-links")
            words = "I have copied it" if len(kept) == 1 else "I have copied them"
            st.button(words, on_click=forget, args=(campaign,), icon=":material/check:", key="campaign-copied")


def forget(campaign: str) -> None:
    st.session_state.get(KEPT, {}).pop(campaign, None)
