"""Examples to learn asking from, made of questions that people wrote; and questions that a program spoiled."""

import gzip
import json
import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInput, BadRecord
from core.training.fit_question_judge import answer_examples, claim_examples, form_examples
from core.training.question_sets import (
    AnsweredQuestion,
    answered_questions,
    as_in,
    asking_examples,
    damaged,
    judged_questions,
    misasked,
    misnamed,
    only_answer,
    teaches,
    unanswerable_questions,
    with_why,
)

TEXT = "The bridge over the Ems was opened in May 1962. It was built by Hanna Lund. About 4,200 cars cross it a day."
SQUAD = {"passage": TEXT, "title": "Ems", "answerable": True, "split": "dev"}
ROWS: dict[str, list[dict[str, Any]]] = {
    "squad2_dev": [
        {**SQUAD, "sentence": TEXT[:47], "answer": "May 1962", "question": "When was the Ems bridge opened ?"},
        {**SQUAD, "sentence": TEXT[48:75], "answer": "", "question": "Who built the bridge over the Ems?"},
        {**SQUAD, "sentence": "", "answer": "", "answerable": False, "question": "Who paid for the Ems bridge?"},
    ],
    "qamr": [
        {"passage": "Anna Wolf won the race in Oslo.", "answer": "Oslo", "agree": agree, "question": question}
        for agree, question in ((3, "Where did Anna Wolf win the race?"), (1, "What is it?"))
    ],
    "qadiscourse": [
        {
            "passage": "Trains to Oslo stopped because the Ems flooded.",
            "answer": "the Ems flooded",
            "question": question,
        }
        for question in ("Why did trains to oslo stop?", "After what did trains to oslo stop?")
    ],
    "query_wellformedness": [
        {"question": "what is bridge ems ?", "wellformed": 0.2, "split": "train"},
        {"question": "What is the longest bridge?", "wellformed": 1.0, "split": "test"},
    ],
    "quiz_design_judgements": [
        {
            "question": "When was the bridge opened?",
            "passage": TEXT,
            "answer": "May 1962",
            "accepted": 1,
            "reason": "No error",
            "doc": "1",
        }
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in ROWS.items():
        write(tmp_path / f"{name}.jsonl.gz", map(json.dumps, rows))
    return tmp_path


def write(path: Path, lines: Iterable[str]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def test_questions_are_read_with_their_answers(folder: Path) -> None:
    found = {row.question: row for row in answered_questions(folder)}
    assert found["When was the Ems bridge opened?"].answer == "May 1962"
    assert found["Who built the bridge over the Ems?"].answer == "Hanna Lund"  # the only name
    assert found["Who built the bridge over the Ems?"].before == TEXT[:47]
    assert "Why did trains to Oslo stop?" in found
    assert set(found) == {row["question"].replace(" ?", "?") for row in (*ROWS["squad2_dev"][:2], ROWS["qamr"][0])} | {
        "Why did trains to Oslo stop?"
    }
    (lacking,) = unanswerable_questions(folder)
    assert lacking.passage in TEXT
    assert [one.good for one in judged_questions(folder)] == [False, True, True]


def test_a_set_that_is_missing_or_broken_is_named(folder: Path, tmp_path: Path) -> None:
    write(folder / "qamr.jsonl.gz", ['{"passage": "x"}'])
    with pytest.raises(BadRecord, match=r"qamr\.jsonl\.gz:1"):
        answered_questions(folder)
    (folder / "squad2_dev.jsonl.gz").unlink()
    with pytest.raises(BadInput, match=r"squad2_dev\.jsonl\.gz cannot be read"):
        answered_questions(folder)


def test_the_only_words_of_a_kind_answer_a_question() -> None:
    assert only_answer("How many cars cross it?", "About 4,200 cars cross it a day.") == "4,200 cars"
    assert only_answer("When was it?", "It was in 1962 or 1963.") == ""
    assert only_answer("What is it?", "It was in 1962.") == ""


def test_examples_have_a_claim_a_passage_and_the_words_asked_for(folder: Path) -> None:
    rows = answered_questions(folder)
    examples = asking_examples(rows, seed=0)
    assert {one.question for one in examples} == {row.question for row in rows}
    assert all(one.span in one.passage and one.span not in one.question for one in examples)
    assert asking_examples(rows, seed=0) == examples
    assert asking_examples(list(reversed(rows)), seed=0) == examples


@pytest.mark.parametrize(
    "question",
    [
        "What is it?",
        "Who did something to the bridge over the Ems?",
        "When was the Elbe bridge in Hamburg opened?",  # names of neither
        "When was the bridge over the Ems opened in May 1962?",  # holds its answer
        "What does the passage say about the bridge over the Ems?",
        "The bridge over the Ems was opened.",
    ],
)
def test_some_questions_teach_nothing(question: str) -> None:
    row = AnsweredQuestion("When was the Ems bridge opened?", TEXT[:47], "May 1962", "squad", "Ems")
    (example,) = asking_examples([row], seed=0)
    assert teaches(example)
    assert not teaches(replace(example, question=question))


def test_a_question_for_a_reason_begins_with_why() -> None:
    assert with_why("What is the reason a player was sin binned?") == "Why was a player sin binned?"
    others = ("What is the reason for the storm?", "What is the reason Edward had to go?", "Who was the king?")
    assert [with_why(one) for one in others][2] == others[2]
    assert with_why(others[0]) == others[0]
    assert with_why("What is the reason those who left were late?") == "What is the reason those who left were late?"


def test_names_are_spelled_as_in_the_passage() -> None:
    assert as_in("Trains to Oslo stopped.", "Why did trains to oslo stop?") == "Why did trains to Oslo stop?"


def test_spoiled_questions_differ_from_the_good_one() -> None:
    chance, question = random.Random(0), "When was the Ems bridge opened in Lingen?"
    spoiled = {damaged(question, chance) for _ in range(40)}
    assert len(spoiled) > 5
    assert all(one.endswith("?") for one in spoiled)
    assert misasked(question, chance) in (
        "Who was the Ems bridge opened in Lingen?",
        "Where was the Ems bridge opened in Lingen?",
    )
    assert misasked("How many cars cross it?", chance) == "Who cars cross it?"
    assert misasked("What is it?", chance) is None
    assert misnamed(question, ["Oslo"], chance) in (
        "When was the Oslo bridge opened in Lingen?",
        "When was the Ems bridge opened in Oslo?",
    )
    assert misnamed("When was it?", ["Oslo"], chance) is None


def test_each_part_of_the_judge_has_good_and_bad_questions(folder: Path) -> None:
    answered, judged = answered_questions(folder) * 8, judged_questions(folder)
    chance = random.Random(0)
    for rows in (
        form_examples(judged, answered, chance),
        answer_examples(answered, judged, unanswerable_questions(folder), chance),
        claim_examples(answered, chance, seed=0),
    ):
        assert set(rows.good) == {0, 1}
        assert len(rows.drafts) == len(rows.good) == len(rows.held) == len(rows.kinds)
