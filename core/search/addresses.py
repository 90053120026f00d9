"""Web addresses as search needs them: archives unwrapped, sites by registrable domain, two spellings of one page."""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import parse_qsl, unquote, urlencode, urljoin, urlsplit, urlunsplit

from tld import get_fld

from core.dates import parse_date

_ARCHIVES = (
    re.compile(r"https?://(?:web|www|wayback)\.?archive\.org/web/(?P<stamp>\d{4,14})(?:[a-z]{2}_)?/(?P<url>.+)", re.I),
    re.compile(r"https?://archive\.(?:ph|is|today|md|li|vn|fo)/(?P<stamp>\d{8,14})/(?P<url>.+)", re.I),
)
_MOBILE = re.compile(r"^(\w+)\.m\.(?=wikipedia\.org$)")
_WIKI = re.compile(r"(?:/wiki|(?:/w)?/index\.php)/(.+)")
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid|mc_[ce]id|igshid|ref_src|cmpid|ns_\w+|wt_mc", re.IGNORECASE)


def unwrapped(url: str) -> tuple[str, date | None]:
    """Return the address that an archive's address wraps, and the day of its capture; others as they are, and None."""
    for archive in _ARCHIVES:
        if found := archive.fullmatch(url.strip()):
            stamp, inner = found["stamp"], found["url"]
            inner = inner if re.match(r"https?:/", inner) else f"http://{inner}"
            inner = re.sub(r"^(https?):/(?=[^/])", r"\1://", inner)  # some tools fold the two slashes into one
            return inner, parse_date(f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}")
    return url.strip(), None


def host_of(url: str) -> str:
    """Return the host of an address in lower case, "" where there is none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def server_of(url: str) -> str:
    """Return the host and the port of an address, "" where there is none: each port is another server."""
    try:
        parts = urlsplit(url)
        return f"{parts.hostname.rstrip('.')}:{parts.port or parts.scheme}" if parts.hostname else ""
    except ValueError:
        return ""


def joined(url: str, link: str) -> str:
    """Return the address that a link on a page leads to, "" if that is no address."""
    try:
        return urljoin(url, link.strip())
    except ValueError:
        return ""


def registrable_domain(url: str) -> str:
    """Return the domain that somebody registered, such as "bbc.co.uk": by Mozilla's list, which tld brings along.

    An internet address, or a host without a known suffix, is its own domain; "" where there is no host.
    """
    host = host_of(url)
    return str(get_fld(f"http://{host}", fail_silently=True) or host) if host else ""


def page_key(url: str) -> str:
    """Return the common form of all spellings of a page's address.

    An archive's copy counts as its original page. Scheme, "www.", a fragment, tracking and the order of parameters do
    not make another page. A wiki's /wiki/X, /w/index.php?title=X and revisions of X are one page.
    """
    inner, _ = unwrapped(url)
    try:
        parts = urlsplit(inner)
        host = _MOBILE.sub(r"\1.", (parts.hostname or "").lower().removeprefix("www."))
        port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    except ValueError:
        return inner
    if title := _wiki_title(parts.path, parts.query):
        return urlunsplit(("", host + port, f"/wiki/{title}", "", ""))
    query = sorted((key, value) for key, value in parse_qsl(parts.query, True) if not _TRACKING.fullmatch(key))
    return urlunsplit(("", host + port, parts.path.rstrip("/") or "/", urlencode(query), ""))


def _wiki_title(path: str, query: str) -> str:
    """Return the title of a wiki's page, with its first letter in capitals; "" for other addresses."""
    found = _WIKI.fullmatch(path)
    title = unquote(found[1]) if found else ""
    if path.endswith("/index.php"):
        title = dict(parse_qsl(query)).get("title", "")
    words = title.replace("_", " ").strip().replace(" ", "_")
    return words[:1].upper() + words[1:]
