"""Messages as tokens: the model's own chat template, with the text of the messages kept apart from its marks.

A document may contain "<|im_end|>". Were the finished prompt tokenised in one piece, that text would end the
user's turn and whatever follows would speak with another voice. So the template is rendered around unguessable
placeholders; its own parts may become special tokens, the text put between them never does.
"""

from __future__ import annotations

import re
import resource
import secrets
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from core.errors import ModelError

Tokenize = Callable[[str, bool], list[int]]
"""Takes a text, and whether to recognise its special tokens."""

MAX_SECONDS = 2.0
MAX_MEMORY = 256 * 1024**2
"""Limits of a template in bytes and seconds; usual templates take a thousandth of them."""

Turn = tuple[str, str]
"""A role and a text."""


class _Formatter(Jinja2ChatFormatter):  # type: ignore[misc]
    @staticmethod
    def strftime_now(format: str) -> str:
        # Some templates write today's date into the prompt, so the same run would differ each day.
        return date(2025, 1, 1).strftime(format)


class ChatTemplate:
    """The chat template of one model."""

    def __init__(self, template: str, *, bos: str, eos: str) -> None:
        """Raises ModelError if the template is not one."""
        try:
            with bounded():
                self._formatter = _Formatter(template=template, bos_token=bos, eos_token=eos)
        except Exception as error:  # a stranger wrote the template, and jinja raises any of its errors
            raise ModelError(f"The chat template in the model file cannot be used ({_words(error)}).") from error
        self._system_allowed = self._accepts_system()

    def tokens(self, turns: Sequence[Turn], tokenize: Tokenize) -> list[int]:
        """Return the prompt's tokens, ending where the model's answer begins."""
        turns = turns if self._system_allowed else _without_system(turns)
        marks = [f"veridesk{secrets.token_hex(12)}" for _ in turns]
        rendered = self._render([(role, mark) for (role, _), mark in zip(turns, marks, strict=True)])
        parts = re.split("(" + "|".join(marks) + ")", rendered) if marks else [rendered]
        if sorted(parts[1::2]) != sorted(marks):
            raise ModelError("The model's chat template leaves out or repeats a message; choose another model.")
        texts = {mark: text for mark, (_, text) in zip(marks, turns, strict=True)}
        found: list[int] = []
        for part in parts:
            found += tokenize(texts[part], False) if part in texts else tokenize(part, True)
        return found

    def _render(self, turns: Sequence[Turn]) -> str:
        messages = [{"role": role, "content": text} for role, text in turns]
        try:
            with bounded():
                # Models that "think" first are asked not to: an answer under a grammar has no room for it.
                return str(self._formatter(messages=messages, enable_thinking=False).prompt)
        except TimeoutError as error:
            raise ModelError("The model's chat template does not end; choose another model.") from error
        except Exception as error:  # as above
            raise ModelError(f"The model's chat template refuses these messages ({_words(error)}).") from error

    def _accepts_system(self) -> bool:
        try:
            return "veridesk" in self._render([("system", "veridesk"), ("user", "?")])
        except ModelError:
            return False


@contextmanager
def bounded() -> Iterator[None]:
    """Limit a block to MAX_SECONDS and MAX_MEMORY more than now: a template may loop or multiply texts.

    Raises TimeoutError or MemoryError. Only the main thread, where models run, can be interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _too_long)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    with suppress(OSError, ValueError):  # only Linux reports and limits memory
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MAX_MEMORY, limits[1]))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def _too_long(*_: object) -> None:
    raise TimeoutError("it does not end")


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


def _without_system(turns: Sequence[Turn]) -> list[Turn]:
    """Put the system text before the first user text, for templates without a system role (Gemma, early Mistral)."""
    system = "".join(f"{text}\n\n" for role, text in turns if role == "system")
    others = [(role, text) for role, text in turns if role != "system"]
    if system and others:
        others[0] = (others[0][0], system + others[0][1])
    return others or [("user", system)]
