"""Declare the report of a case, and the kinds of file that it can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from core.actions.action import Action, Later
from core.actions.fields import BadField, Choices, Help, Place, Reads, Writes

HTML, MARKDOWN = Later("core.verification.report.html"), Later("core.verification.report.markdown")
DOCX, REVIEW = Later("core.verification.report.word"), Later("core.verification.report.claimreview")


@dataclass(frozen=True)
class Format:
    """A kind of file: its name for people, its suffix, its media type and its exporter."""

    name: str
    suffix: str
    media_type: str
    write: Callable[[Any], bytes]


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

FORMATS = {
    "html": Format("Web page", "html", "text/html", lambda report: HTML.to_html(report).encode()),
    "docx": Format("Word", "docx", WORD, DOCX.to_docx),
    "md": Format("Markdown", "md", "text/markdown", lambda report: MARKDOWN.to_markdown(report).encode()),
    "claimreview": Format(
        "ClaimReview draft",
        "claimreview.json",
        "application/ld+json",
        lambda report: REVIEW.to_claimreview(report).encode(),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class ReportRequest:
    """Write a case as a report."""

    case: Annotated[
        str,
        Place("CASE"),
        Reads(),
        Help("a receipt (JSON), or the id of a case: the part after ?case= in its address"),
    ]
    format: Annotated[str, Choices(FORMATS), Help("the kind of file")] = "html"
    out: Annotated[Path | None, Writes(), Help("where to write it (default: standard output)")] = None

    def __post_init__(self) -> None:
        if self.format == "docx" and not self.out:
            raise BadField("out", "A Word file is no text for a terminal: say where to write it.")


REPORT = Action("report", ReportRequest, Later("core.verification.report.report_files").write_report, json=None)
