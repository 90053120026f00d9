"""Documents of knowledge stores, read once by a worker: claims often share them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from core.documents.knowledge_store import load_store
from core.types import Document

MAX_TEXT = 200_000_000
"""Characters of text that one worker keeps; an official store of one claim has about ten million."""

State = tuple[tuple[str, int, int], ...]


@dataclass
class StoreCache:
    """Documents by path, those used last kept longest. A store that changed on disk is read again."""

    most_text: int = MAX_TEXT
    kept: OrderedDict[str, tuple[State, tuple[Document, ...]]] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def documents(self, path: str) -> tuple[Document, ...]:
        """Return the documents of a store. Raises as `load_store` does."""
        with self.lock:
            state = state_of(Path(path))
            before = self.kept.pop(path, None)
            documents = before[1] if before and before[0] == state else load_store(Path(path)).documents
            self.kept[path] = state, documents
            self._forget()
            return documents

    def _forget(self) -> None:
        while len(self.kept) > 1 and self._text() > self.most_text:
            self.kept.popitem(last=False)

    def _text(self) -> int:
        return sum(len(document.text) for _, documents in self.kept.values() for document in documents)


def state_of(path: Path) -> State:
    """Return name, size and time of change of a store's files; empty where there are none."""
    files = sorted(path.iterdir()) if path.is_dir() else [path] if path.exists() else []
    return tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
