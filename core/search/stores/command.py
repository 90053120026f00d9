"""Declare the building of a store, which a page orders too, and the figures of one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, Later, ResultFile
from core.actions.fields import Between, Help, Inner, OptionName, Place, Reads, Writes
from core.search.search_plan import KINDS_FILE, SOURCE_NAMES

MAX_PAGES = 10
MAX_WORKERS = 64


@dataclass(frozen=True)
class BuildOrder:
    """The order for a store. `claims` and `kinds_file` are paths; `kinds` names kinds of that file, () for all."""

    claims: Annotated[str, OptionName(metavar="FILE"), Reads(), Help("claims, with annotations or without")]
    sources: Annotated[
        tuple[str, ...], OptionName("source", "NAME[=ADDRESS]"), Reads(), Help(SOURCE_NAMES, "Search in")
    ]
    kinds_file: Annotated[str, OptionName("kinds", "FILE"), Reads(), Help("kinds of query (TOML)")] = str(KINDS_FILE)
    kinds: Annotated[tuple[str, ...], Inner()] = ()
    claim_only: Annotated[bool, Help("leave out kinds that need gold annotations")] = False
    pages: Annotated[
        int,
        Between(1, MAX_PAGES),
        Help("pages of results; the shared task took the first one", "Pages of results per query"),
    ] = 1
    same_day: Annotated[
        bool,
        OptionName("no-same-day"),
        Help(
            "leave out pages of the claim's own day: dates have no hour, and some pages are later than the claim",
            "Also pages of the claim’s own day",
        ),
    ] = True
    seed: Annotated[int, Between(0, 2**32 - 1), Help("a number for the model that writes queries")] = 0
    model: Annotated[str, Reads(), Help("'bundled', a .gguf file, or http://server/v1#model", "Language model")] = (
        "bundled"
    )
    workers: Annotated[
        int,
        Between(1, MAX_WORKERS),
        Help("claims worked on at once; no site is asked for two things at a time", "Claims at once"),
    ] = 1
    scheduler: Annotated[
        str,
        OptionName(metavar="ADDRESS"),
        Help("a Dask cluster (tcp://host:8786) writes the queries and reads the pages; this machine asks for them"),
    ] = ""
    consent: Annotated[str, Inner()] = ""


@dataclass(frozen=True, kw_only=True)
class BuildStore(BuildOrder):
    """Build a store; in the folder of a stopped build, resume it."""

    out: Annotated[Path, Writes(folder=True), Help("the folder that the store is built in")]
    yes: Annotated[bool, Help("build without asking first")] = False


@dataclass(frozen=True)
class ShowStore:
    """Show addresses, texts and tokens a claim, and gold evidence found by kind."""

    folder: Annotated[Path, Place("DIR"), Reads(), Help("a store: a folder of files CLAIM_ID.json")]
    gold: Annotated[Path | None, Reads(), Help("annotated claims, to see how much of them was found")] = None
    tables: Annotated[
        Path | None, Writes(folder=True), Help("write the tables there, as CSV, XLSX, LaTeX and JSON")
    ] = None


work = Later("core.search.stores.command_work")
PICTURES = (".svg", ".pdf", ".png")
CHART = ResultFile("chart", "draw the results of each kind: .svg, .pdf or .png", work.chart, PICTURES)
STORE = (
    Action("build", BuildStore, work.build, work.built, json_help="the manifest"),
    Action(
        "stats",
        ShowStore,
        work.show,
        tables=Later("core.search.stores.stats_tables").stats_tables,
        json=work.figures,
        json_help="the figures",
        files=(CHART,),
    ),
)
