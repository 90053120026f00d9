"""One table as CSV, JSON, LaTeX (booktabs), HTML and text. Shown numbers have the digits their column asks for."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.scoring.export import csv_text, latex_safe

Cell = str | int | float | None
UNDEFINED = "–"
_SYMBOLS = {"ρ": r"$\rho$", "τ": r"$\tau$", "α": r"$\alpha$", "κ": r"$\kappa$", "–": "--", "−": "$-$", "×": r"$\times$"}


@dataclass(frozen=True)
class Column:
    """A title, and the number of decimals its numbers are shown with; `digits` None is a column of text.

    A column of p values shows those that would round to 0 as "<0.0001".
    """

    title: str
    digits: int | None = None
    p_values: bool = False


@dataclass(frozen=True)
class Table:
    """A named table; None in a cell means undefined. `note` says what a reader must know to read it.

    `best` marks cells (row, column) that are shown strong, such as the best metric of a dimension.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    best: frozenset[tuple[int, int]] = frozenset()


def shown(cell: Cell, column: Column) -> str:
    """Return a cell as a reader sees it."""
    if cell is None:
        return UNDEFINED
    if isinstance(cell, str) or column.digits is None:
        return str(cell)
    least = 10.0**-column.digits
    if column.p_values and cell < least:
        return f"<{least:.{column.digits}f}"
    return f"{cell:.{column.digits}f}".replace("-", "−")


def to_csv(table: Table) -> str:
    """Return the table as CSV with unrounded numbers; text that a spreadsheet would run is quoted with '."""
    rows = (["" if cell is None else cell for cell in row] for row in table.rows)
    return csv_text([column.title for column in table.columns], rows)


def to_latex(table: Table) -> str:
    """Return the table as a LaTeX table environment; needs the package booktabs."""
    layout = "".join("l" if column.digits is None else "r" for column in table.columns)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        " & ".join(_latex(column.title) for column in table.columns) + r" \\",
        r"\midrule",
    ]
    for i, row in enumerate(table.rows):
        cells = [_latex(shown(cell, column)) for cell, column in zip(row, table.columns, strict=True)]
        cells = [rf"\textbf{{{cell}}}" if (i, j) in table.best else cell for j, cell in enumerate(cells)]
        lines.append(" & ".join(cells) + r" \\")
    caption = f"{table.title}. {table.note}".strip()
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{_latex(caption)}}}"]
    return "\n".join([*lines, rf"\label{{tab:{table.name}}}", r"\end{table}", ""])


def to_json(table: Table) -> str:
    """Return the table as JSON with unrounded numbers: its title, its note and an object a row."""
    titles = [column.title for column in table.columns]
    rows = [dict(zip(titles, row, strict=True)) for row in table.rows]
    return json.dumps({"title": table.title, "note": table.note, "rows": rows}, ensure_ascii=False, indent=1) + "\n"


def to_html(table: Table) -> str:
    """Return the table as an HTML section; every text is escaped."""
    head = "".join(f"<th{_side(column)}>{html.escape(column.title)}</th>" for column in table.columns)
    body = "\n".join(f"<tr>{''.join(_html_cells(table, i))}</tr>" for i in range(len(table.rows)))
    note = f"<p class=note>{html.escape(table.note)}</p>" if table.note else ""
    return (
        f"<section id='{html.escape(table.name, quote=True)}'><h2>{html.escape(table.title)}</h2>"
        f"<div class=wide><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>{note}</section>"
    )


def to_text(table: Table) -> str:
    """Return the table as aligned text for a terminal."""
    cells = [[column.title for column in table.columns]]
    cells += [[_clipped(shown(cell, col)) for cell, col in zip(row, table.columns, strict=True)] for row in table.rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.columns))]
    lines = [
        "  ".join(
            cell.ljust(width) if column.digits is None else cell.rjust(width)
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join([table.title, "", *lines, *(["", table.note] if table.note else [])])


def _clipped(text: str, width: int = 60) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= width else one_line[: width - 1] + "…"


def _html_cells(table: Table, i: int) -> Iterator[str]:
    for j, (cell, column) in enumerate(zip(table.rows[i], table.columns, strict=True)):
        words = html.escape(shown(cell, column))
        yield f"<td{_side(column)}>{f'<strong>{words}</strong>' if (i, j) in table.best else words}</td>"


def _side(column: Column) -> str:
    return "" if column.digits is None else " class=number"


def _latex(words: str) -> str:
    safe = latex_safe(" ".join(words.split()))
    return re.sub("|".join(_SYMBOLS), lambda match: _SYMBOLS[match[0]], safe)
