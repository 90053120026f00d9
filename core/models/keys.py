"""The keys of OpenAI-compatible servers, in this process's memory only: never in a file, an id or a log."""

from __future__ import annotations

import os
import threading

_KEYS: dict[str, str] = {}
_LOCK = threading.Lock()


def keep_key(url: str, key: str) -> None:
    """Use `key` for the server at `url` until the process ends; an empty one forgets what was kept."""
    with _LOCK:
        if key:
            _KEYS[url] = key
        else:
            _KEYS.pop(url, None)


def key_for(url: str) -> str:
    """Return the key of the server at exactly this address, or "".

    Keys that must outlive the process stand in VERIDESK_API_KEYS as "URL=KEY", several separated by spaces. A
    key belongs to one address, so that naming another server cannot make it travel there.
    """
    with _LOCK:
        kept = _KEYS.get(url, "")
    if kept:
        return kept
    pairs = (pair.rpartition("=") for pair in os.environ.get("VERIDESK_API_KEYS", "").split())
    return next((key for address, _, key in pairs if address == url), "")
