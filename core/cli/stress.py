"""Declare the stress test of metrics, and of the judge of verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, Later, ResultFile
from core.actions.fields import BadField, Between, Choices, Help, OptionName, Place, Reads
from core.scoring.score import StressRequest
from core.verification.recipes import DEFAULT

VERDICT = "verdict"


@dataclass(frozen=True, kw_only=True)
class StressTest(StressRequest):
    """Show how far metrics, or the judge of verdicts, move when evidence is changed in known ways."""

    what: Annotated[
        str,
        Place("metrics|verdict"),
        Choices(("metrics", VERDICT)),
        Help("metrics: whether they notice changed evidence; verdict: whether the judge does"),
    ] = "metrics"
    stores: Annotated[
        Path | None, OptionName(metavar="DIR"), Reads(), Help("for verdict: a knowledge store for each claim, ID.json")
    ] = None
    stores_extra: Annotated[
        tuple[str, ...], OptionName(metavar="PATH"), Reads(), Help("for verdict: documents for all claims")
    ] = ()
    recipe: Annotated[str, Reads(), Help("for verdict: how evidence is found")] = DEFAULT
    model: Annotated[
        str, Reads(), Help("for verdict: the model that the recipe asks: 'bundled', a .gguf file, or a server")
    ] = "bundled"
    pairs: Annotated[int, Between(1, 1000), Help("for verdict: minimal pairs of each kind")] = 40

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.what == VERDICT and not (self.stores and self.stores.is_dir()):
            raise BadField("stores", "Name the folder that holds a knowledge store for each claim.")


work = Later("core.cli.stressing")
PICTURE = ResultFile(
    "chart", "write a picture of the movements: .svg, .pdf or .png", work.picture, (".svg", ".pdf", ".png")
)
STRESS = Action(
    "stress", StressTest, work.stress, tables=work.tables, json=work.values, files=(PICTURE,), json_help="the figures"
)
