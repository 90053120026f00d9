"""The one interface of passage readers, with the built-in reader and language models."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import JudgeChanged, ServerError, ServerFailed
from core.files import ASSETS, json_of
from core.interfaces import Encoder, LanguageModel, RemoteModel, Schema, Stop, never
from core.llm.prompts import TEMPLATES, render
from core.models.digests import file_digest
from core.retrieval.chunking import sentence_spans
from core.terms import strange_words
from core.types import Passage, Span
from core.verification.stance.cards import embedded_card
from core.verification.stance.classifier import sentences_in, stances_of
from core.verification.stance.embedded import FITTED, load_embedded
from core.verification.stance.words import is_content, words_of
from core.verification.written_claims import LABELS

FOR, AGAINST, NEITHER = range(3)
LETTERS = ("A", "B", "C")
"""The answers of the prompt "stance": for, against, neither."""

PROMPTS = ("stance", "stance_sentence", "stance_quoted")
PASSAGE_TOKENS = 500
SAID = 0.9
"""The probability of an answer that a server gives in words alone."""

LEAST_QUOTED = 3
"""Words; a shorter quotation is found in nearly every passage."""

QUOTED: Schema = {
    "type": "object",
    "properties": {
        "sentence": {"type": "string", "maxLength": 700},
        "answer": {"type": "string", "enum": list(LABELS)},
    },
    "required": ["sentence", "answer"],
}

REASON: Schema = {
    "type": "object",
    "properties": {"reason": {"type": "string", "minLength": 10, "maxLength": 240}},
    "required": ["reason"],
}
SIDES_IN_WORDS = ("says that the claim is true", "makes the claim false")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ReaderIdentity:
    """A reader: its name for people, the digest of its weights or its server's fingerprint, its prompt's version."""

    name: str
    digest: str
    prompt: str = ""

    @property
    def key(self) -> str:
        """The name under which its measurements are kept."""
        return hashlib.sha256(f"{self.digest} {self.prompt}".encode()).hexdigest()[:16]


@dataclass(frozen=True)
class PassageReading:
    """A reader's answer: the log-probabilities of for, against and neither.

    `sentence` are the characters of the document's text that decide, None where no sentence was named.
    """

    log_probabilities: tuple[float, float, float]
    sentence: Span | None = None
    seconds: float = 0.0


class PassageReader(Protocol):
    """Reads a passage against a claim."""

    @property
    def identity(self) -> ReaderIdentity: ...

    def read(self, claim: str, passage: Passage, *, stop: Stop = never) -> PassageReading:
        """Return the reading. Raises UnusableAnswer for an unusable answer, ModelError if the model fails."""
        ...


@dataclass(frozen=True)
class BuiltInReader:
    """The reader and the classifier that are shipped with the program."""

    encoder: Encoder

    @property
    def identity(self) -> ReaderIdentity:
        return ReaderIdentity("the built-in reader", built_in_digest())

    def read(self, claim: str, passage: Passage, *, stop: Stop = never) -> PassageReading:
        """See `PassageReader.read`."""
        began = time.perf_counter()
        _, rows = stances_of(claim, [passage], load_embedded(), self.encoder, embedded_card().thresholds, stop=stop)
        return reading(three_of(rows)[0], None, began)


@cache
def built_in_digest() -> str:
    """Return one digest for the files of the built-in reader."""
    files = [*sorted((ASSETS / "reader").glob("*.safetensors")), FITTED]
    return hashlib.sha256("".join(map(file_digest, files)).encode()).hexdigest()


def three_of(rows: Floats) -> Floats:
    """Return the log-probabilities of for, against and neither for those of the four stances, shape (passages, 3)."""
    three = np.column_stack([rows[:, :2], rows[:, 2:].sum(axis=1)])
    return np.asarray(np.log(np.maximum(three, 1e-6)))


def reading(scores: Floats, sentence: Span | None, began: float) -> PassageReading:
    """Return a reading for three scores on the scale of logarithms, which need not be normalised."""
    first, second, third = (scores - np.logaddexp.reduce(scores)).tolist()
    return PassageReading((first, second, third), sentence, time.perf_counter() - began)


@dataclass
class LanguageModelReader:
    """A language model: the likelihoods of three letters, else an answer in JSON that quotes its sentence.

    `weighs` becomes False at a server that answers, but gives no probabilities.
    """

    llm: LanguageModel
    weighs: bool = True

    @property
    def identity(self) -> ReaderIdentity:
        one = self.llm.identity
        return ReaderIdentity(one.name, one.digest or one.server, prompt_version())

    def read(self, claim: str, passage: Passage, *, stop: Stop = never) -> PassageReading:
        """See `PassageReader.read`. Of a long passage the beginning is read."""
        began = time.perf_counter()
        spans = self._fitting(passage)
        if self.weighs:
            try:
                return self._weighed(claim, passage, spans, began, stop)
            except (ServerFailed, JudgeChanged):
                raise
            except ServerError:  # some servers refuse a request for probabilities, others leave them out
                pass
        found = self._quoted(claim, passage, spans, began, stop)
        self.weighs = False
        return found

    def _weighed(self, claim: str, passage: Passage, spans: Sequence[Span], began: float, stop: Stop) -> PassageReading:
        lines = (f"[{number}] {passage.document.text[slice(*span)]}" for number, span in enumerate(spans, start=1))
        slots = {"claim": claim, "passage": "\n".join(lines)}
        scores, _ = self.llm.log_likelihoods(render("stance", slots), LETTERS, stop=stop)
        if scores.argmax() == NEITHER:
            return reading(scores, None, began)
        numbers = [str(number) for number in range(1, len(spans) + 1)]
        placed, _ = self.llm.log_likelihoods(render("stance_sentence", slots), numbers, stop=stop)
        return reading(scores, spans[int(placed.argmax())], began)

    def _quoted(self, claim: str, passage: Passage, spans: Sequence[Span], began: float, stop: Stop) -> PassageReading:
        lines = "\n".join(passage.document.text[start:end] for start, end in spans)
        prompt = render("stance_quoted", {"claim": claim, "passage": lines})
        answer = json_of(self.llm.generate(prompt, schema=QUOTED, max_tokens=300, stop=stop).text)
        sentence = quoted_sentence(answer["sentence"], passage, spans)
        side = LABELS.index(answer["answer"]) if sentence else NEITHER
        return reading(np.log([SAID if place == side else (1 - SAID) / 2 for place in range(3)]), sentence, began)

    def reason(self, claim: str, passage: Passage, side: int, *, stop: Stop = never) -> str:
        """Return a sentence on why a passage takes a side; empty if it adds a number or name.

        Raises as `PassageReader.read`.
        """
        lines = "\n".join(passage.document.text[start:end] for start, end in self._fitting(passage))
        slots = {"claim": claim, "passage": lines, "answer": SIDES_IN_WORDS[side]}
        written = self.llm.generate(render("stance_reason", slots), schema=REASON, max_tokens=120, stop=stop).text
        words = " ".join(json_of(written)["reason"].split())
        first = sentence_spans(words)[0] if words else (0, 0)
        return kept_reason(words[slice(*first)], claim, passage)

    def _fitting(self, passage: Passage) -> list[Span]:
        """Return the sentences of a passage that the model reads, at most nine: servers weigh single tokens."""
        spans, left = sentences_in(passage)[:9], PASSAGE_TOKENS
        for count, (start, end) in enumerate(spans):
            left -= self.llm.count_tokens(passage.document.text[start:end])
            if left < 0:
                return spans[: max(count, 1)]
        return spans


def model_reader(llm: LanguageModel, stop: Stop = never) -> LanguageModelReader:
    """Return the reader of a language model; a server's model is held to the one that is there now."""
    return LanguageModelReader(llm.as_it_is(stop) if isinstance(llm, RemoteModel) else llm)


def quoted_sentence(quotation: str, passage: Passage, spans: Sequence[Span]) -> Span | None:
    """Return the sentence in which a quotation begins; None for one that the passage does not hold."""
    words = quotation.strip(" \n\"'“”‘’.…").split()
    pattern = r"\s+".join(map(re.escape, words))
    found = re.search(pattern, passage.text, re.IGNORECASE) if len(words) >= LEAST_QUOTED else None
    if found is None:
        return None
    start = passage.start + found.start()
    return next(((first, last) for first, last in spans if first <= start < last), None)


def kept_reason(sentence: str, claim: str, passage: Passage) -> str:
    """Return a sentence; empty if a number or a name in it is in neither the claim nor the passage."""
    known = (claim, passage.text, passage.document.title)
    stems = {word.stem for word in words_of(" ".join(known))}
    strange = [word for word in words_of(sentence)[:1] if is_content(word) and word.stem not in stems]
    return "" if strange or strange_words(sentence, *known) else sentence


@cache
def prompt_version() -> str:
    """Return a digest of the prompts: a measurement holds for one version of them."""
    texts = "".join((TEMPLATES / f"{name}.txt").read_text(encoding="utf-8") for name in PROMPTS)
    return hashlib.sha256(texts.encode()).hexdigest()[:12]
