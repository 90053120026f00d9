"""The teams of a task: invited by links, signed up and approved, sent new links, or withdrawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from urllib.parse import urlencode, urlsplit

import streamlit as st

from core.campaigns.access import is_loopback
from core.errors import VerideskError
from core.storage.store import Store
from core.tasks.shared_task import SharedTask, Team
from core.tasks.task_actions import links_table, team_state
from core.tasks.teams import (
    TeamLink,
    approve_team,
    close_sign_up,
    invite_teams,
    mark_baseline,
    new_links,
    open_sign_up,
    read_teams,
    renew_team_link,
    task_teams_of,
    withdraw_team,
)
from core.wording import counted
from pages.tasks.task_times import in_words
from pages.ui.markup import join, show, tag
from pages.ui.notices import attempt, notice, quiet, remark
from pages.ui.tables import table_files

DAYS = 180
LINKS, MADE, SIGN_UP = "task-links", "task-teams-made", "task-sign-up-link"


def show_teams(store: Store, who: str, task: SharedTask) -> None:
    """Show new links, teams that wait, the sign-up page, the form of new teams, and the teams."""
    show_links(task)
    found = task_teams_of(store, task.id, who)
    waiting, teams = ([one for one in found if one.waits == waits] for waits in (True, False))
    if waiting:
        st.subheader(f"Waiting for approval: {len(waiting)}")
    for team in waiting:
        show_team(store, who, task, team)
    show_sign_up(store, who, task)
    with st.form(f"task-invite-{task.id}"):
        # A new key empties the field; the names stay where they made no link.
        names = st.text_area(
            "Teams, one per line",
            key=f"task-team-{st.session_state.get(MADE, 0)}",
            height=80,
            help="A name, and an e-mail address after a comma if you like. Nothing is sent.",
        )
        baseline = st.checkbox(
            "These are baselines, outside the ranking", key=f"task-base-{st.session_state.get(MADE, 0)}"
        )
        sent = st.form_submit_button("Make links", type="primary", icon=":material/group_add:", key="task-invite")
    if sent:
        try:
            made = invite_teams(store, task.id, who, read_teams(names), days=DAYS, baseline=baseline)
        except VerideskError as error:
            notice(str(error))
        else:
            keep_links(task, made)
            st.session_state[MADE] = st.session_state.get(MADE, 0) + 1
            st.rerun()
    if not teams:
        remark("No team yet. Each team gets one link for all its members.")
        return
    head = st.container(horizontal=True, vertical_alignment="center")
    head.subheader(f"Teams: {len(teams)}")
    if any(one.approved and not one.revoked for one in teams):
        every = (renew_all, store, who, task)
        words = "Older links end. Nobody who opened one loses access."
        head.button("New links for all teams", key="task-renew-all", on_click=attempt, args=every, help=words)
    for team in teams:
        show_team(store, who, task, team)


def show_sign_up(store: Store, who: str, task: SharedTask) -> None:
    """Show whether teams may sign up, and the page's link in the session that opened it."""
    address = st.session_state.get(SIGN_UP, {}).get(task.id)
    with st.container(border=True, key="task-sign-up"):
        quiet(
            "The sign-up page is open. Teams wait here until you approve them."
            if task.sign_up
            else "The sign-up page is closed. Open it, and teams sign up by its link; you approve them here."
        )
        if task.sign_up and address:
            st.code(address, language=None, wrap_lines=True)
        row = st.container(horizontal=True)
        label = "Make another link" if task.sign_up else "Open the sign-up page"
        row.button(label, key="task-sign-up-open", on_click=attempt, args=(open_page, store, who, task))
        if task.sign_up:
            gone = (close_sign_up, store, task.id, who)
            row.button("Close it", key="task-sign-up-close", type="tertiary", on_click=attempt, args=gone)


def open_page(store: Store, who: str, task: SharedTask) -> None:
    token = open_sign_up(store, task.id, who)
    st.session_state.setdefault(SIGN_UP, {})[task.id] = address_of("signup", token)


def show_team(store: Store, who: str, task: SharedTask, team: Team) -> None:
    facts = (
        *([team.address] if team.address else []),
        team_state(team).capitalize(),
        *(
            [f"opened in {counted(team.joined, 'browser')}" if team.joined else "not opened yet"]
            if team.approved
            else []
        ),
        *([f"link ended {in_words(team.expires)}"] if team.expires and team.expires <= store.clock() else []),
        *(["terms accepted"] if task.plan.terms and team.terms == task.plan.terms else []),
        *(["terms not accepted"] if task.plan.terms and team.terms != task.plan.terms else []),
    )
    line = tag("p", join(tag("span", fact) for fact in facts), css="vd-facts")
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"task-team-line-{team.id}"):
        show(tag("div", tag("p", team.name, css="vd-strong vd-text"), line, css="vd"))
        for label, key, action in team_actions(store, who, task, team):
            kind: Literal["secondary", "tertiary"] = "secondary" if key == "approve" else "tertiary"
            until = f"The present link ends {in_words(team.expires)}." if key == "renew" and team.expires else None
            st.button(label, key=f"task-{key}-{team.id}", type=kind, on_click=attempt, args=action, help=until)


def team_actions(store: Store, who: str, task: SharedTask, team: Team) -> list[tuple[str, str, tuple[object, ...]]]:
    """Return the buttons of a team: label, key, and the action with its arguments."""
    at = (store, task.id, who, team.id)
    if team.waits:
        return [("Approve", "approve", (approve_team, *at)), ("Refuse", "withdraw", (withdraw_team, *at))]
    found: list[tuple[str, str, tuple[object, ...]]] = [("New link", "renew", (renew, store, who, task, team))]
    if not team.revoked:
        label = "Rank it" if team.baseline else "Baseline"
        found.append((label, "baseline", (set_baseline, store, who, task, team)))
        found.append(("Withdraw", "withdraw", (withdraw_team, *at)))
    return found


def set_baseline(store: Store, who: str, task: SharedTask, team: Team) -> None:
    mark_baseline(store, task.id, who, team.id, baseline=not team.baseline)


def renew(store: Store, who: str, task: SharedTask, team: Team) -> None:
    token = renew_team_link(store, task.id, who, team.id, days=DAYS)
    keep_links(task, [TeamLink(team.name, team.address, token)])


def renew_all(store: Store, who: str, task: SharedTask) -> None:
    keep_links(task, new_links(store, task.id, who, days=DAYS))


def keep_links(task: SharedTask, links: Sequence[TeamLink]) -> None:
    kept = st.session_state.setdefault(LINKS, {}).setdefault(task.id, {})
    for one in links:
        kept[one.team] = {"team": one.team, "address": one.address, "link": address_of("invite", one.token)}


def address_of(name: str, token: str) -> str:
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}?{urlencode({name: token})}"


def show_links(task: SharedTask) -> None:
    """Show new links until the organiser confirms that they are copied: the server keeps only a hash."""
    links: dict[str, dict[str, str]] = st.session_state.get(LINKS, {}).get(task.id, {})
    if not links:
        return
    with st.container(border=True, key="vd-new-link"):
        quiet("Copy each link now and send it to its team alone. It opens the team's submissions.")
        if len(links) > 1:
            quiet("The download has all links with the teams' addresses.")
            table_files(links_table(list(links.values())), task.id)
        for row in links.values():
            show(tag("p", f"The link of {row['team']}", css="vd vd-strong"))
            st.code(row["link"], language=None, wrap_lines=True)
        if is_loopback(urlsplit(row["link"]).hostname or ""):
            remark("Only this machine can open these links. Make them under the server's public address.")
        words = "I have copied it" if len(links) == 1 else "I have copied them"
        st.button(
            words, icon=":material/check:", on_click=st.session_state[LINKS].pop, args=(task.id,), key="task-copied"
        )
