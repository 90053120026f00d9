"""Train an adapter that asks on the questions of annotated claims, and say whether it asks better than the model."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import llama_cpp
import llama_cpp.llama_cpp as c

from core.annotations import GoldClaim
from core.errors import BadInput
from core.interfaces import Models, RunContext, Step
from core.llm.llama_chat import ChatTemplate, Turn
from core.llm.prompts import render
from core.models.choice import ModelChoice, bundled_path
from core.models.question_adapter import QuestionAdapter
from core.retrieval.caching import CachingEncoder
from core.terms import terms, words
from core.training.annotated_cases import found_for, index_of
from core.training.lora import Schedule, TrainingExample, load_trainable, train, write_adapter
from core.training.progress import WithProgress
from core.training.question_figures import QuestionFigures, question_figures
from core.types import Case, Document
from core.verification.recipes.catalogue import DEFAULT, RECIPES, Recipe
from core.verification.steps.asking import AskOfPassages
from core.verification.steps.control import WithAdapter

FIRST_LAYER = 10
"""The blocks below stay unchanged: a third of the work is saved, and the model learns how to ask."""

EPOCH = 0.25
LICENCE = "cc-by-nc-4.0"
SAID = (
    "The adapter was learned from the claims that you gave. AVeriTeC's are CC-BY-NC-4.0: then so is the adapter, for "
    "non-commercial use only, and it is no part of Veridesk."
)
ANSWER_WORDS = 8
"""Shorter answers ("Yes", "No answer could be found.") do not resemble a passage of a document."""

PASSAGE_TOKENS = 48
MAX_QUESTION_TOKENS = 40
TEMPLATE = "question_in_one_turn"


def pairs_to_learn(gold: Sequence[GoldClaim]) -> list[tuple[str, str, str]]:
    """Return claim, passage and question of each pair with a true question that shares a term with its answer."""
    return [
        (one.claim.text, " ".join(answer.split()), " ".join(question.split()))
        for one in gold
        for question, answer in one.pairs
        if question.strip().endswith("?") and len(answer.split()) >= ANSWER_WORDS and shared(question, answer)
    ]


def shared(one: str, other: str) -> bool:
    """Say whether two texts share a term that is no function word."""
    return bool((set(terms(words(one))) & set(terms(words(other)))) - {""})


class GgufTokens:
    """The tokens of a GGUF file's vocabulary and chat template, as llama.cpp gives them to the model."""

    def __init__(self, weights: Path) -> None:
        self.llama = llama_cpp.Llama(str(weights), vocab_only=True, verbose=False)
        template = self.llama.metadata["tokenizer.chat_template"]
        bos, eos = self._text(self.llama.token_bos()), self._text(self.llama.token_eos())
        self.chat = ChatTemplate(template, bos=bos, eos=eos)

    def example(self, claim: str, passage: str, question: str) -> TrainingExample:
        """Return a prompt with its passage cut to PASSAGE_TOKENS, and the question with the end of its turn."""
        cut = self.llama.detokenize(self._split(passage)[:PASSAGE_TOKENS]).decode("utf-8", "ignore")
        prompt = render(TEMPLATE, {"claim": claim, "passage": cut})
        turns: list[Turn] = [(message.role, message.text) for message in prompt]
        answer = [*self._split(question)[:MAX_QUESTION_TOKENS], self.llama.token_eos()]
        begun = self.chat.tokens(turns, self._split)
        adds_bos = c.llama_vocab_get_add_bos(self.llama._model.vocab) and begun[:1] != [self.llama.token_bos()]
        return TrainingExample((*([self.llama.token_bos()] if adds_bos else []), *begun), tuple(answer))

    def _split(self, text: str, special: bool = False) -> list[int]:
        return list(self.llama.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=special))

    def _text(self, token: int) -> str:
        return str(self.llama._model.token_get_text(token))


def weights_of(choice: ModelChoice) -> Path:
    """Return the GGUF file of a model. Raises BadInput for one on a server."""
    if choice.kind == "server":
        raise BadInput("An adapter is trained for a model on this machine: give 'bundled' or a .gguf file.")
    return choice.path or bundled_path()


def train_adapter(
    path: Path, weights: Path, gold: Sequence[GoldClaim], *, examples: int | None, report: Callable[[int, int], None]
) -> str:
    """Train on the first `examples` pairs in random order, by default a part of an epoch; write the adapter.

    `report` gets the number of examples learned, and of all. Returns a sentence with both and the licence.
    """
    pairs = pairs_to_learn(gold)
    random.Random(0).shuffle(pairs)
    tokens = GgufTokens(weights)
    chosen: list[TrainingExample] = [tokens.example(*pair) for pair in pairs[: examples or round(EPOCH * len(pairs))]]
    model = load_trainable(weights, first_layer=FIRST_LAYER)
    train(model, chosen, Schedule(), lambda done: report(done[0], len(chosen)))
    path.parent.mkdir(parents=True, exist_ok=True)
    of_pairs = f"{len(chosen)} of {len(pairs)} examples. {SAID}"
    facts = {
        "general.name": "Veridesk questions",
        "general.license": LICENCE,
        "general.description": f"Asks for the answer in a passage; {of_pairs}",
    }
    write_adapter(path, model, facts=facts)
    return f"learned from {of_pairs}"


def searched(
    gold: Sequence[GoldClaim], documents: Sequence[Document], models: Models, with_progress: WithProgress, *, name: str
) -> list[tuple[Case, RunContext]]:
    """Return the case of each claim after the default recipe's search, and the context for it; `name` names them."""
    encoder = CachingEncoder(models.encoder)
    kept = Models(encoder, models.llm, models.judge)
    context = RunContext(kept, index_of(documents, kept))
    return [
        (found_for(one.claim, RECIPES[DEFAULT], context), context) for one in with_progress(gold, f"{name}, evidence")
    ]


def figures_of_asking(
    step: Step,
    gold: Sequence[GoldClaim],
    cases: Sequence[tuple[Case, RunContext]],
    models: Models,
    with_progress: WithProgress,
    *,
    name: str,
) -> QuestionFigures:
    """Return the figures of the questions that a step asks about each case."""
    asked = [step(case, context) for case, context in with_progress(cases, f"questions {name}")]
    return question_figures(asked, gold, models.encoder)


def adapter_record(own: QuestionFigures, adapted: QuestionFigures, *, claims: int, command: str) -> QuestionAdapter:
    """Return the figures without the adapter and with it, as they are kept beside its file."""
    today = datetime.now(UTC).date().isoformat()
    return QuestionAdapter(is_better(own, adapted), claims, asdict(own), asdict(adapted), LICENCE, today, command)


def is_better(own: QuestionFigures, adapted: QuestionFigures) -> bool:
    """Say whether an adapter's questions resemble the annotators' more, and are no less distinct nor to the point."""
    closer = adapted.scores["Q"] > own.scores["Q"] and adapted.scores["Q+A"] >= own.scores["Q+A"]
    return closer and adapted.questions >= own.questions and adapted.nearest >= own.nearest


def recipe_with(adapter: Path) -> Recipe:
    """Return the default recipe, asking with an adapter."""
    default = RECIPES[DEFAULT]
    asking = asking_with(adapter)
    steps = tuple(asking if isinstance(step, AskOfPassages) else step for step in default.steps)
    return replace(default, name=f"{DEFAULT}_adapted", title=f"{default.title}, asked with an adapter", steps=steps)


def asking_with(adapter: Path) -> Step:
    return WithAdapter(AskOfPassages(one_turn=True), str(adapter.absolute()))
