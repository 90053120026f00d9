"""The form of Lab: one claim and its evidence, as on Verify, and recipes and models to compare."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import streamlit as st

from core.errors import BadInput, VerideskError
from core.models.installed import available_models, default_choice
from core.verification.recipes.catalogue import DEFAULT
from core.wording import counted
from pages.ui.app_state import AppState
from pages.ui.claim_form import claim_draft, typed_request
from pages.ui.claim_form.claim_fields import claim_fields
from pages.ui.claim_form.evidence_fields import evidence_fields
from pages.ui.claim_form.recipe_choice import done_by, offered_recipes
from pages.ui.claim_form.search_order import given_consent, send_label, shown_consent
from pages.ui.make_once import start_once
from pages.ui.markup import plain, show, tag
from pages.ui.notices import attempt_button, notice, quiet

MAX = 8
"""The most cases of one comparison: every published design once."""

FIRST = [DEFAULT, "question_first"]

SENT = "lab-sent"
"""Session key of the cases just sent, until the page writes its address."""


def show_form(at: AppState, who: str) -> None:
    claim_draft.restore(at.store, who)
    show(tag("div", tag("h1", "Which way suits this claim?", css="vd-claim"), css="vd"))
    quiet("Compare several recipes or models on the same claim and documents.")
    claim_fields()
    evidence_fields()
    choice_fields()
    recipes, models = chosen()
    count = len(recipes) * len(models)
    say_count(count)
    consent = shown_consent()
    attempt_button(
        f"{send_label(consent, 'Compare')}, {count} times" if consent.queries else "Compare",
        submit,
        at,
        who,
        type="primary",
        icon="science",
        disabled=not 2 <= count <= MAX,
        key="lab-send",
    )
    if refused := st.session_state.pop("lab-refused", ""):
        notice(refused)
    claim_draft.keep(at.store, who)


def choice_fields() -> None:
    """Show the choices to compare."""
    offered = offered_recipes()
    picked = st.pills(
        "Recipes",
        list(offered),
        selection_mode="multi",
        default=FIRST,
        format_func=lambda name: plain(offered[name].title) if name in offered else name,
        key="lab-recipes",
        persist_state="session",
        help="Each recipe is the design of a published system. A recipe file from Verify is listed here too.",
    )
    names = {choice.id: choice.name for choice in available_models()}
    if len(names) > 1:
        preferred = default_choice().id
        st.multiselect(
            "Language models",
            list(names),
            default=[preferred] if preferred in names else [],
            format_func=lambda choice: names.get(choice, choice),
            key="lab-models",
            persist_state="session",
            help="Every recipe runs with every model. Add models on the page Models.",
        )
    for name in picked:
        if name in offered:
            quiet(f"{offered[name].title}: {offered[name].summary}")


def chosen() -> tuple[list[str], list[str]]:
    """Return the names of the recipes and the ids of the models that are chosen in the form now."""
    offered = offered_recipes()
    models = [choice.id for choice in available_models()]
    recipes = [name for name in st.session_state["lab-recipes"] if name in offered]
    return recipes, models if len(models) == 1 else st.session_state["lab-models"]


def say_count(count: int) -> None:
    if count < 2:
        quiet("Choose two recipes, or two models, to compare.")
    elif count > MAX:
        quiet(f"{count} cases are too many side by side: the limit is {MAX}.")
    else:
        quiet(f"{counted(count, 'case')}; a model on this machine works on one at a time.")


def submit(at: AppState, who: str) -> None:
    """Queue one case for each recipe and model; if one is refused, delete the others."""
    if "cases" in st.query_params:
        return  # a second click before the page showed the first click's cases
    sent: list[str] = []
    recipes, models = chosen()
    try:
        asked = typed_request.request(given_consent(), recipe=DEFAULT)
        if not 2 <= len(recipes) * len(models) <= MAX:
            raise BadInput(f"Choose between two and {MAX} recipes or models.")
        for model, recipe in product(models, recipes):  # model by model, so that each is loaded once
            sent.append(start_once(at.cases, who, replace(done_by(asked, recipe), model=model)))
    except VerideskError as error:
        for case_id in sent:
            at.queue.cancel(case_id, who)
            at.jobs.delete(case_id, who)
        st.session_state["lab-refused"] = str(error)
        return
    st.session_state[SENT] = ",".join(sent)
