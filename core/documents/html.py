"""Read the article of a web page, without menus and advertisements, by trafilatura."""

from __future__ import annotations

import itertools
import re
from datetime import date
from typing import Any

from core.dates import date_in_url, dated, parse_date
from core.documents.knowledge_store import printable
from core.documents.text import is_binary, marked, settled
from core.errors import BadInput, TooLarge
from core.types import Document

MAX_BYTES = 5_000_000
MAX_TAGS = 60_000
"""Limits of a page; larger ones are data or an attack. Cleaning takes about 0.1 s per 1,000 tags on a busy core."""

MAX_ATTRIBUTES = 2000
"""Limit for one tag, because the parser compares each attribute with every other."""

# Some of Python's codecs are no character sets of web pages. Some are slow enough for an attack; others (EBCDIC) garble
# every letter. `_wide` detects UTF-16.
_CHARACTER_SET = re.compile(
    r"utf-?8|iso-?8859-?([2-9]|1\d)|windows-|cp(125\d|866|874|9\d\d)|koi8|gb|big5|shift|euc|mac|tis|iso-2022",
    re.IGNORECASE,
)
_WIDE = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
_DATE_NAMES = re.compile(r"date|time|byline|publi[sc]|posted|dateline", re.IGNORECASE)
_TYPE = re.compile(
    r"""property=["']og:type["']\s{1,9}content=["'](\w{1,40})|"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"(\w{1,40})\"""",
    re.IGNORECASE,
)
MOST_TYPES = 12
"""Pages with more are lists of other pages."""

_KEPT_TAGS = ("time", "abbr", "script")  # scripts hold the page's data for search engines (JSON-LD)
_DECLARED = re.compile(
    rb"""<(?:meta[^>]{0,200}?charset|\?xml[^>]{0,100}?encoding)\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE
)

_IN_CELLS = ("ul", "ol", "li", "b", "strong", "i", "em", "p", "div", "span")
_FOOTNOTES = [
    "//sup[contains(concat(' ', @class, ' '), ' reference ')]",
    "//ol[contains(concat(' ', @class, ' '), ' references ')]",
]
"""Footnote marks of a wiki, such as [3], which would join sentences. Its list of footnotes: titles state nothing."""


def read_html(name: str, content: bytes, *, charset: str = "") -> Document:
    """Return the main text of a page, with its title and publication date if known.

    `name` is the address or the file's name, `charset` the one in the server's Content-Type. The date is the one marked
    in the page, else the day in the address. Raises BadInput if the page is too large, is broken, or has no text.
    """
    if is_binary(content) and not _wide(content, charset):
        raise BadInput(f"{name}: this is no web page: it does not hold text. Save the page again, or as PDF.")
    if _most_attributes(content) > MAX_ATTRIBUTES:
        raise BadInput(
            f"{name}: a tag of this page has more than {MAX_ATTRIBUTES:,} attributes, as no page of text has."
        )
    if len(content) > MAX_BYTES or content.count(b"<") > MAX_TAGS:
        raise TooLarge(f"{name}: this page is larger than {MAX_BYTES // 1_000_000} MB or {MAX_TAGS:,} tags of HTML.")
    import trafilatura  # noqa: F401  # before the try, because an incomplete installation is not the page's fault

    html = _whole_page(decode_page(content, charset))
    try:
        text, title, site_name = _article(html)
        published = _published(html, name if name.startswith(("http://", "https://")) else None)
    except Exception as error:  # trafilatura catches expected errors; hostile pages cause others
        raise BadInput(f"{name}: this page is broken and cannot be read.") from error
    if not text:
        raise BadInput(f"{name}: no text was found in this page; perhaps only a browser can show it.")
    dated_by = "page" if published else "address"
    page = Document(url=name, text=text, title=title, site_name=site_name, page_type=_types(html))
    return dated(page, published or date_in_url(name), dated_by)


def _types(html: str) -> str:
    """Return the page's types in Open Graph and schema.org, separated by spaces."""
    found = (one or other for one, other in _TYPE.findall(html))
    return " ".join(dict.fromkeys(itertools.islice(found, MOST_TYPES)))


def _most_attributes(content: bytes) -> int:
    """Return the largest number of attributes in a tag, counted by spaces in long tags."""
    tags = (tag.split(b">", 1)[0] for tag in content.split(b"<") if len(tag) > MAX_ATTRIBUTES)
    return max((len(tag.split()) for tag in tags), default=0)


def _article(html: str) -> tuple[str, str, str]:
    """Return a page's main text, title and site name, each "" if missing."""
    from trafilatura import bare_extraction

    page = bare_extraction(_tidied(html), include_comments=False, with_metadata=True, prune_xpath=_FOOTNOTES)
    if page is None:
        return "", "", ""
    text, title, site_name = (printable(part or "").strip() for part in (page.text, page.title, page.sitename))
    return text, title, site_name


def _tidied(html: str) -> Any:
    """Return the tree of a page with settled raised figures, and plain text in the cells of tables.

    Otherwise "34<sup>1</sup>" would be read as 341, and trafilatura would lose lists in cells. None for no page.
    """
    from lxml import etree
    from trafilatura import load_html

    tree = load_html(html)
    if tree is None:
        return None
    for raised in [*tree.iter("sup")]:
        _settle(raised)
    for cell in [*tree.iter("td", "th")]:
        for item in cell.iter("li"):
            if item.getnext() is not None:
                item.tail = "; "
        etree.strip_tags(cell, *_IN_CELLS)
    return tree


def _settle(raised: Any) -> None:
    """Put a raised text into the text before it, settled; the mark of a footnote leaves nothing."""
    parent, previous = raised.getparent(), raised.getprevious()
    if parent is None:
        return
    links = any(link.get("href", "").startswith("#") for link in raised.iter("a"))
    text, after = "" if links else marked("".join(raised.itertext())), raised.tail or ""
    raised.tail = None
    if previous is None:
        parent.text = settled((parent.text or "") + text) + after
    else:
        previous.tail = settled((previous.tail or "") + text) + after
    parent.remove(raised)


def _published(html: str, url: str | None) -> date | None:
    """Run htmldate after removing all text outside date elements.

    On the whole page, htmldate takes "As of 2021-05-06" in an article for its publication date. Wrong dates hide
    documents or admit later ones. A document without a date is kept and counted as undated.
    """
    from htmldate import find_date
    from trafilatura import load_html

    page = load_html(html)
    if page is None:
        return None
    _blank_text(page)
    found = find_date(
        page,
        url=url,
        original_date=True,
        extensive_search=False,
        deferred_url_extractor=True,  # the page's own date precedes the one in its address
        max_date=date.today().isoformat(),
    )
    return parse_date(found) if found else None


def _blank_text(page: Any) -> None:
    """Remove the text of body elements, except those with a name or class for dates."""
    marked: set[Any] = set()
    for body in page.iter("body"):
        for element in body.iterdescendants():
            parent = element.getparent()
            if parent in marked or _is_date(element):
                marked.add(element)
            else:
                element.text = None
            if parent not in marked:
                element.tail = None


def _is_date(element: Any) -> bool:
    if not isinstance(element.tag, str):  # a comment
        return False
    names = " ".join(element.get(key, "") for key in ("class", "id", "itemprop", "data-testid"))
    return element.tag in _KEPT_TAGS or _DATE_NAMES.search(names) is not None


def decode_page(content: bytes, charset: str) -> str:
    """Decode a web page or text; one-byte encodings still occur and are mostly declared.

    Valid UTF-8 is read as UTF-8. Otherwise the server's declaration counts, then the page's own. The last resort is
    Windows-1252, which browsers also use when Latin-1 is declared.
    """
    declared = _DECLARED.search(content[:4096])
    said = (charset, declared.group(1).decode("ascii") if declared else "")
    for encoding in (_wide(content, charset) or "utf-8-sig", *filter(_CHARACTER_SET.match, said)):
        try:
            return content.decode(encoding)
        except (LookupError, UnicodeError):  # an unknown encoding, or bytes that are not in it
            continue
    return content.decode("cp1252", errors="replace")


def _wide(content: bytes, charset: str) -> str:
    """Return the UTF-16 encoding of a text, or "" for others.

    Its first two bytes decide, or the server's declaration if zero bytes confirm it. A declaration in the page is
    ignored, because reading it excludes UTF-16 (HTML standard, 13.2.3.2).
    """
    if wide := _WIDE.get(content[:2]):
        return wide
    return charset if charset.lower().startswith("utf-16") and b"\0" in content[:4096] else ""


def _whole_page(html: str) -> str:
    """Return `html`, wrapped in a page if it is a fragment, because trafilatura refuses fragments."""
    return html if "<html" in html[:2000].lower() else f"<html><body>{html}</body></html>"
