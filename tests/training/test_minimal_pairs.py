from core.training.minimal_pairs import KINDS, minimal_pairs, negated_claim
from core.types import Document, Stance

TEXTS = (
    "The bridge over the Aller was opened in 1937 by the mayor Anna Behrens. It carried 4,200 vehicles a day at first.",
    "In 2019, Kenya exported 120 tonnes of coffee to Norway. Farmers in Nyeri had asked for higher prices before.",
    "The museum of Ghent increased its entrance fee to 12 euros in March. The city council had approved the plan.",
    "Officials counted 85 ships in the harbour of Piraeus on Tuesday. The port was closed for two days after that.",
    "Unemployment in Ohio fell to 4.1 percent in 2016. The governor John Kasich presented the figures in Columbus.",
    "The Danish team won the final against Spain in Oslo. About 9,000 people had bought tickets for the match.",
)
DOCUMENTS = [Document(f"https://example.org/{number}", text) for number, text in enumerate(TEXTS)]


def test_each_change_is_made_in_one_place_and_keeps_the_document() -> None:
    made = minimal_pairs(DOCUMENTS, per_kind=1, seed=3)
    assert {pair.kind for pair in made} >= {"number", "date", "name", "negation", "confirmed"}
    changed = {pair.kind: pair for pair in made if pair.kind in ("number", "date", "name")}
    for pair in changed.values():
        old, new = pair.change.split(" became ")
        assert new in pair.claim
        assert pair.claim.replace(new, old, 1) in pair.document.text


def test_the_same_seed_gives_the_same_pairs() -> None:
    assert minimal_pairs(DOCUMENTS, per_kind=2, seed=3) == minimal_pairs(DOCUMENTS, per_kind=2, seed=3)


def test_every_kind_has_the_stance_that_its_change_makes() -> None:
    assert KINDS["confirmed"] is Stance.FOR
    assert {KINDS[kind] for kind in ("number", "date", "name", "negation", "antonym", "denied")} == {Stance.AGAINST}
    assert KINDS["other document"] is Stance.UNRELATED


def test_a_sentence_is_negated_at_its_first_verb() -> None:
    assert negated_claim("The port was closed for two days.") == "The port was not closed for two days."
    assert negated_claim("The Danish team won the final.") == "The Danish team did not win the final."
    assert negated_claim("The port was not closed.") == "The port was closed."
    assert negated_claim("Ships everywhere.") == ""
