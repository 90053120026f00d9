"""Estimate a model's memory, and read the free memory. All sizes are bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.models.gguf import GgufHeader
from core.wording import size_words

CONTEXT_TOKENS = 4096
"""Tokens of context in the estimate, at most the model's own; `load_llama` opens this many by default."""

CACHE_UNKNOWN = 840_000_000
"""Bytes of keys and values for a model without a local header, as for the largest in the catalogue.

That is Phi-4 at `CONTEXT_TOKENS`: 40 layers, 10 heads of 128, two bytes, twice.
"""

OVERHEAD = 512 * 1024 * 1024
"""The worker process and llama.cpp's buffers.

Measured for the bundled model: 127 MB for the process and 46 MB beyond weights and cache (llama-cpp-python
0.3.36, CPU). The buffers grow with the vocabulary: 150,000 tokens take about 300 MB.
"""

_MEMINFO = Path("/proc/meminfo")
_CONTAINER = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class MemoryNeed:
    """The bytes that a model takes: its weights, the keys and values of `tokens` of context, and the rest."""

    weights: int
    cache: int
    tokens: int

    @property
    def total(self) -> int:
        return self.weights + self.cache + OVERHEAD


def memory_need(size: int, header: GgufHeader | None, *, context_tokens: int = CONTEXT_TOKENS) -> MemoryNeed:
    """Return the estimate for a model of `size` bytes of weights.

    The cache has one 16-bit number per layer, key-value head and head dimension, for keys and for values, per token.
    Without a header, `CACHE_UNKNOWN` is used.
    """
    if header is None:
        return MemoryNeed(weights=size, cache=CACHE_UNKNOWN, tokens=context_tokens)
    tokens = min(context_tokens, header.context_tokens or context_tokens)
    return MemoryNeed(weights=size, cache=2 * header.key_heads * header.head_width * tokens, tokens=tokens)


def memory_available() -> int | None:
    """Return the memory available to a new process without swapping; None if the system does not report it.

    On Linux: MemAvailable of /proc/meminfo, or the rest of a container's limit if less. Elsewhere: all physical memory
    by os.sysconf, an upper bound. psutil would be another package for one number.
    """
    amount = _linux_available()
    if amount is None:
        amount = _physical()
    left = _container_left()
    return amount if left is None or amount is None else min(amount, left)


def _linux_available() -> int | None:
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf; some systems lack the name
        return None


def _container_left() -> int | None:
    """Return the bytes that a container (cgroup v2) may still take; None without a limit."""
    try:
        limit = (_CONTAINER / "memory.max").read_text().strip()
    except OSError:
        return None
    return max(int(limit) - _container_used(), 0) if limit.isdigit() else None


def _container_used() -> int:
    """Return the bytes a container takes, less unused file pages, which the kernel drops first."""
    try:
        used = int((_CONTAINER / "memory.current").read_text())
        numbers = dict(line.split() for line in (_CONTAINER / "memory.stat").read_text().splitlines())
    except OSError:
        return 0
    return max(used - int(numbers.get("inactive_file", 0)), 0)


def fits_words(need: MemoryNeed, available: int | None) -> str:
    """Return a sentence on whether the model fits into memory."""
    if available is None:
        return f"Needs about {size_words(need.total)}; this system does not say how much memory is free."
    wanted, free = size_words(need.total), size_words(available)
    if need.total > available:
        return (
            f"Will not fit: it needs about {wanted} of memory, and {free} is free. "
            "Choose a smaller model or quantisation, or close other programs."
        )
    if need.total > 0.85 * available:
        return f"Fits barely: it needs about {wanted} of the {free} of memory that is free."
    return f"Fits: it needs about {wanted} of the {free} of memory that is free."
