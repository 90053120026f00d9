"""A case as commands print it: as JSON, and as text for a reader in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.cli.verify import SearchOptions
from core.dataclass_json import to_json
from core.interfaces import Encoder
from core.search_report import FOUND, SearchReport
from core.settings import settings
from core.types import Case, Evidence, Passage, PassageStance, Verdict
from core.verification.comparing import READ, SEARCH, step_costs
from core.verification.questions import Card, ordered_cards
from core.verification.receipt import CONVERTER
from core.verification.stance.measured_words import read_by
from core.verification.stance.stance_words import reason_of, word_of
from core.verification.steps.control import verdict_words
from core.verification.steps.judging import PredictVeracity
from core.verification.verdict.verdict_words import WORDS, both_judges, shown_label, shown_probabilities, words_of
from core.wording import counted


def summary_of(case: Case, *, recipe: str, model: str) -> dict[str, Any]:
    """Return the JSON object that the command prints."""
    verdict, search = case.verdict, case.search
    costs = step_costs(case)
    total = sum(cost.seconds for cost in costs)
    retrieval = sum(cost.seconds for cost in costs if cost.kind in (READ, SEARCH))
    return {
        "claim": case.claim.text,
        "verdict": verdict_words(case),
        "label": str(verdict.label) if verdict else None,
        "cannot_tell": verdict.cannot_tell if verdict else None,
        "probabilities": {str(k): round(p, 4) for k, p in verdict.probabilities.items()} if verdict else {},
        "evidence": [card_of(card) for card in shown_cards(case)],
        "stances": stances_of(verdict) if verdict else [],
        "counterfactual": verdict.counterfactual if verdict else "",
        "documents": documents_of(case),
        "seconds": {
            "verdict": round(seconds_to_verdict(case), 3),
            "retrieval": round(retrieval, 3),
            "generation": round(total - retrieval, 3),
            "total": round(total, 3),
        },
        "recipe": recipe,
        "model": model,
        "judge": verdict.judge if verdict else None,
        "evidence_check": words_of(shown_label(verdict.check)).word if verdict and verdict.check else None,
        "second_reading": CONVERTER.unstructure(verdict.second) if verdict else None,
        "justification": verdict.justification if verdict else "",
        "caveat": verdict.caveat if verdict else "",
        "notes": list(case.notes),
        "corpus": CONVERTER.unstructure(case.corpus),
        **({"searches": to_json(search.searches), "left_out": to_json(search.left_out)} if search else {}),
    }


def stances_of(verdict: Verdict) -> list[dict[str, Any]]:
    """Return each passage's stance on the claim, and whether the verdict would be another without it."""
    return [
        {
            "passage": one.passage.text,
            "stance": str(one.stance),
            "reason": one.reason,
            "url": one.passage.document.url,
            "decisive": place in verdict.decisive,
        }
        for place, one in enumerate(verdict.stances)
    ]


def seconds_to_verdict(case: Case) -> float:
    """Return the seconds from the start to the verdict, and to the stances."""
    steps = [one.step for one in case.times]
    last = steps.index(PredictVeracity.title) if PredictVeracity.title in steps else len(steps)
    return sum(one.seconds for one in case.times[: last + 1])


def documents_of(case: Case) -> list[dict[str, Any]]:
    """Return the documents behind the chosen passages, best first, each once."""
    documents = {hit.passage.document.digest: hit.passage.document for hit in case.hits}
    origins = {one.digest: to_json(one) for one in case.search.origins} if case.search else {}
    return [
        {
            **origins.get(item.digest, {}),
            "url": item.url,
            "title": item.title,
            "sha256": item.digest,
            "date": item.published.isoformat() if item.published else None,
        }
        for item in documents.values()
    ]


def case_text(case: Case, summary: dict[str, Any], measured: Mapping[str, Any] | None) -> str:
    """Return the report for a reader in a terminal; `measured` is the measurement of its judge."""
    verdict = case.verdict
    assert verdict is not None  # every recipe ends in a verdict or a failure
    lines = [f"Claim: {case.claim.text}", ""]
    lines.append(f"Verdict: {words_of(shown_label(verdict)).word}")
    lines += [f"  {share:4.0%}  {WORDS[label].word}" for label, share in shown_probabilities(verdict, measured).items()]
    lines += [f"  decided by: {verdict.judge}", *([f"  {verdict.justification}"] if verdict.justification else [])]
    lines += [f"  {one}" for one in (both_judges(verdict), read_by(verdict.second)) if one]
    lines += [f"  {verdict.caveat}", ""] if verdict.caveat else [""]
    stances = {one.passage: one for one in verdict.stances}
    for card in shown_cards(case):
        lines += [f"    {card.question}"] if card.question else []
        lines += [line for number, pair in card.answers for line in answer_lines(number, pair, stances)]
    corpus = case.corpus
    late = f"; {corpus.late:,} later than the claim were left out" if corpus.late else ""
    lines += ["", f"Searched {counted(corpus.passages, 'passage')} of {counted(corpus.documents, 'document')}{late}."]
    lines += case.notes
    lines += search_lines(case.search) if case.search else []
    seconds = summary["seconds"]
    lines.append(
        f"{seconds['total']:.1f} s: {seconds['retrieval']:.1f} s retrieval, {seconds['generation']:.1f} s generation."
    )
    lines.append("This supports your judgement; it does not replace it.")
    return "\n".join(lines)


def shown_cards(case: Case) -> tuple[Card, ...]:
    """Return the questions with their answers; the passages alone where no question was asked at all.

    A passage with a dropped question is among the stances.
    """
    every = ordered_cards(case)
    return tuple(card for card in every if card.question) or every


def card_of(card: Card) -> dict[str, Any]:
    """Return a question, its first answer, and under "answers" all of them, the first one included."""
    answers = [
        {
            "answer": pair.answer,
            "url": pair.passage.document.url if pair.passage else None,
            "passage": pair.passage.text if pair.passage else None,
        }
        for _, pair in card.answers
    ]
    return {"question": card.question, **answers[0], "answers": answers}


def answer_lines(number: int, pair: Evidence, stances: Mapping[Passage, PassageStance]) -> list[str]:
    """Return an answer with its number, its place, and the stance of its passage with the reason."""
    said = f"[{number}] {' '.join(pair.answer.split())}"
    if pair.passage is None:
        return [said]
    published = pair.passage.document.published
    lines = [said, f"    {pair.passage.document.url}{f' ({published})' if published else ''}"]
    one = stances.get(pair.passage)
    return [*lines, f"    {word_of(one)}. {reason_of(one)}"] if one else lines


def search_lines(report: SearchReport) -> list[str]:
    """Return the lines on a search in the report that a person reads."""
    lines = [""]
    for asked in report.searches:
        found = counted(asked.found, "address", "addresses") if asked.status == FOUND else str(asked.status)
        lines.append(f"Asked {asked.source}: {asked.query} ({found}){f': {asked.message}' if asked.failed else ''}")
    return lines + [f"Left out ({item.reason}): {item.message}" for item in report.left_out]


def cited_sources(case: Case) -> list[dict[str, str]]:
    """Return the sources that a wiki cites in the deciding passages, as JSON."""
    if not (case.search or case.fetched):
        return []
    from core.search.footnotes import cited_in  # see `known_reviews`

    return [{"url": note.url, "words": note.words} for note in cited_in(case)]


def cited_lines(cited: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the lines on these sources in the report that a person reads."""
    lines = [f"Cited by the deciding passages: {one['words']} ({one['url']})" for one in cited]
    return [*lines, *(["Read such a source with --url ADDRESS."] if cited else [])]


def known_reviews(order: SearchOptions, case: Case, encoder: Encoder) -> dict[str, Any]:
    """Return the published fact-checks of a claim as JSON: those of its search and of the feed on this machine.

    `broken_reviews` says how many entries of the feed could not be read. Raises BadInput if the file is no feed.
    """
    if not (settings().review_feed or (case.search and case.search.reviews)):
        return {"reviews": [], "broken_reviews": 0}
    from core.search.fact_checks import ReviewFilter, own_feed  # it brings all sources

    wanted = ReviewFilter(order.review_language, order.review_publisher, order.review_days)
    asked = case.search.reviews if case.search else ()
    feed = own_feed()
    known = feed.search(case.claim.text, encoder, wanted=wanted) if feed else ()
    reviews = dict.fromkeys((*(one for one in asked if wanted.wants(one)), *known))
    return {"reviews": to_json([*reviews]), "broken_reviews": feed.broken if feed else 0}


def review_lines(known: dict[str, Any]) -> list[str]:
    """Return the lines on published fact-checks in the report that a person reads."""
    lines = [
        f"Already checked: {one['claim']} – {one['rating']} ({one['publisher']}, {one['url']})"
        for one in known["reviews"]
    ]
    broken = counted(known["broken_reviews"], "entry", "entries")
    return [*lines, *([f"{broken} of the feed of fact-checks could not be read."] if known["broken_reviews"] else [])]
