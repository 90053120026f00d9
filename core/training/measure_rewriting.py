"""Measure how often a language model makes a sentence readable alone, on sentences written for it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date

from core.actions.action import ActionContext
from core.claims.rewriting import model_version
from core.dataclass_json import from_json
from core.files import ASSETS
from core.interfaces import LanguageModel
from core.models.cards import OWN_CARDS, ModelCard, Rewriting, save_card
from core.training.commands import MeasureSentences
from core.verification.opening import open_models

SENTENCES = ASSETS / "standalone" / "sentences.json"


@dataclass(frozen=True)
class ContextSentence:
    """A sentence and the text `before` it. A right version holds the `wanted` words, and no `unwanted` ones.

    `day` is that of the speech in ISO, or "".
    """

    before: str
    sentence: str
    speaker: str
    day: str
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


def bundled_sentences() -> list[ContextSentence]:
    """Return the sentences that come with the program."""
    return [from_json(row, ContextSentence) for row in json.loads(SENTENCES.read_text(encoding="utf-8"))]


def measure_sentences(request: MeasureSentences, context: ActionContext) -> str:
    """Measure the model on the bundled sentences, keep the figures on its card, and return them."""
    llm = open_models(request.model).llm
    context.begin("sentences rewritten")
    measured = measure_rewriting(llm, bundled_sentences(), report=context.advance)
    one = llm.identity
    card = ModelCard(one.name, one.digest, measured, date.today().isoformat(), context.command)
    path = save_card(card, folder=OWN_CARDS if request.bundled_card else None)
    head = f"{card.name}: {'may' if card.may_rewrite else 'may not'} make sentences readable alone: {path}"
    return "\n".join([head, *(f"  {name}: {share}" for name, share in asdict(measured).items())])


def outcome(one: ContextSentence, version: str) -> str:
    """Return "right", "dropped", "unchanged" or "wrong" for a model's version; "" is a dropped one."""
    if not version:
        return "dropped"
    if all(words in version for words in one.wanted) and not any(words in version for words in one.unwanted):
        return "right"
    return "unchanged" if version == one.sentence else "wrong"


def measure_rewriting(
    llm: LanguageModel, sentences: Sequence[ContextSentence], *, report: Callable[[int, int], None]
) -> Rewriting:
    """Return the share of each outcome. Raises ModelError."""
    found = Counter[str]()
    for number, one in enumerate(sentences):
        report(number, len(sentences))
        day = date.fromisoformat(one.day) if one.day else None
        found[outcome(one, model_version(one.sentence, [one.before], llm, speaker=one.speaker, day=day))] += 1
    report(len(sentences), len(sentences))
    shares = {name: round(found[name] / len(sentences), 3) for name in ("right", "wrong", "unchanged", "dropped")}
    return Rewriting(len(sentences), **shares)
