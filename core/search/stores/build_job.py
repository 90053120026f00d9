"""Define the job that builds a knowledge store, in its own folder.

The folder holds the claims, the store and its journal. So a build continues after a cancel, a failure or a restart of
the server.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path

from core.averitec.averitec import read_gold
from core.dataclass_json import from_json, to_json
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.types import Job, JobResult, Json, Listed, State, Status
from core.search.stores.build import BuildProgress
from core.search.stores.claims import MANIFEST
from core.search.stores.command import BuildOrder
from core.search.stores.orders import OpenedBuild, carry_out, forecast, open_build
from core.search.stores.stats import StoreStats, store_stats
from core.wording import readable

STORE = "store"
MAX_KEPT = 20
"""Number of builds kept per owner; a new build deletes the oldest ended one."""

MAX_ZIP_BYTES = 200_000_000
"""The most bytes of a store to download; larger ones stay on the server's disk."""


@dataclass(frozen=True)
class StoreBuild:
    """One build of one owner: its status, its order, and its result."""

    status: Status
    order: BuildOrder
    folder: Path
    result: Json | None

    @property
    def state(self) -> State:
        return self.status.state

    @property
    def store(self) -> Path:
        """The folder of the store itself: a file for each claim, and the manifest."""
        return self.folder / STORE

    @property
    def progress(self) -> BuildProgress:
        return BuildProgress(**self.status.progress) if self.status.progress else BuildProgress()

    @property
    def manifest(self) -> Json:
        """The manifest of a finished build: the store's sources and figures."""
        assert self.result
        return dict(self.result["manifest"])

    @property
    def stats(self) -> StoreStats:
        """The figures of a finished store."""
        assert self.result
        return from_json(self.result["stats"], StoreStats)

    def files(self) -> Iterator[Path]:
        """Yield the files of the store, without its journal and its snapshots."""
        yield from sorted(self.store.glob("*.json"))

    @property
    def size(self) -> int:
        """The size of the store's files in bytes."""
        return sum(file.stat().st_size for file in self.files())

    def zipped(self) -> bytes:
        """Return the files of the store as a ZIP; see MAX_ZIP_BYTES."""
        target = BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in self.files():
                archive.write(file, file.name)
        return target.getvalue()


Builds = Jobs[BuildOrder, StoreBuild]


def build_kind(folders: Path) -> JobKind[BuildOrder, StoreBuild]:
    """Return the kind of a store build: one at a time, because each asks the same hosts."""
    return JobKind(
        "store", "a store", "stores", handle, listed, to_json, read_order, view,
        limits=JobLimits(tries=2, kept=MAX_KEPT), local=True, folders=folders,
    )  # fmt: skip


def claims_file(order: BuildOrder) -> str:
    """Return the name of the claims' file in a build's folder; the order has the owner's name for it."""
    return f"claims{Path(order.claims).suffix.lower()}"


def handle(order: BuildOrder, context: JobContext) -> JobResult:
    """Build the store, resuming an earlier build, and compute its figures."""
    assert context.folder
    opened = opened_in(context.folder, order)

    def tell(progress: BuildProgress) -> None:
        context.report(asdict(progress), minor=True)

    store = context.folder / STORE
    (store / MANIFEST).unlink(missing_ok=True)
    manifest = carry_out(opened, store, report=tell, stop=context.stop)
    gold = () if order.claim_only else tuple(read_gold(Path(opened.order.claims)))
    return JobResult({"manifest": manifest, "stats": to_json(store_stats(store, gold))})


def listed(order: BuildOrder, folder: Path | None) -> Listed:
    """Return a build's columns.

    Raises BadInput, BadRecord for an order that cannot be carried out, NotAgreed without the consent that it needs.
    """
    assert folder
    opened = opened_in(folder, order)
    forecast(opened).check(order.consent)
    facts = {"claims": len(opened.claims), "sources": list(order.sources)}
    return Listed(readable(order.claims), facts, uses=opened.model)


def opened_in(folder: Path, order: BuildOrder) -> OpenedBuild:
    return open_build(replace(order, claims=str(folder / claims_file(order))))


def read_order(record: Json) -> BuildOrder:
    return from_json(record, BuildOrder)


def view(job: Job, order: BuildOrder, folder: Path | None) -> StoreBuild:
    assert folder
    return StoreBuild(job, order, folder, job.result)
