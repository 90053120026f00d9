"""The files that a report can be handed over as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from core.errors import BadRecord
from core.verification.receipt import WRONG_VALUES, Json, receipt_from_json
from core.verification.report.case_report import CaseReport, case_report
from core.verification.report.claimreview import to_claimreview
from core.verification.report.html import to_html
from core.verification.report.judge_measurements import judge_measurements
from core.verification.report.markdown import to_markdown
from core.verification.report.word import to_docx
from core.verification.review import review_from_json


@dataclass(frozen=True)
class Format:
    """A kind of file: its name for people, its suffix, its media type and its exporter."""

    name: str
    suffix: str
    media_type: str
    write: Callable[[CaseReport], bytes]


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

FORMATS = {
    "html": Format("Web page", "html", "text/html", lambda report: to_html(report).encode()),
    "docx": Format("Word", "docx", WORD, to_docx),
    "md": Format("Markdown", "md", "text/markdown", lambda report: to_markdown(report).encode()),
    "claimreview": Format(
        "ClaimReview draft", "claimreview.json", "application/ld+json", lambda report: to_claimreview(report).encode()
    ),
}


def report_of(receipt: Json, *, made: date) -> CaseReport:
    """Return the report of a receipt, with the review that it holds. Raises BadRecord if it is no receipt."""
    request, case, llm, _ = receipt_from_json(receipt)
    if case.verdict is None:
        raise BadRecord("This receipt holds a case without a verdict: there is nothing to report.")
    try:
        review = review_from_json(receipt.get("review"))
    except KeyError as error:
        raise BadRecord(f"The review in this receipt cannot be read: it has no {str(error)[:80]}.") from error
    except WRONG_VALUES as error:
        raise BadRecord("The review in this receipt cannot be read: a value in it is of the wrong kind.") from error
    return case_report(request, case, llm, review=review, measured=judge_measurements(case.verdict), made=made)
