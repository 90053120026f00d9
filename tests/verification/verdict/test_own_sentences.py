"""A document supports its own sentences, with the real models: a word of denial in them denies no other part."""

from dataclasses import replace

import pytest

from core.interfaces import Models, RunContext
from core.retrieval.index import Index
from core.training.annotated_cases import found_for, index_of
from core.training.stress_verdict import judged
from core.types import Claim, Document, Label
from core.verification.recipes.catalogue import DEFAULT, recipe_named
from core.verification.verdict.verdict_words import shown_label


@pytest.fixture
def context(bundled_models: Models) -> RunContext:
    return RunContext(bundled_models, Index([], bundled_models.encoder))


def verdict_on(claim: str, text: str, context: RunContext) -> Label | None:
    here = replace(context, retriever=index_of([Document("u", text)], context.models))
    case = found_for(Claim(claim), recipe_named(DEFAULT), here)
    return shown_label(judged(case.claim, case.hits, here))


@pytest.mark.parametrize(
    ("before", "claim", "after"),
    [
        (
            "A woman from Varn said in a lawsuit that Halden had robbed her in 1994.",
            "Halden denied the allegations and the woman dropped the lawsuit several months later.",
            "",
        ),
        (
            "Four papers wrote in October that Ostrow had the flu.",
            "While Ostrow is in frequent contact with the minister, there is no indication that he caught the flu.",
            "",
        ),
        (
            "“The report of the minister was totally made up.",
            "The words he says we printed in our leaflet were in fact from a leaflet of the guild.",
            "They claimed to be quoting us.”",
        ),
        (
            "The Kesh Herald reported on a shop in Varn.",
            "There is no proof of this news and it rests on two letters. The Herald wrote: “The shop of the guild was "
            "attacked in Varn over a poster.”",
            "The shop’s owner had to apologise.",
        ),
    ],
)
def test_a_document_supports_its_own_sentence(before: str, claim: str, after: str, context: RunContext) -> None:
    assert verdict_on(claim, f"{before} {claim} {after}", context) is Label.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "Halden denied the allegations of the paper and the woman from Varn dropped the long lawsuit in 1996.",
            "Halden denied the allegations of the paper and the woman from Varn dropped the long lawsuit in 1998.",
        ),
        (
            "Ruth Vane opened the new harbour bridge of Varn and was not paid for the long speech.",
            "Ruth Vane opened the new harbour bridge of Varn and was paid 300 crowns for the long speech.",
        ),
    ],
)
def test_a_part_that_a_document_denies_is_not_supported(claim: str, text: str, context: RunContext) -> None:
    assert verdict_on(claim, text, context) is Label.REFUTED
