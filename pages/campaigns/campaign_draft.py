"""Keep the typed form of a new campaign until the campaign is made."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from dataclasses import replace
from typing import Any

import streamlit as st

from core.campaigns.planning.form_questions import NAME
from core.campaigns.planning.own_form import read_form
from core.campaigns.planning.rating_form import STANDARD, Form, checked_form
from core.campaigns.planning.scales import EARLIER, Scale
from core.errors import BadInput
from core.storage.store import Store
from pages.ui.draft import Draft, Json

SUBMISSIONS, SCORED, CASES, IMPORT = "Submissions", "A scoring run", "Past cases", "An earlier campaign"
SOURCES = (SUBMISSIONS, SCORED, CASES, IMPORT)
MADE, BY_HAND, NONE = "Made from the reference", "Chosen by hand", "None"
CONTROLS = (MADE, BY_HAND, NONE)
OFFERED = {scale.name: scale for scale in (*STANDARD.scales, *EARLIER)}
"""The scales that are ready to be asked, by name."""

SHARED, OWN = "The shared task’s", "A form of your own"

EMPTY: Json = {
    "title": "",
    "form": SHARED,
    "toml": "",
    "language": "",
    "source": SUBMISSIONS,
    "run": None,
    "cases": [],
    "metric": None,
    "scales": [scale.name for scale in STANDARD.scales],
    "own": [],
    "draw": 100,
    "ratings": 1,
    "load": 35,
    "controls": 5,
    "kind": MADE,
    "made": 10,
    "chosen": [],
    "carry": True,
    "seed": 0,
    "introduction": "",
    "guidelines": "",
    "examples": "",
    "label_first": False,
    "practice": 0,
    "pass_mark": 0,  # nosec B105
    "code": "",
    "url": "",
}
OWN_PARTS = ("title", "question", "1", "2", "3", "4", "5", "reference")


FORM = Draft("campaign", EMPTY)
field, value = FORM.field, FORM.value


def own_field(scale: str, part: str) -> str:
    return field(f"own-{scale}-{part}")


def restore(store: Store, owner: str) -> None:
    """Give the form its defaults, and after a refresh the owner's draft."""
    kept = FORM.restore(store, owner)
    if kept is not None:
        fill(kept or {"seed": secrets.randbelow(1_000_000)})


def fill(values: Json) -> None:
    """Put values into the form, with the parts of scales of one's own; call it as `Draft.fill`."""
    FORM.fill(values)
    for scale, parts in values.get("own-parts", {}).items():
        for part, words in parts.items():
            st.session_state[own_field(scale, part)] = words


def keep(store: Store, owner: str) -> None:
    """Store the typed fields if they changed."""
    own = {scale: {part: own_part(scale, part) for part in OWN_PARTS} for scale in value("own")}
    FORM.keep(store, owner, FORM.current() | {"own-parts": own})


def take_case() -> None:
    """Put the past case that the address names among those of the campaign, once, before the form is drawn."""
    if case_id := st.query_params.get("case"):
        fill({"source": CASES, "cases": list(dict.fromkeys((*value("cases"), case_id)))})
        del st.query_params["case"]


def begin_anew() -> None:
    """Empty the form for the next campaign, with a seed of its own."""
    for key in [str(key) for key in st.session_state if str(key).startswith(field("own-"))]:
        del st.session_state[key]
    FORM.clear(EMPTY)
    st.session_state[field("seed")] = secrets.randbelow(1_000_000)
    for source in SOURCES:
        st.session_state.pop(f"campaign-pool-{source}", None)


def add_own() -> None:
    """Add an empty scale, for a callback."""
    st.session_state[field("own")] = [*value("own"), secrets.token_hex(4)]


def drop_own(scale: str) -> None:
    """Take a scale of one's own away, for a callback."""
    st.session_state[field("own")] = [one for one in value("own") if one != scale]


def own_part(scale: str, part: str) -> Any:
    return st.session_state.get(own_field(scale, part), False if part == "reference" else "")


def scale_name(title: str) -> str:
    """Return a name of Latin letters for a scale; a title in other letters gives one from its digest."""
    letters = "".join(one for one in unicodedata.normalize("NFKD", title.casefold()) if not unicodedata.combining(one))
    name = re.sub(r"[^a-z0-9]+", "_", letters).strip("_")[:40]
    return name if NAME.fullmatch(name) or not title else f"scale_{hashlib.sha256(title.encode()).hexdigest()[:8]}"


def own_scale(scale: str) -> Scale:
    """Return a scale as it was typed, complete or not; its name is made from its title."""
    words = {part: str(own_part(scale, part)).strip() for part in OWN_PARTS}
    return Scale(
        scale_name(words["title"]),
        words["title"],
        words["question"],
        (words["1"], words["2"], words["3"], words["4"], words["5"]),
        needs_reference=bool(own_part(scale, "reference")),
    )


def chosen_form() -> Form:
    """Return the form that was put together. Raises BadInput naming the scale or question that cannot be asked."""
    if value("form") == OWN:
        form = read_form("The form", str(value("toml")))
        return replace(form, language=value("language") or form.language)
    ready = (OFFERED[name] for name in OFFERED if name in value("scales"))
    own = [own_scale(scale) for scale in value("own")]
    for number, scale in enumerate(own, 1):
        if not all((scale.title, scale.question, *scale.descriptions)):
            name = f"“{scale.title}”" if scale.title else f"Your scale {number}"
            raise BadInput(f"{name} is not finished: it needs a title, a question and five descriptions.")
    return checked_form(Form((*ready, *own), language=value("language") or "en"))
