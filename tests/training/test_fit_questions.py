"""The figures of an adapter that asks, kept beside it, and when it is offered."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadRecord
from core.models.question_adapter import QuestionAdapter, load_figures, save_figures
from core.training.fit_questions import is_better, recipe_with
from core.training.question_figures import QuestionFigures
from core.verification.recipes.recipe_files import adapters, read_recipe, recipe_toml
from pages.models.cross_encoders import worth

OWN = QuestionFigures(8.0, 9.0, 0.01, 0.0, 0.4, {"Q": 0.28, "Q+A": 0.26, "soft coverage": 0.7}, 14.0, 5.0)
KEPT = QuestionAdapter(
    True,
    50,
    {"questions": 8.0, "scores": {"Q": 0.28}},
    {"questions": 8.5, "scores": {"Q": 0.334}},
    "cc-by-nc-4.0",
    "2026-11-22",
    "fit",
)


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    adapter = tmp_path / "questions.gguf"
    assert load_figures(adapter) is None
    save_figures(adapter, KEPT)
    assert load_figures(adapter) == KEPT
    adapter.with_suffix(".json").write_text('{"better": true}')
    with pytest.raises(BadRecord, match=r"questions\.json"):
        load_figures(adapter)


def test_an_adapter_is_better_if_it_is_closer_and_no_less_distinct() -> None:
    closer = replace(OWN, scores={**OWN.scores, "Q": 0.33})
    assert is_better(OWN, closer)
    assert not is_better(OWN, OWN)
    assert not is_better(OWN, replace(closer, questions=7.9))
    assert not is_better(OWN, replace(closer, nearest=0.39))
    assert not is_better(OWN, replace(closer, scores={"Q": 0.33, "Q+A": 0.25}))


def test_its_recipe_asks_with_it() -> None:
    recipe = recipe_with(Path("/models/questions.gguf"))
    assert adapters(recipe) == ["/models/questions.gguf"]
    assert read_recipe(recipe_toml(recipe), file="x.toml") == recipe


def test_the_page_says_what_changes_and_the_licence() -> None:
    assert "METEOR 0.28 without it" in worth(KEPT)
    assert worth(KEPT).endswith("Its licence is cc-by-nc-4.0.")
