"""What works with a language model at this moment, as far as this server knows."""

from __future__ import annotations

import json

from core.batch.runs import ASKED
from core.models.choice import ModelChoice
from pages.batch.form import batches
from pages.ui.app_state import desk


def at_work_on(choice: ModelChoice) -> str:
    """Return what works with a model or waits to, "a claim" for example; empty if nothing does.

    Commands in a terminal are not seen.
    """
    at = desk()
    if lane := at.jobs.using(choice.id):
        return at.queue.lanes[lane].one
    return "a batch" if _has_batch(choice.id) else ""


def _has_batch(model: str) -> bool:
    """Whether a batch of anybody's is at work with the model, begun by this server or by one before it."""
    here = batches()
    with here.lock:  # none is half written
        for path in here.folder.glob(f"*/{ASKED}"):
            asked = json.loads(path.read_text(encoding="utf-8"))
            if asked["model"] != model:
                continue
            batch = here.find(path.parent.name, asked["owner"])
            if batch and batch.running:
                return True
    return False
