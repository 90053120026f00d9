"""Practice items: their number, their right answers, and the page after a failure."""

from __future__ import annotations

from core.campaigns.practice import NOT_QUALIFIED
from core.campaigns.types import Feedback, Practice, RatingItem
from core.wording import counted
from pages.ui.markup import Html, tag
from pages.ui.verdicts import icon


def practice_words(practice: Practice) -> str:
    """Return the task before the first item, or the result; "" where there is no practice."""
    if not practice.total:
        return ""
    if practice.failed:
        return NOT_QUALIFIED.format(**vars(practice))
    if practice.done == practice.total:
        return f"Practice done: {practice.right} of {practice.total} as expected."
    words = f"You begin with {counted(practice.total, 'practice item')}, and see the expected answers after each."
    if practice.pass_mark:
        words += f" {practice.pass_mark} of them must be as expected before you can rate; there is one try."
    return words + (f" {practice.done} of them are done." if practice.done else "")


def feedback_view(item: RatingItem) -> Html:
    """Return the expected answers of a practice item, question by question."""
    right = all(one.right for one in item.feedback)
    return tag(
        "section",
        tag("h2", "As expected" if right else "Not as expected", css="vd-heading"),
        tag("p", "Compare your answers with the expected ones, and with the evidence beside.", css="vd-quiet"),
        tag("ul", *(feedback_line(one) for one in item.feedback), css="vd-told"),
        css="vd",
        aria_label="What was expected",
    )


def feedback_line(one: Feedback) -> Html:
    words = f"You answered: {one.given}." + ("" if one.right else f" Expected: {one.expected}.")
    return tag(
        "li",
        icon("done") if one.right else tag("span", "≠", css="vd-strong"),
        tag("div", tag("p", one.question, css="vd-strong"), tag("p", words)),
        css="" if one.right else "vd-wrong",
    )
