"""List the sources. A new source is one file and one line here."""

from __future__ import annotations

import os
from collections.abc import Callable

from core.errors import BadInput
from core.search.sources.brave import Brave
from core.search.sources.gdelt import Gdelt
from core.search.sources.google_reviews import GoogleReviews
from core.search.sources.kiwix import kiwix
from core.search.sources.mediawiki import mediawiki, wikipedia
from core.search.sources.mojeek import Mojeek
from core.search.sources.searxng import searxng
from core.search.sources.warc import warc
from core.search.sources.wayback import Wayback
from core.search.sources.zim import zim
from core.search.types import Source

SOURCES: dict[str, Callable[[str], Source]] = {
    "wikipedia": wikipedia,
    "mediawiki": mediawiki,
    "gdelt": lambda address: Gdelt(),
    "searxng": searxng,
    "kiwix": kiwix,
    "zim": zim,
    "warc": warc,
    "wayback": lambda address: Wayback(),
    "brave": lambda address: Brave(key_of("Brave", Brave.can.key)),
    "mojeek": lambda address: Mojeek(key_of("Mojeek", Mojeek.can.key)),
}


def open_source(named: str) -> Source:
    """Open the source of "NAME" or "NAME=ADDRESS". Raises BadInput, which names the missing setting."""
    name, _, address = named.partition("=")
    if name not in SOURCES:
        raise BadInput(f"There is no source {name!r} to search; there are: {', '.join(SOURCES)}.")
    return SOURCES[name](address)


def open_reviews() -> GoogleReviews | None:
    """Open Google's Fact Check Tools where there is a key for them."""
    key = os.environ.get(GoogleReviews.can.key, "").strip()
    return GoogleReviews(key) if key else None


def key_of(title: str, variable: str) -> str:
    """Return a source's key from the environment. Raises BadInput if there is none, or none that can be sent."""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise BadInput(f"{title} needs a key: set the environment variable {variable}, or choose another source.")
    if not (key.isascii() and key.isprintable()):
        raise BadInput(f"The key in {variable} holds characters that no key has; copy it again.")
    return key
