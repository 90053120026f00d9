"""Report the progress of one download: its state, its last sentence and its speed."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

from core.interfaces import Stop
from core.jobs.kinds import ReportProgress

SPEED_SECONDS = 5.0
"""Seconds over which to measure the speed."""

CHECKING, ARRIVING = "checking", "arriving"


@dataclass
class DownloadProgress:
    """Reports the progress of a download, and may end it.

    A report has three fields. `doing` names the activity, and `said` is the last sentence. `since` is a pair: a time at
    most SPEED_SECONDS ago, in seconds since 1970, and the bytes at that time. `since` is None before anything arrives
    and after a break. The folder shows how many bytes are here now.
    """

    report: ReportProgress
    stopped: Stop
    before: int = 0
    """The bytes of the files before the current one."""
    doing: str = ""
    said: str = ""
    arrivals: deque[tuple[float, int]] = field(default_factory=deque)

    def checked(self) -> None:
        """Report that the bytes of an earlier run have been checked."""
        self._tell(CHECKING)

    def arrived(self, count: int) -> None:
        """Report that `count` bytes of the present file are here."""
        now = time.time()
        self.arrivals.append((now, self.before + count))
        while now - self.arrivals[0][0] > SPEED_SECONDS:
            self.arrivals.popleft()
        self._tell(ARRIVING)

    def says(self, sentence: str) -> None:
        """Report an event to the user."""
        self.said = sentence
        self.arrivals.clear()
        self._report(minor=False)

    def pause(self, seconds: float) -> bool:
        """Wait for `seconds` or until the download must end; return whether it must."""
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
