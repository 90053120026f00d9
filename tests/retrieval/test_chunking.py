from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from core.retrieval.chunking import MAX_CHARACTERS, passages, sentence_spans
from core.types import Document


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def windows(text: str, **sizes: int) -> list[str]:
    return [passage.text for passage in passages(Document("u", text), **sizes)]


@pytest.mark.parametrize(
    "text",
    [
        "It cost $3.5 million.",
        "Dr. Smith met Mr. Jones and Gen. Lee at St. Mary's.",
        "J. R. R. Tolkien wrote it.",
        "George W. Bush was there.",
        "The U.S. Senate voted.",
        "He moved to the U.S. Virgin Islands.",
        "She left at 9 a.m. on Monday.",
        "It was signed on Oct. 31 in Rome.",
        "See Fig. 3 and p. 12, vol. 2, No. 5.",
        "Several animals, e.g. Cats, are kept.",
        "Acme Inc. Chairman Lee resigned.",
        "“Really?” he asked.",
        "Wait... what happened?",
        "It is version 2.0.1 of the file a.b.c.",
        "1. The first of the points",
        "a. The first of the points",
    ],
)
def test_one_sentence_stays_whole(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("He said “Go.” She went.", ["He said “Go.”", "She went."]),
        ('He said "Go." "No," she said.', ['He said "Go."', '"No," she said.']),
        ("She lives in the U.S. The law applies.", ["She lives in the U.S.", "The law applies."]),
        ("It was 2019. In 2020 it grew.", ["It was 2019.", "In 2020 it grew."]),
        ("They met in Oct. The talks failed.", ["They met in Oct.", "The talks failed."]),
        ("He works for Acme Inc. It pays well.", ["He works for Acme Inc.", "It pays well."]),
        ("It grew by 3%. 40 people left.", ["It grew by 3%.", "40 people left."]),
        ("So do I. He left.", ["So do I.", "He left."]),
        ("A line\nanother line\n\n a third ", ["A line", "another line", "a third"]),
        ("Carriage\r\nreturn", ["Carriage", "return"]),
        ("これは文です。次の文です。", ["これは文です。", "次の文です。"]),
        ("यह वाक्य है। यह दूसरा है।", ["यह वाक्य है।", "यह दूसरा है।"]),
        ("هل هذا صحيح؟ نعم هو كذلك.", ["هل هذا صحيح؟", "نعم هو كذلك."]),
        ("Ende des Satzes. Ärzte warnen.", ["Ende des Satzes.", "Ärzte warnen."]),
        ("", []),
        (" \n\t\r\n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_windows_of_three_share_one() -> None:
    text = "A one. B two. C three. D four. E five. F six."
    assert windows(text) == ["A one. B two. C three.", "C three. D four. E five.", "E five. F six."]


def test_windows_without_overlap() -> None:
    assert windows("A one. B two. C three.", sentences=2, overlap=0) == ["A one. B two.", "C three."]


def test_a_short_document_is_one_passage_with_offsets_into_its_text() -> None:
    (passage,) = passages(Document("u", "  One. Two.\n Three.  "))
    assert (passage.start, passage.end) == (2, 19)
    assert passage.text == "One. Two.\n Three."


def test_a_document_without_text_has_no_passage() -> None:
    assert passages(Document("u", " \n ")) == []


def test_a_long_sentence_is_cut_between_words() -> None:
    text = "word " * 1000 + "end."
    parts = windows(text, sentences=1, overlap=0)
    assert [len(part) for part in parts] == [1199, 1199, 1199, 1199, 204]
    assert parts[0].startswith("word ")
    assert parts[0].endswith(" word")
    assert "".join(parts).replace(" ", "") == text.replace(" ", "")


def test_a_sentence_without_spaces_is_cut_all_the_same() -> None:
    assert [len(part) for part in windows("x" * 2500)] == [1200, 1200, 100]


def test_a_window_ends_before_it_gets_too_long() -> None:
    long = "A" * 700 + "."
    assert windows(f"{long} {long} Short.") == [long, f"{long} Short."]


def test_a_window_that_would_only_repeat_is_left_out() -> None:
    long = "B" * 1100 + "."
    text = f"One. Two. {long} Three."
    # Overlap asks for a window that begins with "Two.", but the long sentence does not fit beside it.
    assert windows(text) == [f"One. Two. {long}", f"{long} Three."]
    longest = "B" * 1199 + "."
    assert windows(f"One. Two. {longest} Three.") == ["One. Two.", longest, "Three."]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (1, 1), (3, 3), (3, -1), (-1, -2)])
def test_impossible_windows_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(BadInput, match=f"Windows of {size} sentences cannot share {overlap}"):
        passages(Document("u", "A. B."), sentences=size, overlap=overlap)


TEXTS = st.text(st.sampled_from("aB1 .!?\n\r\t\u00a0\u2003。\"')“”Dr"), max_size=300) | st.text(max_size=200)


@given(TEXTS, st.integers(1, 5), st.integers(0, 4), st.integers(1, 30))
def test_passages_cover_all_text_in_order_and_repeat_nothing(text: str, size: int, overlap: int, repeat: int) -> None:
    document = Document("u", text.encode("utf-8", "replace").decode() * repeat)
    found = passages(document, sentences=size, overlap=min(overlap, size - 1))
    covered = bytearray(len(document.text))
    for passage in found:
        assert 0 <= passage.start < passage.end <= len(document.text)
        assert passage.end - passage.start <= MAX_CHARACTERS
        assert passage.text == passage.text.strip() != ""
        covered[passage.start : passage.end] = b"\1" * (passage.end - passage.start)
    assert all(is_covered or character.isspace() for is_covered, character in zip(covered, document.text, strict=True))
    ends = [passage.end for passage in found]
    assert ends == sorted(set(ends))


@given(TEXTS)
def test_sentences_do_not_overlap(text: str) -> None:
    spans = sentence_spans(text)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


def test_one_line_of_a_whole_book_takes_no_longer_than_its_length() -> None:
    text = "Some words that stand for a sentence of usual length. " * 40_000  # 2 MB without a line break
    assert len(passages(Document("u", text))) == 20_000
