"""Who rates how much, and the draw before it is made: its fields, its balance, its cost."""

from __future__ import annotations

import math

import altair as alt
import pandas as pd
import streamlit as st

from core.campaigns.planning.plans import CampaignPlan
from core.campaigns.planning.sampling import HIGH, LOW, Stratum, strata
from core.tabular.charts import COLOURS
from core.wording import counted
from pages.campaigns.campaign_draft import NONE, field, value
from pages.campaigns.pool import ItemPool
from pages.ui.markup import readable
from pages.ui.notices import quiet


def load_fields() -> None:
    first, second, third = st.columns(3)
    first.number_input(
        "Ratings per item",
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


def draw_fields(pool: ItemPool) -> None:
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


def say_scoreless(pool: ItemPool) -> None:
    """Say how to draw over high and low scores, where there are none."""
    if not pool.metrics and len(pool.systems) > 1:
        quiet(
            "Without scores the draw is even over systems only. To draw by score too, add a file of "
            "scores above, or choose a run of Score submissions."
        )


def carries(pool: ItemPool) -> bool:
    return pool.ratings is not None and bool(value("carry"))


def show_draw(pool: ItemPool, plan: CampaignPlan) -> None:
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
    """Say how many ratings the items need, and the fewest raters for them."""
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
