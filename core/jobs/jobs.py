"""Start, find, resume, cancel, rename and delete the jobs of one kind."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic

from core.errors import BadInput, Cancelled, VerideskError
from core.files import writing
from core.interfaces import Stop
from core.jobs.kinds import JobKind, RequestT, ViewT
from core.jobs.queue import JobQueue
from core.jobs.store import FOLDER, JobListing, JobStore
from core.jobs.types import Job, JobResult, Json, State, Status
from core.storage.ids import new_id

MAX_NAME = 200
LISTED = 100
"""The most jobs of an owner in a list."""
MOST_IN_FOLDER = 1_000_000
CANCEL_SECONDS = 15.0
"""Seconds that a deletion waits for a running job."""
LOOK_SECONDS = 0.1


class Jobs(Generic[RequestT, ViewT]):
    """The jobs of one kind. Every method takes the owner's id. Every method raises StoreError as `Store` does."""

    def __init__(self, queue: JobQueue, kind: JobKind[RequestT, ViewT]) -> None:
        self.queue, self.kind, self.store = queue, kind, queue.store
        queue.register(kind)

    def start(self, owner: str, request: RequestT, files: Mapping[str, bytes] | None = None) -> str:
        """Store a job, with its own folder of files, and return its unguessable id.

        Raises BadInput if too many jobs wait or the files cannot be written, and as `JobKind.listed`.
        """
        self._check_room(owner)
        job_id, kind = new_id(), self.kind
        folder = kind.folder(job_id)
        try:
            if folder:
                _write_files(folder, files or {})
            listed, written = kind.listed(request, folder), kind.write(request)
            place = self.queue.place if kind.local else ""
            self.store.add(kind.name, owner, listed, written, place=place, tries=kind.limits.tries, job_id=job_id)
        except VerideskError:
            _remove(folder)
            raise
        self.queue.news.set()
        self._keep_newest(owner)  # last, so that an impossible request deletes no older job
        return job_id

    def keep(self, owner: str, request: RequestT, result: JobResult, *, seconds: float) -> str:
        """Store a job done elsewhere under the owner, and return its id."""
        kind = self.kind
        listed, written = kind.listed(request, None), kind.write(request)
        return self.store.add_done(kind.name, owner, listed, written, result, seconds=seconds)

    def status(self, job_id: str, owner: str) -> Status | None:
        """Return the status of the owner's job, or None if the id is unknown."""
        status = self.store.status(job_id, owner)
        return status if status and status.kind == self.kind.name else None

    def find(self, job_id: str, owner: str) -> ViewT | None:
        """Return the owner's job, or None if the id is unknown or belongs to another owner."""
        job = self.store.load(job_id, owner)
        return self._view(job) if job and job.kind == self.kind.name else None

    def search(
        self,
        owner: str,
        text: str = "",
        *,
        label: str = "",
        slot: str = "",
        folder: str = "",
        limit: int = LISTED,
        offset: int = 0,
    ) -> JobListing:
        """Return the owner's jobs of this kind, newest first; arguments as in `JobStore.search`."""
        narrowed = {"label": label, "slot": slot, "folder": folder}
        return self.store.search(owner, self.kind.name, text, **narrowed, limit=limit, offset=offset)

    def of(self, owner: str) -> list[ViewT]:
        """Return the owner's jobs, newest first."""
        return [view for one in self.search(owner).entries if (view := self.find(one.id, owner)) is not None]

    def resume(self, job: Status, request: RequestT | None = None) -> None:
        """Queue an ended job again under its id; `request` replaces the old one.

        Raises BadInput if too many wait.
        """
        self._check_room(job.owner)
        written = self.kind.write(request) if request is not None else None
        self.store.resume(job.id, job.owner, tries=self.kind.limits.tries, request=written)
        self.queue.news.set()

    def cancel(self, job: Status) -> None:
        """Stop a job, at once if it waits, else soon. Its files and finished work stay for resuming."""
        self.queue.cancel(job.id, job.owner)

    def rename(self, job: Status, name: str) -> None:
        """Name a job, which then stays until its deletion. Raises BadInput for an empty or too long name."""
        if not name.strip() or len(name) > MAX_NAME:
            raise BadInput(f"The name of {self.kind.one} has 1 to {MAX_NAME} characters.")
        self.store.rename(job.id, job.owner, name.strip(), job.facts | {"named": True})

    def folders(self, owner: str) -> list[str]:
        """Return the names of the owner's folders, in the order of the alphabet."""
        return self.store.folders(owner, self.kind.name)

    def put_in(self, job: Status, folder: str) -> None:
        """Put a job into a folder of its owner, created on first use; "" removes the job from its folder.

        Names that differ only in capitals are one folder. Raises BadInput for a name that is too long.
        """
        name = self._folder_name(job.owner, folder)
        self.store.rename(job.id, job.owner, job.title, job.facts | {FOLDER: name})

    def rename_folder(self, owner: str, folder: str, name: str) -> str:
        """Rename a folder and return the new name. Raises BadInput for an empty or too long name."""
        if not name.strip():
            raise BadInput("Write a name for the folder.")
        found = self._folder_name(owner, name, without=folder)
        for one in self.search(owner, folder=folder, limit=MOST_IN_FOLDER).entries:
            self.store.rename(one.id, owner, one.title, one.facts | {FOLDER: found})
        return found

    def _folder_name(self, owner: str, name: str, *, without: str = "") -> str:
        """Return the existing spelling of a folder's name, else the name on one line."""
        written = " ".join(name.split())
        if len(written) > MAX_NAME:
            raise BadInput(f"The name of a folder has at most {MAX_NAME} characters.")
        known = (one for one in self.folders(owner) if one != without and one.casefold() == written.casefold())
        return next(known, written)

    def delete(self, job: Status) -> None:
        """Delete a job with its result, its files and the links to it; a running one is stopped first."""
        self.queue.cancel(job.id, job.owner)
        folder = self.kind.folder(job.id)
        deadline = time.monotonic() + CANCEL_SECONDS
        while folder and self._is_live(job) and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)
        self.store.delete(job.id, job.owner)
        _remove(folder)

    def _is_live(self, job: Status) -> bool:
        status = self.store.status(job.id, job.owner)
        return status is not None and status.state.live

    def _view(self, job: Job) -> ViewT:
        return self.kind.view(job, self.kind.request_of(job), self.kind.folder(job.id))

    def _keep_newest(self, owner: str) -> None:
        """Delete the owner's oldest jobs without a name or folder, beyond the number to keep."""
        if self.kind.limits.kept:
            entries = self.search(owner).entries
            unnamed = [one for one in entries if not (one.facts.get("named") or one.facts.get(FOLDER))]
            for old in unnamed[self.kind.limits.kept :]:
                if not old.state.live:
                    self.delete(old)

    def _check_room(self, owner: str) -> None:
        kind = self.kind
        waiting = self.store.waiting(kind.name)
        if waiting >= kind.limits.waiting:
            raise BadInput(f"{waiting} {kind.many} are waiting already: try again in a few minutes.")
        most = kind.limits.waiting_per_owner
        if self.store.waiting(kind.name, owner) >= most:
            raise BadInput(f"{most} of your {kind.many} are waiting already: let one of them finish first.")


def _write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a job's files. Raises BadInput, with the way out, if they cannot be written."""
    with writing(folder):
        folder.mkdir(parents=True)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _remove(folder: Path | None) -> None:
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def do_here(
    store: JobStore, kind: JobKind[RequestT, ViewT], job_id: str, owner: str, report: Callable[[Json], None], stop: Stop
) -> Job:
    """Do a stored job in this process, and return it once it has ended. A server that took it first does it instead.

    Raises Cancelled after a stop, and BadInput with the job's error. After a kill a server takes the job over.
    """
    queue = JobQueue(store, only=job_id)
    jobs = Jobs(queue, kind)
    try:
        while (now := jobs.status(job_id, owner)) and now.state.live:
            report(now.progress or {})
            if stop():
                jobs.cancel(now)
            time.sleep(LOOK_SECONDS)
    finally:
        queue.close()
    ended = store.load(job_id, owner)
    if ended is None or ended.state is State.CANCELLED:
        raise Cancelled("This was stopped.")
    if ended.state is not State.DONE:
        raise BadInput(ended.error)
    return ended
