"""Write a case as JSON and read it again; a receipt is a case with its request."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

from core.dataclass_json import new_converter
from core.errors import BadRecord
from core.interfaces import ModelIdentity
from core.records import parse_json, read_text
from core.types import (
    Case,
    Claim,
    Document,
    Passage,
    Verdict,
)
from core.verification.recipes.recipe_files import recipe_toml
from core.verification.request import Request, recipe_of

Json = dict[str, Any]
VERSION = 2


def _converter() -> Converter:
    """Return the converter of cases: passages point at documents, and a document must agree with its digest."""
    converter = new_converter()
    document = make_dict_structure_fn(Document, converter)
    converter.register_structure_hook(Document, lambda record, _: checked_document(document(record, Document)))
    converter.register_unstructure_hook(Passage, pointer)
    converter.register_structure_hook(Passage, placed)
    verdict = make_dict_unstructure_fn(Verdict, converter)
    converter.register_unstructure_hook(Verdict, lambda one: {**verdict(one), **derived(one)})
    return converter


def derived(verdict: Verdict) -> Json:
    """Return the label and the doubt that follow from a verdict's probabilities, for readers of the JSON."""
    return {"label": str(verdict.label), "cannot_tell": verdict.cannot_tell}


def checked_document(document: Document) -> Document:
    """Return a document as it was read. Raises BadRecord if its text and its digest do not agree."""
    if replace(document, digest="").digest != document.digest:
        raise BadRecord(f"The text of {document.url} is not the text that its hash was taken of.")
    return document


def claim_to_json(claim: Claim) -> Json:
    """Return the fields of a claim; the date is ISO 8601 or null."""
    return dict(CONVERTER.unstructure(claim))


def case_to_json(case: Case) -> Json:
    """Return a case as plain JSON values. Each document is there once, under "documents", and passages point at it."""
    documents = {passage.document.digest: passage.document for passage in passages(case)}
    return {
        "version": VERSION,
        "documents": CONVERTER.unstructure([*documents.values()]),
        **{name: CONVERTER.unstructure(getattr(case, name)) for name in PARTS},
    }


def case_from_json(record: Json) -> Case:
    """Return the case that `case_to_json` wrote. Raises BadRecord for another version."""
    if record.get("version") != VERSION:
        raise BadRecord(f"This case was written in format {record.get('version')}; this program reads {VERSION}.")
    documents = {item["digest"]: CONVERTER.structure(item, Document) for item in record["documents"]}
    parts = with_passages({name: record[name] for name in PARTS if name in record}, documents)
    case = Case(**{name: CONVERTER.structure(part, PARTS[name]) for name, part in parts.items()})
    if case.verdict and not case.verdict.probabilities:
        raise ValueError("a verdict without probabilities")
    if case.verdict and not all(0 <= place < len(case.verdict.stances) for place in case.verdict.decisive):
        raise ValueError("a passage that decides is not there")
    return case


def passages(case: Case) -> list[Passage]:
    """Return every passage that a case points at, in order of appearance."""
    ranked = [hit.passage for ranking in case.rankings for hit in ranking.hits]
    read = [one.passage for one in case.verdict.stances] if case.verdict else []
    asked = [pair.passage for pair in case.evidence if pair.passage]
    return [*ranked, *(hit.passage for hit in case.hits), *asked, *read]


def pointer(passage: Passage) -> Json:
    """Return the reference to a passage: its document's digest, and the characters of its text."""
    return {"document": passage.document.digest, "start": passage.start, "end": passage.end}


def placed(value: object, _: type[Passage]) -> Passage:
    """Return a passage that `with_passages` has put there. Raises TypeError for anything else."""
    if not isinstance(value, Passage):
        raise TypeError(f"{value!r} points at no passage")
    return value


def passage_of(document: Document, start: object, end: object) -> Passage:
    """Return a passage of a document. Raises ValueError where its characters are not in the text."""
    if isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= len(document.text):
        return Passage(document, start, end)
    raise ValueError(f"no characters of the text: {start!r} to {end!r}")


def with_passages(value: Any, documents: dict[str, Document]) -> Any:
    """Return JSON values with each passage in place of its reference."""
    if isinstance(value, list):
        return [with_passages(item, documents) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"document", "start", "end"}:
        return passage_of(documents[value["document"]], value["start"], value["end"])
    return {name: with_passages(item, documents) for name, item in value.items()}


CONVERTER = _converter()

WRONG_VALUES = (AttributeError, IndexError, TypeError, ValueError, ArithmeticError)
"""The errors that values of the wrong kind or size raise while they are read."""

PARTS: dict[str, Any] = get_type_hints(Case)
"""The fields of a case, with their types."""


def same_findings(first: Case, second: Case) -> list[str]:
    """Return the differences between two runs, in words; an empty list means that they are the same.

    Seconds and reused tokens are not compared: they depend on the machine, not on the case.
    """

    def settled(case: Case) -> Case:
        spoken = tuple(replace(item, seconds=0.0, reused_tokens=0) for item in case.completions)
        return replace(case, times=(), completions=spoken)

    one, other = settled(first), settled(second)
    names = (
        "claim",
        "corpus",
        "queries",
        "questions",
        "rankings",
        "hits",
        "evidence",
        "verdict",
        "completions",
        "notes",
    )
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def request_to_json(request: Request) -> Json:
    """Return a request as JSON. Uploaded documents keep their text, since nothing else can bring them back."""
    return dict(CONVERTER.unstructure(request))


def request_from_json(record: Json) -> Request:
    """Return the request that `request_to_json` wrote. Raises ValueError for numbers that no request has."""
    request = CONVERTER.structure(record, Request)
    if not (0 <= request.seed < 2**32 and 1 <= request.sentences <= 1000):
        raise ValueError(f"seed {request.seed}, {request.sentences} sentences per passage")
    return request


def receipt_to_json(request: Request, case: Case, llm: ModelIdentity, encoder: ModelIdentity) -> Json:
    """Return everything that is needed to run a case again and to see whether the result is the same.

    The recipe is there with all its steps: a built-in one may be changed in a later version.
    """
    return {
        "veridesk": VERSION,
        "request": request_to_json(request),
        "recipe": recipe_toml(recipe_of(request)),
        "case": case_to_json(case),
        "models": CONVERTER.unstructure({"language_model": llm, "encoder": encoder}),
    }


def receipt_from_json(record: Json) -> tuple[Request, Case, ModelIdentity, ModelIdentity]:
    """Return the request, its case, and the identities of model and encoder. Raises BadRecord if it is no receipt."""
    try:
        models = record["models"]
        return (
            request_from_json(record["request"]),
            case_from_json(record["case"]),
            ModelIdentity(**models["language_model"]),
            ModelIdentity(**models["encoder"]),
        )
    except KeyError as error:
        raise BadRecord(f"This is not a receipt of Veridesk: it has no {str(error)[:80]}.") from error
    except WRONG_VALUES as error:
        raise BadRecord("This is not a receipt of Veridesk: a value in it is of the wrong kind or size.") from error


def receipt_in(path: Path) -> Json:
    """Return the JSON object of a receipt file, still to be read as one. Raises BadRecord if it holds none."""
    record = parse_json(path.name, read_text(path))
    try:
        json.dumps(record, ensure_ascii=False).encode()  # half of a character, such as \\ud800, cannot be written
        if isinstance(record, dict):
            return record
    except UnicodeEncodeError:
        pass
    raise BadRecord(f"{path} cannot be read as a receipt: it is no JSON object of text in UTF-8.")
