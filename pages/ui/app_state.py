"""What outlives a page: the store, the queue of cases, and the models that are loaded."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import VerideskError
from core.interfaces import Encoder, LanguageModel, Stop, never
from core.jobs import JobQueue, Json
from core.models.choice import ModelChoice
from core.scoring.runs import Runs
from core.settings import settings
from core.storage.jobs import JobTable
from core.storage.store import Store
from core.types import Failure
from core.verification.cases import Cases
from core.verification.progress import OnProgress
from core.verification.receipt import receipt_to_json
from core.verification.request import Request
from core.verification.runner import investigate
from core.verification.workbench import Workbench

log = logging.getLogger(__name__)


class Engines:
    """The encoder, and one language model at a time. The worker's thread uses them; any may let the model go."""

    def __init__(self) -> None:
        self.encoder: Encoder | None = None
        self.llm: LanguageModel | None = None
        self.opened: ModelChoice | None = None
        self.key = ""
        self.lock = threading.RLock()

    def prepare(self) -> None:
        """Load what nearly every case needs, so that the first one does not wait for it."""
        from core.models.installed import default_choice

        try:
            self.bench(default_choice().id)
        except Exception:
            # The case that needs what failed here meets the same error and tells its owner.
            log.exception("Preparing the models failed.")

    def bench(self, model: str, *, stop: Stop = never) -> Workbench:
        """Return the engines with this language model loaded; the one before it is let go first.

        Raises Cancelled if `stop` says so while it is loaded.
        """
        # Imported here: it brings torch and llama.cpp, for which no page should wait.
        from core.llm.backends import open_model
        from core.models.choice import parse_choice
        from core.retrieval.dense import load_encoder
        from core.verification import workbench

        if self.encoder is None:
            self.encoder = load_encoder()
        choice = parse_choice(model)
        with self.lock:
            # The key of a server is in no comparison of choices, and may have been given since.
            if self.llm is None or (choice, choice.api_key) != (self.opened, self.key):
                self.release()
                llm = open_model(choice, stop=stop)
                self.llm, self.opened, self.key = llm, choice, choice.api_key
            llm = self.llm
        return Workbench(self.encoder, llm, workbench.judge_of(llm.identity), settings().indexes)

    def release(self) -> None:
        """Let the language model go, and with it its process and its memory."""
        with self.lock:
            if self.llm:
                self.llm.close()
            self.llm, self.opened, self.key = None, None, ""

    def let_go(self, choice: ModelChoice) -> None:
        """Release the language model if it is this one; where one is being loaded, wait until it is."""
        with self.lock:
            if self.opened == choice:
                self.release()

    def verify(self, request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        """Do one verification and return its receipt; a `core.verification.cases.Work`."""
        from core.verification.workbench import open_examples  # see `bench`

        bench = replace(self.bench(request.model, stop=stop), examples=open_examples(request.training))
        outcome = investigate(request, bench, on_progress=on_progress, stop=stop)
        if isinstance(outcome, Failure):
            raise VerideskError(outcome.error)
        if outcome.verdict is None:
            raise VerideskError(f"The recipe {request.recipe!r} came to no verdict: choose another.")
        return receipt_to_json(request, outcome, bench.llm.identity, bench.encoder.identity)


@dataclass(frozen=True)
class Desk:
    """The one store and queue of a server, and what goes through the queue."""

    store: Store
    jobs: JobTable
    queue: JobQueue
    engines: Engines
    cases: Cases
    runs: Runs

    def close(self) -> None:
        self.queue.close()
        self.engines.release()


@st.cache_resource(show_spinner=False, max_entries=1, on_release=Desk.close)
def open_desk(home: str, database_url: str) -> Desk:
    """Open the store and the queue, and load the models. Raises StoreError if the database cannot be opened."""
    store, engines = Store(database_url), Engines()
    jobs = JobTable(store)
    queue = JobQueue(jobs)
    threading.Thread(target=engines.prepare, name="veridesk-models", daemon=True).start()
    return Desk(store, jobs, queue, engines, Cases(jobs, queue, engines.verify), Runs(jobs, queue))


def desk() -> Desk:
    """Return the desk of this server. Raises StoreError if the database cannot be opened."""
    here = settings()
    return open_desk(str(here.home), here.database_url)
