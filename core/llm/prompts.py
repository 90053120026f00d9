"""Fill prompt templates: files in core/templates with slots, and every slot needs a value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template

from core.files import ROOT, json_of
from core.interfaces import LanguageModel, Schema
from core.types import Claim, Completion, Evidence, Message, Prompt

TEMPLATES = ROOT / "core" / "templates"
ROLE = re.compile(r"^=== (system|user|assistant)\n", re.MULTILINE)


@cache
def template(name: str, folder: Path = TEMPLATES) -> tuple[tuple[str, str], ...]:
    """Return the (role, text) turns of `NAME.txt` in a folder.

    A turn starts with a line "=== system", "=== user" or "=== assistant".
    """
    return turns_of((folder / f"{name}.txt").read_text(encoding="utf-8"))


def turns_of(text: str) -> tuple[tuple[str, str], ...]:
    """Return the (role, text) turns of a template's text; none without a line such as "=== user"."""
    parts = ROLE.split(text)
    return tuple((role, turn.strip()) for role, turn in zip(parts[1::2], parts[2::2], strict=True))


def render(name: str, slots: dict[str, str], folder: Path = TEMPLATES) -> Prompt:
    """Return the prompt of a template with every $slot replaced. Raises KeyError with the name of an unfilled slot."""
    return filled(template(name, folder), slots)


def filled(turns: Sequence[tuple[str, str]], slots: dict[str, str]) -> Prompt:
    """Return the prompt of a template's turns; see `render`."""
    return tuple(Message(role, Template(text).substitute(slots)) for role, text in turns)


def about(claim: Claim) -> dict[str, str]:
    """Return the slots for a claim, the same in every prompt."""
    return {
        "claim": claim.text,
        "speaker": claim.speaker or "unknown",
        "date": claim.date.isoformat() if claim.date else "unknown",
    }


def first_tokens(text: str, llm: LanguageModel, *, tokens: int) -> str:
    """Return the longest beginning of `text`, cut after a word, with at most `tokens` tokens."""
    if llm.count_tokens(text) <= tokens:
        return text
    words = text.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if llm.count_tokens(" ".join(words[:middle])) <= tokens:
            low = middle
        else:
            high = middle - 1
    return " ".join(words[:low])


def shortened_note(shortened: int, passages: int, tokens: int) -> list[str]:
    """Return a note on passages read only at their beginning; none if all were read whole."""
    if not shortened:
        return []
    beginning = f"the beginning, about {tokens * 3 // 4} words ({tokens} tokens)"
    return [f"Of {shortened} of {passages} passages the language model read only {beginning}."]


def numbered(evidence: Sequence[Evidence], llm: LanguageModel, *, tokens: int) -> str:
    """Return question-answer pairs as numbered lines for a prompt, each cut to `tokens`."""
    lines = (first_tokens(pair_line(pair), llm, tokens=tokens) for pair in evidence)
    return "\n".join(f"[{number}] {line}" for number, line in enumerate(lines, start=1))


def pair_line(pair: Evidence) -> str:
    """Return a question and its answer on one line; only the answer if there is no question."""
    answer = f"A: {' '.join(pair.answer.split())}"
    return f"Q: {pair.question} {answer}" if pair.question else answer


def listing(name: str, count: int, longest: int) -> Schema:
    """Return the schema of an object that holds `count` texts of at most `longest` characters under `name`."""
    text = {"type": "string", "minLength": 8, "maxLength": longest}
    texts = {"type": "array", "items": text, "minItems": count, "maxItems": count}
    return {"type": "object", "properties": {name: texts}, "required": [name]}


def listing_tokens(count: int, longest: int) -> int:
    """Return a token limit for `listing`, even if each character is a token, as with digits."""
    return count * (longest + 6) + 20


def listed(completion: Completion, name: str) -> tuple[str, ...]:
    """Return the distinct texts that a model wrote under `listing`, each on one line."""
    written = (" ".join(text.split()) for text in json_of(completion.text)[name])
    return tuple(dict.fromkeys(text for text in written if text))
