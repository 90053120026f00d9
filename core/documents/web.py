"""Fetch web pages as documents, without giving anybody access to the newsroom's own network.

Each internet address is checked after its name is resolved, and the connection uses the checked address; so do
redirects. The environment's proxies are not used, because they would resolve the name again, unchecked.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urljoin

from core.confined import confined
from core.dates import date_in_url, dated
from core.documents.documents import Reading
from core.documents.docx import read_docx
from core.documents.html import decode_page, read_html
from core.documents.pdf import read_pdf
from core.documents.text import read_text
from core.errors import BadInput, Cancelled
from core.http.fetching import FetchedResponse, Visit, get, target
from core.http.public_addresses import Allowed, is_public
from core.http.statuses import REDIRECTS, STATUSES, StatusMeaning
from core.interfaces import Stop, never
from core.types import Document

_AT_ONCE = 6
_PAGE = ("text/html", "application/xhtml+xml")
_TEXT = ("text/plain", "text/markdown")
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_UNSAID = ("", "application/octet-stream", "binary/octet-stream", "application/pdf", "application/x-pdf")
_WAYS_OUT = {403: "; save it in a browser and add the file", 429: "; try again later", 503: "; try again later"}
_OTHER_STATUS = StatusMeaning("try again later, or save the page and add the file")


@dataclass(frozen=True)
class Limits:
    """The limits of one address: total seconds, unpacked bytes, redirects. Also the number of addresses at a time."""

    seconds: float = 20.0
    bytes: int = 10_000_000
    redirects: int = 5
    addresses: int = 30


_NO_ANSWER = FetchedResponse(0, "", "", "", b"")


@dataclass(frozen=True)
class Fetched:
    """The answer of the address `asked`; `url` is the last redirect's target. `problem` explains a missing answer."""

    asked: str
    url: str
    answer: FetchedResponse = _NO_ANSWER
    problem: str = ""


def fetch(url: str, *, stop: Stop = never, limits: Limits = Limits(), allowed: Allowed = is_public) -> Document:
    """Return the text of a web page, PDF, Word file or plain text as a document with its final address.

    `allowed` decides whether an internet address may be contacted. Raises BadInput, beginning with the address, if it
    is refused, unreachable, over a limit, or without text. Raises Cancelled if `stop` is true.
    """
    return document_of(fetch_answer(url, stop=stop, limits=limits, allowed=allowed), stop=stop, seconds=limits.seconds)


def fetch_answer(url: str, *, stop: Stop, limits: Limits = Limits(), allowed: Allowed = is_public) -> Fetched:
    """Return the answer of an address with status 200, without reading its text. Raises as `fetch`."""
    url = asked = url.strip()
    visit = Visit(url, time.monotonic() + limits.seconds, limits.seconds, limits.bytes, stop, allowed)
    for _ in range(limits.redirects + 1):
        if stop():
            raise Cancelled("Stopped.")
        answer = get(target(url), visit)
        if answer.status not in REDIRECTS or not answer.location:
            return Fetched(asked, url, _checked(url, answer))
        url = _joined(url, answer.location)
    raise BadInput(f"{visit.url}: this address forwards more than {limits.redirects} times.")


def fetch_all(
    urls: Sequence[str], *, stop: Stop = never, limits: Limits = Limits(), allowed: Allowed = is_public
) -> Reading:
    """Return the documents of all addresses, in order, and a sentence for each failure.

    Blank and repeated addresses are skipped. Raises BadInput for more than `limits.addresses`, Cancelled if `stop` is
    true.
    """
    answers = fetch_answers(urls, stop=stop, limits=limits, allowed=allowed)
    return read_all([one.problem or one for one in answers], stop=stop, limits=limits)


def fetch_answers(
    urls: Sequence[str], *, stop: Stop = never, limits: Limits = Limits(), allowed: Allowed = is_public
) -> list[Fetched]:
    """Return the answer of each address, in order, or the reason for its failure. Raises as `fetch_all`."""
    wanted = list(dict.fromkeys(url.strip() for url in urls if url.strip()))
    if len(wanted) > limits.addresses:
        raise BadInput(f"{len(wanted)} web addresses are too many; fetch at most {limits.addresses} at a time.")

    def attempt(url: str) -> Fetched:
        try:
            return fetch_answer(url, stop=stop, limits=limits, allowed=allowed)
        except BadInput as error:
            return Fetched(url, url, problem=str(error))

    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return list(pool.map(attempt, wanted))


def read_all(answers: Sequence[Fetched | str], *, stop: Stop = never, limits: Limits = Limits()) -> Reading:
    """Return the documents of answers, in order, and a sentence for each failure."""

    def attempt(answer: Fetched | str) -> Document | str:
        try:
            return answer if isinstance(answer, str) else document_of(answer, stop=stop, seconds=limits.seconds)
        except BadInput as error:
            return str(error)

    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        results = list(pool.map(attempt, answers))
    return Reading(
        tuple(result for result in results if isinstance(result, Document)),
        tuple(result for result in results if isinstance(result, str)),
    )


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise BadInput(f"{url}: this address forwards to an invalid one.") from error


def _checked(url: str, answer: FetchedResponse) -> FetchedResponse:
    if answer.status != 200:
        meaning = STATUSES.get(answer.status, _OTHER_STATUS).page
        raise BadInput(f"{url}: the server answered {answer.status}: {meaning}{_WAYS_OUT.get(answer.status, '')}.")
    return answer


def document_of(fetched: Fetched, *, stop: Stop = never, seconds: float = Limits.seconds) -> Document:
    """Return the text of an answer as a document with its final address. Raises BadInput if it has none."""
    document = read_answer(fetched.url, fetched.answer, stop=stop, seconds=seconds)
    return document if document.published else dated(document, date_in_url(fetched.url), "address")


def read_answer(url: str, answer: FetchedResponse, *, stop: Stop = never, seconds: float = Limits.seconds) -> Document:
    """Read the body, recognised by its bytes; Content-Type only separates kinds of text. Raises as `fetch`."""
    return confined(_read, url, answer, stop=stop, seconds=seconds)


def _read(url: str, answer: FetchedResponse) -> Document:
    kind, body = answer.kind, answer.body
    if body.startswith(b"%PDF-"):
        return read_pdf(url, body)
    if kind in _PAGE or (kind in _UNSAID and body[:1000].lstrip().lower().startswith((b"<!doctype html", b"<html"))):
        return read_html(url, body, charset=answer.charset)
    if kind in _TEXT:
        return read_text(url, decode_page(body, answer.charset).encode())
    if kind == _WORD:
        return read_docx(url, body)
    raise BadInput(
        f"{url}: this address holds {kind[:60] or 'something that the server does not name'}; "
        "web pages, PDF, Word files and plain text can be read."
    )
