"""The control items of a new campaign, and their right answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.agreement.ratings import MajorError
from core.campaigns.planning.form_questions import AnswerKind, FormQuestion
from core.campaigns.planning.plans import CampaignItem, ControlKey
from core.campaigns.planning.rating_form import Form
from core.campaigns.planning.sampling import gold_controls
from core.errors import BadInput
from core.types import Label
from pages.campaigns.campaign_draft import BY_HAND, CONTROLS, MADE, NONE, SHARED, field, value
from pages.campaigns.pool import ItemPool
from pages.ui.markup import readable
from pages.ui.notices import quiet

UNCHECKED = "any"


def control_fields(pool: ItemPool) -> None:
    """Ask where control items come from."""
    # Without gold annotations there is nothing to make controls of.
    offered = CONTROLS if pool.gold and value("form") == SHARED else (BY_HAND, NONE)
    if value("kind") not in offered:
        st.session_state[field("kind")] = NONE
    st.segmented_control(
        "Control items",
        offered,
        key=field("kind"),
        required=True,
        persist_state="session",
        help="Items with known right answers, hidden among the others. They measure the raters, and no table of "
        "systems counts them.",
    )
    if value("kind") == MADE:
        st.number_input("How many control items", 1, 200, key=field("made"), persist_state="session")
        quiet(
            "They are made from annotated claims that are not drawn, in turn. One claim has its own reference evidence "
            "(right: no major error, the annotated verdict, coverage and relevance 4 or 5). The next has another "
            "claim's evidence (right: completely irrelevant)."
        )
    elif value("kind") == BY_HAND:
        by_hand(pool)


def by_hand(pool: ItemPool) -> None:
    names = {name_of(item): item for item in pool.items}
    st.session_state[field("chosen")] = [name for name in value("chosen") if name in names]
    st.multiselect(
        "Items that are controls",
        list(names),
        key=field("chosen"),
        persist_state="session",
        format_func=lambda name: readable(f"{name}: {names[name].claim}"),
        help="Their claims are taken out of the draw. Begin to write an id, a system or a word of the claim.",
    )


def key_fields(pool: ItemPool, form: Form) -> dict[str, ControlKey]:
    """Show the key of the items chosen by hand as a table to change; return it by the items' names."""
    names = {name_of(item): item for item in pool.items}
    chosen = [name for name in value("chosen") if name in names]
    if not chosen or value("kind") != BY_HAND:
        return {}
    rows = [key_row(name, names[name], form) for name in chosen]
    columns: dict[str, Any] = {"Item": st.column_config.TextColumn(disabled=True)}
    if not form.own:
        columns["Major error"] = st.column_config.SelectboxColumn(options=[UNCHECKED, *MajorError], required=True)
        columns["Verdict"] = st.column_config.SelectboxColumn(options=[UNCHECKED, *Label], required=True)
    systems = sorted({system for name in chosen for system in names[name].systems})
    for one in named_answers(form.bound(systems)):
        options = [UNCHECKED, *(option.value for option in one.options)]
        columns[one.title] = st.column_config.SelectboxColumn(options=options, required=True)
    for one in scales_of(form):
        low, high = int(one.options[0].value), int(one.options[-1].value)
        for end in ("from", "to"):
            columns[f"{one.title} {end}"] = st.column_config.NumberColumn(min_value=low, max_value=high, step=1)
    st.caption("The right answer; an empty cell, or “any”, is not checked.")
    edited = st.data_editor(
        pd.DataFrame(rows),
        hide_index=True,
        column_config=columns,
        # Another set of items or scales is another table: edits of one must not change the rows of the other.
        key="|".join(("campaign-key", *chosen, *(one.name for one in form.questions))),
        alt="The right answers to the control items",
    )
    return {str(row["Item"]): key_of(row, form) for row in edited.to_dict("records")}


def key_row(name: str, item: CampaignItem, form: Form) -> dict[str, Any]:
    """Return the key that is offered: the annotated verdict, and nothing on the scales."""
    gold = item.gold.value if item.gold else UNCHECKED
    row: dict[str, Any] = {"Item": readable(name)}
    if not form.own:
        row |= {"Major error": MajorError.NONE.value, "Verdict": gold}
    row |= {one.title: UNCHECKED for one in named_answers(form)}
    return row | {f"{one.title} {end}": None for one in scales_of(form) for end in ("from", "to")}


def named_answers(form: Form) -> list[FormQuestion]:
    """Return the questions of a form of one's own that a label or a system answers."""
    return [one for one in form.own if one.answer in (AnswerKind.LABELS, AnswerKind.CHOICE)]


def scales_of(form: Form) -> list[FormQuestion]:
    return [one for one in form.questions if one.answer is AnswerKind.SCALE]


def key_of(row: Mapping[Any, Any], form: Form) -> ControlKey:
    given = {}
    for one in scales_of(form):
        low, high = row[f"{one.title} from"], row[f"{one.title} to"]
        if not (pd.isna(low) and pd.isna(high)):
            first, last = one.options[0].value, one.options[-1].value
            given[one.name] = (int(first if pd.isna(low) else low), int(last if pd.isna(high) else high))
    wrong = next((name for name, (low, high) in given.items() if low > high), "")
    if wrong:
        raise BadInput(f"Control item {row['Item']}: {wrong} goes from {given[wrong][0]} to {given[wrong][1]}.")
    if form.own:
        answers = {one.name: str(row[one.title]) for one in named_answers(form)}
        return ControlKey(scales=given, own={name: said for name, said in answers.items() if said != UNCHECKED})
    return ControlKey(
        None if row["Major error"] == UNCHECKED else MajorError(row["Major error"]),
        None if row["Verdict"] == UNCHECKED else Label(row["Verdict"]),
        given,
    )


def controls_of(
    pool: ItemPool, drawn: Sequence[CampaignItem], keys: dict[str, ControlKey], seed: int
) -> tuple[CampaignItem, ...]:
    """Return the control items of the plan. Raises BadInput where there cannot be as many as asked for."""
    if value("kind") == NONE:
        return ()
    if value("kind") == BY_HAND:
        return tuple(
            replace(item, control=True, control_key=keys[readable(name_of(item))], stratum="control")
            for item in pool.items
            if readable(name_of(item)) in keys
        )
    return gold_controls(pool.gold, n=int(value("made")), seed=seed, without=drawn)


def name_of(item: CampaignItem) -> str:
    return f"{item.item} · {item.system}" if item.system else item.item
