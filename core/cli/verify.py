"""Declare the verification of one claim from the command line."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, Later, ResultFile
from core.actions.fields import Between, Help, OptionName, Place, Reads, With
from core.documents.examples import examples
from core.search.search_plan import MAX_PAGES, MAX_QUERIES, QUERIES, SOURCE_NAMES
from core.verification.recipes import DEFAULT

PATH = OptionName(metavar="PATH")


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """The options of a search for a claim's documents, and of published fact-checks."""

    search: Annotated[
        tuple[str, ...],
        OptionName(metavar="NAME[=ADDRESS]"),
        Reads(),
        Help(f"search for documents in {SOURCE_NAMES}; shows its queries first"),
    ] = ()
    queries: Annotated[
        int,
        Between(1, MAX_QUERIES),
        Help("queries to a source at most; the first three are shown before they are sent"),
    ] = QUERIES
    ask_each: Annotated[bool, Help("ask before each later query")] = False
    model_queries: Annotated[
        int, Between(1, MAX_QUERIES), Help("add up to N queries that the model writes of the claim's words")
    ] = 0
    pages: Annotated[int, Between(1, MAX_PAGES), Help("pages to read")] = 10
    same_day: Annotated[
        bool,
        OptionName("no-same-day"),
        Help("leave out pages of the claim's own day: dates have no hour, and some pages are later than the claim"),
    ] = True
    reviews: Annotated[
        bool, With("search"), Help("also ask Google's Fact Check Tools who has checked the claim already")
    ] = False
    yes: Annotated[bool, Help("search without asking first")] = False
    review_language: Annotated[str, OptionName(metavar="CODE"), Help("fact-checks in this language only")] = ""
    review_publisher: Annotated[str, OptionName(metavar="NAME"), Help("fact-checks of this publisher only")] = ""
    review_days: Annotated[int, Between(1, 100_000), Help("fact-checks of the last N days only")] = 0


@dataclass(frozen=True, kw_only=True)
class VerifyOrder(SearchOptions):
    """Verify one claim."""

    claim: Annotated[str, Place("claim"), Help("the claim to check, in quotes; empty with --example")]
    store: Annotated[
        tuple[str, ...], PATH, Reads(), Help("a knowledge store, file or folder (JSONL of url, url2text)")
    ] = ()
    file: Annotated[
        tuple[str, ...], PATH, Reads(), Help("a document: PDF, DOCX, HTML, Markdown, text or a ZIP of them")
    ] = ()
    url: Annotated[tuple[str, ...], OptionName(metavar="URL"), Help("a web address")] = ()
    example: Annotated[str, Help(f"a bundled example: {', '.join(one.id for one in examples())}")] = ""
    date: Annotated[datetime.date | None, Help("when the claim was made; later evidence is left out")] = None
    speaker: Annotated[str, Help("who made the claim")] = ""
    recipe: Annotated[
        str,
        OptionName(metavar="NAME|FILE"),
        Reads(),
        Help("one that `recipes` lists, or a recipe file of your own (*.toml)"),
    ] = DEFAULT
    sentences: Annotated[int, Between(1, 1000), Help("sentences per passage")] = 3
    include_late: Annotated[bool, Help("search documents dated after the claim as well")] = False
    keep_index: Annotated[bool, Help("keep the passages' vectors for the next time")] = False
    key: Annotated[
        Path | None, With("package"), Reads(), Help("sign the package with this private key (Ed25519 in PEM)")
    ] = None
    no_questions: Annotated[bool, Help("quote the passages without a question to each: much quicker")] = False
    model: Annotated[str, Reads(), Help("'bundled', a .gguf file, or http://server/v1#model")] = "bundled"
    seed: Annotated[int, Between(0, 2**32 - 1), Help("a number from 0")] = 0
    training: Annotated[
        Path | None,
        Reads(),
        Help("annotated claims to take few-shot examples from (AVeriTeC JSON or leaderboard CSV)"),
    ] = None

    @property
    def looked_up(self) -> tuple[str, ...]:
        """The addresses to look up in an archive, instead of fetching their pages of today."""
        return self.url if "wayback" in self.search else ()


work = Later("core.cli.verifying")
VERIFY = Action(
    "verify",
    VerifyOrder,
    work.verify,
    files=(
        ResultFile("receipt", "write a receipt that `replay` runs again", work.receipt_text),
        ResultFile(
            "package",
            "write an evidence package (.wacz): receipt, report and pages, which `check` and `replay` open anywhere",
            work.package_bytes,
            (".wacz",),
        ),
    ),
    json_help="the report",
)
