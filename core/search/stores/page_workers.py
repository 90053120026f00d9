"""Write queries and read pages of a build, on this machine or on a Dask cluster.

Only one machine contacts sources and sites. So no host gets two requests at a time, and no request is sent twice.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from core.errors import ModelError
from core.interfaces import LanguageModel, Stop, never
from core.llm.backends import open_model
from core.models.choice import parse_choice
from core.search.extraction import Extracted, read_page
from core.search.queries import Material, QueryKind, QueryWriter, queries_of
from core.search.types import Page, SearchFailure
from core.search_report import Reason


class PageWorker(Protocol):
    """A worker of a build. Both raise Cancelled; `write` raises BadInput and ModelError as `queries_of` does."""

    @property
    def model(self) -> str: ...
    def write(self, kind: QueryKind, material: Material) -> tuple[str, ...]: ...
    def read(self, page: Page) -> Extracted | SearchFailure: ...


@dataclass(frozen=True)
class LocalPageWorker:
    """This machine: the model writes one text at a time, and separate processes read pages."""

    writer: QueryWriter = field(default_factory=QueryWriter)
    writing: threading.Lock = field(default_factory=threading.Lock)

    @property
    def model(self) -> str:
        return self.writer.llm.identity.name if self.writer.llm else ""

    def write(self, kind: QueryKind, material: Material) -> tuple[str, ...]:
        with self.writing:
            return queries_of(kind, material, self.writer)

    def read(self, page: Page) -> Extracted | SearchFailure:
        return read_page(page, stop=self.writer.stop)


@dataclass(frozen=True)
class OpenedModel:
    """The model of a cluster's worker, opened once if queries need it. It writes one text at a time."""

    llm: LanguageModel | None
    writing: threading.Lock = field(default_factory=threading.Lock)

    def close(self) -> None:
        if self.llm:
            self.llm.close()


def open_once(model: str) -> OpenedModel:
    """Load a model, "" for none. Raises ModelError if it cannot be loaded."""
    return OpenedModel(open_model(parse_choice(model)) if model else None)


class ClusterPageWorker:
    """The workers of the Dask scheduler at `address`, each with its own model; "" for no model."""

    def __init__(self, address: str, model: str, *, seed: int, stop: Stop = never) -> None:
        from core.dask_executor import DaskExecutor  # needs Dask, which few have

        self.executor = DaskExecutor(partial(open_once, model), address)
        self.seed, self.stop = seed, stop
        self.model = parse_choice(model).name if model else ""

    @property
    def size(self) -> int:
        """The number of parallel tasks. Raises BadInput if no scheduler answers."""
        return max(1, sum(self.executor.workers().values()))

    def write(self, kind: QueryKind, material: Material) -> tuple[str, ...]:
        item = (kind, material, self.seed)
        [written] = self.executor.map(write_there, [item], give_up=_no_queries, stop=self.stop)
        return written

    def read(self, page: Page) -> Extracted | SearchFailure:
        [extracted] = self.executor.map(read_there, [page], give_up=_unread, stop=self.stop)
        return extracted

    def close(self) -> None:
        """Leave the cluster; its workers close their models."""
        self.executor.close()


def write_there(opened: OpenedModel, item: tuple[QueryKind, Material, int]) -> tuple[str, ...]:
    """Write the queries of a kind on the current worker."""
    kind, material, seed = item
    with opened.writing:
        return queries_of(kind, material, QueryWriter(opened.llm, seed))


def read_there(opened: OpenedModel, page: Page) -> Extracted | SearchFailure:
    """Read a page on the current worker."""
    return read_page(page)


def _no_queries(item: tuple[QueryKind, Material, int], why: str) -> tuple[str, ...]:
    raise ModelError(f"No queries of the kind “{item[0].name}” could be written for claim {item[1].claim.id}. {why}")


def _unread(page: Page, why: str) -> SearchFailure:
    return SearchFailure(Reason.NO_ANSWER, f"{page.url}: every worker that was given this page was lost.")
