"""Stores that are built in the background: each is a job of the queue with a folder of its own.

The folder holds the claims, the store and its journal, so a build goes on where it was after a cancel, a failure or a
restart of the server.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from cattrs.preconf.json import make_converter

from core.averitec.averitec import read_gold
from core.errors import BadInput, VerideskError
from core.files import writing
from core.interfaces import Stop
from core.job_queue import JobQueue, Lane, Report
from core.jobs import Job, Json, Order, Result, State, Status
from core.search.stores.build import BuildProgress
from core.search.stores.claims import MANIFEST
from core.search.stores.orders import BuildOrder, carry_out, open_build
from core.search.stores.stats import StoreStats, store_stats
from core.storage.jobs import JobTable
from core.storage.store import new_id
from core.wording import readable

LANE = "store"
STORE = "store"
MAX_KEPT = 20
"""How many builds of one owner stay on disk; beginning another deletes the oldest that has ended."""

MAX_ZIP_BYTES = 200_000_000
"""A store with more text than this is taken from the disk, not through a browser."""

_json: Any = make_converter()


@dataclass(frozen=True)
class Build:
    """One build of one owner: how it stands, what it is to do, and what it came to."""

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
        """What the store was built from and what it came to; of a finished build."""
        assert self.result
        return dict(self.result["manifest"])

    @property
    def stats(self) -> StoreStats:
        """The figures of a finished store."""
        assert self.result
        stats: StoreStats = _json.structure(self.result["stats"], StoreStats)
        return stats

    def files(self) -> Iterator[Path]:
        """Yield the files of the store, without its journal and its snapshots."""
        yield from sorted(self.store.glob("*.json"))

    @property
    def size(self) -> int:
        """How many bytes the files of the store take."""
        return sum(file.stat().st_size for file in self.files())

    def zipped(self) -> bytes:
        """Return the files of the store as a ZIP; see MAX_ZIP_BYTES."""
        target = BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in self.files():
                archive.write(file, file.name)
        return target.getvalue()


class Builds:
    """The builds in a folder, as jobs of the queue: one at a time, because each asks the same hosts."""

    def __init__(self, folder: Path, jobs: JobTable, queue: JobQueue) -> None:
        self.folder, self.jobs, self.queue = folder, jobs, queue
        queue.open_lane(Lane(LANE, self._run, "a store", "stores", tries=2, local=True))

    def start(self, owner: str, order: BuildOrder, content: bytes) -> str:
        """Put a build in the queue and return its id. `content` is that of the claims' file, named `order.claims`.

        Raises BadInput if too many wait, if the order cannot be carried out, or if the disk does not take it.
        """
        for old in self.of(owner)[MAX_KEPT - 1 :]:
            if not old.state.live:
                self.delete(old)
        name = new_id()
        folder = self.folder / name
        file = folder / f"claims{Path(order.claims).suffix.lower()}"
        try:
            with writing(file):
                folder.mkdir(parents=True)
                file.write_bytes(content)
            build = open_build(replace(order, claims=str(file)))
            asked = {"folder": name, "order": asdict(build.order)}
            facts = {"claims": len(build.claims), "sources": list(order.sources)}
            return self.queue.submit(LANE, Order(owner, readable(order.claims), asked, facts, uses=build.model))
        except VerideskError:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def find(self, build_id: str, owner: str) -> Build | None:
        """Return the owner's build; None if there is none of this id, or if it is another's."""
        job = self.jobs.load(build_id, owner)
        return self._opened(job) if job and job.lane == LANE else None

    def of(self, owner: str) -> list[Build]:
        """Return the owner's builds, newest first."""
        listed = self.jobs.search(owner, LANE, limit=100).entries
        return [build for one in listed if (build := self.find(one.id, owner))]

    def cancel(self, build: Build) -> None:
        """Stop a build; what was asked and read stays, and it can be resumed."""
        self.queue.cancel(build.status.id, build.status.owner)

    def resume(self, build: Build) -> None:
        """Go on with a build that has stopped. Raises BadInput if too many wait."""
        self.queue.resume(build.status)

    def delete(self, build: Build) -> None:
        """Delete a build that has ended, and all of its store. Raises BadInput for one at work."""
        if build.state.live:
            raise BadInput("This store is being built: cancel that first.")
        self.jobs.delete(build.status.id, build.status.owner)
        shutil.rmtree(build.folder, ignore_errors=True)

    def _opened(self, job: Job) -> Build:
        order: BuildOrder = _json.structure(job.request["order"], BuildOrder)
        return Build(job, order, self.folder / job.request["folder"], job.result)

    def _run(self, job: Job, report: Report, stop: Stop) -> Result:
        build = self._opened(job)
        opened = open_build(build.order)

        def tell(progress: BuildProgress) -> None:
            report(asdict(progress), minor=True)

        (build.store / MANIFEST).unlink(missing_ok=True)
        manifest = carry_out(opened, build.store, report=tell, stop=stop)
        gold = () if build.order.claim_only else tuple(read_gold(Path(build.order.claims)))
        return Result({"manifest": manifest, "stats": _json.unstructure(store_stats(build.store, gold))})
