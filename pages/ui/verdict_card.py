"""The first glance at a case: a sentence on the documents, a quotation, the verdict, and one measured figure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.retrieval.chunking import sentence_spans
from core.types import Case, Label, PassageStance, Verdict
from core.verification.report.judge_measurements import own_documents, worth_in_words
from core.verification.stance.measured_words import read_by
from core.verification.verdict.documents_say import missing, place_of, quoted_stances, said_of_documents, sentence_of
from core.verification.verdict.evidence_features import MEANINGS
from core.verification.verdict.verdict_words import both_judges, is_rule_based, shown_probabilities
from pages.ui.evidence import section_line, source
from pages.ui.markup import Html, join, tag
from pages.ui.verdicts import LOOKS, bar, icon, look_of

COMPARED = {
    "accuracy": "This judge",
    "always_refuted": "Always saying “Refuted”",
    "claim_only": "Judging by the claim’s words alone",
}
"""The figures of a measurement, in the order of display. The first is always present."""

ASKING = "Questions that they answer are being written; the reliability appears at the end."
READING_AGAIN = "This is the first answer, by the built-in reader. The chosen model reads now, and may change it."

CITATION = re.compile(r"\[(\d{1,3})\]")


def verdict_card(case: Case, measured: Mapping[str, Any] | None) -> Html:
    """Return the card of a finished case. `measured` has the keys of `VerdictClassifier.measured`, or is None."""
    verdict = case.verdict
    assert verdict is not None  # only finished cases are shown
    return _card(
        case,
        "Verdict",
        *(tag("p", sentence) for sentence in (both_judges(verdict), *missing(case)) if sentence),
        tag("p", worth_in_words(verdict, measured), css="vd-quiet"),
        tag("p", read_by(verdict.second), css="vd-quiet"),
        more(verdict, measured, len(case.evidence)),
    )


def early_card(case: Case, *, reading: bool = False, detail: str = "") -> Html:
    """Return the card of a case that is not finished: its first answer, where the verdict will be.

    With `reading`, a chosen model reads or judges, and `detail` is its progress; else the questions are being written.
    """
    return _card(
        case,
        "First answer",
        *(tag("p", sentence) for sentence in missing(case)),
        tag("p", READING_AGAIN if reading else ASKING, css="vd-quiet"),
        tag("p", detail, css="vd-quiet") if detail else "",
    )


def _card(case: Case, name: str, *lines: Html | str) -> Html:
    """Return a card with the sentence on the documents, the verdict in a word, and more lines."""
    assert case.verdict is not None
    look = look_of(case.verdict)
    return tag(
        "section",
        first_words(case),
        tag("p", icon(look.css), " ", look.word, css="vd-verdict-word", role="heading", aria_level=2),
        *lines,
        css=f"vd vd-card vd-verdict vd-{look.css}",
        aria_label=name,
    )


def first_words(case: Case) -> Html:
    """Return the sentence on the documents, and the sentences that it rests on, word for word."""
    assert case.verdict is not None
    said = said_of_documents(case)
    first, *further = [said[start:end] for start, end in sentence_spans(said)]
    return tag(
        "div",
        tag("p", first, css="vd-says vd-text", role="heading", aria_level=2),
        tag("p", " ".join(further), css="vd-text") if further else "",
        *map(quoted, quoted_stances(case.verdict)),
        css="vd-first",
    )


def quoted(one: PassageStance) -> Html:
    """Return the sentence of a passage that counts most, with its source."""
    words = tag("p", f"“{sentence_of(one)}”", css="vd-text vd-clamp")
    return tag(
        "blockquote",
        words,
        section_line(one.passage.document, place_of(one)),
        source(one.passage.document, titled=True),
        css="vd-quoted",
    )


def more(verdict: Verdict, measured: Mapping[str, Any] | None, pairs: int) -> Html:
    """Return, one click away, the passages that the verdict hangs on, the probabilities, and the measurements."""
    return tag(
        "details",
        tag("summary", "Why, and how it was measured"),
        tag(
            "div",
            cited_words(verdict.justification if verdict.check else verdict.counterfactual, pairs),
            probability_bars(shown_probabilities(verdict, measured)),
            wording_part(verdict, measured),
            *how_measured(verdict, measured),
            decided_by(verdict),
            check_part(verdict.check, pairs) if verdict.check else "",
            css="vd-wide",
        ),
    )


def check_part(check: Verdict, pairs: int) -> Html:
    """Return the passages that the evidence check hangs on, and its own decision."""
    heading = tag("p", f"Evidence check: {look_of(check).word}", css="vd-strong", style="margin-top: 0.9rem")
    return join((heading, cited_words(check.counterfactual, pairs), decided_by(check)))


def wording_part(verdict: Verdict, measured: Mapping[str, Any] | None) -> Html:
    """Return the part of the claim's own words in the verdict, apart from the documents' part."""
    if not verdict.wording or not verdict.from_documents or not shown_probabilities(verdict, measured):
        return Html()
    by_words, by_documents = (max(part, key=part.__getitem__) for part in (verdict.wording, verdict.from_documents))
    return tag(
        "p",
        f"From the claim's wording alone the likeliest verdict is “{LOOKS[by_words].word}” "
        f"({verdict.wording[by_words]:.0%}). From the documents alone it is “{LOOKS[by_documents].word}” "
        f"({verdict.from_documents[by_documents]:.0%}).",
        css="vd-quiet",
    )


def probability_bars(shares: Mapping[Label, float]) -> Html:
    """Return the probabilities as bars; nothing where none are to be shown."""
    if not shares:
        return Html()
    rows = (
        join(
            (
                tag("span", icon(look.css), " ", look.word, css=f"vd-label vd-{look.css}"),
                tag("div", bar(shares[label]), css=f"vd-{look.css}"),
                tag("span", f"{shares[label]:.0%}", css="vd-number"),
            )
        )
        for label, look in LOOKS.items()
    )
    return tag("div", join(rows), css="vd-bars", role="group", aria_label="Probability of each verdict")


def cited_words(words: str, pairs: int) -> Html:
    """Return words as a paragraph in which each [1] leads to its evidence; nothing where there are none."""
    if not words:
        return Html()
    linked = (cited(int(part), pairs) if place % 2 else part for place, part in enumerate(CITATION.split(words)))
    return tag("p", *linked, css="vd-text")


def cited(number: int, pairs: int) -> str:
    """Return a link to a question and its answer; a model may also cite one that is not there."""
    return tag("a", f"[{number}]", href=f"#evidence-{number}") if 1 <= number <= pairs else f"[{number}]"


def how_measured(verdict: Verdict, measured: Mapping[str, Any] | None) -> list[Html]:
    """Return the figures and the command behind the worth of a verdict."""
    if is_rule_based(verdict):
        test = own_documents()
        said = f"A writer made {test['claims']} claims on {test['documents']} documents. Command: {test['command']}."
        return [tag("p", said, css="vd-quiet")]
    rows = [(words, float((measured or {})[key])) for key, words in COMPARED.items() if key in (measured or {})]
    cells = (
        join((tag("span", words), bar(share), tag("span", f"{share:.0%}", css="vd-number"))) for words, share in rows
    )
    figures = tag("div", join(cells), css="vd-bars") if rows else ""
    return [Html(figures), tag("p", measured_note(measured), css="vd-quiet")] if measured else []


def measured_note(measured: Mapping[str, Any]) -> str:
    said = "Share of published, annotated claims with the right verdict of four. "
    if "calibration_error" in measured:
        said += f"Probabilities are off by {float(measured['calibration_error']):.2f} on average. "
    if measured.get("command"):
        said += f"Measured with: {measured['command']}. "
    return said + "It supports your judgement; it does not replace it."


def decided_by(verdict: Verdict) -> Html:
    """Return who decided and, for a classifier, the numbers it decided on."""
    if is_rule_based(verdict):
        return tag("p", "Decided by the passages alone, without a model that weighs them.", css="vd-quiet")
    if not verdict.features:
        return tag("p", f"Decided by {verdict.judge}.", css="vd-quiet")
    rows = (
        join(
            (
                tag("span", MEANINGS.get(name, name)),
                tag("span"),
                tag("span", f"{round(value, 2) + 0.0:.2f}", css="vd-number"),  # + 0.0: never “-0.00”
            )
        )
        for name, value in verdict.features.items()
    )
    return tag(
        "div",
        tag("p", f"Decided by a {verdict.judge}, on {len(verdict.features)} numbers:", css="vd-quiet"),
        tag("div", join(rows), css="vd-bars vd-features", style="margin-top: 0.5rem"),
    )
