"""Cases of the history that people gave a verdict of their own: annotated claims that nobody had to annotate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.annotations import GoldClaim
from core.jobs.store import JobStore
from core.storage.store import Store
from core.types import Case
from core.verification.receipt import receipt_from_json
from core.verification.review_store import Reviews


def own_cases(store: Store) -> Iterator[tuple[GoldClaim, Case]]:
    """Yield each case that bears a person's verdict, as an annotated claim whose id is the case's, oldest first."""
    reviews, jobs = Reviews(store), JobStore(store)
    ids = reviews.concluded()
    conclusions = reviews.conclusions(ids)
    for case_id in ids:
        own, result = conclusions[case_id], jobs.result_of(case_id)
        if own.label is None or result is None:  # notes alone, or the case was deleted
            continue
        case = receipt_from_json(result)[1]
        yield GoldClaim(replace(case.claim, id=case_id), own.label, (), own.reason), case
