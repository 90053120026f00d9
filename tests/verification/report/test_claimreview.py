import json
from dataclasses import replace

import jsonschema
import pytest

from core.types import Label
from core.verification.report.case_report import CaseReport
from core.verification.report.claimreview import to_claimreview
from core.verification.review import Conclusion, Review
from tests.verification.report.conftest import CASE, reported

TEXT = {"type": "string", "minLength": 1}
ADDRESS = {"type": "string", "pattern": "^https?://"}
DAY = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}


def thing(kind: str, /, required: tuple[str, ...] = (), **properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "required": ["@type", *required],
        "properties": {"@type": {"const": kind}, **properties},
        "additionalProperties": False,
    }


# The shape of schema.org/ClaimReview with what Google's guide requires of it.
SHAPE = thing(
    "ClaimReview",
    ("@context", "url", "claimReviewed", "reviewRating", "author", "itemReviewed"),
    **{"@context": {"const": "https://schema.org"}},
    creativeWorkStatus={"const": "Draft"},
    url=ADDRESS,
    claimReviewed=TEXT,
    datePublished=DAY,
    author=thing("Organization", ("name",), name=TEXT),
    reviewRating=thing(
        "Rating",
        ("alternateName",),
        alternateName=TEXT,
        ratingValue={"type": "integer", "minimum": 1, "maximum": 5},
        bestRating={"const": 5},
        worstRating={"const": 1},
    ),
    reviewBody=TEXT,
    itemReviewed=thing(
        "Claim",
        author=thing("Person", ("name",), name=TEXT),
        datePublished=DAY,
        appearance=thing("CreativeWork", name=TEXT, url=ADDRESS),
    ),
    citation={"type": "array", "items": thing("CreativeWork", ("url", "name"), url=ADDRESS, name=TEXT)},
)


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_the_draft_has_the_shape_of_claimreview(name: str, request: pytest.FixtureRequest) -> None:
    report: CaseReport = request.getfixturevalue(name)
    written = to_claimreview(report)
    jsonschema.validate(json.loads(written), SHAPE)
    assert "<" not in written  # so that a claim ends no <script>


def test_it_carries_the_persons_verdict_and_what_is_known_of_the_claim(plain: CaseReport) -> None:
    draft = json.loads(to_claimreview(plain, url="https://desk.example/1", publisher="The Desk"))
    assert draft["reviewRating"] == {
        "@type": "Rating",
        "alternateName": "Refuted",
        "ratingValue": 1,
        "bestRating": 5,
        "worstRating": 1,
    }
    assert draft["itemReviewed"] == {
        "@type": "Claim",
        "author": {"@type": "Person", "name": "Jane Doe"},
        "datePublished": "2020-05-01",
        "appearance": {"@type": "CreativeWork", "name": "Radio 4"},
    }
    assert (draft["url"], draft["author"]["name"]) == ("https://desk.example/1", "The Desk")
    assert draft["citation"] == [
        {"@type": "CreativeWork", "url": "https://www.example.org/paint", "name": "How the tower is painted"}
    ]
    assert draft["reviewBody"] == "It is six years."


def test_not_enough_evidence_and_doubt_have_no_number() -> None:
    missing = reported(review=Review(Conclusion(Label.NOT_ENOUGH_EVIDENCE)))
    rating = json.loads(to_claimreview(missing))["reviewRating"]
    assert rating == {"@type": "Rating", "alternateName": "Not enough evidence"}
    assert CASE.verdict is not None
    doubtful = reported(replace(CASE, verdict=replace(CASE.verdict, threshold=0.9)), Review())
    assert json.loads(to_claimreview(doubtful))["reviewRating"] == {"@type": "Rating", "alternateName": "Cannot tell"}
