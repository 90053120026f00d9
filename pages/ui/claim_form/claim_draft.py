"""Keep the typed form of a claim over reruns, page changes and refreshes until it is sent."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import streamlit as st

from core.archive.types import PREFIX
from core.documents.examples import Example, examples
from core.errors import BadInput
from core.http.fetching import target
from core.search.search_plan import SearchOrder
from core.settings import settings
from core.storage.store import Store
from core.types import Claim
from core.verification.recipes.catalogue import DEFAULT
from core.verification.request import Request
from pages.ui.draft import Draft, Json

SEARCH, EXAMPLE, FILES, ADDRESSES = "Search", "Example", "My files", "Web addresses"
COLLECTION, STORE, ARCHIVE = "Collection", "Stored documents", "Archive"
DOCUMENTS = "I have documents"
DOORS = {
    DOCUMENTS: (FILES, ADDRESSES, COLLECTION, ARCHIVE, STORE),
    "Search for them": (SEARCH,),
    "Show me an example": (EXAMPLE,),
}
"""The places where the evidence of a claim can come from, by the three answers to where one begins."""

PLACES = tuple(place for places in DOORS.values() for place in places)

OWN, OWN_RECIPE = "own", "own_recipe"
"""The form's name for the user's own recipe, and the field with the text of its file."""

WITHOUT, DATES = "verify-without", "verify-dates"
"""The session's keys of the documents left out and of the dates entered, both by the document's digest."""

REPLACED = "verify-replaced"
"""The session's key of the claim that an example replaced."""

EMPTY: Json = {
    "text": "",
    "speaker": "",
    "date": None,
    "source": "",
    "place": "",
    "where": EXAMPLE,
    "kind": FILES,
    "example": None,
    "urls": "",
    "store": "",
    "collection": None,
    "archive": None,
    "sources": None,
    "queries": "",
    "later": 5,
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


FORM = Draft("verify", EMPTY)
field, current, fill = FORM.field, FORM.current, FORM.fill


def restore(store: Store, owner: str) -> None:
    """Give the form its defaults, and in a new session the draft of its owner, if they are known."""
    kept = FORM.restore(store, owner)
    if kept and not current()["text"]:
        fill({**kept, "date": date.fromisoformat(kept["date"]) if kept.get("date") else None})


def keep(store: Store, owner: str) -> None:
    """Store the typed fields if they changed. A form without a claim replaces a draft, and makes none."""
    typed = {**current(), "date": str(current()["date"] or "")}
    if typed["text"] or FORM.stored():
        FORM.keep(store, owner, typed)


def begin_anew() -> None:
    """Empty the fields about the claim; where to search and how stays."""
    FORM.clear(("text", "speaker", "date", "source", "place", "example", "queries"))


def door() -> str:
    """Return the door that leads to the chosen place."""
    return next(name for name, places in DOORS.items() if current()["where"] in places)


def open_door(name: str) -> None:
    """Choose a door's place; for documents, the kind chosen last. Restore the claim that an example replaced."""
    where = current()["kind"] if name == DOCUMENTS else DOORS[name][0]
    replaced = st.session_state.pop(REPLACED, {}) if where != EXAMPLE else {}
    chosen = chosen_example()
    unchanged = chosen and chosen.claim.text == current()["text"]
    fill({"where": where, **({**replaced, "example": None} if replaced and unchanged else {})})


def chosen_example() -> Example | None:
    """Return the example that the form was filled with last, None without one."""
    return next((example for example in examples() if example.id == current()["example"]), None)


def use_example(example: Example) -> None:
    """Put an example's claim into the form; `open_door` brings the typed one back."""
    typed = {name: current()[name] for name in claim_values(example.claim)}
    if (typed["text"] or "").strip() and typed["text"] not in [one.claim.text for one in examples()]:
        st.session_state[REPLACED] = typed
    fill({**claim_values(example.claim), "where": EXAMPLE, "example": example.id})


def leave_example() -> None:
    """Take an example's details out of the form, if another claim was written over it.

    A claim of one's own is searched for where its documents can come from, which is not the example's.
    """
    typed = current()
    chosen = chosen_example()
    if not typed["text"].strip() or (chosen and chosen.claim.text == typed["text"]):
        return
    if chosen:
        facts = claim_values(chosen.claim)
        FORM.clear(name for name in facts if name != "text" and typed[name] == facts[name])
    fill({"example": None, "where": SEARCH if typed["where"] == EXAMPLE else typed["where"]})


def use_request(request: Request) -> None:
    """Fill the form with an earlier request, to be changed and sent again."""
    search = request.search
    collection, archive = collection_in(request), archive_in(request)
    st.session_state[WITHOUT], st.session_state[DATES] = set(request.without), dict(request.dates)
    places = {
        SEARCH: search,
        EXAMPLE: request.example,
        ADDRESSES: request.urls,
        COLLECTION: collection,
        ARCHIVE: archive,
        STORE: request.stores,
    }
    where = next((place for place, used in places.items() if used), FILES)
    if request.documents:
        st.session_state["verify-uploads"] = {"Files of the earlier search": request.documents}
    fill(
        {
            **claim_values(request.claim),
            "where": where,
            "example": request.example or None,
            "urls": "\n".join(request.urls),
            "store": "" if collection or archive else "\n".join(request.stores),
            "collection": collection or None,
            "archive": archive or None,
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


def archive_in(request: Request) -> str:
    """Return the id of the archive that a request searches; "" where it searches none."""
    first = request.stores[0] if request.stores else ""
    return first.removeprefix(PREFIX) if first.startswith(PREFIX) else ""


def search_fields_of(search: SearchOrder) -> Json:
    plan = search.plan
    return {
        "sources": list(search.sources),
        "queries": "\n".join(plan.queries),
        "later": plan.later,
        "pages": plan.pages,
        "same_day": plan.same_day,
        "reviews": search.reviews,
    }


def claim_values(claim: Claim) -> Json:
    return {
        "text": claim.text,
        "speaker": claim.speaker,
        "date": claim.date,
        "source": claim.source,
        "place": claim.place,
    }


def lines(written: str, missing: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(line.strip() for line in written.splitlines() if line.strip()))
    if not found:
        raise BadInput(missing)
    return found


def malformed(written: str) -> list[str]:
    """Return a sentence for each line that is no address of a web page."""
    problems = []
    for line in filter(None, map(str.strip, written.splitlines())):
        try:
            target(line)
        except BadInput as error:
            problems.append(str(error))
    return problems


def addresses(written: str) -> tuple[str, ...]:
    """Return the addresses, one per line. Raises BadInput without an address, or for a malformed one."""
    found = lines(written, "Write at least one web address, one per line.")
    if problems := malformed(written):
        raise BadInput("\n".join(problems))
    return found
