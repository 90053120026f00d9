"""One batch: what was asked for, its folder and what became of its claims so far.

The folder holds what was asked for, the claims, the stores that came as a ZIP, the journal and the submission.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from core.batch.journal import Tail, journal_path
from core.batch.types import read_claims_file, receipt_path
from core.files import json_of
from core.jobs.store import JobStore
from core.jobs.types import Json, Status
from core.types import Claim
from core.verification.verdict.shown import listed_as, shown_label

PROCESS, FIGURES, LOG, STORES = "process", "figures.json", "log.txt", "stores"
RECIPE, CASES, OPENED = "recipe.toml", "cases", "opened.json"
SUBMISSIONS = ("submission.json", "submission.jsonl", "submission.csv")


@dataclass(frozen=True)
class BatchRequest:
    """What a batch is to do. `stores` is a folder on this machine, empty if they came as a ZIP.

    `claims_name` is what the file of claims is called in the batch's folder, `title` what its owner calls it; `ids`
    are those of its claims in order, and `gold` says whether it is annotated. `own_recipe` is the text of a recipe file
    of the owner's, whose name is then `recipe`; empty for a built-in one.
    `training` is the path of annotated claims to take examples from, or empty. With a `collection`, the name of one,
    the documents in `extra` are all that is searched.
    """

    claims_name: str
    ids: tuple[str, ...]
    gold: bool
    recipe: str
    model: str
    stores: str = ""
    extra: tuple[str, ...] = ()
    workers: int = 1
    within: float | None = None
    title: str = ""
    own_recipe: str = ""
    training: str = ""
    collection: str = ""
    retry_failures: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of one claim, as a page lists it.

    `label` as `listed_as`, empty where it failed; `speaking` as in `Done`.
    """

    claim_id: str
    label: str
    error: str
    seconds: float
    left_out: tuple[str, ...]
    speaking: int | None = None


@dataclass
class Batch:
    """One batch of one owner."""

    job: Status
    folder: Path
    asked: BatchRequest
    jobs: JobStore
    tail: Tail = field(init=False)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self.tail = Tail(journal_path(self.folder / SUBMISSIONS[0]))

    @property
    def id(self) -> str:
        return self.job.id

    @property
    def status(self) -> Status | None:
        """How its job stands; None once it was deleted."""
        return self.jobs.status(self.id, self.job.owner)

    @property
    def title(self) -> str:
        """What it is called: the name that its owner gave it, or its file's."""
        status = self.status
        return status.title if status else self.asked.title

    @property
    def running(self) -> bool:
        """Whether it is at work, or waits to be."""
        status = self.status
        return bool(status and status.state.live)

    @property
    def figures(self) -> dict[str, Any] | None:
        """What `core.batch.report` wrote when all claims had been worked on; None before."""
        try:
            return dict(json_of((self.folder / FIGURES).read_text(encoding="utf-8")))
        except (OSError, ValueError):  # not there, or not whole: it has not come to its end
            return None

    @property
    def trouble(self) -> str:
        """The sentence with which it ended before its time; empty if it was stopped or has not ended."""
        log = self.folder / LOG
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
        return next((line.removeprefix("batch: ") for line in reversed(lines) if line.startswith("batch: ")), "")

    def progress(self) -> Mapping[str, Outcome]:
        """Return what became of the claims so far, by id; only what is new is read."""
        with self.lock:  # several pages may look at once
            for done in self.tail.read():
                label = listed_as(shown_label(done.prediction)) if done.prediction else ""
                self.outcomes[done.claim_id] = Outcome(
                    done.claim_id, label, done.error, done.seconds, done.left_out, done.speaking
                )
        return {claim_id: self.outcomes[claim_id] for claim_id in self.asked.ids if claim_id in self.outcomes}

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """The claims that were asked for, by id."""
        content = (self.folder / self.asked.claims_name).read_bytes()
        return {claim.id: claim for claim in read_claims_file(self.asked.claims_name, content)[0]}

    def receipt(self, claim_id: str) -> Json | None:
        """Return the receipt of a claim that came out; None where there is none."""
        claim = self.claims.get(claim_id)
        path = receipt_path(self.folder / CASES, claim) if claim else None
        return dict(json_of(path.read_text(encoding="utf-8"))) if path and path.exists() else None

    def opened(self) -> dict[str, str]:
        """Return the ids of the cases that claims were opened as, by claim."""
        path = self.folder / OPENED
        return dict(json_of(path.read_text(encoding="utf-8"))) if path.exists() else {}

    def files(self) -> list[Path]:
        """Return the submission in each format, once it is written."""
        return [path for name in SUBMISSIONS if (path := self.folder / name).exists()]

    @property
    def stores_folder(self) -> Path:
        return Path(self.asked.stores) if self.asked.stores else self.folder / STORES

    def command(self, *, retry_failures: bool) -> list[str]:
        """Return the command line that does it, or goes on with it."""
        asked = self.asked
        words = ["--claims", str(self.folder / asked.claims_name)]
        words += [] if asked.collection else ["--stores", str(self.stores_folder)]
        words += [word for path in asked.extra for word in ("--stores-extra", path)]
        words += ["--cases", str(self.folder / CASES)]
        words += [word for name in SUBMISSIONS for word in ("--out", str(self.folder / name))]
        recipe = str(self.folder / RECIPE) if asked.own_recipe else asked.recipe
        words += ["--recipe", recipe, "--model", asked.model, "--workers", str(asked.workers), "--json"]
        words += ["--within", str(asked.within)] if asked.within else []
        words += ["--training", asked.training] if asked.training else []
        words += ["--retry-failures"] if retry_failures else []
        return [sys.executable, "-m", "core", "batch", *words]


def batch_files(asked: BatchRequest, claims: bytes, stores: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a new batch's folder, by name; `stores` are the files of a ZIP by theirs."""
    recipe = {RECIPE: asked.own_recipe.encode()} if asked.own_recipe else {}
    return {asked.claims_name: claims, **recipe, **{f"{STORES}/{name}": text for name, text in stores.items()}}
