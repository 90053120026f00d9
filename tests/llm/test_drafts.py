"""Drafts that the bundled model writes beside each other: what ends them, and what they depend on."""

import pytest

from core.errors import Cancelled
from core.interfaces import DraftingModel
from core.llm.caching import caching_model
from core.llm.llama import LlamaModel
from core.llm.prompts import render
from core.types import Completion, Message, Prompt
from tests.fakes import ScriptedModel

CLAIM = "Unemployment in Spain fell in 2019."
PASSAGES = (
    "The unemployment rate in Spain fell to 13.8 percent in 2019, the statistics office said.",
    "Some 402,000 jobs were created in Spain, most of them in services.",
    "The minister said in Madrid that growth will slow.",
)


def prompt(passage: str) -> Prompt:
    return render("question_for_passage", {"claim": CLAIM, "passage": passage})


PROMPTS = tuple(map(prompt, PASSAGES))


def drafts(llm: DraftingModel, *, known: str = "", temperature: float = 0.0, seed: int = 0) -> list[Completion]:
    return llm.drafts(PROMPTS, [known] * len(PROMPTS), end="?", max_tokens=12, temperature=temperature, seed=seed)


@pytest.mark.slow
def test_drafts_end_at_the_mark_and_share_their_beginning(llm: LlamaModel) -> None:
    first = drafts(llm)
    assert [one.prompt for one in first] == list(PROMPTS)
    assert all(one.text.count("?") <= 1 and one.text.endswith("?") == (one.finish == "stop") for one in first)
    again = drafts(llm)
    assert [one.text for one in again] == [one.text for one in first]
    assert all(one.reused_tokens > 300 for one in again)  # the examples, which all prompts begin with


def test_a_draft_is_what_the_model_writes_alone_up_to_the_mark(llm: LlamaModel) -> None:
    alone = llm.generate(PROMPTS[0], max_tokens=6).text
    assert drafts(llm)[0].text[:12] == alone[:12]


@pytest.mark.slow
def test_sampled_drafts_depend_on_the_seed_alone(llm: LlamaModel) -> None:
    one, same, other = (drafts(llm, temperature=0.9, seed=seed) for seed in (1, 1, 2))
    assert [draft.text for draft in one] == [draft.text for draft in same]
    assert [draft.text for draft in one] != [draft.text for draft in other]


def test_a_draft_is_stopped_at_a_name_that_is_not_known(llm: LlamaModel) -> None:
    asked: Prompt = (Message("user", "Who was the first president of the United States? Answer in a whole sentence."),)
    free, bound = llm.drafts([asked, (*asked,)], ["", "the first president"], end="?", max_tokens=24)
    assert "United States" in free.text
    assert bound.finish == "strange"
    assert bound.completion_tokens < free.completion_tokens
    assert free.text.startswith(bound.text)


@pytest.mark.slow
def test_more_drafts_than_there_is_room_for_are_written_in_turns(llm: LlamaModel) -> None:
    many = [prompt(f"Shop {number} in Madrid was closed in May.") for number in range(12)]
    assert sum(llm.count_tokens(turn.text) for one in many for turn in one) > 2048
    written = llm.drafts(many, [""] * len(many), end="?", max_tokens=2)
    assert [one.prompt for one in written] == many
    assert all(one.text for one in written)


def test_drafts_can_be_stopped(llm: LlamaModel) -> None:
    with pytest.raises(Cancelled):
        llm.drafts(PROMPTS, [""] * 3, end="?", max_tokens=24, stop=lambda: True)
    assert drafts(llm)[0].text


def test_a_memory_keeps_drafts_and_a_model_without_any_writes_one_by_one(llm: LlamaModel) -> None:
    memory = caching_model(llm)
    assert drafts(memory) == drafts(memory)
    assert len(memory.calls) == 1
    plain = caching_model(ScriptedModel(["One?", "Two?", "Three?"]))
    assert [one.text for one in drafts(plain)] == ["One?", "Two?", "Three?"]
    assert len(plain.calls) == 3
