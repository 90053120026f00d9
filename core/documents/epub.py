"""Read e-books (EPUB): web pages in a ZIP, in the book's order."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from core.documents.archive import parsed, part, title_of
from core.documents.html import decode_page
from core.documents.knowledge_store import printable
from core.errors import BadInput
from core.types import Document

CONTAINER = "META-INF/container.xml"
_ROOTFILE = ".//{urn:oasis:names:tc:opendocument:xmlns:container}rootfile"
_OPF = "{http://www.idpf.org/2007/opf}"
_INLINE = frozenset("a abbr b bdi bdo cite code dfn em i kbd mark q s samp small span strong sub sup u var".split())
_UNSEEN = frozenset(("script", "style", "head"))
_SPACE = re.compile(r"\s+")


def read_epub(name: str, content: bytes) -> Document:
    """Return the text of an e-book, a paragraph a line, with its title.

    The document is undated, because an e-book's date is that of the edition. Raises BadInput if it is broken,
    protected, a ZIP bomb, or has no text.
    """
    rootfile = parsed(name, part(name, content, CONTAINER)).find(_ROOTFILE)
    if rootfile is None or not rootfile.get("full-path"):
        raise BadInput(f"{name}: this e-book does not say where its text is; convert it to PDF.")
    path = str(rootfile.get("full-path"))
    book = parsed(name, part(name, content, path))
    text = "\n".join(line for page in _pages(path, book) for line in _lines(name, part(name, content, page)))
    if not any(character.isalnum() for character in text):
        raise BadInput(f"{name}: this e-book has no text, or is protected against copying.")
    return Document(url=name, text=printable(text), title=title_of(book))


def _pages(path: str, book: Any) -> Iterator[str]:
    """Yield the paths of the book's pages, in reading order, else in the order of its file list."""
    items = list(book.iter(f"{_OPF}item"))
    hrefs = {item.get("id"): item.get("href") for item in items}
    ordered = [hrefs.get(reference.get("idref")) for reference in book.iter(f"{_OPF}itemref")]
    pages = [item.get("href") for item in items if item.get("media-type") == "application/xhtml+xml"]
    for href in dict.fromkeys(filter(None, ordered or pages)):  # each page is read once
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(href)))


def _lines(name: str, page: bytes) -> Iterator[str]:
    from lxml import etree, html

    if not page.strip():
        return
    try:
        text = decode_page(page, "").encode()
        body = html.document_fromstring(text, html.HTMLParser(encoding="utf-8", no_network=True))
    except (etree.ParserError, ValueError) as error:
        raise BadInput(f"{name}: a page of this e-book is broken and cannot be read; convert it to PDF.") from error
    for line in "".join(_pieces(body)).split("\n"):
        if words := line.strip():
            yield words


def _pieces(element: Any) -> Iterator[str]:
    """Yield the text inside an element, with line breaks around each block."""
    if isinstance(element.tag, str) and element.tag not in _UNSEEN:
        gap = "" if element.tag in _INLINE else "\n"
        yield gap + _SPACE.sub(" ", element.text or "")
        for child in element:
            yield from _pieces(child)
        yield gap
    yield _SPACE.sub(" ", element.tail or "")
