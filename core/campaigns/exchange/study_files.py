"""A study as files: JSON lines, a ZIP archive of CSV tables, an XLSX workbook; each with its data dictionary.

All three read back as they were written. Archive and workbook also have "ratings_wide": one row per rating with all its
facts, for analysis. It is not read back. CSV and XLSX tables put an apostrophe before a cell that a spreadsheet would
compute, or that begins with one. A text too long for an XLSX cell goes on in the sheet "continued".
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from core.agreement.own_questions import OwnQuestion
from core.campaigns.exchange.dictionary import (
    FILES,
    OF_ITEM,
    OF_RATING,
    TABLES,
    ColumnKind,
    Field,
    dictionary_rows,
    wide_fields,
)
from core.campaigns.exchange.rating_exports import evidence_text
from core.campaigns.exchange.study import Study
from core.campaigns.planning.plans import pairs_from_json
from core.campaigns.planning.rating_form import CANNOT_JUDGE, FLAG, Form
from core.campaigns.planning.rating_form import questions as questions_of
from core.confined import confined
from core.errors import BadInput
from core.tabular.exports import temporary_room
from core.tabular.sheets import FORMULA_STARTS
from core.wording import readable_name

DICTIONARY, WIDE, CONTINUED = "data_dictionary", "ratings_wide", "continued"
MAX_CELL = 32_000
"""Characters of an XLSX cell; the format ends at 32,767, and escaping makes texts longer."""
UNPACKED_LIMIT = 512 * 2**20
QUOTED = (*FORMULA_STARTS, "'")
# Characters that XML cannot hold or changes, and texts that look like one of these escaped.
_UNFIT = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def to_jsonl(study: Study) -> bytes:
    """Return one line per row, its table under "table"; the first line is the data dictionary."""
    lines: list[Mapping[str, Any]] = [{"table": DICTIONARY, "columns": dictionary_rows(*asked_in(study))}]
    lines += [{"table": name, **row} for name in TABLES for row in study[name]]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def to_zip(study: Study) -> bytes:
    """Return an archive with a CSV file for each table, and the data dictionary beside them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in _sheets(study):
            text = io.StringIO(newline="")
            csv.writer(text, lineterminator="\n").writerows(rows)
            archive.writestr(f"{name}.csv", text.getvalue())
    return packed.getvalue()


@temporary_room()
def to_xlsx(study: Study) -> bytes:
    """Return a workbook with a sheet for each table, and the data dictionary."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    rest: list[Sequence[Any]] = [("table", "row", "column", "text")]
    for name, rows in _sheets(study):
        sheet = book.create_sheet(name)
        for number, row in enumerate(rows, start=1):
            cells = [_escaped(cell) for cell in row]
            sheet.append([cell[:MAX_CELL] if isinstance(cell, str) else cell for cell in cells])
            rest += _beyond(name, number, cells)
    continued = book.create_sheet(CONTINUED)
    for row in rest:
        continued.append(row)
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


WRITERS: dict[str, Callable[[Study], bytes]] = {"jsonl": to_jsonl, "zip": to_zip, "xlsx": to_xlsx}


def read_study(name: str, content: bytes) -> Study:
    """Return the study of a file that one of the writers made; `name` is for messages. Raises BadInput."""
    return confined(_read_study, name, content)


def _read_study(name: str, content: bytes) -> Study:
    try:
        tables = _tables(content)
        return {table: [_typed(table, number, row) for number, row in tables[table]] for table in TABLES}
    except KeyError as error:
        raise BadInput(f"{name} is no whole study: it has no {error}. Export it again.") from error
    except MemoryError:
        raise
    except Exception as error:  # openpyxl, expat and zlib let everything out of broken files
        reason = readable_name(str(error))[:200] or type(error).__name__
        raise BadInput(f"{name} is no study that was exported here ({reason}).") from error


def _tables(content: bytes) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    if not content.startswith(b"PK\x03\x04"):
        return _line_tables(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > UNPACKED_LIMIT:
            raise ValueError(f"it unpacks to more than {UNPACKED_LIMIT // 2**20} MB")
        if "xl/workbook.xml" in archive.namelist():
            return _with_titles(_workbook(content))
        csv.field_size_limit(max(csv.field_size_limit(), UNPACKED_LIMIT))
        texts = {name: archive.read(f"{name}.csv").decode() for name in TABLES}
    return _with_titles({name: list(csv.reader(io.StringIO(text, newline=""))) for name, text in texts.items()})


def _line_tables(content: bytes) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    tables: dict[str, list[tuple[int, dict[str, Any]]]] = {name: [] for name in TABLES}
    for number, line in enumerate(content.decode().split("\n"), start=1):
        if line.strip():
            row = json.loads(line)
            if row.pop("table") in tables:
                tables[json.loads(line)["table"]].append((number, row))
    return tables


def _workbook(content: bytes) -> dict[str, list[list[Any]]]:
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(content), read_only=True)
    sheets = {name: [list(row) for row in book[name].iter_rows(values_only=True)] for name in TABLES}
    for name, number, column, text in islice(book[CONTINUED].iter_rows(values_only=True), 1, None):
        if name in sheets:
            row, place = sheets[str(name)][int(number) - 1], int(column) - 1
            row[place] = row[place] + text if isinstance(row[place], str) else text
    return {name: [[_unescaped(cell) for cell in row] for row in rows] for name, rows in sheets.items()}


def _with_titles(sheets: Mapping[str, list[list[Any]]]) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    return {
        name: [(number, dict(zip(rows[0], map(_bare, row), strict=False))) for number, row in enumerate(rows[1:], 2)]
        for name, rows in sheets.items()
    }


def _sheets(study: Study) -> Iterator[tuple[str, list[Sequence[Any]]]]:
    yield DICTIONARY, [[field.name for field in FILES[DICTIONARY]], *dictionary_rows(*asked_in(study))]
    yield WIDE, [[_safe(cell) for cell in row] for row in wide_rows(study)]
    for name, fields in TABLES.items():
        titles = [field.name for field in fields]
        yield name, [titles, *([_safe(row[title]) for title in titles] for row in study[name])]


def _safe(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(QUOTED) else value


def _bare(value: Any) -> Any:
    return value[1:] if isinstance(value, str) and value.startswith("'") else value


def _escaped(value: Any) -> Any:
    return _UNFIT.sub(lambda match: f"_x{ord(match[0]):04X}_", value) if isinstance(value, str) else value


def _unescaped(value: Any) -> Any:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), value) if isinstance(value, str) else value


def _beyond(name: str, number: int, cells: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Return the overflow of cells: the rest of long texts, and numbers that openpyxl writes with a digit too few."""
    for column, cell in enumerate(cells, start=1):
        if isinstance(cell, str):
            for start in range(MAX_CELL, len(cell), MAX_CELL):
                yield name, number, column, cell[start : start + MAX_CELL]
        elif isinstance(cell, float) and float(f"{cell:.16g}") != cell:
            yield name, number, column, repr(cell)


def _typed(table: str, number: int, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with the values that its columns have. Raises ValueError naming the cell."""
    typed = {}
    for field in TABLES[table]:
        try:
            typed[field.name] = _value(field, row.get(field.name))
        except (ValueError, TypeError, OverflowError) as error:
            raise ValueError(f"{table}, row {number}, {field.name}: {error}") from error
    return typed


def _value(field: Field, value: Any) -> Any:
    if value in (None, "") and field.optional:
        return None
    if field.kind is ColumnKind.TEXT:
        return "" if value is None else str(value)
    if field.kind is ColumnKind.JSON:
        json.loads(value)
        return value
    if field.kind is ColumnKind.TRUTH:
        return {"True": True, "False": False}[str(value)]
    number = int(value) if field.kind is ColumnKind.WHOLE else float(value)
    if not math.isfinite(number):
        raise ValueError("no finite number")
    return number


def form_of(study: Study) -> Form:
    """Return the form that the study's campaign asked."""
    return Form.from_json(study["campaign"][0]["form"])


def asked_in(study: Study) -> tuple[tuple[str, ...], tuple[OwnQuestion, ...]]:
    """Return the names of the scales of the study's form, and its own questions, as the dictionary takes them."""
    form = form_of(study)
    return tuple(scale.name for scale in form.scales), tuple(one.exported() for one in form.own)


def wide_rows(study: Study) -> list[Sequence[Any]]:
    """Return the titles and a row for each rating, finished or not.

    Each question has two columns: its answer, and its seconds in view as "seconds NAME". `excluded` gives the reason.
    """
    questions = [*questions_of(form_of(study)), CANNOT_JUDGE, FLAG]
    items = {row["position"]: row for row in study["items"]}
    answers = {(row["rater"], row["item"], row["question"]): row for row in study["answers"]}
    excluded = _excluded(study)
    rows: list[Sequence[Any]] = [[field.name for field in wide_fields(*asked_in(study))]]
    for rating in study["ratings"]:
        item, rater = items[rating["item"]], rating["rater"]
        given = [answers.get((rater, rating["item"], question)) for question in questions]
        rows.append(
            [
                *(item[name] for name in OF_ITEM),
                rater,
                *(rating[name] for name in OF_RATING),
                excluded.get((rater, rating["item"])) or excluded.get((rater, None), ""),
                *(json.loads(one["value"]) if one else None for one in given),
                *(one["seconds"] if one else None for one in given),
                *(evidence_text(pairs_from_json(item[name])) for name in ("evidence", "reference")),
            ]
        )
    return rows


def _excluded(study: Study) -> dict[tuple[str, int | None], str]:
    """Return the reasons of current exclusions, by rater and item (None: everything of the rater)."""
    newest = {(row["rater"], row["item"]): row for row in study["exclusions"]}
    return {key: row["reason"] for key, row in newest.items() if row["excluded"]}
