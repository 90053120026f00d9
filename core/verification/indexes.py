"""Keep the indexes of stores on the disk, list them, and delete them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date as Day
from typing import Annotated

from core.actions.action import Action, ActionContext
from core.actions.fields import BadField, Between, Help, Nothing, OptionName, Place, Reads
from core.errors import BadInput
from core.retrieval.index_cache import KeptStore, kept_stores, remove_store
from core.settings import settings
from core.wording import counted, readable_name, size_words


@dataclass(frozen=True)
class BuildIndex:
    """Keep the index that `verify --keep-index` will open."""

    store: Annotated[tuple[str, ...], OptionName(metavar="PATH"), Reads(), Help("a knowledge store")]
    date: Annotated[Day | None, Help("leave documents after this day out, as a claim's date does")] = None
    sentences: Annotated[int, Between(1, 1000), Help("sentences per passage")] = 3
    fill: Annotated[bool, Help("encode every passage now, about 100 a second; goes on where it was stopped")] = False
    dense: Annotated[bool, Help("make and link all passages' static vectors now")] = False


@dataclass(frozen=True)
class RemoveIndexes:
    """Delete kept indexes; the documents are not touched."""

    keys: Annotated[tuple[str, ...], Place("KEY"), Help("the beginning of an index's key, as `list` shows it")] = ()
    all: Annotated[bool, Help("delete every kept index")] = False

    def __post_init__(self) -> None:
        if bool(self.keys) == self.all:
            raise BadField("keys", "Name the indexes to delete by their keys, or say --all.")


def build(request: BuildIndex, context: ActionContext) -> str:
    """Keep the index, and return its passages and seconds in words. Raises BadInput, Cancelled."""
    from core.dates import published_before  # models and recipes, for which `--help` should not wait
    from core.retrieval.dense import load_encoder
    from core.types import Claim
    from core.verification.reading import gather, index_of
    from core.verification.request import Request

    asked = Request(Claim("", date=request.date), stores=request.store, sentences=request.sentences, keep_index=True)
    documents, notes = gather(asked, stop=context.stop)
    kept, late, _ = published_before(documents, request.date)
    encoder = load_encoder()
    started = time.perf_counter()
    index = index_of(asked, kept, encoder, settings().indexes, report=context.tell)
    if request.dense:
        index.link(report=context.tell)
    if request.fill:
        index.fill(report=context.tell)
    made = f"{counted(len(index.passages), 'passage')} kept in {time.perf_counter() - started:.1f} s."
    return "\n".join([*notes, *([f"{late} later documents were left out."] if late else []), made])


def listed(stores: Sequence[KeptStore]) -> str:
    """Return a line for each kept index, and their size beside the limit."""
    lines = []
    for store in stores:
        name = readable_name(store.name) or "of another version, or damaged"
        held = f"{store.documents:,} documents, {store.passages:,} passages, {size_words(store.size)}"
        lines.append(f"{store.key[:12]}  {store.used.astimezone():%Y-%m-%d %H:%M}  {held}  {name}")
    total = size_words(sum(store.size for store in stores))
    lines.append(f"{counted(len(stores), 'index', 'indexes')}, {total} of {size_words(settings().index_limit)}.")
    return "\n".join(lines)


def remove(request: RemoveIndexes, context: ActionContext) -> int:
    """Delete the indexes, and return their number. Raises BadInput for a key that is not exactly one's."""
    stores = kept_stores(settings().indexes)
    chosen = {store.key for store in stores} if request.all else {key_of(key, stores) for key in request.keys}
    for key in chosen:
        remove_store(settings().indexes, key)
    return len(chosen)


def key_of(beginning: str, stores: Sequence[KeptStore]) -> str:
    """Return the one key that begins so. Raises BadInput for none and for several, as an empty text has."""
    found = [store.key for store in stores if beginning and store.key.startswith(beginning)]
    if len(found) != 1:
        several = "Several kept indexes have keys that begin" if found else "No kept index has a key that begins"
        raise BadInput(f"{several} with {beginning[:64]!r}; `index list` shows them.")
    return found[0]


INDEX = (
    Action("build", BuildIndex, build, json=None),
    Action(
        "list", Nothing, lambda *_: kept_stores(settings().indexes), listed,
        summary="Show the kept indexes, used last first.",
    ),
    Action("remove", RemoveIndexes, remove, lambda count: f"{counted(count, 'index', 'indexes')} deleted."),
)  # fmt: skip
