"""Define errors with messages for users: each names the problem and the way out."""

from __future__ import annotations

import json
import logging
import secrets

_LOG = logging.getLogger(__name__)


MAX_MESSAGE = 4000
"""The most characters of a message; quoted names and values may have megabytes."""


def without_middle(words: str, most: int) -> str:
    """Return a text of at most `most` characters; a longer one loses its middle."""
    if len(words) <= most:
        return words
    end = most // 4
    return f"{words[: most - end - 1]}…{words[len(words) - end :]}"


class VerideskError(Exception):
    """An error with a message for users; the middle of a very long message is cut."""

    def __init__(self, message: object = "") -> None:
        super().__init__(without_middle(str(message), MAX_MESSAGE))


class BadInput(VerideskError):
    """The user's input cannot be used: a claim, a file, a store, a setting."""


class TooLarge(BadInput):
    """A page or file is too large to read."""


class NotPublic(BadInput):
    """A web address leads to a machine that is not on the public internet."""


class BadRecord(BadInput):
    """One record of a file cannot be read; the message names file, line or id, and field."""


class ModelError(VerideskError):
    """A model cannot be loaded, or its process ended."""


class BuildFault(ModelError):
    """A compiled library does not run on this processor, with any settings."""


class ServerError(ModelError):
    """An OpenAI-compatible server did not answer, or its answer cannot be used."""


class ServerFailed(ServerError):
    """A server was silent for too long, or failed (status 500); a retry may help."""


class JudgeChanged(ServerError):
    """A server changed its model during a run; the answers must not be mixed."""


class Cancelled(VerideskError):
    """The user stopped the work."""


class StoreError(VerideskError):
    """The database could not be read or written."""


class Denied(VerideskError):
    """The user's role, the link or the campaign's state does not allow this."""


def reason_of(error: Exception) -> str:
    """Return in plain words why a record cannot be read, instead of Python's message."""
    if isinstance(error, KeyError):
        return f"it has no {str(error)[:80]}"
    if isinstance(error, OSError):
        return error.strerror or "the disk refused it"
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno} is no JSON"
    if isinstance(error, UnicodeDecodeError):
        return "it is not in UTF-8"
    if isinstance(error, TypeError | AttributeError | IndexError | OverflowError):
        return "a value in it is missing or of the wrong kind"
    return str(error)[:200].rstrip(".")


NO_MEMORY = "There is not enough memory. Close other programs, raise the limit (ulimit -v), or give less at once."


def lacks_memory(error: BaseException) -> bool:
    """Return whether an error means too little memory or address space, for data, a thread or a library."""
    signs = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in signs)


def unforeseen(what: str, trace: str = "") -> str:
    """Return the sentence for an unexpected error; the log has its ID with the whole error.

    `what` failed ("This page"). Call it in the except block, or with the `trace` of another process.
    """
    number = secrets.token_hex(3).upper()
    if trace:
        _LOG.error("Unexpected error, ID %s: %s\n%s", number, what, trace)
    else:
        _LOG.exception("Unexpected error, ID %s: %s", number, what)
    return (
        f"{what} failed: unexpected error (ID {number}). Try again; if it happens again, send the ID to the "
        "administrator. The log has the details."
    )
