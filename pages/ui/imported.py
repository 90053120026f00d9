"""Whether this server has imported its pages' modules; itself it imports nothing."""

from __future__ import annotations

from threading import Event

EVERYTHING = Event()
