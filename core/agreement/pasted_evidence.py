"""Evidence as raters paste it into a form: JSON, Python, broken pieces of either, Q/A lines, lists, plain text."""

from __future__ import annotations

import ast
import json
import re
from enum import StrEnum

from core.types import Evidence


class PastedForm(StrEnum):
    """How the evidence was written down."""

    FIELDS = "question and answer fields (JSON or Python)"
    LINES = "Question: … Answer: … lines"
    NUMBERED = "a numbered list"
    PLAIN = "plain text"
    NOT_PASTED = "a note that it was too long to paste"
    EMPTY = "nothing"


# One field of JSON or of Python's repr. Each alternative starts with another character, so it stays linear.
_FIELD = re.compile(
    r"""(["'])(question|answer)\1\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""", re.DOTALL | re.IGNORECASE
)
_QUESTION_LINE = re.compile(r"^[ \t]*Question[ \t]*:", re.MULTILINE)
_ANSWER_LINE = re.compile(r"^[ \t]*Answer[ \t]*:", re.MULTILINE)
_NUMBERED_LINE = re.compile(r"^[ \t]*\d{1,2}[).][ \t]+", re.MULTILINE)
_NOT_PASTED = re.compile(r"too (long|large)|long text|omitted|cannot be submitted", re.IGNORECASE)
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
# A remark such as "Too long for Google Forms" is short; a longer text is evidence even if it says "too long".
NOTE_LENGTH = 120


def read_pasted(text: str) -> tuple[PastedForm, tuple[Evidence, ...]]:
    """Return the form the evidence was pasted in and its question-answer pairs, in order.

    Lists and plain text have pairs with an empty question; a note or nothing has none.
    """
    stripped = text.strip()
    if not stripped:
        return PastedForm.EMPTY, ()
    fields = _field_pairs(stripped)
    if fields:
        return PastedForm.FIELDS, fields
    if _QUESTION_LINE.search(stripped):
        return PastedForm.LINES, _line_pairs(stripped)
    if len(stripped) <= NOTE_LENGTH and _NOT_PASTED.search(stripped):
        return PastedForm.NOT_PASTED, ()
    if _NUMBERED_LINE.match(stripped):
        answers = [unescaped(part.strip()) for part in _NUMBERED_LINE.split(stripped) if part.strip()]
        return PastedForm.NUMBERED, tuple(Evidence("", answer) for answer in answers)
    return PastedForm.PLAIN, (Evidence("", unescaped(stripped)),)


def _field_pairs(text: str) -> tuple[Evidence, ...]:
    pairs: list[Evidence] = []
    question = ""
    waiting = False
    for match in _FIELD.finditer(text):
        value = _literal(match[3]).strip()
        if match[2].lower() == "question":
            if waiting:
                pairs.append(Evidence(question, ""))
            question, waiting = value, True
        else:  # a question with several answers keeps its words for each
            pairs.append(Evidence(question, value))
            waiting = False
    if waiting:
        pairs.append(Evidence(question, ""))
    return tuple(pairs)


def _line_pairs(text: str) -> tuple[Evidence, ...]:
    pairs = []
    for part in _QUESTION_LINE.split(text)[1:]:
        question, *answers = _ANSWER_LINE.split(part)
        pairs.append(Evidence(unescaped(question.strip()), unescaped("\n".join(answers).strip())))
    return tuple(pairs)


def _literal(quoted: str) -> str:
    """Return the text of a JSON or Python string literal; one with broken escapes is returned unchanged."""
    try:
        if quoted[0] == '"':
            return str(json.loads(quoted, strict=False))
        return str(ast.literal_eval(quoted.replace("\n", "\\n").replace("\r", "\\r")))
    except (ValueError, SyntaxError):
        return unescaped(quoted[1:-1])


def unescaped(text: str) -> str:
    """Return text with "\\u2019" and its like replaced by the signs they stand for, but for half signs."""
    return _ESCAPED.sub(_sign, text)


def _sign(match: re.Match[str]) -> str:
    sign = chr(int(match[1], 16))
    return match[0] if "\ud800" <= sign <= "\udfff" else sign
