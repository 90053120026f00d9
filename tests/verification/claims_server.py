"""A server of claims without pages: `python -m tests.verification.claims_server DATABASE`, until it is killed.

It says that it is alive more often than the app does, and believes sooner that another is not.
"""

import signal
import sys

from core.jobs import queue as queueing
from core.jobs import store as keeping
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.storage.store import Store
from core.verification.model_pool import ModelPool
from core.verification.verify_job import verify_kind
from tests.fakes import WordEncoder

BEAT, STALE = 0.25, 10.0


def main() -> None:
    queueing.BEAT_SECONDS, queueing.POLL_SECONDS, keeping.STALE_SECONDS = BEAT, BEAT, STALE
    pool = ModelPool()
    pool.encoder = WordEncoder()
    jobs = JobStore(Store(sys.argv[1]))
    Jobs(JobQueue(jobs), verify_kind(pool.verify, jobs, slot=pool.slot, running=pool.workers))
    print("ready", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
