"""What `stress verdict` refuses before hours of work, and not after."""

import pytest

from core.annotations import GoldClaim
from core.cli.stress_verdict import with_both_sides
from core.errors import BadInput
from core.types import Claim, Label


def gold(*labels: Label) -> list[GoldClaim]:
    return [GoldClaim(Claim("It rained."), label, ()) for label in labels]


def test_claims_of_one_side_are_refused_before_the_work() -> None:
    with pytest.raises(BadInput, match="The 2 claims must hold Supported and Refuted ones"):
        with_both_sides(gold(Label.REFUTED, Label.CONFLICTING))
    both = gold(Label.REFUTED, Label.SUPPORTED)
    assert with_both_sides(both) == both
