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
from core.interfaces import Encoder, Models, RunContext, Step
from core.llm.llama_chat import ChatTemplate, Turn
from core.models.choice import ModelChoice, bundled_path
from core.models.question_adapter import QuestionAdapter
from core.retrieval.caching import CachingEncoder
from core.training.annotated_cases import WithProgress, index_of
from core.training.lora import Schedule, TrainingExample, load_trainable, train, write_adapter
from core.training.question_figures import QuestionFigures, question_figures
from core.training.question_sets import AskingExample, answered_questions, asking_examples
from core.types import Case, Claim, Document, Passage
from core.verification.question_focus import Focus, content_terms, focus_of
from core.verification.question_judge import DraftQuestion, load_question_judge
from core.verification.recipes.catalogue import DEFAULT, RECIPES, Recipe
from core.verification.steps.asking import ONE_TURN, AskOfPassages, prompt_for
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

PASSAGE_TOKENS = 72
MAX_QUESTION_TOKENS = 40

LICENSED_EXAMPLES = 1400
"""How many examples the program's own adapter is trained on, unless --examples says otherwise."""

PASSES = {"squad": 2, "qadiscourse": 1, "qamr": 1}
"""How often the rows of a set are drawn. SQuAD's questions are the clearest; they come twice, with other claims."""


def examples_of(gold: Sequence[GoldClaim]) -> list[AskingExample]:
    """Return each pair of annotated claims with a true question that shares a term with its answer."""
    return [
        AskingExample(one.claim.text, passage, span_of(one.claim.text, passage), " ".join(question.split()))
        for one in gold
        for question, answer in one.pairs
        if question.strip().endswith("?") and len(answer.split()) >= ANSWER_WORDS and shared(question, answer)
        for passage in [" ".join(answer.split())]
    ]


def span_of(claim: str, passage: str) -> str:
    """Return the words of a passage that speak of a claim."""
    return focus_of(claim, Passage(Document("", passage), 0, len(passage))).span


def shared(one: str, other: str) -> bool:
    """Say whether two texts share a term that is no function word."""
    return bool(content_terms(one) & content_terms(other))


def licensed_examples(folder: Path, encoder: Encoder, *, seed: int, most: int) -> list[AskingExample]:
    """Return examples of the licensed sets that the judge of questions accepts, SQuAD's first.

    The held-out rows of the sets are left out.
    """
    rows = [row for row in answered_questions(folder) if not row.held_out]
    found: list[AskingExample] = []
    for source, passes in PASSES.items():
        of_source = [row for row in rows if row.source == source]
        some = [one for turn in range(passes) for one in asking_examples(of_source, seed=seed + turn)]
        found += well_formed(list(dict.fromkeys(some)), encoder)
    random.Random(seed).shuffle(found)
    return found[:most]


def well_formed(examples: Sequence[AskingExample], encoder: Encoder) -> list[AskingExample]:
    """Return the examples with a question that the judge accepts."""
    drafts = [DraftQuestion(one.question, one.passage, one.span, one.claim) for one in examples]
    accepted = load_question_judge().accepts(drafts, encoder)
    return [one for one, fine in zip(examples, accepted, strict=True) if fine]


class GgufTokens:
    """The tokens of a GGUF file's vocabulary and chat template, as llama.cpp gives them to the model."""

    def __init__(self, weights: Path) -> None:
        self.llama = llama_cpp.Llama(str(weights), vocab_only=True, verbose=False)
        template = self.llama.metadata["tokenizer.chat_template"]
        bos, eos = self._text(self.llama.token_bos()), self._text(self.llama.token_eos())
        self.chat = ChatTemplate(template, bos=bos, eos=eos)

    def example(self, one: AskingExample) -> TrainingExample:
        """Return a prompt with its passage cut to PASSAGE_TOKENS, and the question with the end of its turn."""
        cut = self.llama.detokenize(self._split(one.passage)[:PASSAGE_TOKENS]).decode("utf-8", "ignore")
        prompt = prompt_for(ONE_TURN, one.claim, Focus(cut, one.span))
        turns: list[Turn] = [(message.role, message.text) for message in prompt]
        answer = [*self._split(one.question)[:MAX_QUESTION_TOKENS], self.llama.token_eos()]
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
    path: Path,
    weights: Path,
    examples: Sequence[AskingExample],
    facts: dict[str, str],
    *,
    seed: int = 0,
    checkpoint: Path | None = None,
    report: Callable[[int, int], None],
) -> None:
    """Train on examples, and write the adapter with `facts` about it. A run with a `checkpoint` can be resumed.

    `report` gets the number of examples learned, and the number of all examples.
    """
    tokens = GgufTokens(weights)
    chosen: list[TrainingExample] = [tokens.example(one) for one in examples]
    model = load_trainable(weights, first_layer=FIRST_LAYER, seed=seed)
    train(model, chosen, Schedule(seed=seed), lambda done: report(done[0], len(chosen)), checkpoint)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_adapter(path, model, facts={"general.name": "Veridesk questions", **facts})


def chosen_pairs(gold: Sequence[GoldClaim], examples: int | None) -> tuple[list[AskingExample], str]:
    """Return the first `examples` pairs in random order, by default a part of an epoch, and a sentence on them."""
    pairs = examples_of(gold)
    random.Random(0).shuffle(pairs)
    chosen = pairs[: examples or round(EPOCH * len(pairs))]
    return chosen, f"{len(chosen)} of {len(pairs)} examples. {SAID}"


def searched(
    gold: Sequence[GoldClaim], documents: Sequence[Document], models: Models, with_progress: WithProgress, *, name: str
) -> list[tuple[Case, RunContext]]:
    """Return the case of each claim before the default recipe asks, and the context for it; `name` names them."""
    encoder = CachingEncoder(models.encoder)
    kept = Models(encoder, models.llm, models.judge)
    context = RunContext(kept, index_of(documents, kept))
    return [(before_asking(one.claim, context), context) for one in with_progress(gold, f"{name}, evidence")]


def before_asking(claim: Claim, context: RunContext) -> Case:
    """Return the case of a claim after the default recipe's steps before the questions."""
    case = Case(claim)
    for step in RECIPES[DEFAULT].steps:
        if isinstance(step, AskOfPassages):
            break
        case = step(case, context)
    return case


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


def asking_alone() -> Step:
    """Return the step that asks without any adapter."""
    return AskOfPassages(trained=False)
