"""Load the prompts of a judge: ours, or files of others, such as the published scorer's."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from core.errors import BadInput
from core.llm.prompts import TEMPLATES, filled, render, template, turns_of
from core.types import Prompt

NAMES = (
    *("ev2r_facts", "ev2r_support", "ev2r_question", "ev2r_counts"),
    *("answers_facts", "answers_vital", "answers_relevant"),
)
MAX_PROMPT = 100_000


@dataclass(frozen=True)
class JudgePrompts:
    """The judge's prompts; a text in `texts` replaces ours of the same name."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def render(self, name: str, slots: dict[str, str]) -> Prompt:
        """Return a prompt with filled slots."""
        return filled(turns_of(self.texts[name]), slots) if name in self.texts else render(name, slots)

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of a signature: nothing for ours, a hash for others."""
        texts = "".join(self.texts[name] for name in NAMES if name in self.texts)
        return (f"prompts:{hashlib.sha256(texts.encode()).hexdigest()[:8]}",) if texts else ()


@dataclass(frozen=True)
class PromptFile:
    """A prompt by its name, one of NAMES, and its text with slots."""

    name: str
    text: str


def prompt_file(name: str, content: bytes) -> PromptFile:
    """Return the prompt in a file NAME.txt. Raises BadInput for another name, and for wrong slots."""
    known = Path(name).stem
    if known not in NAMES or not name.endswith(".txt"):
        wanted = ", ".join(f"{one}.txt" for one in NAMES)
        raise BadInput(f"{name} names no prompt of a judge: name it one of {wanted}. Ours are in {TEMPLATES}.")
    try:
        text = content[:MAX_PROMPT].decode("utf-8")
        slots = {slot for _, turn in turns_of(text) for slot in Template(turn).get_identifiers()}
    except ValueError as error:
        raise BadInput(f"{name} is not a prompt: {error}. Ours in {TEMPLATES} shows the form.") from error
    ours = {slot for _, turn in template(known) for slot in Template(turn).get_identifiers()}
    if not slots or slots - ours or not all(Template(turn).is_valid() for _, turn in turns_of(text)):
        wanted = ", ".join(f"${slot}" for slot in sorted(ours))
        raise BadInput(f"{name} must use the slots {wanted} and no other, below a line '=== user'.")
    return PromptFile(known, text)
