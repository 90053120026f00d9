"""Keep the typed form of a claim over reruns, page changes and refreshes until it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import streamlit as st

from core.documents.examples import Example, examples
from core.search.order import SearchOrder
from core.settings import settings
from core.storage.store import Store
from core.types import Claim
from core.verification.recipes.catalogue import DEFAULT
from core.verification.request import Request

FORM = "verify"
SEARCH, EXAMPLE, FILES, ADDRESSES = "Search", "Example", "My files", "Web addresses"
COLLECTION, STORE = "Collection", "Stored documents"
PLACES = (SEARCH, EXAMPLE, FILES, COLLECTION, ADDRESSES, STORE)

OWN, OWN_RECIPE = "own", "own_recipe"
"""What the form calls the user's own recipe among the built-in ones, and the field with the text of its file."""

WITHOUT, DATES = "verify-without", "verify-dates"
"""The session's keys of the documents that the person leaves out, and of the dates that they give them, by digest."""

Json = dict[str, Any]
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
    "collection": None,
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
    collection = collection_in(request)
    st.session_state[WITHOUT], st.session_state[DATES] = set(request.without), dict(request.dates)
    places = {
        SEARCH: search,
        EXAMPLE: request.example,
        ADDRESSES: request.urls,
        COLLECTION: collection,
        STORE: request.stores,
    }
    where = next((place for place, used in places.items() if used), FILES)
    if request.documents:
        st.session_state["verify-uploads"] = {"Files of the earlier search": request.documents}
    fill(
        {
            **claim_fields(request.claim),
            "where": where,
            "example": request.example or None,
            "urls": "\n".join(request.urls),
            "store": "" if collection else "\n".join(request.stores),
            "collection": collection or None,
            **(search_fields_of(search) if search else {}),
            "recipe": OWN if request.own_recipe else request.recipe,
            OWN_RECIPE: request.own_recipe,
            "training": request.training,
            "model": request.model,
            "seed": request.seed,
            "sentences": request.sentences,
            "late": request.include_late,
            "keep": request.keep_index and not collection,
        }
    )


def collection_in(request: Request) -> str:
    """Return the id of the collection that a request searches; "" where it searches none."""
    first = Path(request.stores[0]) if request.stores else Path()
    return first.parent.name if first.parent.parent == settings().collections else ""


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
