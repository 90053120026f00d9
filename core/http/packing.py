"""The packings of an answer that are unpacked."""

from __future__ import annotations

from collections.abc import Mapping

PACKINGS = ("identity", "gzip", "x-gzip", "deflate")
"""How an answer may be packed: once. Packed twice, a few bytes unpack to more memory than there is."""


def is_packed_oddly(headers: Mapping[str, str]) -> bool:
    """Tell whether an answer is packed twice, or as we did not ask for; `headers` are named in lower case."""
    return headers.get("content-encoding", "identity").strip().lower() not in PACKINGS
