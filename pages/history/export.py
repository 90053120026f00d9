"""Past cases as a table to take away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.jobs.types import State, Status
from core.tabular.exports import to_csv
from core.tabular.table import Cell, Column, Table
from core.verification.review import Conclusion
from core.verification.review_store import Reviews
from core.verification.verdict.verdict_words import WORDS
from pages.ui.app_state import AppState
from pages.ui.cases import STATES, recipe_title, when

MAX_EXPORTED = 10_000


def cases_csv(at: AppState, who: str, text: str, label: str, folder: str = "") -> bytes:
    """Return all cases that a search finds, not only those of one page, as a table for a spreadsheet."""
    entries = at.cases.search(who, text, label=label, folder=folder, limit=MAX_EXPORTED).entries
    table = cases_table(entries, Reviews(at.store).conclusions([entry.id for entry in entries]))
    return to_csv(table).encode("utf-8-sig", "replace")


def cases_table(entries: Sequence[Status], conclusions: Mapping[str, Conclusion]) -> Table:
    """Return past cases as a table to take away."""
    titles = ("Claim", "Verdict", "Probability", "Own verdict", "Why", "Asked", "Recipe", "Case")
    columns = tuple(Column(title, digits=2 if title == "Probability" else None) for title in titles)
    return Table("cases", "Past cases", columns, tuple(cases_row(one, conclusions.get(one.id)) for one in entries))


def cases_row(entry: Status, own: Conclusion | None) -> tuple[Cell, ...]:
    said = own or Conclusion()
    verdict = entry.label if entry.state is State.DONE else STATES.get(entry.state, "No verdict")
    own_verdict = WORDS[said.label].word if said.label else ""
    recipe = recipe_title(entry.facts["recipe"])
    return (entry.title, verdict, entry.share, own_verdict, said.reason, when(entry), recipe, entry.id)
