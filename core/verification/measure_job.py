"""The kind of job that measures a chosen reader on the calibration claims."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from core.dataclass_json import from_json, to_json
from core.interfaces import Stop
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind
from core.jobs.limits import JobLimits
from core.jobs.types import Job, JobResult, Json, Listed, State
from core.models.choice import parse_choice
from core.models.cross_encoders import chosen_cross_encoder
from core.models.digests import weights_digest
from core.models.installed import BUNDLED_SHA256
from core.verification.model_pool import ModelPool
from core.verification.stance.chosen_reader import (
    BuiltInReader,
    PassageReader,
    ReaderIdentity,
    model_reader,
    prompt_version,
)
from core.verification.stance.cross_encoder import cross_encoder_identity, load_cross_encoder
from core.verification.stance.measurement import Measurement, kept_measurement, newest_of
from core.verification.stance.measuring import Lend, measure
from core.verification.written_claims import FEW_CLAIMS, few_claims

MAX_KEPT = 40
EVERYBODY = "everybody"
"""The owner of measurements, because all users of the server share models."""


@dataclass(frozen=True)
class ToMeasure:
    """The order for a measurement of a language model, by its choice's id, or of the cross-encoder in a folder."""

    model: str = ""
    folder: str = ""
    claims: int = FEW_CLAIMS
    language: str = "en"

    @property
    def subject(self) -> str:
        """The text by which a model's measurements in a language are found."""
        return f"{self.folder or self.model} ({self.language})"


@dataclass(frozen=True)
class Measuring:
    """A measurement that waits, runs or has ended."""

    job: Job
    asked: ToMeasure

    @property
    def state(self) -> State:
        return self.job.state

    @property
    def read(self) -> int:
        """The number of claims read so far."""
        return int(self.job.progress["read"]) if self.job.progress else 0

    @property
    def seconds_left(self) -> float | None:
        """The seconds for the rest, None before the first claim."""
        return float(self.job.progress["left"]) if self.job.progress and self.job.progress["left"] else None


Measurings = Jobs[ToMeasure, Measuring]


def measure_kind(pool: ModelPool, place: str) -> JobKind[ToMeasure, Measuring]:
    """Return the kind of a measurement. Cases that need the same model take turns with it, claim by claim."""

    def handle(asked: ToMeasure, context: JobContext) -> JobResult:
        def report(read: int, _: int, left: float) -> None:
            context.report({"read": read, "left": left})

        built_in = BuiltInReader(pool.open_encoder())
        lend = lender(asked, pool, context.stop)
        measure(lend, built_in, report, context.stop, claims=asked.claims, language=asked.language)
        return JobResult({})

    def listed(asked: ToMeasure, folder: Path | None) -> Listed:
        return Listed(asked.subject, uses=asked.model, slot=place)

    def view(job: Job, asked: ToMeasure, folder: Path | None) -> Measuring:
        return Measuring(job, asked)

    return JobKind(
        "measurement", "a measurement", "measurements", handle, listed, to_json, read_asked, view,
        limits=JobLimits(kept=MAX_KEPT), local=True,
    )  # fmt: skip


def order(model: str, language: str = "en") -> ToMeasure:
    """Return the order to measure the reader in use: the chosen cross-encoder, else a language model."""
    folder = chosen_cross_encoder()
    names = ("", str(folder)) if folder else (model, "")
    return ToMeasure(*names, few_claims(language), language)


def read_asked(record: Json) -> ToMeasure:
    return from_json(record, ToMeasure)


def lender(asked: ToMeasure, pool: ModelPool, stop: Stop) -> Lend:
    """Return the function that lends the reader of an order. A server's model is held to the one that it is now."""
    if asked.folder:
        cross_encoder = load_cross_encoder(Path(asked.folder))
        return lambda: nullcontext(cross_encoder)
    if parse_choice(asked.model).kind == "server":
        with pool.lent(asked.model, stop=stop) as llm:
            held = model_reader(llm, stop)
        return lambda: nullcontext(held)

    @contextmanager
    def lend() -> Iterator[PassageReader]:
        with pool.lent(asked.model, stop=stop) as llm:
            yield model_reader(llm)

    return lend


def latest(measurings: Measurings, subject: str) -> Measuring | None:
    """Return the newest measurement of a model on this machine; None before the first."""
    found = measurings.search(EVERYBODY, slot=measurings.queue.place).entries
    newest = next((one for one in found if one.title == subject), None)
    return measurings.find(newest.id, EVERYBODY) if newest else None


def measured_by(asked: ToMeasure) -> Measurement | None:
    """Return the kept measurement of the model that an order names; of a server's model the newest of that name."""
    if asked.folder:
        return kept_measurement(cross_encoder_identity(Path(asked.folder)), asked.language)
    choice = parse_choice(asked.model)
    if choice.kind == "server":
        return newest_of(choice.model, asked.language)
    digest = weights_digest(choice.path) if choice.path else BUNDLED_SHA256
    return kept_measurement(ReaderIdentity(choice.name, digest, prompt_version()), asked.language)
