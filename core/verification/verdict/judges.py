"""The verdict of a language model from questions and answers, with the evidence check beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.errors import JudgeChanged, ServerError, ServerFailed
from core.files import json_of
from core.interfaces import LanguageModel, RemoteModel, RunContext, Schema, Stop
from core.llm.prompts import about, numbered, pair_line, render
from core.statistics.logistic import softmax
from core.types import Case, Completion, Evidence, Label, Prompt, Stance, Verdict
from core.verification.stance.chosen_reader import SAID
from core.verification.stance.second_reading import Able
from core.verification.stance.stance_words import said_once
from core.verification.verdict.evidence import of_a_part
from core.verification.verdict.verdict_words import shown_label

LETTERS = ("A", "B", "C", "D")
"""The answers of the verdict prompt, in the order of Label."""

PAIR_TOKENS = 120
"""How much of each pair a judging model reads."""

LETTER: Schema = {
    "type": "object",
    "required": ["letter"],
    "properties": {"letter": {"type": "string", "enum": list(LETTERS)}},
}
JUSTIFICATION: Schema = {
    "type": "object",
    "required": ["justification"],
    "properties": {"justification": {"type": "string", "minLength": 20, "maxLength": 500}},
}
UNMEASURED = "How often this model’s verdicts from questions and answers are right was not measured."
ANYWAY = "A person lets this model judge, although no measurement shows that it reads better."


@dataclass(frozen=True)
class ModelJudge:
    """See `core.interfaces.AnswerJudge`: decides by the likelihoods of the four labels, or by a letter in JSON.

    `llm` is the measured model; a server is held to it. `anyway` says that a person chose it.
    """

    llm: LanguageModel
    anyway: bool = False

    def verdict(self, case: Case, check: Verdict, context: RunContext) -> tuple[Verdict, tuple[Completion, ...]]:
        llm = context.models.llm  # a file's may have an adapter of the recipe
        llm = self.llm if isinstance(llm, RemoteModel) else llm
        context.report(f"{llm.identity.name} judges the questions and answers")
        slots = {**about(case.claim), "evidence": numbered(case.evidence, llm, tokens=PAIR_TOKENS)}
        probabilities, weighed = label_probabilities(llm, render("verdict", slots), stop=context.stop)
        label = max(probabilities, key=probabilities.__getitem__)
        explained = llm.generate(
            render("justification", {**slots, "label": str(label)}),
            schema=JUSTIFICATION,
            max_tokens=200,
            seed=context.seed,
            stop=context.stop,
        )
        verdict = replace(
            check,
            probabilities=probabilities,
            judge=llm.identity.name,
            threshold=0.0,
            justification=json_of(explained.text)["justification"] + partly_read(case.evidence, llm),
            features={},
            caveat=" ".join([*([ANYWAY] if self.anyway else []), UNMEASURED]),
            grounded=stands(label, check),
            counterfactual="",
            wording={},
            from_documents={},
            check=replace(check, stances=(), decisive=(), second=None),
        )
        return verdict, (weighed, explained)


def model_judge(able: Able) -> ModelJudge:
    """Return the judge of a model that is able to read passages."""
    reader, measured = able
    return ModelJudge(reader.llm, not measured.better)


def label_probabilities(llm: LanguageModel, prompt: Prompt, *, stop: Stop) -> tuple[dict[Label, float], Completion]:
    """Return the probabilities of the four labels; of a server without probabilities SAID for the one that it says."""
    try:
        likelihoods, spent = llm.log_likelihoods(prompt, LETTERS, stop=stop)
        shares = softmax(likelihoods[np.newaxis])[0].tolist()
    except (ServerFailed, JudgeChanged):
        raise
    except ServerError:
        spent = llm.generate(prompt, schema=LETTER, max_tokens=20, stop=stop)
        said = LETTERS.index(json_of(spent.text)["letter"])
        shares = [SAID if place == said else (1 - SAID) / 3 for place in range(len(LETTERS))]
    return dict(zip(Label, shares, strict=True)), spent


def stands(label: Label, check: Verdict) -> bool:
    """Say whether a model's label may be shown.

    The evidence check must give the same label, or be open with passages that lean to it.
    """
    if (checked := shown_label(check)) or check.caveat:
        return checked is label
    counted = said_once(check.stances)
    against = sum(one.stance is Stance.AGAINST for one in counted)
    on_all = sum(one.stance is Stance.FOR and not of_a_part(one) for one in counted)
    return {
        Label.SUPPORTED: on_all > against,
        Label.REFUTED: against > on_all,
        Label.CONFLICTING: on_all > 0 and against > 0,
        Label.NOT_ENOUGH_EVIDENCE: on_all == against == 0,
    }[label]


def partly_read(evidence: Sequence[Evidence], llm: LanguageModel) -> str:
    """Return the words that say how many pairs a judging model read in part only; none where it read all."""
    long = sum(llm.count_tokens(pair_line(pair)) > PAIR_TOKENS for pair in evidence)
    if not long:
        return ""
    return f" (The model read {long} of {len(evidence)} pairs only to their first {PAIR_TOKENS} tokens.)"
