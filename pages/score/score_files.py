"""The bundled example of Score: annotated claims and two systems."""

from __future__ import annotations

from core.annotations import Submission
from core.averitec.answer_files import AnswerRecord
from core.averitec.averitec import parse_submission
from core.files import ASSETS
from core.scoring.score import GoldFile, gold_file

EXAMPLE = ASSETS / "scoring"
Answers = dict[str, tuple[AnswerRecord, ...]]
"""Answers by the name of the system."""


def example_gold() -> GoldFile:
    """Return the annotated claims of the bundled example."""
    return gold_file("gold.json", (EXAMPLE / "gold.json").read_bytes())


def example_systems() -> tuple[Submission, ...]:
    """Return the two systems of the bundled example."""
    names = ("careful", "hasty")
    return tuple(parse_submission(f"{name}.json", (EXAMPLE / f"{name}.json").read_bytes()) for name in names)
