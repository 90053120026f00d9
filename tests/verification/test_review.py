import json

import pytest

from core.dataclass_json import to_json
from core.types import Document, Label, Passage
from core.verification.review import Conclusion, Mark, Review, passage_key, review_from_json

PASSAGE = Passage(Document("a", "One. Two."), 5, 9)
REVIEW = Review(Conclusion(Label.CONFLICTING, "both", "ask", "Ada"), {passage_key(PASSAGE): Mark.UNRELATED}, 5.0, 2)


def test_a_review_survives_the_way_through_json() -> None:
    assert review_from_json(json.loads(json.dumps(to_json(REVIEW)))) == REVIEW
    assert review_from_json(json.loads(json.dumps(to_json(Review())))) == Review()


def test_a_receipt_without_a_review_has_an_empty_one() -> None:
    assert review_from_json(None).empty
    assert not REVIEW.empty


def test_a_passage_is_known_by_its_text_and_place_not_by_its_address() -> None:
    assert passage_key(PASSAGE) == passage_key(Passage(Document("b", "One. Two."), 5, 9))
    assert passage_key(PASSAGE) != passage_key(Passage(Document("a", "One. Two!"), 5, 9))


def test_what_is_no_mark_is_refused() -> None:
    with pytest.raises(ValueError, match="lovely"):
        review_from_json({**to_json(REVIEW), "marks": {"x": "lovely"}})
