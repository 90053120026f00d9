"""The report as HTML: its body for a page, and one file that needs nothing else, runs nothing and prints well."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from core.verification.report.case_report import CaseReport
from core.verification.report.sources import day

FOLDER = Path(__file__).parent
FILE_STYLE = """:root { color-scheme: light dark; }
body { margin: 2rem auto; padding: 0 1rem; max-width: 46rem; background: light-dark(#fff, #15191c); }
@page { margin: 20mm 18mm; }
@page { @bottom-right { content: counter(page) " / " counter(pages); font: 9pt sans-serif; color: #555; } }
@media print { body { margin: 0; padding: 0; max-width: none; background: #fff; } }
"""


def report_body(report: CaseReport) -> str:
    """Return the report as one <article>; every text in it is escaped. Its style is that of `report_style`."""
    marked = any(one.mark for one in report.listed)
    return _templates().get_template("body.html").render(report=report, made=day(report.made), marked=marked)


def report_style() -> str:
    """Return the style sheet of the report's body."""
    return (FOLDER / "report.css").read_text(encoding="utf-8")


def to_html(report: CaseReport) -> str:
    """Return the report as one HTML file without scripts, pictures or outside files."""
    body, style = Markup(report_body(report)), Markup(FILE_STYLE + report_style())  # nosec B704: escaped by report_body
    return _templates().get_template("page.html").render(report=report, body=body, style=style)


@cache
def _templates() -> Environment:
    environment = Environment(loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined)
    environment.filters |= {"percent": lambda share: f"{share:.0%}", "web": is_web_address}
    return environment


def is_web_address(address: str) -> bool:
    """Whether an address may be a link: http(s) with a host, and nothing that runs."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
