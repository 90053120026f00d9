"""Everything that outlives a page: the store, the queue of jobs, and the loaded models."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass

import streamlit as st
from streamlit import runtime

from core.archive.addition_job import Additions, addition_kind
from core.batch.batch_job import Batches, batch_kind
from core.files import allow_many_files
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.models.download_job import Downloads
from core.scoring.score_job import Runs, score_kind
from core.search.stores.build_job import Builds, build_kind
from core.settings import settings
from core.storage.store import Store
from core.tasks.rescore_job import Rescorings, rescore_kind
from core.tasks.task_job import TaskRuns, task_kind
from core.verification.measure_job import Measurings, measure_kind
from core.verification.model_pool import ClusterPool, ModelPool
from core.verification.verify_job import Cases, verify_kind
from pages.ui.sessions import end_closed_sessions
from pages.ui.uploads import bound_uploads


@dataclass(frozen=True)
class AppState:
    """The one store and queue of a server, and the jobs of the queue."""

    store: Store
    jobs: JobStore
    queue: JobQueue
    pool: ModelPool
    cases: Cases
    runs: Runs
    downloads: Downloads
    batches: Batches
    builds: Builds
    submissions: TaskRuns
    rescorings: Rescorings
    measurings: Measurings
    additions: Additions

    def close(self) -> None:
        self.queue.close()
        self.pool.close()


@st.cache_resource(show_spinner=False, max_entries=1, on_release=AppState.close)
def open_app_state(home: str, database_url: str) -> AppState:
    """Open the store and the queue, and load the models. Raises StoreError if the database cannot be opened."""
    allow_many_files()
    if runtime.exists():
        bound_uploads(runtime.get_instance().uploaded_file_mgr)
        end_closed_sessions(runtime.get_instance())
    store, pool = Store(database_url), ModelPool()
    jobs = JobStore(store)
    here = settings()
    queue = JobQueue(jobs, place=f"{socket.gethostname()}:{home}")
    if scheduler := here.scheduler:
        work: ModelPool | ClusterPool = ClusterPool(scheduler)
    else:
        work = pool
        threading.Thread(target=pool.prepare, name="veridesk-models", daemon=True).start()
    return AppState(
        store,
        jobs,
        queue,
        pool,
        cases=Jobs(queue, verify_kind(work.verify, jobs, slot=work.slot, running=work.workers)),
        runs=Jobs(queue, score_kind()),
        downloads=Downloads(here.models, lambda: settings().hub, queue),
        batches=Jobs(queue, batch_kind(here.home / "batches", jobs)),
        builds=Jobs(queue, build_kind(here.home / "stores")),
        submissions=Jobs(queue, task_kind(store)),
        rescorings=Jobs(queue, rescore_kind(store)),
        measurings=Jobs(queue, measure_kind(pool, queue.place)),
        additions=Jobs(queue, addition_kind(here.home / "additions")),
    )


def app_state() -> AppState:
    """Return the desk of this server. Raises StoreError if the database cannot be opened."""
    here = settings()
    return open_app_state(str(here.home), here.database_url)
