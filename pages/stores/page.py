"""Kept stores: show indexes and snapshots on this machine's disk, and delete indexes."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from core.documents.collections import Collection
from core.documents.examples import examples
from core.errors import VerideskError
from core.retrieval.index_cache import KeptStore, kept_stores, remove_store
from core.search.search_request import own_snapshots
from core.settings import settings
from core.wording import counted, readable_name, size_words
from pages.ui.cases import zone
from pages.ui.claim_form.claim_draft import COLLECTION, fill, use_example
from pages.ui.collections import example_collection, mine
from pages.ui.entry import through_app
from pages.ui.markup import show, tag
from pages.ui.notices import attempt_button, notice, remark, troubles
from pages.ui.verdicts import bar


def room(heading: str, total: int, limit: int, note: str) -> None:
    """Show a size as part of its limit."""
    show(
        tag(
            "section",
            tag("p", "On this disk", css="vd-eyebrow"),
            tag(
                "h2", f"{heading}, {size_words(total)} of {size_words(limit)}", css="vd-heading", style="margin-top: 0"
            ),
            tag("div", bar(min(total / limit, 1.0) if limit else 1.0), style="margin-top: 0.7rem"),
            tag("p", note, css="vd-quiet", style="margin-top: 0.5rem"),
            css="vd vd-card",
            aria_label=heading,
        )
    )


def snapshots_room() -> None:
    """Show the size of the kept web pages."""
    kept, limit = own_snapshots(), settings().snapshot_limit
    sizes = kept.sizes()
    room(
        f"{counted(len(sizes), 'web page')} as searches read them",
        sum(sizes),
        limit,
        "Above the limit, a search deletes the oldest pages at its end, except those of kept cases. "
        "VERIDESK_SNAPSHOT_LIMIT sets the limit, in gigabytes.",
    )


def row(store: KeptStore) -> None:
    name = shown_name(store)
    with st.container(border=True):
        words, buttons = st.columns([4, 1], vertical_alignment="center")
    with words:
        show(
            tag(
                "div",
                tag("p", name, css="vd-strong vd-text vd-clamp"),
                tag("p", *(tag("span", fact) for fact in facts(store)), css="vd-facts"),
                css="vd",
            )
        )
    with buttons, st.container(horizontal=True, horizontal_alignment="right"):
        attempt_button(
            "Delete",
            remove_store,
            settings().indexes,
            store.key,
            key=f"delete {store.key}",
            type="tertiary",
            icon="delete",
            help="The documents stay. The next search reads them again.",
        )


def shown_name(store: KeptStore) -> str:
    """Return the name of a store for the page: a collection's own name and the time."""
    collection = mine().get(store.name)
    name = f"Collection “{collection.name}”, kept {moment(kept_on(collection))}" if collection else store.name
    return readable_name(name) or ("Without a name" if store.passages else "From another version, or damaged")


def facts(store: KeptStore) -> list[str]:
    held = [counted(store.documents, "document"), counted(store.passages, "passage")] if store.passages else []
    held += [f"{counted(store.sentences, 'sentence')} a passage"] if store.sentences else []
    return [*held, size_words(store.size), f"last used {moment(store.used)}"]


def moment(when: datetime) -> str:
    """Return a time in the visitor's time zone."""
    there = when.astimezone(zone())
    return f"{there.day} {there:%B %Y, %H:%M}"


def kept_on(collection: Collection) -> datetime:
    return datetime.fromtimestamp(collection.created, UTC)


@st.dialog("Delete all kept indexes?")
def confirm_all(stores: list[KeptStore]) -> None:
    st.write(
        f"{counted(len(stores), 'index', 'indexes')} will be deleted from the disk. Documents and cases stay; the next "
        "search in a store takes as long as the first."
    )
    if attempt_button("Delete all", remove_all, stores, type="primary", icon="delete", key="stores-delete-all"):
        st.rerun()


def remove_all(stores: list[KeptStore]) -> None:
    for store in stores:
        remove_store(settings().indexes, store.key)


def try_collection() -> None:
    """Put an example's claim into the form, with a collection of all examples' documents."""
    use_example(examples()[0])
    fill({"where": COLLECTION, "collection": example_collection().id, "example": None})


through_app()
st.title("Kept stores")
st.caption("With a kept index, the next search in the same documents starts at once.")
troubles()
try:
    limit = settings().index_limit
    stores = kept_stores(settings().indexes)
    snapshots_room()
except VerideskError as error:
    notice(str(error))
    st.stop()
if not stores:
    remark(
        "Nothing is kept yet. Indexes of collections are kept automatically. For other documents, tick “Keep the "
        "index for the next search” on Verify."
    )
    if attempt_button(
        "Try a kept collection",
        try_collection,
        help="Makes a collection of the examples' documents and opens Verify with a claim about them.",
        type="primary",
        icon="fact_check",
        key="stores-example",
    ):
        st.switch_page("pages/verify/page.py")
    st.stop()
room(
    counted(len(stores), "index", "indexes"),
    sum(store.size for store in stores),
    limit,
    "Above the limit, the longest unused indexes are deleted. VERIDESK_INDEX_LIMIT sets the limit, in gigabytes.",
)
for store in stores:
    row(store)
if len(stores) > 1 and st.button("Delete all …", icon=":material/delete_sweep:", key="stores-ask-delete-all"):
    confirm_all(stores)
