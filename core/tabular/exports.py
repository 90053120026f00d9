"""Write a table as CSV, XLSX, JSON, LaTeX (booktabs), HTML and text. Files for machines have unrounded numbers."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from core.errors import BadInput
from core.tabular.sheets import FORMULA_STARTS
from core.tabular.table import Column, Table, shown

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "²": r"\textsuperscript{2}",
    "ρ": r"$\rho$",
    "τ_b": r"$\tau_b$",
    "τ": r"$\tau$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "–": "--",
    "−": "$-$",
    "…": r"\dots{}",
}
_SPECIAL = re.compile("|".join(map(re.escape, sorted(_LATEX, key=len, reverse=True))))
MAX_SHEET_TITLE = 31
WIDTH = 60
"""The most characters of a cell in text."""

LONG_TEXT = 40
"""Minimum characters of a cell for a fixed column width in LaTeX."""


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV, with text that no spreadsheet reads as a formula; numbers stay numbers, None is empty."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([spreadsheet_safe(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def spreadsheet_safe(cell: object) -> object:
    """Return the cell, with an apostrophe before text that a spreadsheet would compute."""
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA_STARTS) else cell


def latex_safe(text: str) -> str:
    """Return text on one line, with special characters and our tables' signs escaped for LaTeX."""
    return _SPECIAL.sub(lambda match: _LATEX[match[0]], " ".join(text.split()))


def to_csv(table: Table) -> str:
    """Return the table as CSV with unrounded numbers; an apostrophe precedes text that a spreadsheet would compute."""
    return csv_text([column.heading for column in table.columns], table.rows)


@contextmanager
def temporary_room() -> Iterator[None]:
    """Raise BadInput if the folder for temporary files is full, where openpyxl writes sheets first."""
    from lxml.etree import LxmlError

    try:
        yield
    except (OSError, LxmlError) as error:
        raise BadInput(
            f"{tempfile.gettempdir()} does not take temporary files ({error}): free some space there, or set TMPDIR."
        ) from error


@temporary_room()
def to_xlsx(table: Table) -> bytes:
    """Return the table as an XLSX workbook of one sheet: unrounded numbers, shown with their column's digits.

    Raises BadInput as `temporary_room`.
    """
    import openpyxl
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Font

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(re.sub(r"[\[\]:*?/\\]", " ", table.title)[:MAX_SHEET_TITLE] or table.name)
    sheet.freeze_panes = "A2"
    head = [WriteOnlyCell(sheet, column.heading) for column in table.columns]
    for title in head:
        title.font = Font(bold=True)
    sheet.append(head)
    for row in table.rows:
        cells = []
        for value, column in zip(row, table.columns, strict=True):
            text = isinstance(value, str)
            cell = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", value) if isinstance(value, str) else value)
            cell.data_type = "s" if text else cell.data_type  # otherwise text beginning with = would be computed
            if column.digits is not None and not text:
                cell.number_format = "0." + "0" * column.digits if column.digits else "0"
            cells.append(cell)
        sheet.append(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def to_json(table: Table) -> str:
    """Return the table as JSON with unrounded numbers: its title, note and columns, and an object per row."""
    headings = [column.heading for column in table.columns]
    content = {
        "title": table.heading,
        "note": table.note,
        **({"signature": table.signature} if table.signature else {}),
        "columns": [{"title": column.heading, "help": column.help} for column in table.columns if column.help],
        "rows": [dict(zip(headings, row, strict=True)) for row in table.rows],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def to_latex(table: Table) -> str:
    """Return the table as an unnumbered LaTeX table environment, for the package booktabs."""
    columns = [table.columns[j] for j in table.read_columns]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{''.join(_latex_column(table, j) for j in table.read_columns)}}}",
        r"\toprule",
        " & ".join(latex_safe(column.heading) for column in columns) + r" \\",
        r"\midrule",
        *(" & ".join(_latex_cells(table, i)) + r" \\" for i in range(len(table.rows))),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{latex_safe(f'{table.title}. {table.note}')}}}",
        rf"\label{{tab:{table.name}}}",
        r"\end{table}",
        *([f"% {' '.join(table.signature.split())}"] if table.signature else []),
    ]
    return "\n".join([*lines, ""])


def _latex_column(table: Table, j: int) -> str:
    """Return the LaTeX column type: right for numbers, a fixed width for sentences, left for words."""
    column = table.columns[j]
    if column.digits is not None:
        return "r"
    longest = max((len(str(row[j])) for row in table.rows if row[j] is not None), default=0)
    return r"p{0.3\linewidth}" if column.prose or longest > LONG_TEXT else "l"


def _latex_cells(table: Table, i: int) -> Iterator[str]:
    for j in table.read_columns:
        cell = latex_safe(shown(table.rows[i][j], table.columns[j]))
        cell = rf"\textbf{{{cell}}}" if (i, j) in table.best else cell
        small = table.below.get((i, j))
        yield rf"{cell} {{\footnotesize {latex_safe(small)}}}" if small else cell


def to_html(table: Table) -> str:
    """Return the table as an HTML section; every text is escaped."""
    columns = [table.columns[j] for j in table.read_columns]
    head = "".join(f"<th{_side(column)}>{html.escape(column.heading)}</th>" for column in columns)
    body = "\n".join(f"<tr>{''.join(_html_cells(table, i))}</tr>" for i in range(len(table.rows)))
    note = f"<p class=note>{html.escape(table.note)}</p>" if table.note else ""
    return (
        f"<section id='{html.escape(table.name, quote=True)}'><h2>{html.escape(table.heading)}</h2>"
        f"<div class=wide><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>{note}</section>"
    )


def to_text(table: Table) -> str:
    """Return the table as aligned text for a terminal, with its note and signature."""
    columns = [table.columns[j] for j in table.read_columns]
    cells = [[column.heading for column in columns], *(_text_cells(table, i) for i in range(len(table.rows)))]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if column.digits is None else cell.rjust(width)
            for cell, width, column in zip(row, widths, columns, strict=True)
        ).rstrip()
        for row in cells
    ]
    signature = [f"Signature: {table.signature}"] if table.signature else []
    ending = [words for words in (table.note, *signature) if words]
    return "\n".join([table.heading, "", *lines, *(["", *ending] if ending else [])])


def _text_cells(table: Table, i: int) -> list[str]:
    cells = []
    for j in table.read_columns:
        cell, small = _clipped(shown(table.rows[i][j], table.columns[j])), table.below.get((i, j))
        cells.append(f"{cell} ({small})" if small else cell)
    return cells


def _clipped(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= WIDTH else one_line[: WIDTH - 1] + "…"


def _html_cells(table: Table, i: int) -> Iterator[str]:
    for j in table.read_columns:
        words = html.escape(shown(table.rows[i][j], table.columns[j]))
        words = f"<strong>{words}</strong>" if (i, j) in table.best else words
        small = table.below.get((i, j))
        yield f"<td{_side(table.columns[j])}>{words}{f'<br><small>{html.escape(small)}</small>' if small else ''}</td>"


def _side(column: Column) -> str:
    return "" if column.digits is None else " class=number"


EXPORTS: dict[str, tuple[Callable[[Table], str | bytes], str, str]] = {
    "CSV": (to_csv, "csv", "text/csv"),
    "XLSX": (to_xlsx, "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "LaTeX": (to_latex, "tex", "text/x-tex"),
    "JSON": (to_json, "json", "application/json"),
}
"""A file format of tables: writer, file suffix, media type."""
