"""Adapters that are trained here: what torch learned is what llama.cpp computes with the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.annotations import GoldAnswer, GoldClaim, GoldQuestion
from core.llm.llama import load_llama
from core.llm.prompts import render
from core.training.fit_questions import GgufTokens, pairs_to_learn
from core.training.lora import (
    IGNORED,
    Schedule,
    TrainingExample,
    interleaved,
    load_trainable,
    padded,
    train,
    write_adapter,
)
from core.types import Claim, Label
from tests.llm.tiny_model import write_tiny_model

SLOTS = {"claim": "It rose.", "passage": "It fell by a half."}
QUESTIONS = ("Did it fall?", "Who is he?")


def torch_likelihood(model: Any, example: TrainingExample) -> float:
    """Return the log-likelihood of an answer without the token that ends it, as llama.cpp's is counted."""
    import torch

    answer = example.answer[:-1]
    tokens = torch.tensor([[*example.prompt, *answer]])
    with torch.no_grad():
        rows = model(input_ids=tokens).logits[0].log_softmax(-1)
    first = len(example.prompt)
    return float(sum(rows[first + place - 1, token] for place, token in enumerate(answer)))


@pytest.mark.slow
def test_an_adapter_file_does_in_llama_cpp_what_was_learned_in_torch(tmp_path: Path) -> None:
    weights = write_tiny_model(tmp_path / "tiny.gguf")
    tokens = GgufTokens(weights)
    examples = [tokens.example(SLOTS["claim"], SLOTS["passage"], question) for question in QUESTIONS]
    model = load_trainable(weights, first_layer=0)
    losses: list[tuple[int, float]] = []
    train(model, [examples[0]] * 24, Schedule(batch=2, rate=0.02), losses.append)
    assert [done for done, _ in losses] == list(range(2, 26, 2))
    assert losses[-1][1] < losses[0][1] - 1.0
    file = tmp_path / "learned.gguf"
    write_adapter(file, model, facts={"general.license": "cc-by-nc-4.0"})
    llm = load_llama(weights, context_tokens=256, threads=1)
    try:
        prompt = render("question_in_one_turn", SLOTS)
        adapted = llm.with_adapter(file).log_likelihoods(prompt, QUESTIONS)[0]
        plain = llm.log_likelihoods(prompt, QUESTIONS)[0]
    finally:
        llm.close()
    assert adapted == pytest.approx([torch_likelihood(model, one) for one in examples], abs=0.05)
    with model.disable_adapter():
        assert plain == pytest.approx([torch_likelihood(model, one) for one in examples], abs=0.05)
    assert adapted[0] > plain[0] + 10


def test_only_the_answer_is_a_target_and_padding_stands_behind() -> None:
    tokens, targets = padded([TrainingExample((1, 2), (3, 4)), TrainingExample((5,), (6,))])
    assert tokens.tolist() == [[1, 2, 3, 4], [5, 6, 0, 0]]
    assert targets.tolist() == [[IGNORED, IGNORED, 3, 4], [IGNORED, 6, IGNORED, IGNORED]]


def test_the_halves_of_each_head_become_neighbours() -> None:
    rows = np.arange(8, dtype=np.float32).reshape(8, 1)
    assert interleaved(rows, heads=2)[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_what_is_learned_are_questions_with_answers_that_resemble_a_passage() -> None:
    long = "The tower was put up between 1887 and 1889 for the World's Fair."
    asked = [(question, long) for question in ("When was the tower put up?", "When was it?", "The tower.")]
    asked.append(("Is the tower old?", "Yes"))
    questions = tuple(GoldQuestion(question, (GoldAnswer(answer),)) for question, answer in asked)
    gold = GoldClaim(Claim("The tower is old."), Label.SUPPORTED, questions)
    assert pairs_to_learn([gold]) == [("The tower is old.", long, "When was the tower put up?")]
