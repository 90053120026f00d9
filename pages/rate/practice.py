"""Practice items: their number, their right answers, and the page after a failure."""

from __future__ import annotations

from collections.abc import Mapping

from core.campaigns.planning.languages import counted_in, words_of
from core.campaigns.types import Feedback, Practice, RatingItem
from pages.ui.markup import Html, tag
from pages.ui.verdicts import icon


def practice_words(practice: Practice, language: str) -> str:
    """Return the task before the first item, or the result; "" where there is no practice."""
    if not practice.total:
        return ""
    words = words_of(language)
    if practice.failed:
        return words["not_qualified"].format(**vars(practice))
    if practice.done == practice.total:
        return words["practice_done"].format(**vars(practice))
    begin = words["practice_begin"].format(items=counted_in(words, "practice_item", practice.total))
    mark = words["practice_mark"].format(**vars(practice)) if practice.pass_mark else ""
    so_far = words["practice_so_far"].format(**vars(practice)) if practice.done else ""
    return " ".join(filter(None, (begin, mark, so_far)))


def feedback_view(item: RatingItem) -> Html:
    """Return the expected answers of a practice item, question by question."""
    words = words_of(item.form.language)
    right = all(one.right for one in item.feedback)
    return tag(
        "section",
        tag("h2", words["as_expected" if right else "not_as_expected"], css="vd-heading"),
        tag("p", words["compare"], css="vd-quiet"),
        tag("ul", *(feedback_line(words, one) for one in item.feedback), css="vd-told"),
        css="vd",
        aria_label=words["expected_label"],
    )


def feedback_line(words: Mapping[str, str], one: Feedback) -> Html:
    said = words["you_answered"].format(given=one.given)
    said += "" if one.right else f" {words['expected'].format(expected=one.expected)}"
    return tag(
        "li",
        icon("done") if one.right else tag("span", "≠", css="vd-strong"),
        tag("div", tag("p", one.question, css="vd-strong"), tag("p", said)),
        css="" if one.right else "vd-wrong",
    )
