"""The form of a new campaign: what is rated, what is asked, who rates how much, and the draw before it is made."""

from __future__ import annotations

import math
from dataclasses import replace

import altair as alt
import pandas as pd
import streamlit as st

from core.agreement.ratings import RatingImport
from core.campaigns.exchange.importing import import_ratings
from core.campaigns.organising import create_campaign
from core.campaigns.planning.plans import CampaignPlan, checked_plan
from core.campaigns.planning.sampling import (
    HIGH,
    LOW,
    Stratum,
    gold_controls,
    in_drawing_order,
    strata,
    stratified_sample,
)
from core.errors import VerideskError
from core.storage.store import Store
from core.tabular.charts import COLOURS
from core.wording import counted
from pages.campaigns.controls import control_fields, controls_of, key_fields, name_of
from pages.campaigns.draft import NONE, begin_anew, chosen_form, field, keep, restore, value
from pages.campaigns.pool import Pool, example_pool
from pages.campaigns.scales import scale_fields
from pages.campaigns.sources import source_fields
from pages.ui.app_state import desk
from pages.ui.markup import readable, show, tag
from pages.ui.notices import notice, quiet

EXAMPLE_TITLE = "Example: six made-up claims, two systems"
EXAMPLE_SEED = 2025


def show_form(store: Store, who: str) -> None:
    """Show the form; when it is sent, create the campaign and go to it."""
    restore(desk().store, who)
    st.text_input("Title", key=field("title"), max_chars=200, persist_state="session", placeholder="Pilot, May 2025")
    heading("What is rated")
    pool = source_fields(who)
    heading("What is asked")
    scale_fields()
    heading("Who rates how much")
    load_fields()
    heading("The draw")
    if pool is None:
        quiet("The draw is shown here as soon as there is something to draw from.")
        st.button("Create the campaign", type="primary", disabled=True)
    else:
        draw_and_create(store, who, pool)
    keep(desk().store, who)


def heading(words: str) -> None:
    show(tag("div", tag("h2", words, css="vd-heading"), css="vd"))


def load_fields() -> None:
    first, second, third = st.columns(3)
    first.number_input(
        "Ratings an item",
        1,
        50,
        key=field("ratings"),
        persist_state="session",
        help="How many people rate the same evidence. With two or more, their agreement can be measured.",
    )
    second.number_input(
        "Items a rater",
        1,
        1000,
        key=field("load"),
        persist_state="session",
        help="The shared task gave 35 to each rater, 5 of them controls.",
    )
    third.number_input(
        "Controls among them",
        0,
        100,
        key=field("controls"),
        persist_state="session",
        disabled=value("kind") == NONE,
    )


def draw_fields(pool: Pool) -> None:
    first, second, third = st.columns(3, vertical_alignment="bottom")
    first.number_input("Items to draw", 1, 100_000, key=field("draw"), persist_state="session", disabled=carries(pool))
    if value("metric") not in ("", *pool.metrics):
        st.session_state[field("metric")] = next(iter(pool.metrics), "")
    second.selectbox(
        "High and low by",
        ["", *pool.metrics],
        key=field("metric"),
        persist_state="session",
        format_func=lambda name: readable(name) or "No score",
        disabled=not pool.metrics,
        help="Within each system, half of the items come from the higher half of this score and half from the lower."
        if pool.metrics
        else "The items came without scores.",
    )
    third.number_input(
        "Seed",
        0,
        2**31 - 1,
        key=field("seed"),
        persist_state="session",
        help="The same seed and the same files draw the same items. It is kept with the campaign.",
    )


def say_scoreless(pool: Pool) -> None:
    """Say how to draw over high and low scores, where there are none."""
    if not pool.metrics and len(pool.systems) > 1:
        quiet(
            "Without scores the draw is even over systems only. Add a file of scores above, or score the files on "
            "Score submissions and choose that run, to draw over high and low scores too."
        )


def draw_and_create(store: Store, who: str, pool: Pool) -> None:
    draw_fields(pool)
    say_scoreless(pool)
    control_fields(pool)
    try:
        plan = plan_of(pool)
        show_draw(pool, plan)
    except VerideskError as error:
        notice(str(error))
        st.button("Create the campaign", type="primary", disabled=True)
        return
    if trouble := st.session_state.pop("campaign-trouble", ""):
        notice(trouble)
    st.button(
        "Create the campaign",
        type="primary",
        icon=":material/add_task:",
        on_click=create,
        args=(store, who, pool, plan),
    )


def create(store: Store, who: str, pool: Pool, plan: CampaignPlan) -> None:
    """Create the campaign, with the ratings that are there already, and go to it; in a callback."""
    try:
        campaign = create_campaign(store, who, checked_plan(plan))
    except VerideskError as error:
        st.session_state["campaign-trouble"] = str(error)
        return
    if pool.ratings is not None and value("carry"):
        st.session_state["campaign-said"] = (campaign, taken_over(store, who, campaign, pool.ratings))
    begin_anew()
    keep(desk().store, who)
    st.query_params.from_dict({"campaign": campaign})


def taken_over(store: Store, who: str, campaign: str, ratings: RatingImport) -> tuple[str, ...]:
    """Import finished ratings, and return what became of them in sentences."""
    try:
        imported = import_ratings(store, campaign, who, ratings)
    except VerideskError as error:
        return (f"The campaign is made, but no rating was taken over: {error}",)
    skipped = [f"Row {one.row}: {one.reason}." for one in imported.skipped]
    return (f"{counted(imported.kept, 'rating')} taken over, {len(skipped)} not.", *imported.notes, *skipped)


def carries(pool: Pool) -> bool:
    return pool.ratings is not None and bool(value("carry"))


def plan_of(pool: Pool) -> CampaignPlan:
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
    )
    checked_plan(replace(plan, title=plan.title or "…"))
    return plan


def show_draw(pool: Pool, plan: CampaignPlan) -> None:
    drawn = [item for item in plan.items if not item.control]
    controls = len(plan.items) - len(drawn)
    taken = {item.item for item in plan.items if item.control}
    free = [item for item in pool.items if item.item not in taken]
    groups = strata(free, drawn, seed=plan.seed, metric=value("metric"))
    if any(group.system for group in groups):
        show_strata(groups)
    quiet(needed(len(drawn), controls, plan))
    with st.expander(f"The {counted(len(plan.items), 'item')} of this draw", icon=":material/list:"):
        st.dataframe(
            pd.DataFrame(
                {
                    "Claim": readable(item.claim),
                    "System": readable(item.system),
                    "Drawn from": readable(item.stratum),
                    "Score": item.scores.get(value("metric")),
                    "Pairs": len(item.evidence),
                    "Gold": item.gold.value if item.gold else "",
                }
                for item in plan.items
            ),
            hide_index=True,
            height=320,
            column_config={"Score": readable(value("metric")) or "Score"},
        )


def needed(items: int, controls: int, plan: CampaignPlan) -> str:
    """Say how many ratings that makes, and how many raters they need at least."""
    wanted = items * plan.ratings_per_item
    each = plan.items_per_rater - plan.controls_per_rater
    raters = max(plan.ratings_per_item, math.ceil(wanted / each))
    besides = f", and {counted(controls, 'control item')}" if controls else ""
    return (
        f"{counted(items, 'item')} × {counted(plan.ratings_per_item, 'rating')} = {counted(wanted, 'rating')}"
        f"{besides}. With {each} items each besides controls "
        f"that takes {counted(raters, 'rater')} at least; more where raters belong to the systems' teams."
    )


def show_strata(groups: tuple[Stratum, ...]) -> None:
    """Show how many items were drawn of each system, from high and from low scores."""
    names = {HIGH: "higher half", LOW: "lower half"}
    frame = pd.DataFrame(
        {
            "System": readable(group.system),
            "Half": names.get(group.half, "no score"),
            "Drawn": group.drawn,
            "Available": group.available,
        }
        for group in groups
    )
    order = ["higher half", "lower half", "no score"]
    chart = (
        alt.Chart(frame)
        .mark_bar(stroke="#80808080")
        .encode(
            y=alt.Y("System:N", title=None, axis=alt.Axis(labelLimit=140)),
            x=alt.X("sum(Drawn):Q", title="Items drawn", axis=alt.Axis(tickMinStep=1, format="d")),
            color=alt.Color(
                "Half:N",
                sort=order,
                scale=alt.Scale(domain=order, range=list(COLOURS[:3])),
                legend=alt.Legend(orient="bottom", title=None),
            ),
            tooltip=["System", "Half", "Drawn", "Available"],
        )
        .properties(height=130 + 34 * frame["System"].nunique())
    )
    st.altair_chart(chart, alt="Items drawn of each system, by half of its scores")


def create_example(store: Store, who: str) -> str:
    """Create the example campaign and return its id: four claims of two systems, and two controls."""
    pool = example_pool()
    controls = gold_controls(pool.gold, n=2, seed=EXAMPLE_SEED)
    taken = {control.claim for control in controls}
    items = in_drawing_order([item for item in pool.items if item.claim not in taken], EXAMPLE_SEED)
    plan = CampaignPlan(
        EXAMPLE_TITLE,
        (*items, *controls),
        seed=EXAMPLE_SEED,
        ratings_per_item=2,
        items_per_rater=10,
        controls_per_rater=2,
    )
    return create_campaign(store, who, plan)
