"""Explain HTTP statuses in words."""

from __future__ import annotations

from dataclasses import dataclass

REDIRECTS = (301, 302, 303, 307, 308)
"""Statuses of a redirect."""


@dataclass(frozen=True)
class StatusMeaning:
    """Words for a status: for a page, the reason for a failure; for a service, the remedy."""

    page: str
    service: str = "The server's own log says more."


STATUSES = {
    401: StatusMeaning("it wants a password", "Check the key."),
    402: StatusMeaning("it wants to be paid", "The quota is used up."),
    403: StatusMeaning("it does not let programs read this page", "Check the key."),
    404: StatusMeaning("there is no such page", "Check the address, which usually ends in /v1, and the model's name."),
    407: StatusMeaning("it wants a password"),
    410: StatusMeaning("the page was taken down"),
    429: StatusMeaning("it had too many requests", "The server is busy: try again later."),
    451: StatusMeaning("the page is withheld for legal reasons"),
    503: StatusMeaning("it is too busy", "The server is busy or still loading the model: try again later."),
}
OTHER_STATUS = StatusMeaning("try again later")
"""Words for every other status."""
