"""Ask the Wayback Machine to keep a page, at a person's request and with their consent."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from core.errors import BadInput
from core.http.fetching import FetchedResponse
from core.http.public_addresses import Allowed, is_public
from core.http.statuses import REDIRECTS
from core.interfaces import Stop, never
from core.search.addresses import unwrapped
from core.search.consent import Consent
from core.search.sender import Sender
from core.search.sources.answers import status_failure
from core.search.sources.wayback import Wayback
from core.search.types import GetRequest, SearchFailure
from core.types import is_web_address

SAVE = "https://web.archive.org/save"
SECONDS = 120.0
"""The Wayback Machine reads the page while we wait."""
_COPY = re.compile(r"/web/(\d{14})/(https?://\S+)")


def save_request(url: str) -> GetRequest:
    """Return the request that asks for a copy. Raises BadInput for an address that is not on the web."""
    original = unwrapped(url)[0]
    if not is_web_address(original):
        raise BadInput(f"{original[:200]}: the Wayback Machine keeps pages of the web only.")
    return GetRequest(f"{SAVE}/{original}", query=original)


def consent_to_save(url: str) -> Consent:
    """Return the consent that one copy needs. Raises as `save_request`."""
    request = save_request(url)
    return Consent({urlsplit(request.url).netloc: (request.query,)})


def save(url: str, given: str, contact: str, *, stop: Stop = never, allowed: Allowed = is_public) -> str:
    """Ask for a copy of a page, and return its address.

    `given` is the digest of the person's consent. Raises NotAgreed without it, BadInput where no copy was made, and
    Cancelled.
    """
    consent = consent_to_save(url)
    consent.check(given)
    answer = Sender(consent, contact, allowed, SECONDS, stop=stop).send(save_request(url), pause=Wayback.can.pause)
    if isinstance(answer, SearchFailure):
        raise BadInput(answer.message)
    return copy_in(answer)


def copy_in(answer: FetchedResponse) -> str:
    """Return the address of the copy that an answer names. Raises BadInput if it names none."""
    if answer.status not in REDIRECTS and (failure := status_failure(Wayback.title, answer.status, answer.headers)):
        raise BadInput(failure.message)
    named = _COPY.search(answer.headers.get("content-location", "") or answer.location)
    if not named:
        raise BadInput(f"The {Wayback.title} did not say where its copy is; look for it there in some minutes.")
    return f"https://{Wayback.place}{named[0]}"
