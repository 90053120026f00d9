"""Annotated claims with evidence: those of the history, and those that nothing can be measured on."""

from pathlib import Path

import pytest

from core.annotations import GoldClaim
from core.errors import BadInput
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.storage.store import Store
from core.training.annotated_cases import from_history, own_cases, with_both_sides
from core.types import Claim, Label
from core.verification.receipt import receipt_to_json
from core.verification.review import Conclusion, Reviews
from core.verification.verify_job import keep_case, verify_kind
from tests.verification.report.conftest import CASE, MODEL, REQUEST

RECEIPT = receipt_to_json(REQUEST, CASE, MODEL, MODEL)


def test_cases_with_a_verdict_of_ones_own_are_annotated_claims(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'v.db'}")
    jobs = JobStore(store)
    queue = JobQueue(jobs)
    cases = Jobs(queue, verify_kind(lambda *_: {}, jobs))
    with pytest.raises(BadInput, match="the history"):
        from_history(store)
    first, second, _ = (keep_case(cases, "anna", RECEIPT) for _ in range(3))
    reviews = Reviews(store)
    reviews.conclude(first, "anna", Conclusion(Label.SUPPORTED), seen=0)
    reviews.conclude(first, "anna", Conclusion(Label.REFUTED, "Seen it."), seen=1)
    reviews.conclude(second, "anna", Conclusion(None, "", "Only notes."), seen=0)
    ((own, case),) = own_cases(store)
    assert (own.id, own.label, own.justification) == (first, Label.REFUTED, "Seen it.")
    assert case == CASE
    added = from_history(store)
    assert [pair.answer for pair in added.cases[0].evidence] == [hit.passage.text for hit in CASE.hits]
    queue.close()


def gold(*labels: Label) -> list[GoldClaim]:
    return [GoldClaim(Claim("It rained."), label, ()) for label in labels]


def test_claims_of_one_side_are_refused_before_the_work() -> None:
    with pytest.raises(BadInput, match="The 2 claims"):
        with_both_sides(gold(Label.REFUTED, Label.CONFLICTING))
    both = gold(Label.REFUTED, Label.SUPPORTED)
    assert with_both_sides(both) == both
