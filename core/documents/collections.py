"""Keep collections: named sets of documents, read once and searched for many claims.

Each is a folder with a knowledge store, which every command can read, and a file with its owner. Nobody can guess the
folder's name.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain, count
from pathlib import Path

from core.documents.knowledge_store import load_store, record_of
from core.errors import BadInput
from core.files import json_of, write_whole
from core.storage.ids import new_id
from core.types import Document

ABOUT, DOCUMENTS = "collection.txt", "documents.jsonl"
MAX_NAME = 200


@dataclass(frozen=True)
class Collection:
    """One collection: `id` names its folder, `documents` counts its documents, `created` is in seconds since 1970."""

    id: str
    owner: str
    name: str
    documents: int
    created: float


class Collections:
    """The collections in a folder. Every call names the owner; collections of other owners are not found."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, owner: str, name: str, documents: Sequence[Document]) -> Collection:
        """Keep documents under a name; a number is added to a repeated name.

        Raises BadInput for an invalid name, or if they cannot be written.
        """
        if not documents:
            raise BadInput("A collection needs at least one document that can be read.")
        made = Collection(new_id(), owner, self._free_name(owner, checked_name(name)), len(documents), time.time())
        lines = "".join(f"{json.dumps(record_of(document), ensure_ascii=False)}\n" for document in documents)
        write_whole(self.folder / made.id / DOCUMENTS, lines.encode("utf-8", "replace"), parents=True)
        self._write(made)
        return made

    def of(self, owner: str) -> list[Collection]:
        """Return the owner's collections by name."""
        found = (self._read(file.parent) for file in self.folder.glob(f"*/{ABOUT}"))
        return sorted((one for one in found if one and one.owner == owner), key=lambda one: one.name.casefold())

    def find(self, collection_id: str, owner: str) -> Collection | None:
        """Return the owner's collection; None if the id is unknown or belongs to another owner."""
        return next((one for one in self.of(owner) if one.id == collection_id), None)

    def path(self, collection: Collection) -> Path:
        """Return the path of its knowledge store."""
        return self.folder / collection.id / DOCUMENTS

    def documents(self, collection: Collection) -> tuple[Document, ...]:
        """Return its documents. Raises as `load_store`."""
        return load_store(self.path(collection)).documents

    def rename(self, collection: Collection, name: str) -> None:
        """Rename a collection. Raises BadInput for an invalid name, or the name of another collection of the owner."""
        name = checked_name(name)
        if name.casefold() in self._names(collection.owner, but=collection.id):
            raise BadInput(f"Another collection is called “{name}”: choose another name.")
        self._write(replace(collection, name=name))

    def delete(self, collection: Collection) -> None:
        """Delete it; cases keep the documents that they found in it."""
        shutil.rmtree(self.folder / collection.id, ignore_errors=True)

    def _names(self, owner: str, *, but: str = "") -> set[str]:
        return {one.name.casefold() for one in self.of(owner) if one.id != but}

    def _free_name(self, owner: str, name: str) -> str:
        taken = self._names(owner)
        numbered = (f"{name[: MAX_NAME - 7]} ({number})" for number in count(2))
        return next(free for free in chain([name], numbered) if free.casefold() not in taken)

    def _write(self, collection: Collection) -> None:
        write_whole(self.folder / collection.id / ABOUT, json.dumps(asdict(collection)))

    def _read(self, folder: Path) -> Collection | None:
        with suppress(OSError, ValueError, TypeError):  # deleted meanwhile, or written by another version
            return Collection(**json_of((folder / ABOUT).read_text(encoding="utf-8")))
        return None


def checked_name(name: str) -> str:
    """Return a name without outer spaces. Raises BadInput if the name is empty or too long."""
    if not name.strip() or len(name) > MAX_NAME:
        raise BadInput(f"A collection's name has 1 to {MAX_NAME} characters.")
    return name.strip()
