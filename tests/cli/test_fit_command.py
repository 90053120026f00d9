"""Targets of `fit` that learn from a folder of sets ask for it in a sentence."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command


def test_questions_are_learned_from_sets_or_from_annotated_claims(command: Command) -> None:
    assert "fit: --train: " in command("fit", "questions", status=2)


@pytest.mark.parametrize("target", ["questions", "question-judge", "worthiness"])
def test_a_folder_without_the_sets_is_named(target: str, tmp_path: Path, command: Command) -> None:
    said = command("fit", target, "--data", str(tmp_path), "--out", str(tmp_path / "out"), status=2)
    assert ".jsonl.gz cannot be read" in said
