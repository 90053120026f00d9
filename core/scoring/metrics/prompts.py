"""Load the prompts of a judge: ours, or a folder of others, such as the published scorer's."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from string import Template

from core.errors import BadInput
from core.llm.prompts import TEMPLATES, render, template
from core.types import Prompt

NAMES = (
    *("ev2r_facts", "ev2r_support", "ev2r_question", "ev2r_counts"),
    *("answers_facts", "answers_vital", "answers_relevant"),
)


@dataclass(frozen=True)
class JudgePrompts:
    """Prompts by name; a file NAME.txt in `folder` replaces ours."""

    folder: str = ""

    def render(self, name: str, slots: dict[str, str]) -> Prompt:
        """Return a prompt with filled slots."""
        return render(name, slots, Path(self.folder) if name in self.given else TEMPLATES)

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the folder's prompts."""
        return tuple(name for name in NAMES if self.folder and (Path(self.folder) / f"{name}.txt").is_file())

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of a signature: nothing for ours, a hash for others."""
        texts = [(Path(self.folder) / f"{name}.txt").read_bytes() for name in self.given]
        return (f"prompts:{hashlib.sha256(b''.join(texts)).hexdigest()[:8]}",) if texts else ()


def judge_prompts(folder: str) -> JudgePrompts:
    """Return the prompts of a folder, "" for ours. Raises BadInput for an empty folder or wrong slots."""
    prompts = JudgePrompts(folder)
    if folder and not prompts.given:
        wanted = ", ".join(f"{name}.txt" for name in NAMES)
        raise BadInput(f"{folder} has no prompt for a judge. It may have any of {wanted}; ours are in {TEMPLATES}.")
    for name in prompts.given:
        _check(name, Path(folder))
    return prompts


def _check(name: str, folder: Path) -> None:
    try:
        turns, own = template(name, folder), template(name)
        slots = {slot for _, text in turns for slot in Template(text).get_identifiers()}
    except (UnicodeDecodeError, ValueError) as error:
        raise BadInput(f"{folder / name}.txt is not a prompt: {error}. Ours in {TEMPLATES} shows the form.") from error
    known = {slot for _, text in own for slot in Template(text).get_identifiers()}
    if not slots or slots - known:
        wanted = ", ".join(f"${slot}" for slot in sorted(known))
        raise BadInput(f"{folder / name}.txt must use the slots {wanted} and no other, below a line '=== user'.")
