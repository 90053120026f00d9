"""The kind of job that measures a chosen reader on the calibration claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from core.actions.action import ActionContext
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
from core.verification.measure_command import MeasureReader, ToMeasure
from core.verification.model_pool import ModelPool
from core.verification.stance.chosen_reader import (
    BuiltInReader,
    PassageReader,
    ReaderIdentity,
    model_reader,
    prompt_version,
)
from core.verification.stance.cross_encoder import cross_encoder_identity, load_cross_encoder
from core.verification.stance.measurement import Measurement, kept_measurement, newest_of, use_anyway
from core.verification.stance.measuring import Lend, measure
from core.verification.written_claims import few_claims

MAX_KEPT = 40
EVERYBODY = "everybody"
"""The owner of measurements, because all users of the server share models."""


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

        measured(asked, pool, report, context.stop)
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


def measured(asked: ToMeasure, pool: ModelPool, report: Callable[[int, int, float], None], stop: Stop) -> Measurement:
    """Measure the reader of an order beside the built-in one. Reports and raises as `measure`."""
    lend, built_in = lender(asked, pool, stop), BuiltInReader(pool.open_encoder())
    return measure(lend, built_in, report, stop, claims=asked.claims, language=asked.language)


def measure_reader(request: MeasureReader, context: ActionContext) -> Measurement:
    """Measure a model from the command line. It goes on where another run was stopped.

    To use a model anyway, a kept measurement is not repeated.
    """
    context.begin("Measuring")
    found = measured_by(request) if request.use_anyway else None
    if found is None:
        with closing(ModelPool()) as pool:
            found = measured(request, pool, lambda read, of, _: context.advance(read, of), context.stop)
    return use_anyway(found.reader, True, found.language) if request.use_anyway and not found.better else found


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
