"""The models that outlive a claim: the encoder, one embedded language model at a time, and those of servers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace

from core.errors import Cancelled, ServerError, VerideskError
from core.interfaces import Encoder, LanguageModel, Models, Stop, ignore, never
from core.jobs.types import Json
from core.models.choice import ModelChoice, parse_choice
from core.settings import settings
from core.types import Failure
from core.verification.progress import OnProgress
from core.verification.receipt import receipt_to_json
from core.verification.recipes.catalogue import DEFAULT
from core.verification.request import Request
from core.verification.runner import investigate

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.2


class ModelPool:
    """The open models of all verifications; any thread may use it or release a model.

    The embedded model answers one question at a time, so it works on one claim after the other. Models of servers
    work on several at once.
    """

    def __init__(self) -> None:
        self.encoder: Encoder | None = None
        self.llm: LanguageModel | None = None
        self.opened: ModelChoice | None = None
        self.servers: dict[tuple[str, str], LanguageModel] = {}
        self.lock, self.asking, self.turn = threading.RLock(), threading.Lock(), threading.Lock()

    def prepare(self) -> None:
        """Load the models that nearly every case needs, so that the first one does not wait for them."""
        from core.models.installed import default_choice

        try:
            self.models(default_choice().id)
        except Exception:
            # A case that needs the failed model meets the same error, and its owner reads it.
            log.exception("Preparing the models failed.")

    def slot(self, model: str) -> str:
        """Return which claims share workers with those of this model: all of the embedded ones, or of one server's."""
        return model if parse_choice(model).kind == "server" else ""

    def workers(self, slot: str) -> int:
        """Return how many claims of a slot may be worked on at once.

        With a server as many as VERIDESK_PARALLEL says, or else the server itself, once it has been asked.
        """
        told = [getattr(llm, "parallel", 1) for (model, _), llm in list(self.servers.items()) if model == slot]
        return (settings().parallel or max(told, default=1)) if slot else 1

    def models(self, model: str, *, stop: Stop = never) -> Models:
        """Return the models with this language model loaded; the embedded one before it is let go first.

        Raises Cancelled if `stop` says so while it is loaded.
        """
        # Imported here: it brings torch and llama.cpp, for which no page should wait.
        from core.verification.opening import open_readers
        from core.verification.verdict.classifier_judge import ClassifierJudge

        choice = parse_choice(model)
        with self.lock:
            self.encoder = self.encoder or open_readers()
        llm = self._server(choice) if choice.kind == "server" else self._embedded(choice, stop)
        return Models(self.encoder, llm, ClassifierJudge(DEFAULT))

    @contextmanager
    def lent(self, model: str, *, stop: Stop = never) -> Iterator[LanguageModel]:
        """Lend a language model for a few questions between two cases. Raises Cancelled if `stop` says so."""
        choice = parse_choice(model)
        if choice.kind == "server":
            yield self._server(choice)
            return
        while not self.turn.acquire(timeout=LOOK_SECONDS):
            if stop():
                raise Cancelled("Stopped.")
        try:
            yield self._embedded(choice, stop)
        finally:
            self.turn.release()

    def open_encoder(self) -> Encoder:
        """Return the encoder, loaded if it is not; no language model is loaded for it."""
        from core.verification.opening import open_readers  # see `models`

        with self.lock:
            self.encoder = self.encoder or open_readers()
            return self.encoder

    def close(self) -> None:
        """Let every language model go, and with them their processes and their memory."""
        with self.lock:
            for llm in (*self.servers.values(), *([self.llm] if self.llm else [])):
                llm.close()
            self.servers.clear()
            self.llm, self.opened = None, None

    def let_go(self, choice: ModelChoice) -> None:
        """Release a language model if it is open; where one is being loaded, wait until it is."""
        with self.lock:
            if self.llm and self.opened == choice:
                self.llm.close()
                self.llm, self.opened = None, None
            for key in [key for key in self.servers if key[0] == choice.id]:
                self.servers.pop(key).close()

    def verify(self, request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        """Do one verification and return its receipt; a `core.verification.verify_job.Work`."""
        from core.verification.opening import open_examples  # see `models`

        with nullcontext() if self.slot(request.model) else self.turn:
            models = replace(self.models(request.model, stop=stop), examples=open_examples(request.training))
            outcome = investigate(request, models, on_progress=on_progress, stop=stop)
        if isinstance(outcome, Failure):
            raise VerideskError(outcome.error)
        if outcome.verdict is None:
            raise VerideskError(f"The recipe {request.recipe!r} gave no verdict: choose another.")
        return receipt_to_json(request, outcome, models.llm.identity, models.encoder.identity)

    def _embedded(self, choice: ModelChoice, stop: Stop) -> LanguageModel:
        from core.llm.backends import open_model  # see `models`

        with self.lock:
            if self.llm is None or self.opened != choice:
                if self.llm:
                    self.llm.close()
                    self.llm, self.opened = None, None
                self.llm = open_model(choice, stop=stop)
                self.opened = choice
            return self.llm

    def _server(self, choice: ModelChoice) -> LanguageModel:
        from core.llm.backends import open_model  # see `models`

        # The key of a server is in no comparison of choices, and may have been given since.
        wanted = (choice.id, choice.api_key)
        with self.asking:
            if wanted not in self.servers:
                self.servers[wanted] = open_model(choice)
            return self.servers[wanted]


class ClusterPool:
    """Verify claims as `ModelPool` on the workers of the Dask scheduler at `address`, each with models of its own."""

    def __init__(self, address: str) -> None:
        from core.dask_executor import DaskExecutor  # needs Dask, which few have

        self.executor = DaskExecutor(ModelPool, address)
        self.size = 1

    def slot(self, model: str) -> str:
        """Return the one slot of all claims: they share the workers."""
        return ""

    def workers(self, slot: str) -> int:
        """Return how many claims may be sent at once: VERIDESK_PARALLEL, or as many as the cluster has workers."""
        return settings().parallel or self.size

    def verify(self, request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        """Have a worker verify a claim and return the receipt; no progress is reported. Errors as `Executor.map`."""
        self.size = max(1, len(self.executor.workers()))
        [receipt] = self.executor.map(verify_there, [request], give_up=_lost, stop=stop)
        return receipt

    def close(self) -> None:
        """Leave the cluster; its workers let their models go."""
        self.executor.close()


def verify_there(pool: ModelPool, request: Request) -> Json:
    """Do one verification on the worker that this runs on."""
    return pool.verify(request, ignore, never)


def _lost(request: Request, why: str) -> Json:
    raise ServerError(why)
