"""Downloads that run in the background of the server, survive a page's refresh and go on after a break."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core import jobs
from core.errors import BadInput, Cancelled, VerideskError, unforeseen
from core.files import writing
from core.interfaces import Stop, never
from core.job_queue import JobQueue, Lane, Report
from core.models.hub import HubModel, file_url
from core.models.installed import record_download
from core.models.plans import (
    FreeSpace,
    Plan,
    check_room,
    check_sizes,
    discard_arrived,
    free_space,
    is_there,
    plan_from_json,
    plan_path,
    plan_to_json,
    put_in_place,
    save_plan,
    saved_plans,
)
from core.models.transfer import Source, discard, fetch

SPEED_SECONDS = 5.0
"""The speed is that of the last seconds."""

LANE = "download"
EVERYBODY = "everybody"
"""The owner of downloads: a model is there for all who use the server."""


class State(StrEnum):
    WAITING = "waiting"
    VERIFYING = "verifying"
    DOWNLOADING = "downloading"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Progress:
    """How far a download is: bytes here, bytes in all, bytes a second, seconds left where they can be told.

    `sentence` is what last happened, for the user: why it failed, or that it started over.
    """

    state: State
    received: int
    total: int
    bytes_per_second: float
    seconds_left: float | None
    sentence: str

    @property
    def live(self) -> bool:
        return self.state in (State.WAITING, State.VERIFYING, State.DOWNLOADING)


class Download:
    """One download of this process. Any thread may ask `progress` and `cancel`; a worker of the queue does the work."""

    def __init__(self, plan: Plan, folder: Path, hub: str, queue: JobQueue, free: FreeSpace) -> None:
        self.plan = plan
        self.job_id = ""
        self._folder = folder
        self._hub = hub
        self._queue = queue
        self._free = free
        self._stop: Stop = never
        self._report: Report | None = None
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._state = State.WAITING
        self._sentence = ""
        self._before = 0  # bytes of the files before the one that is on its way
        self._received = plan.received(folder)
        self._arrivals: deque[tuple[float, int]] = deque()

    @property
    def progress(self) -> Progress:
        with self._lock:
            speed = self._speed()
            left = self.plan.model.size - self._received
            seconds = left / speed if speed > 0 else None
            return Progress(self._state, self._received, self.plan.model.size, speed, seconds, self._sentence)

    @property
    def state(self) -> State:
        return self.progress.state

    @property
    def owed(self) -> int:
        """How many bytes it will still write; 0 once it has ended."""
        progress = self.progress
        return max(progress.total - progress.received, 0) if progress.live else 0

    def cancel(self) -> None:
        """End the download soon; what has arrived is kept for `Downloads.start` to go on from."""
        if self._queue.cancel(self.job_id, EVERYBODY) is jobs.State.WAITING:
            self._end(State.CANCELLED, "The download was cancelled before it began.")
        elif not self._ended.is_set():
            self.says("Being cancelled: it ends when the server sends more, or falls silent.")

    def join(self, seconds: float | None = None) -> None:
        """Wait until it has ended."""
        self._ended.wait(seconds)

    # What the transfer tells and asks (transfer.Watch).

    def checked(self, count: int) -> None:
        with self._lock:
            self._state = State.VERIFYING
            self._received = max(self._received, self._before + count)

    def arrived(self, count: int) -> None:
        with self._lock:
            self._state = State.DOWNLOADING
            self._received = self._before + count
            self._arrivals.append((time.monotonic(), self._received))
        if self._report:
            self._report({"received": self._received, "total": self.plan.model.size}, minor=True)

    def says(self, sentence: str) -> None:
        with self._lock:
            self._sentence = sentence
            self._arrivals.clear()

    def stopped(self) -> bool:
        return self._stop()

    def pause(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self._stop() and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))
        return self._stop()

    def run(self, report: Report, stop: Stop) -> None:
        """Do the download in the queue's thread. Raises VerideskError where it fails, Cancelled where it is stopped."""
        self._report, self._stop = report, stop
        try:
            check_room(self.plan, self._folder, free=self._free(self._folder))
            self._fetch_all()
        except Cancelled as stopped:
            self._end(State.CANCELLED, str(stopped))
            raise
        except Exception as error:
            self._end(State.FAILED, str(error) if isinstance(error, VerideskError) else unforeseen("The download"))
            raise
        self._end(State.DONE, "")

    def _fetch_all(self) -> None:
        files = self.plan.model.files
        for file in files:
            self.checked(0)
            part = self.plan.part(self._folder, file)
            if is_there(file, self._folder, stop=self.stopped):
                discard(part)
            else:
                url = file_url(self._hub, self.plan.model.repository, file.path)
                fetch(Source(file.name, url, file.size, file.sha256), part, self)
            with self._lock:
                self._before += file.size
        for file in reversed(files):  # the first part last: it is the one a model is loaded by
            if (part := self.plan.part(self._folder, file)).exists():
                put_in_place(part, self._folder / file.name, file.sha256)
        record_download(self.plan.model, self.plan.licence, folder=self._folder)
        plan_path(self._folder, self.plan.name).unlink(missing_ok=True)

    def _end(self, state: State, sentence: str) -> None:
        with self._lock:
            self._state, self._sentence = state, sentence
            self._received = self.plan.model.size if state is State.DONE else self.plan.received(self._folder)
            self._arrivals.clear()
        self._ended.set()

    def _speed(self) -> float:
        now = time.monotonic()
        while len(self._arrivals) > 2 and now - self._arrivals[0][0] > SPEED_SECONDS:
            self._arrivals.popleft()
        if len(self._arrivals) < 2:
            return 0.0
        (start, first), (_, last) = self._arrivals[0], self._arrivals[-1]
        return max(last - first, 0) / max(now - start, 0.001)


class Downloads:
    """All downloads of one server process, by model name. One moves at a time, the others wait their turn."""

    def __init__(self, folder: Path, hub: Callable[[], str], queue: JobQueue, *, free: FreeSpace = free_space) -> None:
        self._folder = folder
        self._hub = hub
        self._queue = queue
        self._free = free
        self._lock = threading.RLock()
        self._downloads: dict[str, Download] = {}
        queue.open_lane(Lane(LANE, self._run, "a download", "downloads", own_longest=40, local=True))

    def start(self, model: HubModel, *, licence: str) -> Download:
        """Start a download, or go on with one that broke off; one that is running is returned as it is.

        Raises BadInput if another file is in the place of one of its own, or if the disk has too little room.
        """
        plan = Plan(model, licence)
        with self._lock:
            running = self._downloads.get(plan.name)
            if running is not None and running.progress.live:
                return running
            self._check(plan)
            save_plan(plan, self._folder)
            download = Download(plan, self._folder, self._hub(), self._queue, self._free)
            order = jobs.Order(EVERYBODY, plan.name, plan_to_json(plan))
            download.job_id = self._queue.submit(LANE, order)
            self._downloads[plan.name] = download
            return download

    def all(self) -> tuple[Download, ...]:
        """Return the downloads of this process, oldest first, whatever became of them."""
        with self._lock:
            return tuple(self._downloads.values())

    def unfinished(self) -> tuple[Plan, ...]:
        """Return the plans that broke off and that no download of this process stands for."""
        with self._lock:
            known = set(self._downloads)
        return tuple(plan for plan in saved_plans(self._folder) if plan.name not in known)

    def forget(self, name: str) -> None:
        """Take a download that has ended off the list."""
        with self._lock:
            download = self._downloads.get(name)
            if download is not None and not download.progress.live:
                del self._downloads[name]

    def discard(self, plan: Plan) -> None:
        """Forget a download that has ended or broken off, and remove what has arrived of it.

        Raises BadInput while it is running.
        """
        self.forget(plan.name)
        with self._lock:
            if plan.name in self._downloads:
                raise BadInput(f"{plan.name} is being downloaded. Cancel it first.")
            discard_arrived(plan, self._folder)
            plan_path(self._folder, plan.name).unlink(missing_ok=True)

    def _run(self, job: jobs.Job, report: Report, stop: Stop) -> jobs.Result:
        with self._lock:
            download = self._downloads.get(job.title)
            if download is None or download.job_id != job.id:  # a server before this one left it waiting
                plan = plan_from_json(job.request)
                download = Download(plan, self._folder, self._hub(), self._queue, self._free)
                download.job_id = job.id
                self._downloads[plan.name] = download
        download.run(report, stop)
        return jobs.Result({})

    def _check(self, plan: Plan) -> None:
        with writing(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        check_sizes(plan, self._folder)
        owed = sum(download.owed for download in self._downloads.values())
        check_room(plan, self._folder, free=self._free(self._folder), owed=owed)
