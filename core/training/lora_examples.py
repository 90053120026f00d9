"""Examples for an adapter that asks: a claim and an answer of annotated claims, and the question that they go with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import llama_cpp
import llama_cpp.llama_cpp as c

from core.annotations import GoldClaim
from core.llm.llama_chat import ChatTemplate, Turn
from core.llm.prompts import render
from core.terms import terms, words
from core.training.lora import TrainingExample

ANSWER_WORDS = 8
"""Shorter answers ("Yes", "No answer could be found.") do not resemble a passage of a document."""

PASSAGE_TOKENS = 48
MAX_QUESTION_TOKENS = 40
TEMPLATE = "question_in_one_turn"


def pairs_to_learn(gold: Sequence[GoldClaim]) -> list[tuple[str, str, str]]:
    """Return claim, passage and question of every pair whose question ends as one and shares a term with its answer."""
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
