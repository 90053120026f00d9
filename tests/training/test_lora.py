"""Adapters that are trained here: what torch learned is what llama.cpp computes with the file."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.annotations import GoldAnswer, GoldClaim, GoldQuestion
from core.errors import BadInput
from core.llm.llama import load_llama
from core.training.fit_questions import GgufTokens, examples_of
from core.training.lora import (
    IGNORED,
    Schedule,
    TrainingExample,
    adapter_tensors,
    by_length,
    interleaved,
    load_trainable,
    padded,
    train,
    write_adapter,
)
from core.training.question_sets import AskingExample
from core.types import Claim, Label
from core.verification.question_focus import Focus
from core.verification.steps.asking import ONE_TURN, prompt_for
from tests.llm.tiny_model import write_tiny_model

EXAMPLE = AskingExample("It rose.", "It fell by a half.", "a half", "")
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
    examples = [tokens.example(replace(EXAMPLE, question=question)) for question in QUESTIONS]
    model = load_trainable(weights, first_layer=0)
    losses: list[tuple[int, float]] = []
    train(model, [examples[0]] * 24, Schedule(batch=2, rate=0.02), losses.append)
    assert [done for done, _ in losses] == list(range(2, 26, 2))
    assert losses[-1][1] < losses[0][1] - 1.0
    file = tmp_path / "learned.gguf"
    write_adapter(file, model, facts={"general.license": "cc-by-nc-4.0"})
    llm = load_llama(weights, context_tokens=256, threads=1)
    try:
        prompt = prompt_for(ONE_TURN, EXAMPLE.claim, Focus(EXAMPLE.passage, EXAMPLE.span))
        adapted = llm.with_adapter(file).log_likelihoods(prompt, QUESTIONS)[0]
        plain = llm.log_likelihoods(prompt, QUESTIONS)[0]
    finally:
        llm.close()
    assert adapted == pytest.approx([torch_likelihood(model, one) for one in examples], abs=0.05)
    with model.disable_adapter():
        assert plain == pytest.approx([torch_likelihood(model, one) for one in examples], abs=0.05)
    assert adapted[0] > plain[0] + 10


class Killed(Exception):
    """The run was ended from outside."""


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    weights = write_tiny_model(tmp_path / "tiny.gguf")
    tokens = GgufTokens(weights)
    questions = [f"Did it fall in {year}?" for year in range(1990, 2014)]
    examples = [tokens.example(replace(EXAMPLE, question=question)) for question in questions]
    schedule = Schedule(batch=2, rate=0.02, seconds_between=0.0)

    def learned(checkpoint: Path, kill_at: int = 0) -> dict[str, NDArray[np.float16]]:
        def told(done: tuple[int, float]) -> None:
            if done[0] == kill_at:
                raise Killed

        model = load_trainable(weights, first_layer=0)
        train(model, examples, schedule, told, checkpoint)
        return dict(adapter_tensors(model))

    whole, killed = learned(tmp_path / "whole.safetensors"), tmp_path / "killed.safetensors"
    with pytest.raises(Killed):
        learned(killed, kill_at=12)
    again = learned(killed)
    assert all(np.array_equal(values, again[name]) for name, values in whole.items())
    with pytest.raises(BadInput, match="another run"):
        train(load_trainable(weights, first_layer=0), examples, Schedule(batch=2, seed=1), checkpoint=killed)
    killed.write_bytes(b"none")
    with pytest.raises(BadInput, match="is no checkpoint"):
        train(load_trainable(weights, first_layer=0), examples, schedule, checkpoint=killed)


def test_batches_hold_every_example_once_and_have_like_lengths() -> None:
    examples = [TrainingExample((1,) * (number % 50 + 1), (2,)) for number in range(203)]
    found = by_length(examples, Schedule(batch=8))
    assert sorted(len(one) for batch in found for one in batch) == sorted(map(len, examples))
    assert sum(max(map(len, batch)) * len(batch) for batch in found) < 1.2 * sum(map(len, examples))
    assert by_length(examples, Schedule(batch=8)) == found
    assert by_length(examples, Schedule(batch=8, seed=1)) != found


def test_the_learning_rate_rises_and_falls() -> None:
    rates = [Schedule(rate=1.0).rate_at(step, 100) for step in range(100)]
    assert 0 < rates[0] < rates[4] < 1.0
    assert rates[5] == 1.0
    assert rates[5:] == sorted(rates[5:], reverse=True)
    assert rates[-1] < 0.001


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
    (example,) = examples_of([gold])
    assert example == AskingExample("The tower is old.", long, "1887 and 1889", "When was the tower put up?")
