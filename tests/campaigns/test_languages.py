"""The languages of the rater's page: every text in each of them, and none that the page does not know."""

import re
from pathlib import Path

import pytest

from core.campaigns.planning.options import FOLDER, counted_in, languages, words_of
from core.campaigns.planning.rating_form import FormKind
from core.errors import BadInput

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.parent.glob("*.js")))
CHOICE = r'phrase\((?:\w[\w.\s]*(?:=== "0"|=== 1)?\s*\?\s*)?\(?"(\w+)"'


def test_german_is_there() -> None:
    assert languages()[:2] == ("en", "de")
    with pytest.raises(BadInput, match="no language 'xx'"):
        words_of("xx")


@pytest.mark.parametrize("language", languages())
def test_no_language_lacks_a_text_or_a_place_in_one(language: str) -> None:
    english, words = words_of("en"), words_of(language)
    assert set(words) == set(english)
    assert [key for key, text in english.items() if text and not words[key]] == []
    places = {key: set(re.findall(r"{\w+}", text)) for key, text in english.items()}
    assert {key: set(re.findall(r"{\w+}", text)) for key, text in words.items()} == places


def test_the_panel_has_every_text_that_it_asks_for() -> None:
    asked = set(re.findall(r'phrase\("(\w+)"', SCRIPT)) | set(re.findall(CHOICE, SCRIPT))
    assert len(asked) > 15
    assert asked - set(words_of("en")) == set()


def test_a_number_has_the_noun_of_the_language() -> None:
    assert [counted_in(words_of("de"), "item", number) for number in (1, 2)] == ["1 Aufgabe", "2 Aufgaben"]
    assert {f"{kind}_task" for kind in FormKind} <= set(words_of("en"))
