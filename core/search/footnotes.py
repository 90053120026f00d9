"""The sources of a wiki page: the footnotes of a passage or case, and their addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from core.confined import confined
from core.documents.html import decode_page
from core.errors import VerideskError
from core.interfaces import Stop, never
from core.search.addresses import host_of, joined
from core.search.search_request import own_snapshots
from core.search.types import Page
from core.types import Case, PassageStance, Stance, Verdict, is_web_address
from core.wording import readable_name

MAX_FOOTNOTES = 20
NEAR, LEAST = 40, 12
"""Letters and digits before a footnote's mark that the passage must hold: the most and the least."""
_MARK = re.compile(r"\[[^\[\]]{1,12}\]")
_BLOCKS = ("p", "li", "td", "dd", "blockquote")


@dataclass(frozen=True)
class Footnote:
    """A source that a wiki cites: its address, and the footnote in words."""

    url: str
    words: str


def footnotes_of(page: Page, passage: str, *, stop: Stop = never) -> tuple[Footnote, ...]:
    """Return the sources that a page cites in a passage, in order. Raises BadInput for a page that cannot be read."""
    return confined(cited, page.url, page.body, page.charset, passage, stop=stop)


def cited(name: str, body: bytes, charset: str, passage: str) -> tuple[Footnote, ...]:
    """Return the footnotes of a passage of the page at the address `name`. It runs in a process of its own."""
    from lxml import etree
    from lxml import html as parser

    try:
        tree = parser.document_fromstring(decode_page(body, charset).replace("\0", " "))
    except (etree.ParserError, ValueError):
        return ()
    by_id = {element.get("id"): element for element in tree.iter() if element.get("id")}
    near = _letters(passage)
    found: dict[str, Footnote] = {}
    for block in tree.iter(*_BLOCKS):
        for before, target in _marks(block):
            if len(before) >= LEAST and before in near and target in by_id:
                for footnote in _sources(by_id[target], by_id, name):
                    found.setdefault(footnote.url, footnote)
    return tuple(found.values())[:MAX_FOOTNOTES]


def _marks(block: Any) -> Iterator[tuple[str, str]]:
    """Yield each mark of a block: the letters before it, and the id of its footnote."""
    before = ""
    for event, element in _walk(block):
        if event == "mark":
            yield before, element
        else:
            before = (before + _letters(element))[-NEAR:]


def _walk(element: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts of an element in order ("text"), and the id of a footnote for each mark ("mark")."""
    waiting: list[Any] = [element]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield "text", one
            continue
        if one is not element:
            waiting.append(one.tail or "")
        if one.tag == "sup" and "reference" in (one.get("class") or "").split():
            yield from (("mark", link.get("href")[1:]) for link in one.iter("a") if _is_inside(link))
        elif isinstance(one.tag, str) and one.tag not in ("style", "script"):
            waiting += [*reversed(list(one)), one.text or ""]


def _is_inside(link: Any) -> bool:
    return str(link.get("href") or "").startswith("#")


def _sources(footnote: Any, by_id: dict[str, Any], base: str) -> Iterator[Footnote]:
    """Yield the addresses in a footnote; one that only names a work of the bibliography leads there."""
    links = list(footnote.iter("a"))
    short = (by_id.get(link.get("href")[1:]) for link in links if _is_inside(link) and "CITEREF" in link.get("href"))
    links += [link for work in short if work is not None for link in work.iter("a")]
    words = readable_name("".join(footnote.itertext())).lstrip("↑^ ")
    for link in links:
        url = joined(base, link.get("href") or "")
        if is_web_address(url) and host_of(url) != host_of(base):
            yield Footnote(url, words[:300] or url)


def _letters(text: str) -> str:
    """Return the letters and digits of a text, without marks such as [3]: readers space and mark differently."""
    return "".join(filter(str.isalnum, _MARK.sub("", text).lower()))


def cited_in(case: Case) -> tuple[Footnote, ...]:
    """Return the sources that the pages of a case cite in its deciding passages, each once."""
    read = [(one.url, one.snapshot, one.read) for one in case.search.origins] if case.search else []
    read += [(one.url, one.snapshot, one.read) for one in case.fetched if not one.problem]
    pages = {url: (digest, url, at) for url, digest, at in read}
    notes: dict[str, Footnote] = {}
    for one in _deciding(case.verdict) if case.verdict else ():
        with suppress(VerideskError):  # a page that is not kept any more offers nothing
            if one.passage.document.url in pages:
                page = own_snapshots().open(*pages[one.passage.document.url])
                cited = footnotes_of(page, one.passage.text) if b"cite_note" in page.body else ()
                notes |= {note.url: note for note in cited}
    return tuple(notes.values())


def _deciding(verdict: Verdict) -> list[PassageStance]:
    """Return the passages that decide a verdict, else those for and against the claim."""
    decisive = [verdict.stances[place] for place in verdict.decisive]
    return decisive or [one for one in verdict.stances if one.stance in (Stance.FOR, Stance.AGAINST)]
