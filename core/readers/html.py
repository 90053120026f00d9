"""Web pages: the article without menus and advertisements, by trafilatura."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from core.dates import date_in_url, parse_date
from core.errors import BadInput
from core.formats.knowledge_store import printable
from core.types import Document

MAX_BYTES = 5_000_000
MAX_TAGS = 60_000
"""Larger pages are data or an attack: cleaning takes about 0.1 s per 1,000 tags on a busy core."""

# Python knows codecs that are no character sets of web pages, some of them slow enough to be a weapon.
_CHARACTER_SET = re.compile(
    r"utf-?(8|16)|iso-?8859-?([2-9]|1\d)|windows-|cp\d|koi8|gb|big5|shift|euc|mac|tis|iso-2022", re.IGNORECASE
)
_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)


def read_html(name: str, content: bytes, *, charset: str = "") -> Document:
    """Return the main text of a page, with its title and publication date where they are known.

    `name` is the address or the file's name, `charset` what the server's Content-Type said. The date is the
    one that htmldate finds without its search through the text, else the day that the address names. Raises
    BadInput if the page is too large or holds no text.
    """
    if len(content) > MAX_BYTES or content.count(b"<") > MAX_TAGS:
        raise BadInput(
            f"{name}: this page is larger than {MAX_BYTES // 1_000_000} MB or {MAX_TAGS:,} tags of HTML."
        )
    page = _extract(name, decode_page(content, charset))
    text = printable(page.text or "").strip() if page is not None else ""
    if not text:
        raise BadInput(f"{name}: no text was found in this page; perhaps only a browser can show it.")
    published = (parse_date(page.date) if page.date else None) or date_in_url(name)
    return Document(url=name, text=text, title=printable(page.title or "").strip(), published=published)


def _extract(name: str, html: str) -> Any:
    """Return trafilatura's document, None where it finds nothing."""
    from trafilatura import bare_extraction

    dates = {"original_date": True, "extensive_search": False, "max_date": date.today().isoformat()}
    try:
        return bare_extraction(
            _whole_page(html),
            url=name if name.startswith(("http://", "https://")) else None,
            include_comments=False,
            with_metadata=True,
            date_extraction_params=dates,
        )
    except Exception as error:  # it catches what it expects; a page made to break it may do so otherwise
        raise BadInput(f"{name}: this page is broken and cannot be read.") from error


def decode_page(content: bytes, charset: str) -> str:
    """Decode a page or text of the web, where one-byte encodings still occur and are mostly declared.

    What is valid UTF-8 is UTF-8, whatever servers say; else what the server says, then the page itself; else
    Windows-1252, which is also what browsers read when Latin-1 is declared.
    """
    declared = _DECLARED.search(content[:4096])
    unicode = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    for encoding in (unicode, charset, declared.group(1).decode("ascii") if declared else ""):
        try:
            if _CHARACTER_SET.match(encoding):
                return content.decode(encoding)
        except (LookupError, UnicodeError):  # an unknown name, or bytes that belie it
            continue
    return content.decode("cp1252", errors="replace")


def _whole_page(html: str) -> str:
    """Return `html` inside a page if it is a fragment of one: trafilatura refuses those."""
    return html if "<html" in html[:2000].lower() else f"<html><body>{html}</body></html>"
