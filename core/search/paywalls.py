"""Detect pages shown instead of the requested one: consent, login, payment, "are you a robot?".

A wall has parts such as a password field or a robot check's script, and hardly any text. So articles about paywalls are
not walls.
"""

from __future__ import annotations

from typing import Any

MAX_WALL_CHARACTERS = 1500
"""Pages with more running text are never walls."""

_CONSENT_HOSTS = ("consent.", "guce.", "consent-", "privacy-gate.", "cookiewall.")
_CONSENT = (
    "onetrust", "didomi", "sp_message", "usercentrics", "qc-cmp2", "cmpbox", "fc-consent", "cookiebot", "truste"
)  # fmt: skip
_CHALLENGE = (
    "/cdn-cgi/challenge-platform", "captcha-delivery.com", "_incapsula_resource", "px-captcha", "hcaptcha.com",
    "recaptcha/api", "challenges.cloudflare.com", "awswafintegration",
)  # fmt: skip
_PAYWALL = ("paywall", "piano-", "tp-modal", "regwall", "subscriber-only", "meteredcontent")
_TIERS = ("locked", "metered", "premium", "hard-paywall")


def wall_of(tree: Any, records: list[dict[str, Any]], host: str) -> str:
    """Describe the wall in place of a page in a few words; "" if there is none. `records` are its JSON-LD objects."""
    if _running_text(tree) > MAX_WALL_CHARACTERS:
        return ""
    if _has(tree, _CHALLENGE, "script", "iframe", "form", "div"):
        return "a check for robots"
    if any(field.get("type", "").lower() == "password" for field in tree.iter("input")):
        return "a login page"
    if host.startswith(_CONSENT_HOSTS) or _has(tree, _CONSENT, "div", "section", "form"):
        return "a consent wall"
    if _must_pay(tree, records) or _has(tree, _PAYWALL, "div", "section", "aside"):
        return "a paywall"
    return ""


def _running_text(tree: Any) -> int:
    """Return the characters in paragraphs of some length."""
    lengths = (len(" ".join(part.text_content().split())) for part in tree.iter("p", "li", "td", "blockquote"))
    return sum(length for length in lengths if length > 60)


def _has(tree: Any, signs: tuple[str, ...], *tags: str) -> bool:
    """Return whether an element of these kinds has one of the signs in its address, id or class."""
    return any(
        sign in " ".join(element.get(name, "") for name in ("src", "action", "id", "class")).lower()
        for element in tree.iter(*tags)
        for sign in signs
    )


def _must_pay(tree: Any, records: list[dict[str, Any]]) -> bool:
    """Return whether the page's data for search engines declare it paid."""
    tiers = (meta for meta in tree.iter("meta") if meta.get("property") == "article:content_tier")
    return any(str(record.get("isAccessibleForFree")).lower() == "false" for record in records) or any(
        meta.get("content", "").lower() in _TIERS for meta in tiers
    )
