"""Ratings out: our own CSV and JSON lines, Label Studio tasks, Argilla records. Pseudonyms only, never addresses."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterable, Sequence
from html import escape
from itertools import count
from typing import Any

from core.agreement.own_questions import BETWEEN_SYSTEMS
from core.agreement.ratings import MajorError, RatingImport, Response, same_claim
from core.campaigns.adjudication import answers_of
from core.campaigns.exchange.dictionary import SHOWN, rating_fields
from core.campaigns.planning.form_questions import TIE
from core.campaigns.planning.plans import EvidencePair
from core.tabular.exports import csv_text
from core.types import Evidence, Label

# The words of the form, so that an export reads back unchanged.
ERROR_ANSWERS = {
    MajorError.NONE: "No major errors. AT LEAST SOME PART of the evidence is non-empty, understandable, and related.",
    MajorError.EMPTY: "Yes, the evidence is ENTIRELY EMPTY",
    MajorError.NOT_UNDERSTANDABLE: "Yes, the evidence is NOT UNDERSTANDABLE AT ALL",
    MajorError.IRRELEVANT: "Yes, the evidence is COMPLETELY IRRELEVANT to the claim",
}
# Argilla knows raters by UUID: the same pseudonym gives the same one in every export.
RATER_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://veridesk.invalid/raters")

TEXTS = ("rater", "support", "comment")
"""The texts of a response besides its answers, as Label Studio gets them."""


def ratings_csv(ratings: RatingImport) -> str:
    """Return one row per response, with one column per scale or question of one's own. Missing answers are empty.

    `read_ratings` reads it back.
    """
    titles = [field.name for field in rating_fields(ratings.scales, ratings.own)]
    rows = (_facts(one) | one.ratings | one.by_title(ratings.own) for one in ratings.responses)
    return csv_text(titles, ([row.get(title, "") for title in titles] for row in rows))


def ratings_jsonl(ratings: RatingImport) -> str:
    """Return one JSON object a line and response, with null for unanswered questions."""
    lines = (json.dumps(_record(one, ratings), ensure_ascii=False) for one in ratings.responses)
    return "".join(f"{line}\n" for line in lines)


def label_studio(ratings: RatingImport) -> str:
    """Return Label Studio tasks as JSON: one task per item, one annotation per response.

    The labelling interface they belong to is `label_studio_interface`. Each annotation has the rater's
    pseudonym among its texts: Label Studio takes only its own users as authors.
    """
    tasks = []
    for (item, system, _), responses in _by_item(ratings.responses).items():
        data: dict[str, Any] = {
            "id": item,
            "system": system,
            "control": responses[0].control,
            "claim": responses[0].claim,
            "evidence": evidence_text(responses[0].evidence),
        }
        free = {one.name for one in ratings.own if one.level is None}
        results = [[*_results(one, free), *_texts(one)] for one in responses]
        tasks.append({"data": data, "annotations": [{"result": one} for one in results]})
    return json.dumps(tasks, ensure_ascii=False, indent=1)


def label_studio_interface(ratings: RatingImport) -> str:
    """Return the labelling interface (XML) of the tasks: a choice, a rating or a text for each question."""
    choices: dict[str, Sequence[str]] = {"error": list(MajorError), "verdict": list(Label)}
    other = [f'  <Rating name="{scale}" toName="evidence" maxRating="5"/>' for scale in ratings.scales]
    if ratings.own:
        chosen = sorted({system for one in ratings.responses for system in one.shown} | {TIE})
        choices = {one.name: one.labels or chosen for one in ratings.own if one.labels or one.measure == "choice"}
        other = [
            f'  <{"Number" if one.is_scale else "TextArea"} name="{one.name}" toName="evidence"/>'
            for one in ratings.own
            if one.name not in choices
        ]
    lines = ["<View>", '  <Text name="claim" value="$claim"/>', '  <Text name="evidence" value="$evidence"/>']
    for name, values in choices.items():
        lines.append(f'  <Choices name="{name}" toName="evidence">')
        lines += [f'    <Choice value="{escape(str(value))}"/>' for value in values]
        lines.append("  </Choices>")
    texts = [f'  <TextArea name="{name}" toName="evidence"/>' for name in TEXTS]
    return "\n".join([*lines, *other, *texts, "</View>", ""])


def argilla(ratings: RatingImport) -> str:
    """Return Argilla 2 records as JSON, as `dataset.records.from_json` reads them: one record per item.

    Questions are "error", "verdict" and the scales; each response names its rater by a UUID made from the
    pseudonym.
    """
    records = []
    for (item, system, number), responses in _by_item(ratings.responses).items():
        name = f"{item} · {system}" if system else item
        answers: dict[str, list[dict[str, Any]]] = {}
        for one in responses:
            user = str(uuid.uuid5(RATER_NAMESPACE, one.rater))
            for question, value in answers_of(one).items():
                answers.setdefault(question, []).append({"value": value, "user_id": user})
        records.append(
            {
                "id": f"{name} ({number})" if number > 1 else name,
                "fields": {"claim": responses[0].claim, "evidence": evidence_text(responses[0].evidence)},
                "metadata": {"item": item, "system": system, "control": responses[0].control},
                "suggestions": {},
                "responses": answers,
                "vectors": {},
            }
        )
    return json.dumps(records, ensure_ascii=False, indent=1)


def evidence_text(pairs: Iterable[Evidence | EvidencePair]) -> str:
    """Return evidence as one text, which `read_pasted` takes apart again."""
    return "\n\n".join(f"Question: {pair.question}\nAnswer: {pair.answer}" for pair in pairs)


def _by_item(responses: Sequence[Response]) -> dict[tuple[str, str, int], list[Response]]:
    """Return the responses by id, system and claim; the claims of one id are numbered from 1.

    Two claims are one if they differ in typing only, as pasted texts do.
    """
    found: dict[tuple[str, str, int], list[Response]] = {}
    for response in responses:
        for number in count(1):
            same = found.setdefault((response.item, response.system, number), [])
            if not same or same_claim(same[0].claim, response.claim):
                same.append(response)
                break
    return found


def _results(response: Response, free: Collection[str]) -> list[dict[str, Any]]:
    number = "rating" if response.own is None else "number"
    results = []
    for name, value in answers_of(response).items():
        kind = number if isinstance(value, int) else "textarea" if name in free else "choices"
        shown = {"text" if name in free else kind: value if kind == number else [value]}
        results.append({"from_name": name, "to_name": "evidence", "type": kind, "value": shown})
    return results


def _texts(response: Response) -> list[dict[str, Any]]:
    """Return the rater's pseudonym, the supporting text and the comment, as far as given, as texts of Label Studio."""
    return [
        {"from_name": name, "to_name": "evidence", "type": "textarea", "value": {"text": [text]}}
        for name in TEXTS
        if (text := getattr(response, name))
    ]


def _facts(response: Response) -> dict[str, str]:
    return {
        "Timestamp": response.timestamp,
        "Team": response.team,
        "Rater": response.rater,
        "id": response.item,
        "System": response.system,
        "Control": str(response.control).lower(),
        "Claim": response.claim,
        "Predicted evidence": evidence_text(response.evidence),
        "Major errors": ERROR_ANSWERS[response.error],
        "Label": response.verdict.value if response.verdict else "",
        "Supporting text": response.support,
        "Comment": response.comment,
        SHOWN.name: BETWEEN_SYSTEMS.join(response.shown),
    }


def _record(response: Response, ratings: RatingImport) -> dict[str, Any]:
    record = _shared_record(response, ratings.scales)
    if not ratings.own:
        return record
    for name in ("error", "verdict", "ratings", "support"):
        del record[name]
    return record | {"own": response.by_title(ratings.own), "shown_order": list(response.shown)}


def _shared_record(response: Response, scales: Sequence[str]) -> dict[str, Any]:
    return {
        "id": response.item,
        "system": response.system,
        "rater": response.rater,
        "team": response.team,
        "timestamp": response.timestamp,
        "control": response.control,
        "claim": response.claim,
        "error": response.error.value,
        "verdict": response.verdict.value if response.verdict else None,
        "ratings": {scale: response.ratings.get(scale) for scale in scales},
        "support": response.support,
        "comment": response.comment,
        "evidence": [{"question": pair.question, "answer": pair.answer} for pair in response.evidence],
    }
