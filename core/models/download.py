"""The work of one download: a model's files one after the other, and how far it is."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from core.files import writing
from core.interfaces import Stop
from core.jobs.kinds import Report
from core.models.hub import file_url
from core.models.installed import record_download
from core.models.plans import Plan, is_there, put_in_place
from core.models.transfer import discard, fetch

SPEED_SECONDS = 5.0
"""The speed is that of the last seconds."""

CHECKING, ARRIVING = "checking", "arriving"


@dataclass
class Journal:
    """Reports how a download goes: what it is `doing`, what was last `said`, and since when how many bytes arrived.

    `since` is [seconds since 1970, bytes that were here then], SPEED_SECONDS ago or less; None before anything arrives
    and after a break. How many bytes are here now, the folder tells.
    """

    report: Report
    stopped: Stop
    before: int = 0
    """The bytes of the files before the one that is on its way."""
    doing: str = ""
    said: str = ""
    arrivals: deque[tuple[float, int]] = field(default_factory=deque)

    # What the transfer tells and asks (transfer.Watch).

    def checked(self, count: int) -> None:
        self._tell(CHECKING)

    def arrived(self, count: int) -> None:
        now = time.time()
        self.arrivals.append((now, self.before + count))
        while now - self.arrivals[0][0] > SPEED_SECONDS:
            self.arrivals.popleft()
        self._tell(ARRIVING)

    def says(self, sentence: str) -> None:
        self.said = sentence
        self.arrivals.clear()
        self._report(minor=False)

    def pause(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self.stopped() and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))
        return self.stopped()

    def _tell(self, doing: str) -> None:
        minor = doing == self.doing
        self.doing = doing
        self._report(minor=minor)

    def _report(self, *, minor: bool) -> None:
        since = self.arrivals[0] if self.arrivals else None
        self.report({"doing": self.doing, "said": self.said, "since": since}, minor=minor)


def download(plan: Plan, folder: Path, hub: str, report: Report, stop: Stop) -> None:
    """Bring what is missing of a model to `folder`, from where an earlier call ended, and put it in its place.

    Raises VerideskError where it fails, Cancelled where it is stopped: what has arrived is kept.
    """
    journal = Journal(report, stop)
    files = plan.model.files
    for file in files:
        journal.checked(0)
        part = plan.part(folder, file)
        with writing(part):
            part.parent.mkdir(exist_ok=True)
        if is_there(file, plan.path(folder, file), stop=stop):
            discard(part)
        else:
            url = file_url(hub, plan.model.repository, file.path)
            fetch(file, url, part, journal)
        journal.before += file.size
    for file in reversed(files):  # the first last: it is the one a model is loaded by, or found by
        if (part := plan.part(folder, file)).exists():
            put_in_place(part, plan.path(folder, file), file.sha256)
    record_download(plan.model, plan.licence, folder=folder)
