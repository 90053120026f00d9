"""Settings of a check: the recipe, the model, and how documents are read."""

from __future__ import annotations

from urllib.parse import quote

import streamlit as st

from core.errors import BadInput, VerideskError
from core.models.installed import available_models, default_choice
from core.verification.recipes.catalogue import DEFAULT, RECIPES, Recipe
from core.verification.recipes.picture import WIDTH, picture_of
from core.verification.recipes.recipe_files import own, read_recipe, recipe_toml
from pages.ui.claim_form.claim_draft import OWN, OWN_RECIPE, field
from pages.ui.claim_form.recipe_choice import own_recipe
from pages.ui.file_button import DOWNLOAD, file_button
from pages.ui.markup import Html, plain, show, tag
from pages.ui.notices import attempt, notice, quiet
from pages.ui.server_paths import training_field


def settings_fields() -> None:
    with st.expander("Settings", icon=":material/tune:"):
        recipe_field()
        model_field()
        training_field(field("training"))
        st.toggle(
            "Also search documents published after the claim",
            key=field("late"),
            persist_state="session",
            help="They may report the outcome, so a check that uses them could not have been made at the time.",
        )
        st.number_input(
            "Sentences a passage",
            key=field("sentences"),
            persist_state="session",
            min_value=1,
            max_value=10,
            step=1,
            help="A passage has this many sentences: fewer find single facts, more keep context.",
        )
        st.number_input(
            "Seed", key=field("seed"), persist_state="session", min_value=0, step=1, help="The same seed repeats a run."
        )


def model_field() -> None:
    names = {choice.id: choice.name for choice in available_models()}
    if st.session_state.get(field("model")) not in names:
        try:
            st.session_state[field("model")] = default_choice().id
        except VerideskError as error:
            notice(str(error))
            st.session_state[field("model")] = next(iter(names))
    st.selectbox(
        "Language model",
        list(names),
        format_func=lambda choice: names.get(choice, choice),
        key=field("model"),
        persist_state="session",
        help="Writes the questions. Add models on the page Models.",
    )


OWN_TITLE = "A recipe file of my own"
PROBLEM = "verify-recipe-problem"


def recipe_field() -> None:
    """Show the chosen recipe, its steps, and how to bring one's own."""
    chosen = st.selectbox(
        "How to search and ask (recipe)",
        [*RECIPES, OWN],
        format_func=lambda name: RECIPES[name].title if name in RECIPES else OWN_TITLE,
        key=field("recipe"),
        persist_state="session",
        help="Recipes are the designs of published systems, done with the same model and search. "
        f"“{RECIPES[DEFAULT].title}” is made for small models.",
    )
    if chosen in RECIPES:
        describe(RECIPES[chosen])
    else:
        own_fields()


def describe(recipe: Recipe) -> None:
    """Show a recipe's steps, and offer it as a file."""
    source = f" Source: {recipe.source}" if recipe.source else ""
    quiet(f"{recipe.summary}{source}")
    show(steps_picture(recipe))
    file_button(
        "Recipe file",
        recipe_toml(recipe),
        f"{recipe.name}.toml",
        icon=DOWNLOAD,
        type="tertiary",
        key="verify-recipe-file",
        help=f"Its steps and settings as a TOML file. Change it, give it a name of its own, and choose “{OWN_TITLE}”.",
    )


def steps_picture(recipe: Recipe) -> Html:
    """Return the steps of a recipe as a picture in the colour of the text, one click away."""
    picture = picture_of(recipe)
    # A mask, as for the icons: st.html takes SVG elements away, and an image would not follow the theme.
    mask = f"mask: url('data:image/svg+xml,{quote(picture.svg)}') left top / contain no-repeat"
    size = f"max-width: {WIDTH}px; aspect-ratio: {WIDTH} / {picture.height}; background: currentColor"
    drawn = tag("div", role="img", aria_label=picture.words, style=f"{size}; {mask}; margin-top: 0.6rem")
    return tag("div", tag("details", tag("summary", "Its steps as a picture"), drawn), css="vd")


def own_fields() -> None:
    """Show the user's own recipe, or where to bring it."""
    if problem := st.session_state.get(PROBLEM):
        notice(problem)
    try:
        recipe = own_recipe()
    except BadInput as error:
        notice(str(error))
        recipe = None
    if recipe:
        st.markdown(f"**{plain(recipe.title)}**")
        describe(recipe)
    st.file_uploader(
        "Replace the recipe file" if recipe else "Recipe file",
        type=["toml"],
        key=uploader(),
        on_change=attempt,
        args=(take_file,),
        max_upload_size=1,
        help="A TOML file of steps. Choose a built-in recipe and download its file for one to begin with.",
    )


def uploader() -> str:
    """Return the session's key of the uploader, a new one after each upload."""
    return f"verify-recipe-{st.session_state.setdefault('verify-recipe-turn', 0)}"


def take_file() -> None:
    """Read a recipe file. For another file, show a sentence and keep the earlier recipe."""
    given = st.session_state[uploader()]
    st.session_state["verify-recipe-turn"] += 1
    st.session_state[PROBLEM] = ""
    try:
        recipe = own(read_recipe(given.getvalue().decode("utf-8"), file=given.name), given.name)
        st.session_state[field(OWN_RECIPE)] = recipe_toml(recipe)
    except UnicodeDecodeError:
        st.session_state[PROBLEM] = f"{given.name} cannot be read as a recipe: it is not UTF-8 text."
    except BadInput as error:
        st.session_state[PROBLEM] = str(error)
