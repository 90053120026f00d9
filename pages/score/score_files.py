"""Read the files of Score once and keep them in the session; report unreadable files in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.annotations import GoldClaim, Submission, without_scraped_text
from core.averitec.answer_files import AnswerRecord, holds_answers, parse_answers, parse_key
from core.averitec.averitec import parse_gold, parse_submission
from core.errors import VerideskError
from core.files import ASSETS
from core.wording import numbered_names, readable_name

EXAMPLE = ASSETS / "scoring"
Answers = dict[str, tuple[AnswerRecord, ...]]
"""Answers by the name of the system."""

Read = TypeVar("Read")


@dataclass(frozen=True)
class GoldFile:
    """A gold file: annotated claims, or questions with their correct answers."""

    claims: list[GoldClaim]
    key: list[AnswerRecord]


def read_gold(file: UploadedFile, troubles: list[str]) -> GoldFile | None:
    """Return a gold file's contents; None if unreadable, with the reason in `troubles`."""
    read = _read_each("score-gold-read", [file], _gold, troubles)
    return read[0] if read else None


def read_submissions(files: Sequence[UploadedFile], troubles: list[str]) -> list[Submission]:
    """Return the readable submissions; `troubles` has the errors of the others."""
    return _read_each("score-submissions-read", files, _submission, troubles)


def read_answers(files: Sequence[UploadedFile], troubles: list[str]) -> Answers:
    """Return the readable answers by file name; errors as in `read_submissions`."""
    read = _read_each("score-answers-read", files, _answers, troubles)
    return dict(zip(numbered_names(name for name, _ in read), (answers for _, answers in read), strict=True))


def example_gold() -> list[GoldClaim]:
    """Return the annotated claims of the bundled example."""
    return parse_gold("gold.json", (EXAMPLE / "gold.json").read_bytes())


def example_systems() -> tuple[Submission, ...]:
    """Return the two systems of the bundled example."""
    names = ("careful", "hasty")
    return tuple(parse_submission(f"{name}.json", (EXAMPLE / f"{name}.json").read_bytes()) for name in names)


def _read_each(
    key: str, files: Sequence[UploadedFile], read: Callable[[UploadedFile], Read], troubles: list[str]
) -> list[Read]:
    kept: dict[str, Read] = st.session_state.get(key, {})
    found: dict[str, Read] = {}
    for file in files:
        try:
            found[file.file_id] = kept[file.file_id] if file.file_id in kept else read(file)
        except VerideskError as error:
            troubles.append(str(error))
    st.session_state[key] = found
    return list(found.values())


def _gold(file: UploadedFile) -> GoldFile:
    content = file.getvalue()
    if holds_answers(file.name, content):
        return GoldFile([], parse_key(file.name, content))
    return GoldFile(parse_gold(file.name, content), [])


def _submission(file: UploadedFile) -> Submission:
    return without_scraped_text(parse_submission(file.name, file.getvalue()))


def _answers(file: UploadedFile) -> tuple[str, tuple[AnswerRecord, ...]]:
    return readable_name(Path(file.name).stem), tuple(parse_answers(file.name, file.getvalue()))
