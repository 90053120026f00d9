"""Errors a reader can act on. Each message is a sentence that names the thing and the way out."""

from __future__ import annotations

import json
import logging
import secrets

_LOG = logging.getLogger(__name__)


MAX_MESSAGE = 4000
"""Characters of a message: names and values that it quotes may be megabytes of somebody else's."""


def without_middle(words: str, most: int) -> str:
    """Return words of at most `most` characters; longer ones lose their middle."""
    if len(words) <= most:
        return words
    end = most // 4
    return f"{words[: most - end - 1]}…{words[len(words) - end :]}"


class VerideskError(Exception):
    """An error with a message for users; the middle of a very long message is cut."""

    def __init__(self, message: object = "") -> None:
        super().__init__(without_middle(str(message), MAX_MESSAGE))


class BadInput(VerideskError):
    """Something that the user gave cannot be used: a claim, a file, a store, a setting."""


class TooLarge(BadInput):
    """A page or file is larger than can be read."""


class NotPublic(BadInput):
    """A web address leads to a machine that is not on the public internet."""


class BadRecord(BadInput):
    """One record of a file cannot be read; the message names file, line or id, and field."""


class ModelError(VerideskError):
    """A model cannot be loaded, or ended while it was working."""


class BuildFault(ModelError):
    """A compiled library does not run on this processor, with any settings."""


class ServerError(ModelError):
    """An OpenAI-compatible server did not answer, or its answer cannot be used."""


class ServerFailed(ServerError):
    """A server was silent for too long, or failed by itself (status 500): asking once more may help."""


class JudgeChanged(ServerError):
    """A server answered as another model than before in one run: its answers must not be mixed."""


class Cancelled(VerideskError):
    """The user stopped the work."""


class StoreError(VerideskError):
    """The database could not be read or written."""


class Denied(VerideskError):
    """Who asks may not do this: the role, the link or the campaign's state does not allow it."""


def reason_of(error: Exception) -> str:
    """Return in plain words why a record cannot be read; Python's own are for programmers."""
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
    """Say whether an error means that memory or address space is short: for data, a thread or a library."""
    signs = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in signs)


def unforeseen(what: str, trace: str = "") -> str:
    """Return the sentence for an unexpected error; the log has its ID with the whole error.

    `what` failed ("This page"). Called where the error is caught, or with the `trace` of another process.
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
