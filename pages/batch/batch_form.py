"""The form of Batch: a file of claims, a store for each, and the settings."""

from __future__ import annotations

import os
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.batch.batch_job import MAX_WORKERS, Batches, batch_files
from core.batch.command import BatchSettings
from core.errors import VerideskError
from core.models.installed import default_choice
from core.settings import settings
from core.verification.recipes.catalogue import RECIPES
from core.verification.recipes.recipe_files import recipe_toml
from core.wording import counted
from pages.batch.batch_files import Ready, claims_field, example, take_collection, with_documents
from pages.batch.stores import stores_field
from pages.ui.action_form import ActionForm
from pages.ui.app_state import app_state
from pages.ui.cases import STATES, recipe_title
from pages.ui.claim_form import claim_draft
from pages.ui.claim_form.recipe_choice import offered_recipes
from pages.ui.make_once import start_once
from pages.ui.markup import show, tag
from pages.ui.model_field import draw_model
from pages.ui.notices import notice, quiet
from pages.ui.server_paths import checked_path, chosen_training

How = tuple[BatchSettings, int, str]
"""The settings, the number of workers, and the path of documents for every claim."""

RECIPE_HELP = "Lab compares recipes on one claim. A recipe file from Verify is listed here too."
WITHIN_HELP = "The shared task allows 60. Above the limit, Veridesk reads and asks less, and lists the cuts."


def batches() -> Batches:
    return app_state().batches


def show_form(who: str) -> None:
    """Show the form; start the batch after the press of a button."""
    quiet(
        "Check a list of claims. Each becomes a case, and all together form a submission to the shared task. A "
        "batch runs in the background and resumes after a restart."
    )
    claim_draft.restore(app_state().store, who)  # a recipe file uploaded on Verify
    take_collection()
    read = claims_field()
    given = stores_field([] if read is None else list(read.asked.ids))
    how = how_fields(who)
    row = st.container(horizontal=True)
    pressed = row.button(
        "Start", type="primary", icon=":material/play_arrow:", disabled=read is None or given is None, key="batch-start"
    )
    tried = row.button(
        "Try the examples", help="The bundled example claims with their documents: under a minute.", key="batch-example"
    )
    try:
        if pressed and read and given:
            begin(who, with_documents(done_so(read, how), given))
        elif tried:
            begin(who, done_so(example(), how))
    except VerideskError as error:
        notice(str(error))


def begin(who: str, ready: Ready) -> None:
    files = batch_files(ready.asked, ready.claims, ready.stores)
    st.query_params["batch"] = start_once(batches(), who, ready.asked, files)
    st.rerun()


def how_fields(who: str) -> How:
    """Show the settings for working on the claims."""
    store, recipes = app_state().store, offered_recipes()
    form = ActionForm(BatchSettings, "batch", model=default_choice().id)
    form.restore(store, who)
    left, right = st.columns(2)
    form.draw("recipe", left, choices=list(recipes), format_func=lambda name: recipes[name].title, help=RECIPE_HELP)
    draw_model(form, right, help="Each worker loads its own copy, in addition to Verify's.")
    left, right = st.columns(2)
    form.draw("within", left, step=10.0, placeholder="as long as it needs", help=WITHIN_HELP)
    workers = workers_field(right)
    left, right = st.columns(2)
    extra = left.text_input(
        "Documents searched for every claim (optional)",
        key="batch-extra",
        persist_state="session",
        placeholder="/data/haystack.jsonl",
        help="A knowledge store (file or folder) on the machine that runs Veridesk.",
    )
    form.draw("training", right, placeholder="/data/train.json")
    form.keep(store, who)
    return BatchSettings(**form.values), workers, extra


def workers_field(at: DeltaGenerator) -> int:
    cluster = bool(settings().scheduler)
    more = " 0 uses the Dask cluster. Its workers must have access to this server's files." if cluster else ""
    workers = at.number_input(
        "Workers",
        value=0 if cluster else 1,
        min_value=0 if cluster else 1,
        max_value=MAX_WORKERS,
        key="batch-workers",
        persist_state="session",
        help=f"Processes, each with its own model; this machine has {os.cpu_count()} cores. "
        f"The submission does not depend on their number.{more}",
    )
    return int(workers)


def done_so(ready: Ready, how: How) -> Ready:
    """Return the batch to start, with this way of working. Raises BadInput for an unreadable file."""
    chosen, workers, extra = how
    recipe = offered_recipes()[chosen.recipe]
    asked = replace(
        ready.asked,
        recipe=recipe.name,
        own_recipe="" if recipe in RECIPES.values() else recipe_toml(recipe),
        model=chosen.model,
        workers=workers,
        within=chosen.within,
        extra=(str(checked_path(extra)),) if extra.strip() else (),
        training=chosen_training(chosen.training),
    )
    return replace(ready, asked=asked)


def show_earlier(who: str) -> None:
    """List the owner's batches."""
    mine = batches().of(who)
    if not mine:
        return
    show(tag("div", tag("h2", "Your batches", css="vd-heading"), css="vd"))
    for batch in mine:
        status = batch.status
        state = STATES.get(status.state, "Done") if status else "Deleted"
        facts = (counted(len(batch.asked.ids), "claim"), recipe_title(batch.asked.recipe), state)
        left, right = st.columns([5, 1], vertical_alignment="center")
        words = (tag("span", batch.title, css="vd-strong"), *(tag("span", fact) for fact in facts))
        left.html(tag("div", tag("p", *words, css="vd-facts"), css="vd"))
        right.button("Open", key=f"batch-open-{batch.id}", type="tertiary", on_click=open_batch, args=(batch.id,))


def open_batch(batch_id: str) -> None:
    st.query_params["batch"] = batch_id
