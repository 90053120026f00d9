"""What is typed into the form of Verify: kept over reruns, page changes and refreshes until it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain, count
from pathlib import Path
from typing import Any

import streamlit as st

from core.averitec.averitec import read_gold
from core.documents.examples import Example, examples
from core.errors import BadInput
from core.files import expanded
from core.search.search_request import SearchOrder
from core.settings import settings
from core.storage.store import Store
from core.types import Claim, Document
from core.verification.recipes.catalogue import DEFAULT, Recipe
from core.verification.recipes.files import adapters, read_recipe
from core.verification.request import Request, checked
from pages.ui.markup import readable
from pages.ui.roles import from_this_machine
from pages.verify.lines import addresses, lines
from pages.verify.search_order import chosen_search

FORM = "verify"
SEARCH, EXAMPLE, FILES, ADDRESSES, STORE = "Search", "Example", "My files", "Web addresses", "Knowledge store"
PLACES = (SEARCH, EXAMPLE, FILES, ADDRESSES, STORE)

OWN, OWN_RECIPE = "own", "own_recipe"
"""What the form calls the user's own recipe among the built-in ones, and the field with the text of its file."""

MAX_TEXT = 30_000_000
"""Characters of uploaded text that one session keeps in memory."""

Json = dict[str, Any]
Uploads = dict[str, tuple[Document, ...]]
"""The documents of each uploaded file, by its name."""

EMPTY: Json = {
    "text": "",
    "speaker": "",
    "date": None,
    "source": "",
    "place": "",
    "where": EXAMPLE,
    "example": None,
    "urls": "",
    "store": "",
    "sources": None,
    "queries": "",
    "pages": 10,
    "same_day": True,
    "reviews": False,
    "recipe": DEFAULT,
    OWN_RECIPE: "",
    "training": "",
    "model": None,
    "seed": 0,
    "sentences": 3,
    "late": False,
    "keep": False,
}


def field(name: str) -> str:
    """Return the session's key of a field, which is also its widget's."""
    return f"verify-{name}"


def current() -> Json:
    return {name: st.session_state.get(field(name), default) for name, default in EMPTY.items()}


def fill(values: Mapping[str, Any]) -> None:
    """Put values into the form. To be called before its widgets are drawn, or in a callback."""
    for name in EMPTY:
        if name in values:
            st.session_state[field(name)] = values[name]


def uploads() -> Uploads:
    kept: Uploads = st.session_state.setdefault("verify-uploads", {})
    return kept


def add_uploads(found: Sequence[tuple[str, tuple[Document, ...]]]) -> None:
    """Keep the documents of files, given by name; of two files of one name the second gets a number.

    Raises BadInput if they are more text than a session may hold.
    """
    held = dict(uploads())
    for name, documents in found:
        names = chain([name], (f"{name} ({number})" for number in count(2)))
        held[next(free for free in names if held.get(free, documents) == documents)] = documents
    size = sum(len(document.text) for documents in held.values() for document in documents)
    if size > MAX_TEXT:
        raise BadInput(
            f"The files have {size:,} characters of text; {MAX_TEXT:,} are the most. "
            "Remove some, or put them into a folder as a knowledge store."
        )
    uploads().update(held)


def drop_upload(name: str) -> None:
    uploads().pop(name, None)


def restore(store: Store, owner: str) -> None:
    """Give the form its defaults, and in a new session what its owner, if known, typed before a refresh."""
    for name, default in EMPTY.items():
        st.session_state.setdefault(field(name), default)
    if owner and "verify-restored" not in st.session_state:
        st.session_state["verify-restored"] = True
        kept = store.draft(owner, FORM)
        if kept and not st.session_state[field("text")]:
            fill({**kept, "date": date.fromisoformat(kept["date"]) if kept.get("date") else None})


def keep(store: Store, owner: str) -> None:
    """Store what is typed, if it changed."""
    typed = {**current(), "date": str(current()["date"] or "")}
    kept = st.session_state.get("verify-kept")
    if typed != kept and (typed["text"] or kept):
        store.save_draft(owner, FORM, typed)
        st.session_state["verify-kept"] = typed


def begin_anew() -> None:
    """Empty what was said about the claim; where to search and how stays."""
    fill({name: EMPTY[name] for name in ("text", "speaker", "date", "source", "place", "example", "queries")})


def use_example(example: Example) -> None:
    claim = example.claim
    fill({**claim_fields(claim), "where": EXAMPLE, "example": example.id})


def leave_example() -> None:
    """Take what an example says of its claim out of the form, where another claim was written over it.

    A claim of one's own is searched for where its documents can come from, which is not the example's.
    """
    typed = current()
    chosen = next((example for example in examples() if example.id == typed["example"]), None)
    if not typed["text"].strip() or (chosen and chosen.claim.text == typed["text"]):
        return
    if chosen:
        facts = claim_fields(chosen.claim)
        fill({name: EMPTY[name] for name in facts if name != "text" and typed[name] == facts[name]})
    fill({"example": None, "where": SEARCH if typed["where"] == EXAMPLE else typed["where"]})


def use_request(request: Request) -> None:
    """Fill the form with an earlier request, to be changed and sent again."""
    search = request.search
    places = {SEARCH: search, EXAMPLE: request.example, ADDRESSES: request.urls, STORE: request.stores}
    where = next((place for place, used in places.items() if used), FILES)
    if request.documents:
        st.session_state["verify-uploads"] = {"Files of the earlier search": request.documents}
    fill(
        {
            **claim_fields(request.claim),
            "where": where,
            "example": request.example or None,
            "urls": "\n".join(request.urls),
            "store": "\n".join(request.stores),
            **(search_fields_of(search) if search else {}),
            "recipe": OWN if request.own_recipe else request.recipe,
            OWN_RECIPE: request.own_recipe,
            "training": request.training,
            "model": request.model,
            "seed": request.seed,
            "sentences": request.sentences,
            "late": request.include_late,
            "keep": request.keep_index,
        }
    )


def search_fields_of(search: SearchOrder) -> Json:
    plan = search.plan
    return {
        "sources": list(search.sources),
        "queries": "\n".join(plan.queries),
        "pages": plan.pages,
        "same_day": plan.same_day,
        "reviews": search.reviews,
    }


def claim_fields(claim: Claim) -> Json:
    return {
        "text": claim.text,
        "speaker": claim.speaker,
        "date": claim.date,
        "source": claim.source,
        "place": claim.place,
    }


def request(*, recipe: str = "") -> Request:
    """Return what the form asks for, by its own recipe unless another is named.

    Raises BadInput with a sentence for what is missing.
    """
    typed = current()
    said = {name: readable(typed[name]).strip() for name in ("text", "speaker", "source", "place")}
    where = typed["where"]
    asked = Request(
        checked(Claim(said["text"], said["speaker"], typed["date"], said["source"], said["place"])),
        example=chosen_example(typed["example"]) if where == EXAMPLE else "",
        documents=chosen_files() if where == FILES else (),
        urls=addresses(typed["urls"]) if where == ADDRESSES else (),
        stores=chosen_stores(typed["store"]) if where == STORE else (),
        training=chosen_training(typed["training"]),
        model=typed["model"] or "bundled",
        seed=int(typed["seed"]),
        sentences=int(typed["sentences"]),
        include_late=bool(typed["late"]),
        keep_index=bool(typed["keep"]) and where == STORE,
        search=chosen_search(typed) if where == SEARCH else None,
    )
    return done_by(asked, recipe or typed["recipe"])


def done_by(asked: Request, recipe: str) -> Request:
    """Return what is asked for, by the built-in recipe of this name or, for OWN, by the user's own. Raises BadInput."""
    if recipe != OWN:
        return replace(asked, recipe=recipe, own_recipe="")
    mine = own_recipe()
    if mine is None:
        raise BadInput("Add your recipe file in the settings, or choose a built-in recipe.")
    return replace(asked, recipe=mine.name, own_recipe=current()[OWN_RECIPE])


def own_recipe() -> Recipe | None:
    """Return the recipe of the file that the user brought, None before that.

    Raises BadInput if it is no recipe, or if it names an adapter that may not be read here.
    """
    text = current()[OWN_RECIPE]
    if not text:
        return None
    recipe = read_recipe(text, file="Your recipe file")
    for path in (Path(file) for file in adapters(recipe)):
        if not settings().may_read(path, local=from_this_machine(), folder=settings().models):
            raise BadInput(
                f"{path}: this server is open to other machines, so recipes may use adapters in "
                f"{settings().models} only."
            )
    return recipe


def chosen_example(example_id: str | None) -> str:
    if example_id not in {example.id for example in examples()}:
        raise BadInput("Choose an example, or another place where the evidence comes from.")
    return str(example_id)


def chosen_files() -> tuple[Document, ...]:
    documents = tuple(document for found in uploads().values() for document in found)
    if not documents:
        raise BadInput("Add at least one file that can be read, or choose another place for the evidence.")
    return documents


def chosen_stores(written: str) -> tuple[str, ...]:
    paths = lines(written, "Write the path of a knowledge store: a JSONL file, or a folder of them.")
    for path in paths:
        if not settings().may_read(Path(path), local=from_this_machine()):
            raise BadInput(
                f"{path}: this server is open to other machines, so it reads knowledge stores "
                f"from {settings().home / 'stores'} only."
            )
    return paths


def chosen_training(written: str) -> str:
    """Return the path of the training claims, empty where none is named. Raises BadInput if they cannot be read."""
    if not written.strip():
        return ""
    path = checked_path(written)
    read_gold(path)
    return str(path)


def checked_path(written: str, *, folder: bool = False) -> Path:
    """Return a path that may be read and is there. Raises BadInput."""
    path = expanded(Path(written.strip()))
    if not settings().may_read(path, local=from_this_machine()):
        home = settings().home / "stores"
        raise BadInput(f"{path}: this server is open to other machines, so it reads files from {home} only.")
    if not (path.is_dir() if folder else path.exists()):
        raise BadInput(f"{path} is not there." if not folder else f"{path} is no folder on this machine.")
    return path.absolute()
