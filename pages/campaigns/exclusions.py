"""Leaving a rater or single ratings out of every figure."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.campaigns.excluding import MAX_REASON, excluded_now, exclusion_history, set_excluded
from core.campaigns.inviting import invited_raters
from core.campaigns.results import all_assigned
from core.campaigns.types import Campaign, Exclusion
from core.errors import BadInput
from core.storage.store import Store
from core.wording import counted
from pages.ui.markup import plain, readable, show, tag
from pages.ui.notices import attempt_button, quiet

ALL = "everything"


def show_exclusions(store: Store, who: str, campaign: Campaign) -> None:
    """Take or take back an exclusion with its reason. It does not refresh by itself: people write here."""
    raters = [one.pseudonym for one in invited_raters(store, campaign.id, who)]
    if not raters:
        return
    history = exclusion_history(store, campaign.id, who)
    excluded = excluded_now(history)
    words = f"Exclusions: {counted(len(excluded), 'exclusion')} in force" if history else "Exclude a rater or a rating"
    with st.expander(words, icon=":material/person_off:", key=f"exclusions-{campaign.id}"):
        quiet(
            "Excluded ratings are in no figure and no table of agreement. Their items go to other raters, and "
            "exports keep them with the reason. It can be taken back."
        )
        exclusion_form(store, who, campaign, raters)
        names = {item.id: item.item for item in campaign.plan.items}
        for current in excluded.values():
            show_excluded(store, who, campaign.id, current, names.get(current.item, ""))
        for past in history[::-1]:
            quiet(history_line(past, names.get(past.item, "")))


def exclusion_form(store: Store, who: str, campaign: Campaign, raters: Sequence[str]) -> None:
    left, right = st.columns(2)
    key = f"exclude-{campaign.id}"
    rater = left.selectbox("Rater", raters, key=f"{key}-rater")
    names = {item.id: f"{item.item} · {item.claim[:60]}" for item in campaign.plan.items}
    mine = [one.item for one in all_assigned(store, campaign.id, who) if one.rater == rater]
    right.selectbox(
        "What", [ALL, *mine], key=f"{key}-item-{rater}", format_func=lambda one: readable(names.get(one, "everything"))
    )
    st.text_input("Reason", key=f"{key}-reason", max_chars=MAX_REASON, placeholder="Failed 4 of 5 controls.")
    attempt_button("Exclude", exclude, store, campaign.id, who, str(rater), key=key)


def exclude(store: Store, campaign: str, who: str, shown: str) -> None:
    """Exclude the form's current choice. Raises BadInput if it is not of the rater shown."""
    key = f"exclude-{campaign}"
    if st.session_state[f"{key}-rater"] != shown:
        raise BadInput("Another rater was chosen at that moment. Check the choice, and press again.")
    item = str(st.session_state[f"{key}-item-{shown}"])
    change(store, campaign, who, shown, "" if item == ALL else item, True)


def change(store: Store, campaign: str, who: str, rater: str, item: str, excluded: bool) -> None:
    """Exclude or take back, with the reason that is written in the form; in a callback."""
    field = f"exclude-{campaign}-reason"
    reason = str(st.session_state.get(field, "")) if excluded else "Taken back."
    set_excluded(store, campaign, who, rater, reason, item=item, excluded=excluded)
    st.session_state[field] = ""


def show_excluded(store: Store, who: str, campaign: str, one: Exclusion, item: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        show(tag("p", f"{one.rater}, {item or ALL}: {one.reason}", css="vd vd-text"))
        attempt_button(
            f"Take {plain(one.rater)} back in" if not item else f"Take {plain(item)} of {plain(one.rater)} back in",
            change,
            store,
            campaign,
            who,
            one.rater,
            one.item,
            False,
            key=f"include-{campaign}-{one.rater}-{one.item}",
            type="tertiary",
        )


def history_line(one: Exclusion, item: str) -> str:
    did = "excluded" if one.excluded else "taken back in"
    return f"{one.rater}, {item or ALL}: {did}. {one.reason}"
