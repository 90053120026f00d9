"""Decide which compressions of an answer are unpacked."""

from __future__ import annotations

from collections.abc import Mapping

PACKINGS = ("identity", "gzip", "x-gzip", "deflate")
"""Accepted compressions, each used once; after two, a few bytes can unpack beyond all memory."""


def is_packed_oddly(headers: Mapping[str, str]) -> bool:
    """Return whether an answer is compressed twice or in an unrequested way; `headers` have lower-case names."""
    return headers.get("content-encoding", "identity").strip().lower() not in PACKINGS
