"""Declare the measurement of a model that reads passages; the page Models makes the same order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from core.actions.action import Action, Later
from core.actions.fields import Between, Choices, Help, OptionName, Reads
from core.verification.written_claims import CALIBRATING, FEW_CLAIMS, FOREIGN_CLAIMS, MOST_CLAIMS

FOREIGN = f"the claims' language; {FOREIGN_CLAIMS} claims in another than English"
CLAIMS = f"how many claims in English to read, {FEW_CLAIMS} to {MOST_CLAIMS}"


@dataclass(frozen=True)
class ToMeasure:
    """The order for a measurement of a language model, by its choice's id, or of the cross-encoder in a folder."""

    model: Annotated[str, Reads(), Help("'bundled', a .gguf file, or http://server/v1#model")] = "bundled"
    folder: Annotated[
        str, OptionName("cross-encoder", "FOLDER"), Reads(), Help("measure this cross-encoder instead")
    ] = ""
    claims: Annotated[int, Between(FEW_CLAIMS, MOST_CLAIMS), OptionName(metavar="N"), Help(CLAIMS)] = FEW_CLAIMS
    language: Annotated[str, Choices(tuple(CALIBRATING)), Help(FOREIGN)] = "en"

    @property
    def subject(self) -> str:
        """The text by which a model's measurements in a language are found."""
        return f"{self.folder or self.model} ({self.language})"


@dataclass(frozen=True)
class MeasureReader(ToMeasure):
    """Measure how well a model reads passages."""

    use_anyway: Annotated[bool, Help("let the model read although it is not measured as better")] = False


work, words = Later("core.verification.measure_job"), Later("core.verification.stance.measured_words")
MODELS = (
    Action(
        "measure",
        MeasureReader,
        work.measure_reader,
        words.decision_words,
        lambda found: [words.figures_table(found)],
        json_help="the figures",
        unit="claims",
    ),
)
