"""A study as a file: a ZIP archive of CSV tables and their data dictionary. It reads back as it was written.

It also has "ratings_wide": one row per rating with all its facts, for analysis. It is not read back. Cells that a
spreadsheet would compute, or that begin with an apostrophe, have an apostrophe before them.
"""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections.abc import Iterator, Mapping, Sequence
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
from core.tabular.sheets import FORMULA_STARTS
from core.wording import readable_name

DICTIONARY, WIDE = "data_dictionary", "ratings_wide"
UNPACKED_LIMIT = 512 * 2**20
QUOTED = (*FORMULA_STARTS, "'")


def to_zip(study: Study) -> bytes:
    """Return an archive with a CSV file for each table, and the data dictionary beside them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in _sheets(study):
            text = io.StringIO(newline="")
            csv.writer(text, lineterminator="\n").writerows(rows)
            archive.writestr(f"{name}.csv", text.getvalue())
    return packed.getvalue()


def read_study(name: str, content: bytes) -> Study:
    """Return the study of a file that `to_zip` made; `name` is for messages. Raises BadInput."""
    return confined(_read_study, name, content)


def _read_study(name: str, content: bytes) -> Study:
    try:
        tables = _tables(content)
        return {table: [_typed(table, number, row) for number, row in tables[table]] for table in TABLES}
    except KeyError as error:
        raise BadInput(f"{name} is no whole study: it has no {error}. Export it again.") from error
    except MemoryError:
        raise
    except Exception as error:  # zlib lets everything out of broken files
        reason = readable_name(str(error))[:200] or type(error).__name__
        raise BadInput(f"{name} is no study that was exported here ({reason}).") from error


def _tables(content: bytes) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    csv.field_size_limit(max(csv.field_size_limit(), UNPACKED_LIMIT))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > UNPACKED_LIMIT:
            raise ValueError(f"it unpacks to more than {UNPACKED_LIMIT // 2**20} MB")
        if missing := TABLES.keys() - {entry.removesuffix(".csv") for entry in archive.namelist()}:
            raise KeyError(min(missing))
        texts = {name: archive.read(f"{name}.csv").decode() for name in TABLES}
    return {name: _with_titles(csv.reader(io.StringIO(text, newline=""))) for name, text in texts.items()}


def _with_titles(rows: Iterator[list[str]]) -> list[tuple[int, dict[str, Any]]]:
    titles = next(rows)
    return [(number, dict(zip(titles, map(_bare, row), strict=False))) for number, row in enumerate(rows, 2)]


def _sheets(study: Study) -> Iterator[tuple[str, list[Sequence[Any]]]]:
    yield DICTIONARY, [[field.name for field in FILES[DICTIONARY]], *dictionary_rows(*asked_in(study))]
    yield WIDE, [[_safe(cell) for cell in row] for row in wide_rows(study)]
    for name, fields in TABLES.items():
        titles = [field.name for field in fields]
        yield name, [titles, *([_safe(row[title]) for title in titles] for row in study[name])]


def _safe(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(QUOTED) else value


def _bare(cell: str) -> str:
    return cell[1:] if cell.startswith("'") else cell


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
