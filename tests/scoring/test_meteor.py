import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer
from nltk.translate.meteor_score import single_meteor_score

from core.scoring.metrics.meteor import align, meteor, read_text
from core.scoring.metrics.wordnet import DEBIAN, find_wordnet, load_wordnet
from core.scoring.metrics.words import data_folders, find_words, word_tokenizer


@dataclass(frozen=True)
class Spaces:
    """Words between spaces, a stem that drops a final s, and a thesaurus of our own."""

    thesaurus: dict[str, frozenset[str]] = field(default_factory=dict)
    signature: str = "test"

    def words(self, text: str) -> list[str]:
        return text.lower().split()

    def stems(self, words: Sequence[str]) -> list[str]:
        return [word.removesuffix("s") for word in words]

    def synonyms(self, stem: str) -> frozenset[str]:
        return self.thesaurus.get(stem, frozenset())


def score(prediction: str, reference: str, language: Spaces | None = None) -> float:
    words = language or Spaces()
    return meteor(read_text(prediction, words), read_text(reference, words))


def matches(prediction: str, reference: str, language: Spaces | None = None) -> list[tuple[int, int]]:
    words = language or Spaces()
    return align(read_text(prediction, words), read_text(reference, words))


def test_the_same_text_loses_only_the_penalty_of_one_chunk() -> None:
    # 4 matches in 1 chunk: penalty 0.5 * (1/4)^3 = 0.0078125, F-mean 1.
    assert score("rents fell in march", "Rents fell in March") == pytest.approx(1 - 0.0078125)


def test_precision_weighs_little_and_chunks_are_counted() -> None:
    # "a b" and "d" match: 3 matches, precision 3/4, recall 3/5, 2 chunks.
    # F = .75*.6 / (.9*.75 + .1*.6) = .45/.735; penalty .5*(2/3)^3 = 4/27.
    assert score("a b x d", "a b y z d") == pytest.approx((1 - 4 / 27) * 0.45 / 0.735)


@pytest.mark.parametrize(("prediction", "reference"), [("a", "b"), ("", "b"), ("a", ""), ("", "")])
def test_without_a_common_word_the_score_is_zero(prediction: str, reference: str) -> None:
    assert score(prediction, reference) == 0.0


def test_equal_words_are_paired_from_the_end() -> None:
    assert matches("a a", "a b a c a") == [(0, 2), (1, 4)]


def test_a_stem_match_takes_what_exact_matching_left() -> None:
    assert matches("cats cat", "cat") == [(1, 0)]
    assert matches("cats cat", "cat cat") == [(0, 0), (1, 1)]


def test_a_synonym_takes_the_last_free_reference_word_and_only_one() -> None:
    words = Spaces({"car": frozenset({"auto", "motor"})})
    assert matches("car", "auto motor auto x", words) == [(0, 2)]
    assert matches("car car", "auto x", words) == [(1, 0)]


def test_synonyms_of_the_reference_word_do_not_count() -> None:
    assert matches("auto", "car", Spaces({"car": frozenset({"auto"})})) == []


@given(st.text(), st.text())
def test_the_score_is_between_0_and_1(prediction: str, reference: str) -> None:
    assert 0.0 <= score(prediction, reference) <= 1.0


PIECES = st.sampled_from(
    """cannot Gonna 'tis it's don't "quoted" '' `` «a» “b” ‘c’ 3,000 a:b e.g. U.S. ... -- [x] (y) 50% $5
    more'n ſ İ gi mme what?! * d'ye 'twas lem'me ; # :x, wanna""".split()
)


@given(st.lists(PIECES, max_size=8), st.sampled_from(["", " "]))
def test_skipping_substitutions_changes_no_word(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    assert word_tokenizer(NLTKWordTokenizer)(text) == NLTKWordTokenizer().tokenize(text)


@given(st.text())
def test_skipping_substitutions_changes_no_word_of_any_text(text: str) -> None:
    assert word_tokenizer(NLTKWordTokenizer)(text) == NLTKWordTokenizer().tokenize(text)


def test_without_data_the_signature_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.scoring.metrics.wordnet.DEBIAN", tmp_path / "no-wordnet")
    words = find_words([tmp_path])
    assert words.signature == "tok:nltk-3.9.1-punkt-untrained|stem:porter|syn:none"
    assert not words.complete
    assert words.words("He didn't. She did.") == ["he", "did", "n't", ".", "she", "did", "."]
    assert words.synonyms("car") == frozenset()


def test_veridesks_folder_and_nltk_data_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLTK_DATA", f"{tmp_path / 'a'}{os.pathsep}{tmp_path / 'b'}")
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    folders = data_folders()
    assert folders[:3] == [tmp_path / "home" / "nltk_data", tmp_path / "a", tmp_path / "b"]


def test_without_synonyms_the_score_is_nltks_with_an_empty_wordnet(tmp_path: Path) -> None:
    words = find_words([tmp_path])

    class Empty:
        def synsets(self, word: str) -> list[object]:
            return []

    prediction, reference = "The minister's letters were forged in 2020.", "Forged letter of the ministers, 2020"
    expected = single_meteor_score(words.words(reference), words.words(prediction), wordnet=Empty())
    without = find_words([tmp_path])
    object.__setattr__(without, "wordnet", None)
    assert meteor(read_text(prediction, without), read_text(reference, without)) == expected


@pytest.mark.skipif(not (DEBIAN / "index.noun").is_file(), reason="WordNet is not installed in /usr/share/wordnet")
def test_wordnet_gives_single_words_in_their_own_case_through_base_forms(tmp_path: Path) -> None:
    wordnet = find_wordnet([tmp_path])
    assert wordnet.version == "3.0"
    assert {"car", "auto", "automobile", "machine", "motorcar"} <= wordnet.synonyms("cars")
    assert "cable_car" not in wordnet.synonyms("car")
    assert "USA" in wordnet.synonyms("america")
    assert "galore" in wordnet.synonyms("galore")  # stored as "galore(ip)"
    assert wordnet.synonyms("qwertyuiop") == frozenset()


@pytest.mark.skipif(not (DEBIAN / "index.noun").is_file(), reason="WordNet is not installed in /usr/share/wordnet")
def test_wordnet_is_read_from_the_zip_nltk_downloads(tmp_path: Path) -> None:
    import zipfile

    (tmp_path / "corpora").mkdir()
    with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w") as archive:
        for path in DEBIAN.iterdir():
            if path.suffix in {".noun", ".verb", ".adj", ".adv", ".exc"}:
                archive.write(path, f"wordnet/{path.name}")
    found = find_wordnet([tmp_path])
    assert found.place == tmp_path / "corpora" / "wordnet.zip"
    assert found.synonyms("mice") == load_wordnet(DEBIAN).synonyms("mice")
