"""Sentences to the reader: errors with the way out, or the purpose of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Literal, ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import VerideskError, unforeseen
from core.wording import counted
from pages.ui.markup import show, tag

P = ParamSpec("P")


def notice(sentence: str) -> None:
    """Show an error, each line of it as one. Read aloud at once by a screen reader."""
    notices(sentence.splitlines())


def notices(sentences: Sequence[str]) -> None:
    """Show several things that went wrong, in one place."""
    show(tag("div", *(tag("p", sentence) for sentence in sentences), css="vd vd-notice vd-refuted", role="alert"))


def remark(sentence: str) -> None:
    """Show a fact that the reader should know."""
    show(tag("p", sentence, css="vd vd-notice", role="note"))


def hint(sentence: str) -> None:
    """Show how to go on where nothing went wrong. Read aloud at once by a screen reader."""
    show(tag("p", sentence, css="vd vd-notice", role="alert"))


def quiet(sentence: str) -> None:
    """Show a small explanation."""
    show(tag("p", sentence, css="vd vd-quiet"))


@contextmanager
def reading_toast(count: int, noun: str) -> Iterator[None]:
    """Say that files or pages are read for as long as they are, in a callback too."""
    what = counted(count, noun)
    told = st.toast(f"Reading {what} …", icon=":material/hourglass_top:", duration="infinite")
    try:
        yield
    finally:
        told.toast(f"Done: {what}.", icon=":material/done:", duration="short")


def in_words(draw: Callable[P, None], what: str = "This part of the page") -> Callable[P, None]:
    """Return a function that draws a page or a part of one, and shows any failure as a sentence there.

    Every fragment needs it for itself: Streamlit runs one again without the page around it.
    """

    @wraps(draw)
    def drawn(*args: P.args, **named: P.kwargs) -> None:
        try:
            draw(*args, **named)
        except VerideskError as error:
            notice(str(error))
        except Exception:
            notice(unforeseen(what))

    return drawn


def attempt(action: Callable[..., object], *args: object) -> None:
    """Do something in a callback, where nothing can be shown; an error is kept for `troubles`."""
    try:
        action(*args)
    except VerideskError as error:
        st.session_state["troubles"] = str(error)
    except Exception:
        st.session_state["troubles"] = unforeseen("Your request")


def attempt_button(
    label: str,
    action: Callable[..., object],
    *args: object,
    key: str,
    place: DeltaGenerator | None = None,
    icon: str = "",
    type: Literal["primary", "secondary", "tertiary"] = "secondary",
    help: str | None = None,
    disabled: bool = False,
) -> bool:
    """Show a button, in `place` or here, which attempts an action; return whether it was just pressed."""
    look = f":material/{icon}:" if icon else None
    return (place or st).button(label, key, help, attempt, (action, *args), type=type, icon=look, disabled=disabled)


def troubles() -> None:
    """Show the error of a callback before this run, once."""
    if kept := st.session_state.pop("troubles", ""):
        notice(kept)
