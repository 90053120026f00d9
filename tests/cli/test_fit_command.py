"""Targets of `fit` that learn from a folder of sets ask for it in a sentence."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from core.cli import fit
from core.errors import BadInput


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    fit.add_arguments(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize("target", ["reader", "question-judge"])
def test_a_target_that_learns_from_sets_needs_their_folder(target: str) -> None:
    with pytest.raises(BadInput, match=f"fit {target} needs --data"):
        fit.run(parsed(target))


def test_questions_are_learned_from_sets_or_from_annotated_claims() -> None:
    with pytest.raises(BadInput, match="fit questions needs --train"):
        fit.run(parsed("questions"))


@pytest.mark.parametrize("target", ["questions", "question-judge", "worthiness"])
def test_a_folder_without_the_sets_is_named(target: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\.jsonl\.gz cannot be read"):
        fit.run(parsed(target, "--data", str(tmp_path), "--out", str(tmp_path / "out")))
