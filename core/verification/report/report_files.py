"""Make the report of a receipt, and write it as a file."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

from core.actions.action import ActionContext
from core.errors import BadInput, BadRecord
from core.files import write_whole
from core.jobs.store import JobStore
from core.settings import settings
from core.storage.store import Store
from core.verification.receipt import WRONG_VALUES, Json, receipt_from_json, receipt_in
from core.verification.report.case_report import CaseReport, case_report
from core.verification.report.command import FORMATS, ReportRequest
from core.verification.report.judge_measurements import judge_measurements
from core.verification.review import review_from_json


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


def write_report(request: ReportRequest, context: ActionContext) -> str:
    """Write the report to its file, or return it as text. Raises BadInput, BadRecord without a receipt."""
    report = report_of(receipt_named(request.case), made=datetime.now(UTC).astimezone().date())
    content = FORMATS[request.format].write(report)
    if request.out is None:
        return content.decode().rstrip("\n")
    write_whole(request.out, content)
    return ""


def receipt_named(name: str) -> Json:
    """Return the receipt in a file, or that of a case in the database. Raises BadInput if there is neither."""
    path = Path(name)
    if path.suffix == ".json" or path.is_file():
        return receipt_in(path)
    result = JobStore(Store(settings().database_url)).result_of(name)
    if result is None:
        raise BadInput(f"There is no receipt {name!r} and no finished case of that name: give one of the two.")
    return result
