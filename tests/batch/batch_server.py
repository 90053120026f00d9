"""A server of batches without pages: `python -m tests.batch.batch_server DATABASE FOLDER`, until it is killed.

It reports that it is alive more often than the app does, and gives up another server sooner.
"""

import signal
import sys
from pathlib import Path

from core.batch.batch_job import Batches, batch_kind
from core.jobs import queue as queueing
from core.jobs import store as keeping
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.storage.store import Store

BEAT, STALE = 0.25, 10.0


def open_batches(url: str, folder: Path) -> Batches:
    jobs = JobStore(Store(url))
    return Jobs(JobQueue(jobs, place="here"), batch_kind(folder, jobs))


def main() -> None:
    queueing.BEAT_SECONDS, queueing.POLL_SECONDS, keeping.STALE_SECONDS = BEAT, BEAT, STALE
    open_batches(sys.argv[1], Path(sys.argv[2]))
    print("ready", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
