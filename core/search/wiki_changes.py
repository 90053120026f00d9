"""How a wiki's page changed between the revision that was read and today's."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from core.errors import BadInput
from core.interfaces import Stop, never
from core.search.consent import Consent
from core.search.extraction import read_page
from core.search.leakage import LeakageCheck
from core.search.reading import PageReader
from core.search.robots import Robots
from core.search.sender import Sender
from core.search.sources import open_source
from core.search.sources.mediawiki import MediaWiki
from core.search.types import SearchFailure
from core.settings import settings
from core.types import Document

MAX_SENTENCES = 3000
"""Of a page: the time to compare two grows with the square."""
_REVISION = re.compile(r"(https?://[^?#]+)/index\.php\?(title=[^&#]+)&oldid=\d+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


class StrangersWiki(MediaWiki):
    """A wiki that a receipt names, and not the administrator: it may not be at a private address."""

    can = replace(MediaWiki.can, own=False)


@dataclass(frozen=True)
class TextChange:
    """Sentences that went and sentences that are new in their place; one of the two may be empty."""

    gone: tuple[str, ...]
    new: tuple[str, ...]


def wiki_page(url: str) -> tuple[MediaWiki, str] | None:
    """Return the wiki of a revision's address, and the address of its page; None for other pages."""
    if not (found := _REVISION.fullmatch(url)):
        return None
    wiki = MediaWiki(found[1]) if _configured(found[1]) else StrangersWiki(found[1])
    return wiki, f"{found[1]}/index.php?{found[2]}"


def consent_to_today(url: str) -> Consent:
    """Return the consent to read today's revision of a wiki's page. Raises BadInput for any other page."""
    return Consent(addresses=(_wiki_page(url)[1],))


def todays_text(url: str, given: str, *, stop: Stop = never) -> Document:
    """Return today's revision of the page that was read at `url`.

    `given` is the digest of the person's consent. Raises NotAgreed, BadInput and Cancelled.
    """
    consent_to_today(url).check(given)
    wiki, address = _wiki_page(url)
    sender = Sender(Consent(pages=1), settings().contact, stop=stop)
    page = PageReader(sender, Robots(sender), LeakageCheck.of("", ())).version(address, wiki)
    read = page if isinstance(page, SearchFailure) else read_page(page, stop=stop)
    if isinstance(read, SearchFailure):
        raise BadInput(read.message)
    return read.document


def changes(before: str, after: str) -> list[TextChange]:
    """Return the differences of two texts, sentence by sentence. Raises BadInput if one is too long."""
    old, new = _sentences(before), _sentences(after)
    if max(len(old), len(new)) > MAX_SENTENCES:
        raise BadInput(f"This page has more than {MAX_SENTENCES:,} sentences, the most that are compared.")
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        TextChange(tuple(old[a:b]), tuple(new[c:d])) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"
    ]


def _wiki_page(url: str) -> tuple[MediaWiki, str]:
    if found := wiki_page(url):
        return found
    raise BadInput(f"{url[:200]}: this is not the revision of a wiki's page.")


def _configured(base: str) -> bool:
    """Say whether the administrator offers the wiki at this address as a source."""
    for named in settings().search_sources:
        with suppress(BadInput):
            source = open_source(named)
            if isinstance(source, MediaWiki) and source.base == base:
                return True
    return False


def _sentences(text: str) -> list[str]:
    return [" ".join(one.split()) for one in _SENTENCE.split(text) if one.strip()]
