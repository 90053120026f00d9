"""The teams of a task: invited by a link that is shown once, sent a new one, or withdrawn."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

import streamlit as st

from core.campaigns.access import is_loopback
from core.errors import VerideskError
from core.storage.store import Store
from core.tasks.shared_task import SharedTask, Team
from core.tasks.teams import invite_team, renew_team_link, task_teams_of, withdraw_team
from core.wording import counted
from pages.tasks.task_times import in_words
from pages.ui.markup import join, plain, show, tag
from pages.ui.notices import attempt, notice, quiet, remark

DAYS = 180
LINKS, MADE = "task-links", "task-teams-made"


def show_teams(store: Store, who: str, task: SharedTask) -> None:
    """Show the form of a new team, links that are not copied yet, and the teams."""
    show_links(task)
    with st.form(f"task-invite-{task.id}"):
        # A new key empties the field; the name stays where it made no link.
        name = st.text_input("Team", key=f"task-team-{st.session_state.get(MADE, 0)}", max_chars=200)
        sent = st.form_submit_button("Make a link", type="primary", icon=":material/group_add:", key="task-invite")
    if sent:
        try:
            keep_link(task, name, invite_team(store, task.id, who, name, days=DAYS))
        except VerideskError as error:
            notice(str(error))
        else:
            st.session_state[MADE] = st.session_state.get(MADE, 0) + 1
            st.rerun()
    teams = task_teams_of(store, task.id, who)
    if not teams:
        remark("No team yet. Each team gets one link for all its members.")
    for team in teams:
        with st.container(border=True, gap="xsmall", key=f"task-team-line-{team.id}"):
            show_team(store, who, task, team)


def show_team(store: Store, who: str, task: SharedTask, team: Team) -> None:
    facts = (
        "withdrawn" if team.revoked else f"opened in {counted(team.joined, 'browser')}",
        f"link ends {in_words(team.expires)}" if team.expires else "no link",
    )
    line = tag("p", join(tag("span", fact) for fact in facts), css="vd-facts")
    show(tag("div", tag("p", team.name, css="vd-strong vd-text"), line, css="vd"))
    with st.container(horizontal=True, gap="medium"):
        new = (renew, store, who, task, team)
        st.button("New link", key=f"task-renew-{team.id}", type="tertiary", on_click=attempt, args=new)
        if not team.revoked:
            gone = (withdraw_team, store, task.id, who, team.id)
            st.button(
                "Withdraw",
                key=f"task-withdraw-{team.id}",
                type="tertiary",
                on_click=attempt,
                args=gone,
                help=f"{plain(team.name)} loses its access and its rank. Its submissions are kept.",
            )


def renew(store: Store, who: str, task: SharedTask, team: Team) -> None:
    keep_link(task, team.name, renew_team_link(store, task.id, who, team.id, days=DAYS))


def keep_link(task: SharedTask, name: str, token: str) -> None:
    parts = urlsplit(st.context.url or "")
    address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}?{urlencode({'invite': token})}"
    st.session_state.setdefault(LINKS, {}).setdefault(task.id, {})[name] = address


def show_links(task: SharedTask) -> None:
    """Show new links until the organiser confirms that they are copied: the server keeps only a hash."""
    links: dict[str, str] = st.session_state.get(LINKS, {}).get(task.id, {})
    if not links:
        return
    with st.container(border=True, key="vd-new-link"):
        quiet("Copy each link now and send it to its team alone. It opens the team's submissions.")
        for name, address in links.items():
            show(tag("p", f"The link of {name}", css="vd vd-strong"))
            st.code(address, language=None, wrap_lines=True)
        if is_loopback(urlsplit(address).hostname or ""):
            remark("Only this machine can open these links. Make them under the server's public address.")
        words = "I have copied it" if len(links) == 1 else "I have copied them"
        st.button(
            words, icon=":material/check:", on_click=st.session_state[LINKS].pop, args=(task.id,), key="task-copied"
        )
