"""The permissions of the person at this page, and the pages for them. Asked of the database on every run."""

from __future__ import annotations

import streamlit as st

from core.campaigns.access import Role, local_mode_has_ended, reached_locally, roles_of
from core.campaigns.redeeming import redeem
from core.settings import settings
from core.storage.store import Store
from pages.ui.app_state import app_state
from pages.ui.notices import remark
from pages.ui.owner import owner, sign_in_is_set_up, verified_email

FOR_EVERYBODY = ("rate", "campaigns", "tasks")
"""Pages that take invitations, and that themselves explain a missing role."""
FOR_ALL_AT_ONCE = ("models", "stores")
"""Pages with changes that count for everyone who uses this server."""
NOT_FOR_STRANGERS = (*FOR_ALL_AT_ONCE, "archive", "batch", "build", "claims")
"""Those, and pages that keep a server busy for hours or have it ask others a thousand times."""
INVITED_TO = {Role.ANNOTATOR: ("rate", "campaign"), Role.TEAM: ("tasks", "task"), Role.ORGANISER: ("campaigns", "")}
"""The page of each role of an invitation, and the name of the invitation's subject in its address."""


def accept_invitation(store: Store, who: str, here: Role, external: str = "") -> None:
    """Redeem the link by which the page was opened, and go to its role's page. This page is for the role `here`.

    Raises Denied.
    """
    token = st.query_params.get("invite")
    if not token:
        return
    try:
        found = redeem(store, token, who, external)
    finally:
        # Somebody who sees the screen, the history or a bookmark afterwards finds no key to the campaign.
        st.query_params.pop("invite", None)
    page, subject = INVITED_TO[found.role]
    address = {subject: found.campaign} if subject else {}
    if found.role is not here:
        st.switch_page(f"pages/{page}/page.py", query_params=address)
    st.query_params.update(address)
    if here is not Role.ANNOTATOR:
        st.rerun()  # the sidebar was drawn for somebody without this role


def roles() -> frozenset[Role]:
    """Return the visitor's roles. An unknown visitor has the roles that everybody has. Raises StoreError."""
    who = owner()
    if who is None:
        return frozenset({Role.JOURNALIST, Role.ORGANISER} if roles_are_plain() else {Role.JOURNALIST})
    return roles_of(app_state().store, who, email=verified_email(), local=local_mode(), organisers=listed_organisers())


def roles_are_plain() -> bool:
    """Whether everybody who reaches this server is organiser and journalist alike. Raises StoreError."""
    return local_mode() and not local_mode_has_ended(app_state().store)


def local_mode() -> bool:
    """Whether this is a single machine without sign-in, so that its visitor may be its organiser."""
    return not sign_in_is_set_up() and from_this_machine()


def from_this_machine() -> bool:
    """Whether only this machine can reach the server, and the request came without a proxy."""
    return reached_locally(str(st.get_option("server.address") or ""), dict(st.context.headers.items()))


def listed_organisers() -> tuple[str, ...]:
    """Return the e-mail addresses under `[veridesk] organisers` of the secrets, none where there are no secrets."""
    if not st.secrets.load_if_toml_exists():
        return ()
    section = st.secrets.get("veridesk", {})
    return tuple(str(address) for address in section.get("organisers", ()))


def rates(mine: frozenset[Role]) -> bool:
    """Whether somebody was invited to rate, and organises nothing."""
    return Role.ANNOTATOR in mine and Role.ORGANISER not in mine


def is_guest(mine: frozenset[Role]) -> bool:
    """Whether somebody was invited to rate or to a team, and organises nothing: other pages are not theirs."""
    return bool({Role.ANNOTATOR, Role.TEAM} & mine) and Role.ORGANISER not in mine


def may_open(page: str, mine: frozenset[Role]) -> bool:
    """Whether a page is for somebody with these roles. Raises StoreError.

    If organisers are known by name, changes for everyone are theirs. A rater with a browser that has forgotten the
    invitation is a journalist to the server. Where other machines reach it and nobody signs in, it is theirs too.
    """
    if is_guest(mine):
        return page in FOR_EVERYBODY
    if Role.ORGANISER in mine:
        return True
    if not sign_in_is_set_up() and not from_this_machine():
        return page not in NOT_FOR_STRANGERS
    return page not in FOR_ALL_AT_ONCE or not organisers_are_named()


def why_closed(mine: frozenset[Role]) -> str:
    """Return why this server serves no strangers yet; "" if it serves this visitor. Raises StoreError.

    A visitor with an invitation, redeemed or not, or a sign-up link is no stranger.
    """
    if is_guest(mine) or Role.ORGANISER in mine or {"invite", "signup"} & {*st.query_params} or from_this_machine():
        return ""
    if sign_in_is_set_up() or organisers_are_named() or settings().open_to_strangers:
        return ""
    return (
        "Other machines can reach this server, and it has neither sign-in nor an organiser. So anybody could add and "
        "choose models, and keep it busy. Administrator: open an organiser's link (python -m core invite "
        "--organiser), or set up sign-in. Set VERIDESK_OPEN=yes if the server is for everybody; docs/servers.md says "
        "more."
    )


def organisers_are_named() -> bool:
    return bool(listed_organisers()) or local_mode_has_ended(app_state().store)


def in_sidebar(page: str, mine: frozenset[Role]) -> bool:
    """Whether the sidebar names a page to somebody with these roles."""
    if page == "rate":
        return bool({Role.ANNOTATOR, Role.ORGANISER} & mine)
    if page == "tasks":
        return bool({Role.TEAM, Role.ORGANISER} & mine)
    if page == "campaigns":
        return Role.ORGANISER in mine
    return may_open(page, mine)


def say_roles(mine: frozenset[Role]) -> None:
    """Say in the sidebar where the roles come from, where that is not plain."""
    if Role.ORGANISER not in mine:
        return
    if local_mode() and not local_mode_has_ended(app_state().store):
        st.sidebar.caption(
            "Local mode",
            help="This server listens to this machine only and has no sign-in, so its user is organiser and "
            "journalist. To let others in, set up sign-in or open an organiser's link: docs/servers.md "
            "says how. Local mode then ends.",
        )
    else:
        st.sidebar.caption("You are an organiser")


def bar() -> None:
    """Say to somebody that a page is not theirs; the start page leads to their own."""
    if rates(roles()):
        remark("You were invited to rate evidence. This page belongs to organisers and journalists.")
        st.page_link("pages/rate/page.py", label="Go to your items", icon=":material/rate_review:")
        return
    if is_guest(roles()):
        remark("You were invited to a shared task. This page belongs to organisers and journalists.")
        st.page_link("pages/tasks/page.py", label="Go to your task", icon=":material/flag:")
        return
    remark(
        "Changes here count for everyone who uses this Veridesk, so this page belongs to its organisers. Open "
        "the organiser's link that you were sent, or sign in with an organiser's account."
    )
