"""Ids for the database. They have their own file because a claim needs ids only, and importing the store is slow."""

from __future__ import annotations

import secrets

ID_BYTES = 24


def new_id() -> str:
    """Return an id that nobody can guess: 192 random bits, in letters that addresses and file names hold."""
    # One that begins with "-" would look like an option on the command line.
    return secrets.token_urlsafe(ID_BYTES).replace("-", "_")
