"""Define a worker: its models, its cache of stores, and the measured speed of its steps."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.annotations import prediction_of
from core.batch.time_limit import Speeds, TimeBudget
from core.batch.types import BatchPlan, Done, cost_of, receipt_path
from core.documents.knowledge_store import KnowledgeStore, load_store
from core.errors import Cancelled, VerideskError, unforeseen
from core.files import write_whole
from core.interfaces import Models, Stop, never
from core.types import Case, Claim, Failure, Outcome, Stance
from core.verification.progress import Update
from core.verification.receipt import receipt_to_json
from core.verification.runner import investigate

log = logging.getLogger(__name__)

_PROC = Path("/proc")
FINDING = "Find the store"
MAX_TEXT = 200_000_000
"""Characters of text in a worker's cache; the official store of one claim has about ten million."""

StoreState = tuple[tuple[str, int, int], ...]


@dataclass
class StoreCache:
    """Cached stores by path; the least recently used goes first. Changed stores are read again."""

    most_text: int = MAX_TEXT
    kept: OrderedDict[Path, tuple[StoreState, KnowledgeStore]] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def store(self, path: Path) -> KnowledgeStore:
        """Return a store. Raises as `load_store` does."""
        with self.lock:
            state = state_of(path)
            before = self.kept.pop(path, None)
            store = before[1] if before and before[0] == state else load_store(path)
            self.kept[path] = state, store
            self._forget()
            return store

    def _forget(self) -> None:
        while len(self.kept) > 1 and self._text() > self.most_text:
            self.kept.popitem(last=False)

    def _text(self) -> int:
        return sum(len(document.text) for _, store in self.kept.values() for document in store.documents)


def state_of(path: Path) -> StoreState:
    """Return name, size and time of change of a store's files; empty where there are none."""
    files = sorted(path.iterdir()) if path.is_dir() else [path] if path.exists() else []
    return tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)


@dataclass
class Worker:
    """Verifies one claim after the other by a plan. `close` releases the language model."""

    plan: BatchPlan
    models: Models
    stores: StoreCache = field(default_factory=StoreCache)
    speeds: Speeds = field(default_factory=Speeds)

    def work(self, claim: Claim, *, stop: Stop = never) -> Done:
        """Return the result of one claim; bad input fails only this claim. Raises Cancelled only by `stop`."""
        started = time.perf_counter()
        budget = TimeBudget(self.plan.within, self.speeds, stop)
        outcome = self._outcome(claim, budget)
        if self.plan.cases and isinstance(outcome, Case):
            self._keep(self.plan.cases, outcome, budget.shares)
        return done_with(claim, outcome, time.perf_counter() - started, left_out=budget.left_out)

    def _keep(self, cases: Path, case: Case, shares: Sequence[float]) -> None:
        """Keep the receipt of a claim, so that users can open it as a case. Raises BadInput if it cannot be written."""
        models = self.models.llm.identity, self.models.encoder.identity
        receipt = {**receipt_to_json(self.plan.request_for(case.claim), case, *models), "shares": list(shares)}
        write_whole(receipt_path(cases, case.claim), json.dumps(receipt), parents=True)

    def _outcome(self, claim: Claim, budget: TimeBudget) -> Outcome:
        stage = FINDING

        def follow(progress: Update) -> None:
            nonlocal stage
            stage = progress.stage

        try:
            outcome = investigate(
                self.plan.request_for(claim),
                self.models,
                on_progress=follow,
                stop=budget.stop,
                run_step=budget.run_step,
                load=self.stores.store,
            )
            return called_by_name(outcome, self.plan.stores) if isinstance(outcome, Failure) else outcome
        except Cancelled:
            if budget.should_stop():
                raise
            return Failure(claim.id, stage, budget.too_late())
        except Exception as error:
            return failure_of(claim, stage, error, stores=self.plan.stores)

    def close(self) -> None:
        self.models.llm.close()


def failure_of(claim: Claim, stage: str, error: Exception, *, stores: Path | None = None) -> Failure:
    """Return the failure of a claim; an unexpected error also goes to the log, in full."""
    if isinstance(error, VerideskError):
        return called_by_name(Failure(claim.id, stage, str(error)), stores)
    return Failure(claim.id, stage, unforeseen(f"Claim {claim.id}"))


def called_by_name(failure: Failure, stores: Path | None) -> Failure:
    """Replace paths in `stores` by file names in a failure, because the uploader does not know this machine's paths."""
    return replace(failure, error=failure.error.replace(f"{stores}{os.sep}", "")) if stores else failure


def done_with(claim: Claim, outcome: Outcome, seconds: float, *, left_out: Sequence[str] = ()) -> Done:
    """Return the journal's record of a claim that this process finished in `seconds`."""
    done = Done(
        claim.id,
        None,
        seconds=round(seconds, 3),
        left_out=tuple(left_out),
        worker=f"{socket.gethostname()}:{os.getpid()}",
        peak_bytes=peak_bytes(),
        ended=round(time.time(), 3),
    )
    if isinstance(outcome, Failure):
        return replace(done, error=f"{outcome.step}: {outcome.error}")
    stances = outcome.verdict.stances if outcome.verdict else ()
    speaking = sum(one.stance in (Stance.FOR, Stance.AGAINST) for one in stances)
    return replace(done, prediction=prediction_of(outcome), cost=cost_of(outcome.completions), speaking=speaking)


def work_on(worker: Worker, claim: Claim) -> Done:
    """Let a worker verify one claim, in the process of an executor."""
    return worker.work(claim)


def open_worker(plan: BatchPlan) -> Worker:
    """Load the models that a plan names. Raises ModelError if they cannot be loaded."""
    from core.verification.opening import (
        open_models,  # torch and llama.cpp, which the parent process does not need
    )

    return Worker(plan, open_models(plan.request.model, training=plan.request.training))


def peak_bytes() -> int | None:
    """Return the sum of the memory peaks of this process and its living descendants; None without /proc.

    The sum is an upper bound: peaks may be at different times, and shared libraries count several times.
    """
    if not (_PROC / "self" / "status").exists():
        return None
    return sum(_peak(pid) for pid in family(os.getpid()))


def family(pid: int) -> list[int]:
    """Return a process and its descendants."""
    children: dict[int, list[int]] = {}
    for folder in _PROC.iterdir():
        if folder.name.isdecimal():
            children.setdefault(_parent(folder), []).append(int(folder.name))
    found = [pid]
    for member in found:  # grows while it is walked
        found += children.get(member, [])
    return found


def _parent(folder: Path) -> int:
    try:
        # "pid (name) state parent …", where the name may hold spaces and brackets
        return int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except OSError:  # it has just ended
        return 0


def _peak(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "status").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
