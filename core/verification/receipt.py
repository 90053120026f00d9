"""Write a case as JSON and read it again; a receipt is a case with the request that it came from."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date
from typing import Any

from core.errors import BadRecord
from core.interfaces import ModelIdentity
from core.search.order import order_from_json, report_from_json, to_json
from core.types import (
    Case,
    Claim,
    Completion,
    CorpusSummary,
    Document,
    Evidence,
    Hit,
    Label,
    Message,
    Passage,
    PassageStance,
    Ranking,
    Stance,
    StepTime,
    Verdict,
)
from core.verification.recipes.files import recipe_toml
from core.verification.request import Request, recipe_of

Json = dict[str, Any]
VERSION = 1


def claim_to_json(claim: Claim) -> Json:
    """Return the fields of a claim; the date is ISO 8601 or null."""
    return {**asdict(claim), "date": claim.date.isoformat() if claim.date else None}


def claim_from_json(record: Json) -> Claim:
    """Return the claim that `claim_to_json` wrote."""
    return Claim(**{**record, "date": date.fromisoformat(record["date"]) if record["date"] else None})


def document_to_json(document: Document) -> Json:
    """Return a document with its whole text."""
    published = document.published.isoformat() if document.published else None
    return {**asdict(document), "published": published}


def document_from_json(record: Json) -> Document:
    """Return the document that `document_to_json` wrote. Raises BadRecord if text and digest do not agree."""
    published = date.fromisoformat(record["published"]) if record["published"] else None
    document = Document(url=record["url"], text=record["text"], title=record["title"], published=published)
    if document.digest != record["digest"]:
        raise BadRecord(f"The text of {document.url} is not the text that its hash was taken of.")
    return document


def case_to_json(case: Case) -> Json:
    """Return a case as plain JSON values. Documents stand once, under "documents", and passages point at them."""
    documents = {passage.document.digest: passage.document for passage in passages(case)}
    return {
        "version": VERSION,
        "claim": claim_to_json(case.claim),
        "corpus": asdict(case.corpus),
        "documents": [document_to_json(document) for document in documents.values()],
        "queries": list(case.queries),
        "questions": list(case.questions),
        "rankings": [
            {"query": ranking.query, "hits": [hit_to_json(hit) for hit in ranking.hits]} for ranking in case.rankings
        ],
        "hits": [hit_to_json(hit) for hit in case.hits],
        "evidence": [evidence_to_json(pair) for pair in case.evidence],
        "verdict": verdict_to_json(case.verdict) if case.verdict else None,
        "completions": [asdict(completion) for completion in case.completions],
        "notes": list(case.notes),
        "times": [asdict(time) for time in case.times],
        "search": to_json(case.search),
    }


def case_from_json(record: Json) -> Case:
    """Return the case that `case_to_json` wrote. Raises BadRecord for another version."""
    if record.get("version") != VERSION:
        raise BadRecord(f"This case was written in format {record.get('version')}; this program reads {VERSION}.")
    documents = {item["digest"]: document_from_json(item) for item in record["documents"]}
    return Case(
        claim=claim_from_json(record["claim"]),
        corpus=CorpusSummary(**record["corpus"]),
        queries=tuple(record["queries"]),
        questions=tuple(record.get("questions", ())),  # cases of before 21 November 2026 have none
        rankings=tuple(
            Ranking(item["query"], tuple(hit_from_json(hit, documents) for hit in item["hits"]))
            for item in record["rankings"]
        ),
        hits=tuple(hit_from_json(hit, documents) for hit in record["hits"]),
        evidence=tuple(evidence_from_json(pair, documents) for pair in record["evidence"]),
        verdict=verdict_from_json(record["verdict"], documents) if record["verdict"] else None,
        completions=tuple(completion_from_json(item) for item in record["completions"]),
        notes=tuple(record["notes"]),
        times=tuple(StepTime(**item) for item in record["times"]),
        search=report_from_json(record.get("search")),
    )


def passages(case: Case) -> list[Passage]:
    """Return every passage that a case points at, in order of appearance."""
    ranked = [hit.passage for ranking in case.rankings for hit in ranking.hits]
    read = [one.passage for one in case.verdict.stances] if case.verdict else []
    asked = [pair.passage for pair in case.evidence if pair.passage]
    return [*ranked, *(hit.passage for hit in case.hits), *asked, *read]


def passage_to_json(passage: Passage) -> Json:
    return {"document": passage.document.digest, "start": passage.start, "end": passage.end}


def passage_from_json(record: Json, documents: dict[str, Document]) -> Passage:
    return Passage(documents[record["document"]], record["start"], record["end"])


def hit_to_json(hit: Hit) -> Json:
    return {**vars(hit), "passage": passage_to_json(hit.passage)}


def hit_from_json(record: Json, documents: dict[str, Document]) -> Hit:
    return Hit(**{**record, "passage": passage_from_json(record["passage"], documents)})


def evidence_to_json(pair: Evidence) -> Json:
    passage = passage_to_json(pair.passage) if pair.passage else None
    return {**vars(pair), "passage": passage, "span": list(pair.span) if pair.span else None}


def evidence_from_json(record: Json, documents: dict[str, Document]) -> Evidence:
    return Evidence(
        record["question"],
        record["answer"],
        passage_from_json(record["passage"], documents) if record["passage"] else None,
        (record["span"][0], record["span"][1]) if record["span"] else None,
    )


def verdict_to_json(verdict: Verdict) -> Json:
    """Return a verdict with the label and the doubt that follow from its probabilities written out."""
    derived = {"label": str(verdict.label), "cannot_tell": verdict.cannot_tell}
    return {
        **vars(verdict),
        **{name: labelled(getattr(verdict, name)) for name in BY_LABEL},
        "stances": [stance_to_json(one) for one in verdict.stances],
        "decisive": list(verdict.decisive),
        **derived,
    }


BY_LABEL = ("probabilities", "wording", "from_documents")


def labelled(probabilities: dict[Label, float]) -> dict[str, float]:
    """Return probabilities under the labels' own words."""
    return {str(label): probability for label, probability in probabilities.items()}


def stance_to_json(one: PassageStance) -> Json:
    spans = {name: [list(span) for span in getattr(one, name)] for name in ("spans", "claim_spans")}
    return {**vars(one), "passage": passage_to_json(one.passage), "stance": str(one.stance), **spans}


def stance_from_json(record: Json, documents: dict[str, Document]) -> PassageStance:
    spans = {name: tuple((start, end) for start, end in record[name]) for name in ("spans", "claim_spans")}
    passage = passage_from_json(record["passage"], documents)
    return PassageStance(**{**record, "passage": passage, "stance": Stance(record["stance"]), **spans})


def verdict_from_json(record: Json, documents: dict[str, Document]) -> Verdict:
    """Return the verdict that `verdict_to_json` wrote; those of before 22 November 2026 have no stances."""
    fields = {name: value for name, value in record.items() if name not in ("label", "cannot_tell")}
    probabilities = {name: {Label(k): p for k, p in record.get(name, {}).items()} for name in BY_LABEL}
    stances = tuple(stance_from_json(one, documents) for one in record.get("stances", ()))
    return Verdict(**{**fields, **probabilities, "stances": stances, "decisive": tuple(record.get("decisive", ()))})


def completion_from_json(record: Json) -> Completion:
    return Completion(**{**record, "prompt": tuple(Message(**message) for message in record["prompt"])})


def same_findings(first: Case, second: Case) -> list[str]:
    """Return what differs between two runs, in words; an empty list means that they came out the same.

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
    """Return what was asked for. Uploaded documents stand with their text, since nothing else can bring them back."""
    fields = {
        name: value for name, value in vars(request).items() if name not in ("claim", "documents", "search", "searched")
    }
    documents = [document_to_json(document) for document in request.documents]
    return {
        **fields,
        "stores": list(request.stores),
        "urls": list(request.urls),
        "claim": claim_to_json(request.claim),
        "documents": documents,
        "search": to_json(request.search),
        "searched": to_json(request.searched),
    }


def request_from_json(record: Json) -> Request:
    """Return the request that `request_to_json` wrote."""
    return Request(
        **{
            **record,
            "claim": claim_from_json(record["claim"]),
            "stores": tuple(record["stores"]),
            "urls": tuple(record["urls"]),
            "documents": tuple(document_from_json(item) for item in record["documents"]),
            "search": order_from_json(record.get("search")),
            "searched": report_from_json(record.get("searched")),
        }
    )


def receipt_to_json(request: Request, case: Case, llm: ModelIdentity, encoder: ModelIdentity) -> Json:
    """Return everything that is needed to run a case again and to see whether it comes out the same.

    The recipe stands with all its steps: a built-in one may be changed in a later version.
    """
    return {
        "veridesk": VERSION,
        "request": request_to_json(request),
        "recipe": recipe_toml(recipe_of(request)),
        "case": case_to_json(case),
        "models": {"language_model": asdict(llm), "encoder": asdict(encoder)},
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
    except (KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"This is not a receipt of Veridesk: {error!r} is missing or of the wrong kind.") from error
