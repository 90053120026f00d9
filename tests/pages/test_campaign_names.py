"""The names of scales, made of their titles in any script."""

import pytest

from core.campaigns.planning.form_questions import NAME
from pages.campaigns.campaign_draft import scale_name


@pytest.mark.parametrize(("title", "name"), [("Clear words", "clear_words"), ("Klärung", "klarung"), ("", "")])
def test_a_title_in_latin_letters_gives_the_name(title: str, name: str) -> None:
    assert scale_name(title) == name


def test_titles_in_other_letters_have_names_of_their_own() -> None:
    names = [scale_name(title) for title in ("Ясность", "Полнота", "明確さ", "5 points")]
    assert len(set(names)) == 4
    assert all(NAME.fullmatch(name) for name in names)
