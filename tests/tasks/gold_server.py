"""A server that scores by a new gold file, and waits in the middle for the kill of a test.

`python -m tests.tasks.gold_server URL CLOCK` prints a line there.
"""

import sys
import threading
from dataclasses import replace

from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import JobResult, Json
from core.storage.store import Store
from core.tasks import rescore_job


def serve(store: Store) -> None:
    for_ever = threading.Event()

    def handle(request: rescore_job.RescoreRequest, context: JobContext) -> JobResult:
        def report(progress: Json, *, minor: bool = False) -> None:
            context.report(progress, minor=minor)
            if progress["done"] > progress["total"] / 2:
                print("in the middle", flush=True)
                for_ever.wait()

        return rescore_job.handle(store, request, replace(context, report=report))

    Jobs(JobQueue(JobStore(store)), replace(rescore_job.rescore_kind(store), handler=handle))
    for_ever.wait()


if __name__ == "__main__":
    serve(Store(sys.argv[1], clock=lambda: float(sys.argv[2])))
