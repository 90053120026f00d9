"""Hide the warnings and errors of llama.cpp from the screen, and keep the last few.

Only the worker process (llama_worker.py) imports this.
"""

from __future__ import annotations

import ctypes
from collections import deque
from typing import Any

import llama_cpp.llama_cpp as c

LONGEST = 300  # bytes; names in a hostile file may have any length

# llama.cpp keeps only the address of its one logger, so the function must never be freed.
_said: deque[str] = deque(maxlen=5)


@c.llama_log_callback  # type: ignore[untyped-decorator]
def _keep(level: int, text: bytes, _: Any) -> None:
    if level in (3, 4) and text.strip():
        _said.append(text[:LONGEST].decode(errors="replace").strip())


def keep_log() -> None:
    """Hide llama.cpp's own warnings and errors, and keep the last few for `last_said`."""
    c.llama_log_set(_keep, ctypes.c_void_p(0))


def spoke_of_memory() -> bool:
    """Tell whether the last lines report a lack of memory, in the words of llama.cpp, C++ or the system."""
    signs = ("allocate", "bad_alloc", "out of memory", "Resource temporarily unavailable")
    return any(sign in said for said in _said for sign in signs)


def last_said() -> str:
    """Return the last reason in the log, skipping lines that only report a failed load."""
    reasons = [line for line in _said if not line.endswith("failed to load model")]
    return reasons[-1] if reasons else "llama.cpp gave no reason"
