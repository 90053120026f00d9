"""A command's report of the search behind a case."""

from __future__ import annotations

from typing import Any

from core.search_report import FOUND, SearchReport
from core.wording import counted


def searches_of(report: SearchReport) -> dict[str, Any]:
    """Return the search's part of a case's JSON."""
    return {
        "searches": [
            {
                "source": asked.source,
                "query": asked.query,
                "status": asked.status,
                "found": asked.found,
                "message": asked.message,
            }
            for asked in report.searches
        ],
        "reviews": [
            {"claim": one.claim, "rating": one.rating, "publisher": one.publisher, "url": one.url}
            for one in report.reviews
        ],
        "left_out": [
            {"url": item.url, "reason": str(item.reason), "message": item.message} for item in report.left_out
        ],
    }


def origins_of(report: SearchReport) -> dict[str, dict[str, Any]]:
    """Return where each document comes from, by its digest."""
    return {
        origin.digest: {
            "source": origin.source,
            "query": origin.query,
            "rank": origin.rank,
            "when": str(origin.when),
            "date_source": origin.date_source,
            "changed": origin.changed.isoformat() if origin.changed else None,
            "fact_checker": origin.fact_checker,
            "snapshot": origin.snapshot,
        }
        for origin in report.origins
    }


def search_lines(report: SearchReport) -> list[str]:
    """Return the lines on a search in the report that a person reads."""
    lines = [""]
    for asked in report.searches:
        found = counted(asked.found, "address", "addresses") if asked.status == FOUND else str(asked.status)
        lines.append(f"Asked {asked.source}: {asked.query} ({found})")
    lines += [f"Already checked: {one.claim} – {one.rating} ({one.publisher}, {one.url})" for one in report.reviews]
    return lines + [f"Left out ({item.reason}): {item.message}" for item in report.left_out]
