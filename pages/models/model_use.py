"""The work that uses a language model at this moment, as far as this server knows."""

from __future__ import annotations

from core.models.choice import ModelChoice
from pages.ui.app_state import app_state


def at_work_on(choice: ModelChoice) -> str:
    """Return the work that uses a model or waits for it, "a claim" for example; empty if there is none.

    Commands in a terminal are not seen.
    """
    at = app_state()
    kind = at.jobs.using(choice.id)
    return at.queue.kinds[kind].one if kind else ""
