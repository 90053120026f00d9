"""A rater's introduction names the keys that the form has."""

import pytest

from core.campaigns.planning.options import CampaignOptions, words_of
from core.campaigns.planning.own_form import read_form
from core.campaigns.planning.rating_form import STANDARD
from pages.ui.rater_introduction import introduction

QUESTION = '[[questions]]\nname = "q"\ntitle = "T"\nquestion = "Q?"\n'
NUMBERS = words_of("en")["key_number"]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (QUESTION + 'answer = "scale"\nhigh = 7\n', "7"),
        (QUESTION + f"labels = {[f'label {n}' for n in range(12)]}", "9"),
        ('kind = "pairwise"\n' + QUESTION, "3"),
        ('kind = "pairwise"\n' + QUESTION + "ties = false", "2"),
        ('kind = "best-worst"\n' + QUESTION, "4"),
    ],
)
def test_an_own_form_names_the_keys_of_its_answers(text: str, last: str) -> None:
    shown = str(introduction(read_form("form.toml", text), CampaignOptions()))
    assert f"<kbd>1</kbd><span>–</span><kbd>{last}</kbd></span><span>{NUMBERS}" in shown


def test_a_form_of_texts_has_no_keys_for_answers() -> None:
    shown = str(introduction(read_form("form.toml", QUESTION + 'answer = "text"'), CampaignOptions()))
    assert NUMBERS not in shown
    assert words_of("en")["key_back"] in shown


def test_the_shared_tasks_form_has_five() -> None:
    assert f"<kbd>5</kbd></span><span>{NUMBERS}" in str(introduction(STANDARD, CampaignOptions()))
