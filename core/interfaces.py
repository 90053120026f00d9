"""Define the interfaces of retrievers, encoders and language models; core/llm and core/retrieval implement them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from core.annotations import GoldClaim
from core.errors import ModelError
from core.types import Case, Completion, Passage, PassageStance, Prompt, SecondReading, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Schema = dict[str, Any]
"""A JSON schema written by us, never built from untrusted text."""

Stop = Callable[[], bool]
"""Asked between tokens and batches; True ends the work with `Cancelled`."""


def never() -> bool:
    """The `Stop` that never stops."""
    return False


def ignore(_: object) -> None:
    """The listener that ignores reports."""


class UnusableAnswer(ModelError):
    """A language model's answer is cut off, or is none of those asked for. It has cost tokens all the same."""

    def __init__(self, message: str, completion: Completion) -> None:
        super().__init__(message)
        self.completion = completion

    def __reduce__(self) -> tuple[type[UnusableAnswer], tuple[str, Completion]]:
        return type(self), (str(self), self.completion)


@dataclass(frozen=True)
class ModelIdentity:
    """The identity of weights: a name for people, and the SHA-256 of the weights file in hex.

    `digest` is empty for a server that does not report it. `server` is then a hash of the server's address and its
    description of the model. If this hash changes, the weights may differ. `answered` is the model and system
    fingerprint in its answers, after `ServerModel.hold_to_one`.
    """

    name: str
    digest: str
    context_tokens: int = 0
    server: str = field(default="", compare=False)
    answered: str = field(default="", compare=False)


class Encoder(Protocol):
    """Turns texts into vectors."""

    @property
    def identity(self) -> ModelIdentity: ...

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), dimensions)."""
        ...


@dataclass(frozen=True)
class TokenVectors:
    """The contextual vectors of a text's word pieces.

    spans: the characters of each piece, shape (pieces, 2); vectors: (pieces, dimensions), of any length.
    """

    spans: NDArray[np.int64]
    vectors: NDArray[np.float32]


@runtime_checkable
class ContextualEncoder(Encoder, Protocol):
    """An encoder that also returns the vectors of a text's word pieces."""

    def token_vectors(self, texts: Sequence[str], *, stop: Stop = never) -> list[TokenVectors]:
        """Return the vectors of each text's word pieces, without the special ones at its ends."""
        ...


class Retriever(Protocol):
    """Finds passages of one corpus by words (BM25) or by static word vectors."""

    @property
    def passages(self) -> Sequence[Passage]: ...

    def position(self, passage: Passage) -> int | None:
        """Return the position of the first equal passage among `passages`, or None."""
        ...

    def search(self, query: str, *, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the positions of the best `k` passages with a score above 0, best first, and their scores.

        Both have shape (min(k, matching passages),). Ties keep the order of the corpus.
        """
        ...

    def search_dense(
        self, query: str, *, k: int, stop: Stop = never, report: Callable[[str], None] = ignore
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the positions and cosines of the `k` passages with the nearest static vectors, nearest first.

        A missing static encoder is distilled first; `report` gets the progress. Raises ModelError if that fails.
        """
        ...

    def vectors(self, positions: Sequence[int], *, stop: Stop = never) -> NDArray[np.float32]:
        """Return the unit vectors of the passages at `positions`, shape (len(positions), dimensions).

        The retriever encodes each passage at most once.
        """
        ...


class LanguageModel(Protocol):
    """A language model."""

    @property
    def identity(self) -> ModelIdentity: ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text`, without a template."""
        ...

    def generate(
        self,
        prompt: Prompt,
        *,
        schema: Schema | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Stop = never,
    ) -> Completion:
        """Return the text that the model writes after `prompt`; with a schema, JSON that is valid under it.

        Raises ModelError if the prompt and `max_tokens` do not fit the context. Raises ModelError also if the JSON was
        cut off or the model's process ended. Raises Cancelled if `stop` is true.
        """
        ...

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        """Return the log-likelihood (natural log) of each choice as the whole answer to `prompt`.

        Shape (len(choices),), each ≤ 0, summed over the tokens of the choice; not normalised over choices.
        The completion records the cost; its text is the likeliest choice.
        """
        ...

    def close(self) -> None:
        """End the model's process and free its memory. Later requests fail."""
        ...


@runtime_checkable
class AdaptableModel(LanguageModel, Protocol):
    """A language model that can take LoRA adapters."""

    def with_adapter(self, file: Path) -> LanguageModel:
        """Return the model with the adapter in a GGUF file; its identity's digest is that of the adapter's file.

        Both models share the weights in memory, and close together. Raises ModelError if the file cannot be read or is
        no adapter.
        """
        ...


@runtime_checkable
class DraftingModel(LanguageModel, Protocol):
    """A language model that writes several short answers in parallel, which is faster than one by one."""

    def drafts(
        self,
        prompts: Sequence[Prompt],
        known: Sequence[str],
        *,
        end: str,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Stop = never,
    ) -> list[Completion]:
        """Return the text that the model writes after each prompt, up to the first `end`.

        A draft ends with `finish` "strange" at a name or number outside its `known` text. An empty `known` text allows
        all. Raises as `generate`.
        """
        ...


@runtime_checkable
class RemoteModel(LanguageModel, Protocol):
    """A language model elsewhere, which may become another one under the same name."""

    def as_it_is(self, stop: Stop = never) -> LanguageModel:
        """Return the model that is there now; once it is another one, requests fail. Raises ServerError without one."""
        ...


class Judge(Protocol):
    """The evidence check: gives a verdict from the stances of the passages."""

    def verdict(self, case: Case, context: RunContext) -> Verdict:
        """Return the verdict on the case's evidence."""
        ...


class AnswerJudge(Protocol):
    """Gives a verdict from questions and answers, as the systems of the shared task do."""

    def verdict(self, case: Case, check: Verdict, context: RunContext) -> tuple[Verdict, tuple[Completion, ...]]:
        """Return the verdict with the evidence check beside it, and its completions. Raises ModelError."""
        ...


class Examples(Protocol):
    """Finds training claims similar to a claim."""

    def nearest(self, claim: str, *, k: int) -> tuple[GoldClaim, ...]:
        """Return the `k` training claims most like `claim`, best first."""
        ...


@dataclass(frozen=True)
class Models:
    """The open models of a run; `examples` is None unless the user has a training file."""

    encoder: Encoder
    llm: LanguageModel
    judge: Judge
    examples: Examples | None = None


class SecondReader(Protocol):
    """Reads again the passages of one case that matter, by the model that a person chose."""

    @property
    def account(self) -> SecondReading:
        """Who read, and how much so far."""
        ...

    def read_again(
        self, claim: str, stances: Sequence[PassageStance], rows: NDArray[np.float64], context: RunContext
    ) -> tuple[PassageStance, ...]:
        """Return the stances after a second reading.

        rows: the built-in reader's probabilities of the four stances, shape (passages, 4).
        """
        ...

    def explained(self, claim: str, verdict: Verdict, context: RunContext) -> Verdict:
        """Return the verdict with the reader's reasons at the passages that decide."""
        ...


@dataclass(frozen=True)
class RunContext:
    """The surroundings of a step: models, a retriever, the seed, and the ways to stop and to report.

    `report` takes a few words on the progress of a long step, for the page. `show` takes a case that may be shown
    while the step goes on. `second` is None where the built-in reader alone reads. `answer_judge` is None where no
    measurement shows that the language model is able.
    """

    models: Models
    retriever: Retriever
    seed: int = 0
    stop: Stop = never
    report: Callable[[str], None] = ignore
    show: Callable[[Case], None] = ignore
    second: SecondReader | None = None
    answer_judge: AnswerJudge | None = None


class Step(Protocol):
    """One step of a recipe: a frozen dataclass that returns a case with its findings added."""

    @property
    def title(self) -> str:
        """The task of the step, as an imperative that a journalist understands."""
        ...

    def __call__(self, case: Case, context: RunContext) -> Case: ...

    def found(self, case: Case) -> str:
        """Describe the findings in a few words; `case` is the result of the step."""
        ...
