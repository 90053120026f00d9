"""The scales that a form may ask: the shared task's two in its own words, and the earlier edition's three.

Source of the two: the FEVER-8 shared task's overview, Figures 5 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """A question answered by 1 to 5; `descriptions` give the meaning of each, the lowest first.

    `name` is the column of exports: a to z, digits and "_". `needs_reference` scales compare with the
    reference evidence and are not asked of items that have none.
    """

    name: str
    title: str
    question: str
    descriptions: tuple[str, str, str, str, str]
    needs_reference: bool = False


COVERAGE = Scale(
    "semantic_coverage",
    "Semantic Coverage",
    "Evaluate how much of the reference evidence is covered by the predicted evidence. Compare the two based on "
    "their content (e.g., meaning, the extent to which entities in the reference evidence are represented in the "
    "predicted evidence, etc.).",
    (
        "The predicted evidence covers none of the reference evidence.",
        "Very little of the reference evidence is covered.",
        "Approximately half of the reference evidence is covered.",
        "Most of the reference evidence is covered.",
        "Everything mentioned in the reference evidence is covered by the predicted evidence.",
    ),
    needs_reference=True,
)
RELEVANCE = Scale(
    "relevance",
    "Relevance to Claim",
    "Evaluate how relevant the predicted evidence is to the claim.",
    (
        "Not relevant at all; the evidence does not relate to the claim in any meaningful way.",
        "Mostly irrelevant, with only a small portion of the evidence having minor relevance to the claim.",
        "Approximately half of the evidence is relevant to verifying the claim, while the rest is redundant or "
        "unrelated.",
        "Most of the evidence is relevant, with some minor irrelevant or redundant parts.",
        "Very relevant; the evidence is entirely focused on verifying the claim without any irrelevant information.",
    ),
)
# The earlier edition's exports name these three scales and hold ratings from 1 to 5, but not their texts. The words
# are ours; that 5 is the best follows from the overview: its Table 11 calls 5 the highest in every category.
COHERENCE = Scale(
    "coherence",
    "Coherence",
    "Evaluate how coherent the predicted evidence is: whether its parts connect and make sense as a whole.",
    (
        "Not coherent at all; the parts do not fit together.",
        "Mostly incoherent; only a few parts connect.",
        "About half of the evidence reads as a coherent whole.",
        "Mostly coherent, with small breaks between its parts.",
        "Entirely coherent; all parts connect and make sense together.",
    ),
)
REDUNDANCY = Scale(
    "redundancy",
    "Redundancy",
    "Evaluate how far the predicted evidence repeats itself. The less it repeats, the higher the score.",
    (
        "Nearly everything repeats something said before.",
        "Most of the evidence is repetition.",
        "About half of the evidence is repetition.",
        "Little is repeated.",
        "Nothing is repeated; every part adds something.",
    ),
)
CONSISTENCY = Scale(
    "consistency",
    "Consistency",
    "Evaluate whether the parts of the predicted evidence agree with each other. The fewer contradictions, the "
    "higher the score.",
    (
        "The parts contradict each other throughout.",
        "Most of the parts contradict each other.",
        "About half of the parts agree with each other.",
        "Nearly all parts agree, with small contradictions.",
        "No part contradicts another.",
    ),
)
EARLIER = (COHERENCE, REDUNDANCY, CONSISTENCY)
