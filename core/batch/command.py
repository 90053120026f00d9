"""Verify a file of claims from the command line; the page shares its settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.actions.action import Action, Later
from core.actions.fields import BadField, Between, Help, OptionName, Reads, Writes
from core.archive.types import PREFIX
from core.batch import FAILURES, JOURNAL, SUFFIXES
from core.types import Claim
from core.verification.recipes import DEFAULT

if TYPE_CHECKING:
    from core.batch.types import BatchPlan


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """The work on each claim of a batch: recipe, model, time limit and examples."""

    recipe: Annotated[
        str,
        OptionName(metavar="NAME|FILE"),
        Reads(),
        Help("the method of searching, asking and answering: one of `recipes`, or a file of your own (*.toml)"),
    ] = DEFAULT
    model: Annotated[
        str,
        Reads(),
        Help("'bundled', a .gguf file, or http://server/v1#model; each worker loads its own copy", "Language model"),
    ] = "bundled"
    within: Annotated[
        float | None,
        Between(0.1, 1e6),
        OptionName(metavar="SECONDS"),
        Help(
            "the longest time for one claim; if time runs short, it gets fewer passages and questions",
            "Time limit per claim (seconds)",
        ),
    ] = None
    training: Annotated[
        str,
        OptionName(metavar="FILE"),
        Reads(),
        Help(
            "claims with annotated questions to take examples from (AVeriTeC JSON or leaderboard CSV)",
            "Training claims to take examples from (optional)",
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class BatchOrder(BatchSettings):
    """Verify a file of claims and write a submission."""

    claims: Annotated[Path, Reads(), Help("claims in any AVeriTeC format")]
    out: Annotated[
        tuple[Path, ...],
        Writes(SUFFIXES, beside=(JOURNAL, FAILURES)),
        Help("the submission: .json, .jsonl or .csv; the journal is beside the first"),
    ]
    stores: Annotated[
        Path | None,
        OptionName(metavar="DIR"),
        Reads(),
        Help("a knowledge store for each claim: ID.json or .jsonl"),
    ] = None
    stores_extra: Annotated[
        tuple[str, ...],
        OptionName(metavar="PATH"),
        Reads(),
        Help("documents for every claim. Without --stores they are all that is searched, and indexed once"),
    ] = ()
    cases: Annotated[Path | None, Writes(folder=True), Help("keep the receipt of each claim in this folder")] = None
    first: Annotated[int | None, Between(1, 10_000_000), Help("only the first N claims")] = None
    workers: Annotated[int, Between(1, 256), Help("processes on this machine")] = 1
    scheduler: Annotated[str, OptionName(metavar="ADDRESS"), Help("work on a Dask cluster: tcp://host:8786")] = ""
    retry_failures: Annotated[bool, Help("try again what failed in earlier runs")] = False
    no_questions: Annotated[bool, Help("quote the passages without a question to each: much quicker")] = False
    seed: Annotated[int, Between(0, 2**32 - 1), Help("the model's seed")] = 0

    def __post_init__(self) -> None:
        if self.scheduler and self.workers > 1:
            raise BadField("scheduler", "A Dask cluster brings its own workers: leave out --workers or --scheduler.")
        if self.stores is None and not self.stores_extra:
            raise BadField("stores", "Give a store for each claim, or documents for all of them with --stores-extra.")
        if self.stores and not self.stores.is_dir():
            raise BadField("stores", f"{self.stores} is no folder: give the one that holds a store for each claim.")

    @property
    def plan(self) -> BatchPlan:
        """The plan of the batch. Its paths are absolute: workers may have another folder."""
        from core.batch.types import BatchPlan  # models and recipes, for which `--help` should not wait
        from core.verification.recipes.recipe_files import chosen_recipe
        from core.verification.request import Request

        recipe, own_recipe = chosen_recipe(self.recipe)
        request = Request(
            Claim(""),
            recipe=recipe,
            own_recipe=own_recipe,
            training=str(Path(self.training).absolute()) if self.training else "",
            model=self.model,
            seed=self.seed,
            questions=not self.no_questions,
            keep_index=self.stores is None,
        )
        extra = tuple(path if path.startswith(PREFIX) else str(Path(path).absolute()) for path in self.stores_extra)
        stores, cases = (path.absolute() if path else None for path in (self.stores, self.cases))
        return BatchPlan(request, stores, extra, self.within, cases)


BATCH = Action(
    "batch",
    BatchOrder,
    Later("core.batch.command_work").verify_all,
    lambda report: "\n".join(Later("core.batch.report").report_lines(report)),
    good=lambda report: not report.failures,
    json_help="the figures",
)
