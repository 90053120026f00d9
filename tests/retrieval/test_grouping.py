import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.chunking import MAX_CHARACTERS, group_neighbours, passages, sentences_of, stretches
from core.types import Document, Passage

TEXT = "One is here. Two is there. Three is far.\n\nFour stands alone."
DOCUMENT = Document("https://example.org/a", TEXT)


def whole(document: Document = DOCUMENT) -> list[Passage]:
    return sentences_of(Passage(document, 0, len(document.text)))


def texts(found: list[Passage]) -> list[str]:
    return [passage.text for passage in found]


def test_a_passage_falls_into_its_sentences_in_place() -> None:
    found = sentences_of(Passage(DOCUMENT, 13, 40))
    assert texts(found) == ["Two is there.", "Three is far."]
    assert (found[0].start, found[0].end) == (13, 26)


def test_windows_that_overlap_or_touch_become_one_stretch_and_documents_stay_apart() -> None:
    other = Document("https://example.org/b", "Five. Six.")
    given_passages = [Passage(DOCUMENT, 13, 40), Passage(other, 0, 5), Passage(DOCUMENT, 0, 26)]
    assert texts(stretches(given_passages)) == ["One is here. Two is there. Three is far.", "Five."]


def test_passages_with_text_between_them_stay_apart() -> None:
    assert texts(stretches([Passage(DOCUMENT, 27, 40), Passage(DOCUMENT, 0, 12)])) == ["One is here.", "Three is far."]


def test_similar_neighbours_join_up_to_the_most() -> None:
    assert texts(group_neighbours(whole(), [0.9, 0.1, 0.5], threshold=0.5, most=3)) == [
        "One is here. Two is there.",
        "Three is far.\n\nFour stands alone.",
    ]
    assert texts(group_neighbours(whole(), [0.9, 0.9, 0.9], threshold=0.5, most=3))[1] == "Four stands alone."


def test_one_sentence_a_group_leaves_all_apart() -> None:
    assert group_neighbours(whole(), [1.0, 1.0, 1.0], threshold=0.0, most=1) == whole()


def test_no_group_is_longer_than_the_encoder_reads() -> None:
    sentence = "Word " * 120 + "end."
    document = Document("u", f"{sentence} {sentence} {sentence}")
    found = group_neighbours(whole(document), [1.0, 1.0], threshold=0.0, most=9)
    assert len(found) == 3
    assert all(passage.end - passage.start <= MAX_CHARACTERS for passage in found)


def test_lengths_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="3 neighbours, not 1"):
        group_neighbours(whole(), [0.5], threshold=0.5, most=2)


@given(st.lists(st.sampled_from(["A dog ran. ", "It was late. ", "Rain fell.\n"]), min_size=1, max_size=9), st.data())
def test_groups_hold_every_sentence_once_and_in_order(parts: list[str], data: st.DataObject) -> None:
    document = Document("u", "".join(parts))
    sentences = whole(document)
    similarity = data.draw(st.lists(st.floats(-1, 1), min_size=len(sentences) - 1, max_size=len(sentences) - 1))
    groups = group_neighbours(sentences, similarity, threshold=0.3, most=4)
    assert [sentence for group in groups for sentence in sentences_of(group)] == sentences


def test_windows_of_a_document_come_back_as_its_sentences() -> None:
    windows = passages(DOCUMENT, sentences=3, overlap=1)
    assert [sentence for stretch in stretches(windows) for sentence in sentences_of(stretch)] == whole()
