"""Find errors of a readable submission, compared with the official scorer and the gold file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.annotations import (
    SCORED_PAIRS,
    GoldClaim,
    Prediction,
    Problem,
    Submission,
    compare_claims,
    compare_ids,
    one_line,
)
from core.wording import counted

FLOAT_ID = re.compile(r"(\d+)\.0")
EMPTY_WORDS = frozenset(("nan", "none", "null", "n/a", "na"))
MAX_NAMED = 5
"""The most ranges of ids in a remark."""


def whole_id(claim_id: str) -> str:
    """Return an id without the ".0" that a spreadsheet or pandas gives to whole numbers."""
    found = FLOAT_ID.fullmatch(claim_id)
    return found[1] if found else claim_id


def content_problems(predictions: Sequence[Prediction], *, from_csv: bool) -> list[Problem]:
    """Return remarks on evidence, and a fatal problem if no label is usable."""
    problems = [problem for one in predictions for problem in _evidence_problems(one, from_csv=from_csv)]
    problems += [
        Problem(f"id {one.claim_id}", "evidence", f"has {len(one.evidence)} pairs: only the first ten are scored.")
        for one in predictions
        if len(one.evidence) > SCORED_PAIRS
    ]
    if len(predictions) > 1 and not any(one.label for one in predictions):
        message = "not one label is a verdict; the official scorer would count every claim as wrong."
        problems.append(Problem("file", "label", message, fatal=True))
    return problems


def _evidence_problems(prediction: Prediction, *, from_csv: bool) -> list[Problem]:
    where, texts = f"id {prediction.claim_id}", [f"{e.question}{e.answer}".strip() for e in prediction.evidence]
    if not any(texts):
        message = "there is no evidence; it scores 0 here and with the official scorer."
        return [Problem(where, "evidence", message)]
    if any(text.lower() in EMPTY_WORDS for text in texts):
        message = "the evidence is the word for an empty cell (nan, none); the official scorer compares that word."
        return [Problem(where, "evidence", message)]
    if from_csv and not any(e.question for e in prediction.evidence):
        message = (
            "the evidence has no separator (two tabs and a newline) between question and answer; the official scorer "
            "reads one question."
        )
        return [Problem(where, "evidence", message)]
    return []


def matched_by_text(submission: Submission, gold: Sequence[GoldClaim]) -> Submission:
    """Return the submission with gold ids matched by the claims' words, if its ids are only positions.

    Without ids, an extract of a gold file counts its records from 0, so its numbers name other claims. Words decide if
    they match more predictions than ids do; a remark reports this.
    """
    if [claim.id for claim in gold] != [str(place) for place in range(len(gold))]:
        return submission
    ids = {one_line(claim.claim.text): claim.id for claim in gold if claim.claim.text.strip()}
    texts = [one_line(prediction.claim) for prediction in submission.predictions]
    by_text = [ids.get(text) for text in texts]
    same = sum(own == prediction.claim_id for own, prediction in zip(by_text, submission.predictions, strict=True))
    found = sum(own is not None for own in by_text)
    if found <= same or len(set(filter(None, by_text))) < found:
        return submission
    pairs = zip(submission.predictions, by_text, strict=True)
    predictions = tuple(replace(one, claim_id=own) for one, own in pairs if own is not None)
    fit = f"{counted(same, 'id fits', 'ids fit')} and {len(texts) - same} do not" if same else "no id fits"
    message = f"{fit}: {counted(found, 'prediction')} matched by the claim's text"
    left = len(texts) - found
    message += f"; {counted(left, 'prediction')} of other claims left out." if left else "."
    return replace(submission, predictions=predictions, problems=(*submission.problems, Problem("file", "id", message)))


def grouped(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems, joining equal ones of many ids: "ids 0–249: is not in the gold file"."""
    kinds: dict[tuple[str, str, bool], list[str]] = {}
    for problem in problems:
        kinds.setdefault((problem.field, problem.message, problem.fatal), []).append(problem.where)
    return [Problem(_places(places), *kind) for kind, places in kinds.items()]


def _places(places: Sequence[str]) -> str:
    if len(places) == 1 or not all(place.startswith("id ") for place in places):
        return places[0] if len(set(places)) == 1 else ", ".join(dict.fromkeys(places))
    runs = _runs([place.removeprefix("id ") for place in places])
    more = len(runs) - MAX_NAMED
    return f"ids {', '.join(runs[:MAX_NAMED])}" + (f" … ({len(places)} ids)" if more > 0 else "")


def _runs(ids: Sequence[str]) -> list[str]:
    """Return consecutive numbers as "0–249", all others unchanged."""
    runs: list[list[str]] = []
    for one in ids:
        follows = runs and one.isdecimal() and runs[-1][-1].isdecimal() and int(one) == int(runs[-1][-1]) + 1
        if follows:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]


def problem_lines(problems: Sequence[Problem]) -> list[str]:
    """Return one line per kind of problem, the fatal ones first."""
    return [problem_line(problem) for problem in by_weight(grouped(problems))]


def by_weight(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems, those first that keep a file from being scored."""
    return sorted(problems, key=lambda problem: not problem.fatal)


def problem_line(problem: Problem) -> str:
    """Return a problem on one line, its parts separated by tabs."""
    kind = "error" if problem.fatal else "remark"
    return f"{kind}\t{problem.where}\t{problem.field}\t{problem.message}"


def all_problems(submission: Submission, gold: Sequence[GoldClaim]) -> list[Problem]:
    """Return the errors of a submission, then its differences from the gold ids and claims."""
    submission = matched_by_text(submission, gold)
    ids = [prediction.claim_id for prediction in submission.predictions]
    compared = compare_ids(ids, [claim.id for claim in gold])
    return [*submission.problems, *compare_claims(submission, gold), *compared]
