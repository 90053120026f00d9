"""Whether this server has imported what its pages need; itself it imports nothing."""

from __future__ import annotations

from threading import Event

EVERYTHING = Event()
