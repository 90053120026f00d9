"""Chosen claims keep their sentences while they are written anew, merged, split and left out."""

from core.claims.chosen import (
    Chosen,
    ChosenClaim,
    merged,
    positions_of,
    split_up,
    with_sentence,
    without_sentence,
    written,
)
from core.claims.ranking import RankedSentence


def sentence(position: int, text: str = "It fell.", alone: str = "The price fell.") -> RankedSentence:
    return RankedSentence(position, text, alone, 0.5, "")


def chosen(*positions: int) -> Chosen:
    found: Chosen = ()
    for position in positions:
        found = with_sentence(found, sentence(position, alone=f"Claim of {position}."))
    return found


def test_a_sentence_is_chosen_as_its_version_that_is_readable_alone() -> None:
    assert with_sentence((), sentence(4)) == (ChosenClaim("1", "The price fell.", (4,)),)


def test_claims_are_in_the_order_of_the_text_with_ids_of_their_own() -> None:
    found = chosen(9, 2, 5)
    assert [one.positions for one in found] == [(2,), (5,), (9,)]
    assert len({one.id for one in found}) == 3


def test_merged_claims_keep_both_sentences() -> None:
    first, second, third = chosen(1, 2, 3)
    both, last = merged((first, second, third), first.id)
    assert (both.text, both.positions, last) == ("Claim of 1. Claim of 2.", (1, 2), third)
    assert merged((both, last), last.id) == (both, last)
    assert without_sentence((both, last), 1)[0].positions == (2,)


def test_statements_become_claims_of_their_own() -> None:
    one = ChosenClaim("7", "The bridge opened in 2006 and was closed in 2010.", (3,))
    found = split_up((one,), "7")
    assert [part.positions for part in found] == [(3,), (3,)]
    assert len({part.id for part in found}) == 2
    assert split_up(chosen(1), "1") == chosen(1)


def test_an_emptied_claim_is_left_out() -> None:
    assert written(chosen(1, 2), "1", "  New\n words ")[0].text == "New words"
    assert positions_of(written(chosen(1, 2), "1", " ")) == {2}
