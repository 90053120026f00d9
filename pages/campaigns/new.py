"""The form of a new campaign: its items, its questions, the shares of raters, and the draw."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.agreement.ratings import RatingImport
from core.campaigns.exchange.importing import import_ratings
from core.campaigns.organising import create_campaign
from core.campaigns.planning.comparisons import comparison_items
from core.campaigns.planning.plans import CampaignPlan, checked_plan
from core.campaigns.planning.sampling import practice_items, stratified_sample
from core.errors import VerideskError
from core.storage.store import Store
from core.wording import counted
from pages.campaigns.campaign_draft import OWN, SHARED, begin_anew, chosen_form, field, keep, restore, take_case, value
from pages.campaigns.controls import control_fields, controls_of, key_fields, name_of
from pages.campaigns.draw import carries, draw_fields, load_fields, say_scoreless, show_draw
from pages.campaigns.own_form import own_form_fields
from pages.campaigns.pool import ItemPool
from pages.campaigns.scales import scale_fields
from pages.campaigns.sources import source_fields
from pages.campaigns.telling import chosen_options, telling_fields
from pages.ui.app_state import app_state
from pages.ui.make_once import make_once
from pages.ui.markup import readable, show, tag
from pages.ui.notices import notice, quiet

CREATED = "campaign-created"
"""The state that holds a campaign just made until the next run, which may empty the form, leads to it."""


def show_form(store: Store, who: str) -> None:
    """Show the form; when it is sent, create the campaign and go to it."""
    leave_for_the_new_one(who)
    restore(app_state().store, who)
    take_case()
    st.text_input("Title", key=field("title"), max_chars=200, persist_state="session", placeholder="Pilot, May 2025")
    heading("What is rated")
    pool = source_fields(who)
    heading("What is asked")
    own = form_fields()
    heading("Texts for raters")
    telling_fields(practice=pool is not None and bool(pool.gold) and not own)
    heading("Who rates how much")
    load_fields()
    heading("The draw")
    if pool is None:
        quiet("The draw is shown here as soon as there is something to draw from.")
        st.button("Create the campaign", type="primary", disabled=True, key="campaign-create")
    else:
        draw_and_create(store, who, pool)
    keep(app_state().store, who)


def form_fields() -> bool:
    """Ask for the form; return whether it is one of the organiser's own."""
    st.segmented_control("Form", (SHARED, OWN), key=field("form"), required=True, persist_state="session")
    if value("form") == OWN:
        own_form_fields()
    else:
        scale_fields()
    return bool(value("form") == OWN)


def heading(words: str) -> None:
    show(tag("div", tag("h2", words, css="vd-heading"), css="vd"))


def draw_and_create(store: Store, who: str, pool: ItemPool) -> None:
    try:
        compared = comparison_items(pool.items, chosen_form().kind)
    except VerideskError as error:
        notice(str(error))
        st.button("Create the campaign", type="primary", disabled=True, key="campaign-create")
        return
    pool = replace(pool, items=compared.items)
    for note in compared.notes:
        quiet(note)
    draw_fields(pool)
    say_scoreless(pool)
    control_fields(pool)
    try:
        plan = plan_of(pool)
        show_draw(pool, plan)
    except VerideskError as error:
        notice(str(error))
        st.button("Create the campaign", type="primary", disabled=True, key="campaign-create")
        return
    # No callback: one would get the previous draw's plan, without the text typed just before the click.
    if st.button("Create the campaign", type="primary", icon=":material/add_task:", key="campaign-create"):
        create(store, who, pool, plan)


def create(store: Store, who: str, pool: ItemPool, plan: CampaignPlan) -> None:
    """Create the campaign with the existing ratings, and go to it; name any obstacle."""
    try:
        checked = checked_plan(plan)
        campaign = make_once("campaign", (who, checked), lambda: create_campaign(store, who, checked))
    except VerideskError as error:
        notice(str(error))
        return
    if pool.ratings is not None and value("carry"):
        st.session_state["campaign-said"] = (campaign, taken_over(store, who, campaign, pool.ratings))
    st.session_state[CREATED] = campaign
    st.rerun()


def leave_for_the_new_one(who: str) -> None:
    """Empty the form and go to the campaign that was just made of it, if one was."""
    if campaign := st.session_state.pop(CREATED, ""):
        begin_anew()
        keep(app_state().store, who)
        st.query_params.from_dict({"campaign": campaign})
        st.rerun()


def taken_over(store: Store, who: str, campaign: str, ratings: RatingImport) -> tuple[str, ...]:
    """Import finished ratings, and return the results in sentences."""
    try:
        imported = import_ratings(store, campaign, who, ratings)
    except VerideskError as error:
        return (f"The campaign is made, but no rating was imported: {error}",)
    skipped = [f"Row {one.row}: {one.reason}." for one in imported.skipped]
    return (f"{counted(imported.kept, 'rating')} taken over, {len(skipped)} not.", *imported.notes, *skipped)


def plan_of(pool: ItemPool) -> CampaignPlan:
    """Return the plan that the form describes, its title perhaps still empty. Raises BadInput with the way out."""
    form, seed = chosen_form(), int(value("seed"))
    keys = key_fields(pool, form)
    # Files of scores know a control by its claim's id: no other system's answer to that claim may be drawn.
    taken = {item.item for item in pool.items if readable(name_of(item)) in keys}
    free = [item for item in pool.items if item.item not in taken]
    wanted = len(free) if carries(pool) else int(value("draw"))
    drawn = stratified_sample(free, n=wanted, seed=seed, metric=value("metric"))
    controls = controls_of(pool, drawn, keys, seed)
    plan = CampaignPlan(
        title=str(value("title")).strip(),
        items=(*drawn, *controls),
        form=form,
        seed=seed,
        ratings_per_item=int(value("ratings")),
        items_per_rater=int(value("load")),
        controls_per_rater=int(value("controls")) if controls else 0,
        practice=practice_items(pool.gold, n=int(value("practice")), seed=seed, without=(*drawn, *controls)),
        options=chosen_options(),
    )
    checked_plan(replace(plan, title=plan.title or "…"))
    return plan
