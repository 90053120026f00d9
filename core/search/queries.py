"""Queries for a claim, by kinds that are data: see kinds.toml."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from cattrs import Converter, transform_error

from core.errors import BadInput
from core.interfaces import LanguageModel, Stop, never
from core.llm.prompts import TEMPLATES, about, listed, listing, listing_tokens, render
from core.records import parse_toml, read_text
from core.retrieval.lexical import LexicalIndex
from core.search.search_plan import KINDS_FILE
from core.terms import STOP_WORDS, strange_words, word_pattern
from core.types import Claim

INPUTS = ("claim", "speaker", "date", "entities", "questions", "answers", "urls", "paragraphs")
GOLD = frozenset({"questions", "answers", "urls", "paragraphs"})
ROLES = ("evidence", "distractor")
MAX_CHARACTERS = 120
TEMPERATURE = 0.7  # greedy decoding makes a small model write the same query again

_FIELDS = Converter(forbid_extra_keys=True)

_RUN = r"[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я][\w’'&.-]*\w|\d+[A-Z]\w*|[A-ZΑ-ΩА-Я]"
_DOTTED = re.compile(r"\b(?:[A-Z]\.){2,}")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b|(?<=s)['’](?=\s|$)")
_NUMBER = r"\d+\b(?![.,]\d|\s*%|\s+(?:per|percent|hundred|thousand|million|billion)\b)"  # "Apollo 11", no amount
_ENTITY = re.compile(
    rf"\b(?:{_RUN})(?:\s+(?:(?:of|de|la|le|du|van|von|der|den|al|bin|the)\s+){{0,2}}(?:{_RUN}|{_NUMBER}))*"
)


@dataclass(frozen=True)
class Material:
    """The material for queries; only annotated claims have more than the claim."""

    claim: Claim
    questions: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    paragraphs: tuple[str, ...] = ()


@dataclass(frozen=True)
class QueryKind:
    """One kind of query; the fields are explained in kinds.toml."""

    name: str
    type: str
    inputs: tuple[str, ...]
    method: str
    role: str
    template: str = ""
    answer: str = "queries"
    each: str = ""
    count: int = 1

    @property
    def needs_gold(self) -> bool:
        return bool(GOLD & set(self.inputs))


@dataclass(frozen=True)
class QueryWriter:
    """Who writes queries: a language model where a kind wants one; None where none of the kinds does."""

    llm: LanguageModel | None = None
    seed: int = 0
    stop: Stop = never


def read_kinds(path: Path = KINDS_FILE) -> dict[str, QueryKind]:
    """Return the kinds of query in a TOML file, by name. Raises BadInput, naming the kind and the field."""
    rows = parse_toml(str(path), read_text(path)).get("kind")
    if not isinstance(rows, list):
        raise BadInput(f"{path}: this is not a file of kinds of query, which are tables [[kind]] in TOML.")
    kinds = [_kind(path, number, row) for number, row in enumerate(rows, start=1)]
    if len({kind.name for kind in kinds}) < len(kinds):
        raise BadInput(f"{path}: two kinds of query have the same name.")
    return {kind.name: kind for kind in kinds}


def _kind(path: Path, number: int, row: Any) -> QueryKind:
    where = f"{path}: kind {number}"
    try:
        kind = _FIELDS.structure(row, QueryKind)
    except Exception as error:  # cattrs raises groups of its hooks' errors
        said = "; ".join(transform_error(error, path=f"kind {number}"))
        raise BadInput(f"{where}: a field is missing, unknown or of another sort ({said}).") from error
    if unknown := [name for name in (*kind.inputs, *([kind.each] if kind.each else [])) if name not in INPUTS]:
        raise BadInput(f"{where}: {unknown[0]!r} is no input; there are: {', '.join(INPUTS)}.")
    if kind.method not in METHODS:
        raise BadInput(f"{where}: {kind.method!r} is no method; there are: {', '.join(METHODS)}.")
    if kind.method == "model" and not (TEMPLATES / f"{kind.template}.txt").is_file():
        raise BadInput(f"{where}: there is no template {kind.template!r} in {TEMPLATES}.")
    if kind.role not in ROLES:
        raise BadInput(f"{where}: the role is 'evidence' or 'distractor', not {kind.role!r}.")
    return kind


def queries_of(kind: QueryKind, material: Material, writer: QueryWriter) -> tuple[str, ...]:
    """Return the queries of a kind, each once; none where the material has nothing to make them from.

    Raises BadInput for a kind that needs a language model where there is none, ModelError, Cancelled.
    """
    return each_once(METHODS[kind.method](kind, material, writer))


def written_queries(claim: Claim, count: int, writer: QueryWriter) -> tuple[str, ...]:
    """Return up to `count` queries that the language model writes for a claim, without names of its own."""
    kinds, found = read_kinds(), list[str]()
    for name in ("generated background queries", "generated questions", "generated provenance queries"):
        if len(found) < count:
            written = queries_of(kinds[name], Material(claim), writer)
            found += [query for query in written if not is_strange(query, claim.text, claim.speaker)]
    return each_once(found)[:count]


def is_strange(query: str, *known: str) -> bool:
    """Say whether a query holds a name or a number that no known text has."""
    return bool(strange_words(f"about {query}", *known))


def plain_form(text: str) -> str:
    """Return a text without the dots of "U.S." and the ending of "Brandvik's"; CAPITALS ALONE become small letters."""
    plain = _DOTTED.sub(lambda dotted: dotted[0].replace(".", ""), text)
    plain = _POSSESSIVE.sub("", plain)
    return plain.lower() if plain.isupper() and " " in plain.strip() else plain


def named_entities(text: str) -> tuple[str, ...]:
    """Return the names in a text, each once: runs of capitalised words, without function words or numbers in front.

    A single word that begins a sentence counts only where there is no other name. Scripts without capitals have none.
    """
    text = plain_form(text)
    found = [(match, _without_function_words(match[0])) for match in _ENTITY.finditer(text)]
    inner = [name for match, name in found if _is_name(match[0]) or not _begins_sentence(text, match.start())]
    return each_once(inner or [name for _, name in found if name])


def _is_name(run: str) -> bool:
    """Say whether a run of capitals is a name also where a sentence begins: several words, 5G, COVID-19, WHO."""
    return " " in run or any(sign.isdigit() for sign in run) or (len(run) > 1 and run.isupper())


def _without_function_words(run: str) -> str:
    words = run.split()
    while words and (words[0].isdecimal() or _is_function_word(words[0])):
        words.pop(0)
    return " ".join(words)


def _is_function_word(word: str) -> bool:
    acronym = len(word) > 1 and word.isupper()  # WHO, US
    return not acronym and word.lower().strip("’'.") in STOP_WORDS


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\n\"'“”‘’(«")
    return not before or before[-1] in ".!?…:"


def content_words(text: str) -> str:
    """Return a text without its function words: the closed parts of speech, which no tagger is needed to tell.

    Words that no space is between in scripts without any stay together.
    """
    kept = [match for match in word_pattern(text).finditer(text) if match[0].lower() not in STOP_WORDS]
    # 木製 is one query's word
    spaced = [("" if before.end() == match.start() else " ") + match[0] for before, match in pairwise(kept)]
    return "".join([*(match[0] for match in kept[:1]), *spaced])


def each_once(queries: Iterable[str]) -> tuple[str, ...]:
    """Return each query on one line, at the place and in the spelling in which it came first."""
    first: dict[str, str] = {}
    for line in (" ".join(query.split()) for query in queries):
        first.setdefault(line.casefold(), line)
    first.pop("", None)
    return tuple(first.values())


def _verbatim(kind: QueryKind, material: Material, writer: QueryWriter) -> Sequence[str]:
    return _values(kind, material)


def _entities(kind: QueryKind, material: Material, writer: QueryWriter) -> Sequence[str]:
    names = named_entities(material.claim.text)
    return [*names, " ".join(names)]


def _similar(kind: QueryKind, material: Material, writer: QueryWriter) -> Sequence[str]:
    paragraphs = material.paragraphs
    if not paragraphs:
        return []
    positions, _ = LexicalIndex(paragraphs).search(material.claim.text, k=1)
    return [paragraphs[int(position)] for position in positions]


def _prepend(kind: QueryKind, material: Material, writer: QueryWriter) -> Sequence[str]:
    # Schlichtkrull et al., NeurIPS 2023: the claim's verbs, nouns, adjectives and numbers, then the question
    words = content_words(material.claim.text)
    return [f"{words} {value}" for value in _values(kind, material)]


def _written(kind: QueryKind, material: Material, writer: QueryWriter) -> Sequence[str]:
    if writer.llm is None:
        raise BadInput(f"Queries of the kind “{kind.name}” are written by a language model; name one.")
    slots = about(material.claim) | {"entities": ", ".join(named_entities(material.claim.text)) or "none"}
    queries: list[str] = []
    for value in _values(kind, material) if kind.each else [""]:
        completion = writer.llm.generate(
            render(kind.template, slots | {"url": value, "text": value}),
            schema=listing(kind.answer, kind.count, MAX_CHARACTERS),
            max_tokens=listing_tokens(kind.count, MAX_CHARACTERS),
            temperature=TEMPERATURE,
            seed=writer.seed,
            stop=writer.stop,
        )
        queries += listed(completion, kind.answer)
    return queries


def _values(kind: QueryKind, material: Material) -> Sequence[str]:
    """Return the texts that a kind makes one query each from: annotations, or the claim."""
    values = {
        "questions": material.questions,
        "answers": material.answers,
        "urls": material.urls,
        "paragraphs": material.paragraphs,
    }
    return values.get(kind.each, (material.claim.text,))


METHODS: dict[str, Callable[[QueryKind, Material, QueryWriter], Sequence[str]]] = {
    "verbatim": _verbatim,
    "entities": _entities,
    "similar": _similar,
    "prepend": _prepend,
    "model": _written,
}
