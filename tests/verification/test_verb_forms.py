"""Base forms of verbs by tables and spelling."""

import pytest

from core.verification.verb_forms import base_of_past, base_of_third, is_base, is_only_past, is_participle


@pytest.mark.parametrize(
    ("past", "base"),
    [
        ("wrote", "write"), ("went", "go"), ("hoped", "hope"), ("stopped", "stop"), ("called", "call"),
        ("passed", "pass"), ("controlled", "control"), ("died", "die"), ("denied", "deny"), ("agreed", "agree"),
        ("closed", "close"), ("focused", "focus"), ("created", "create"), ("treated", "treat"), ("visited", "visit"),
        ("declared", "declare"), ("appeared", "appear"), ("offered", "offer"), ("changed", "change"),
        ("belonged", "belong"), ("described", "describe"), ("climbed", "climb"), ("failed", "fail"),
        ("filed", "file"), ("doubled", "double"), ("looked", "look"), ("baked", "bake"), ("needed", "need"),
        ("added", "add"), ("erred", "err"), ("planned", "plan"), ("filled", "fill"),
    ],
)  # fmt: skip
def test_a_past_goes_to_its_base(past: str, base: str) -> None:
    assert base_of_past(past) == base


@pytest.mark.parametrize("word", ["hundred", "need", "red", "united", "well-known", "feed", "is", "table", ""])
def test_other_words_are_no_past(word: str) -> None:
    assert base_of_past(word) == ""


def test_known_third_persons_have_a_base() -> None:
    forms = ["causes", "goes", "carries", "teaches", "passes", "costs"]
    assert [base_of_third(one) for one in forms] == ["cause", "go", "carry", "teach", "pass", "cost"]
    assert [base_of_third(one) for one in ("planes", "news", "its", "is")] == [""] * 4


def test_participles_and_pasts_are_told_apart() -> None:
    assert [is_only_past(one) for one in ("wrote", "built", "ended")] == [True, False, False]
    assert [is_participle(one) for one in ("written", "wrote", "built", "ended", "hundred")] == [
        True, False, True, True, False,
    ]  # fmt: skip
    assert (is_base("cause"), is_base("table")) == (True, False)
