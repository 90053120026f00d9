"""HTML and Markdown in which text from documents, claims and models can do nothing but be read."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Literal

import streamlit as st

from core.types import is_web_address
from core.wording import readable as readable

JOINER = "\u2060"
"""A word joiner: invisible, and no pattern for links, emoji or colours reads across it."""

VOID = frozenset(("br", "hr", "wbr"))


_PROSE = re.compile(
    r"(?!.*www)[^\W\d_](?:[^\W_]|[ ’‘“”–—…%€£]|(?:(?<=[^\W_])|(?<=[)]))[.,;:!?](?= |$)"
    r"|(?<= )\((?=[^\W_])|(?<=[^\W_])\)(?=[ .,;:!?]|$)"
    r"|(?<=\d)[.,](?=\d)|(?<=[^\W_])'(?=[^\W_]))*",
    re.IGNORECASE,
)
"""A sentence without a sign that Markdown or Streamlit reads."""


class Html(str):
    """HTML made by `tag` or `join`. Any other string counts as text, and is escaped where it is put in."""

    __slots__ = ()


def text(words: object) -> Html:
    """Return words as HTML that shows them as they are."""
    return words if isinstance(words, Html) else Html(html.escape(readable(words), quote=True))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Return the parts one after the other, those that are not HTML escaped."""
    return Html(str(text(between)).join(text(part) for part in parts))


def tag(name: str, *children: object, css: str = "", **attributes: object) -> Html:
    """Return an element of class `css`. Children that are not `Html` are escaped, attributes always.

    Names of elements and attributes come from our own code and are not escaped. Underscores in an attribute's name
    become hyphens. The value None leaves the attribute out.
    """
    named = {"class": css or None} | {key.rstrip("_").replace("_", "-"): attributes[key] for key in attributes}
    written = "".join(
        f" {key}" if value is True else f' {key}="{html.escape(str(value), quote=True)}"'
        for key, value in named.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}>" + ("" if name in VOID else f"{join(children)}</{name}>"))


def link(url: str, words: object, *, css: str = "") -> Html:
    """Return a link that hides the app from the site; only its words if it is not http(s)."""
    if not safe_url(url):
        return tag("span", words, css=css)
    return tag("a", words, css=css, href=url, target="_blank", rel="noopener noreferrer nofollow")


def safe_url(url: str) -> str:
    """Return the address if it is http(s) with a host, else an empty string."""
    return url if is_web_address(url) else ""


def show(element: Html, *, width: Literal["stretch", "content"] = "stretch") -> None:
    """Put an element on the page, as wide as it or as its content; nothing where there is none."""
    # st.html, because the marks, bars and cards have no counterpart in Markdown; `Html` is escaped by its making.
    if element:
        st.html(element, width=width)


def plain(words: object) -> str:
    """Return words for a place that reads Markdown, such as a label or st.error, so that they appear unchanged.

    Backslashes take the meaning from Markdown's own signs. Streamlit looks for emoji, icons, colours, arrows and bare
    links after that, in the finished text. A word joiner keeps it from finding any.
    """
    one_line = " ".join(readable(words).split())
    escaped = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", one_line)
    return re.sub(r"(\\[:@]|www|\\[-<=](?=\\[-<>=]))", rf"\1{JOINER}", escaped, flags=re.IGNORECASE)


def label(words: object) -> str:
    """Return words for the label of a widget: as `plain`, but prose without any sign of Markdown as it is.

    A screen reader reads the backslashes of a label aloud.
    """
    one_line = " ".join(readable(words).split())
    return one_line if _PROSE.fullmatch(one_line) else plain(words)
