"""Sentences to the reader: what went wrong and the way out, or what a page is for."""

from __future__ import annotations

from pages.shared.markup import show, tag


def notice(sentence: str) -> None:
    """Show what went wrong. Read aloud at once by a screen reader."""
    show(tag("p", sentence, css="vd vd-notice vd-refuted", role="alert"))


def remark(sentence: str) -> None:
    """Show what a reader should know."""
    show(tag("p", sentence, css="vd vd-notice"))


def quiet(sentence: str) -> None:
    """Show a small explanation."""
    show(tag("p", sentence, css="vd vd-quiet"))
