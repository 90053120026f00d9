"""A server of claims without pages: `python -m tests.verification.claims_server DATABASE`, until it is killed.

It says that it is alive more often than the app does, and believes sooner that another is not.
"""

from __future__ import annotations

import signal
import sys

from core import job_queue as queueing
from core.job_queue import JobQueue
from core.storage import jobs as keeping
from core.storage.jobs import JobTable
from core.storage.store import Store
from core.verification.case_queue import Cases
from core.verification.engines import Engines
from tests.fakes import WordEncoder

BEAT, STALE = 0.25, 3.0


def main() -> None:
    queueing.BEAT_SECONDS, queueing.POLL_SECONDS, keeping.STALE_SECONDS = BEAT, BEAT, STALE
    engines = Engines()
    engines.encoder = WordEncoder()
    jobs = JobTable(Store(sys.argv[1]))
    Cases(jobs, JobQueue(jobs), engines.verify, slot=engines.slot, workers=engines.workers)
    print("ready", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
