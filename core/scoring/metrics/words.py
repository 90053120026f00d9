"""Provide NLTK's words, stems and synonyms for METEOR.

`find_words()` uses the libraries of this machine; `Words.signature` names them. Scores are comparable only with the
same signature: NLTK 3.10 splits dashes and apostrophes differently from 3.9 (up to ±0.010).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from typing import Any

from core.scoring.metrics.wordnet import WordNet, find_wordnet
from core.settings import settings

FETCH_SECONDS = 300.0
"""For Punkt's tables (4 MB), and for WordNet (10 MB)."""
_FETCH = (
    "import sys; from nltk.downloader import Downloader; "
    "sys.exit(not Downloader(download_dir=sys.argv[1]).download(sys.argv[2], quiet=True))"
)

MAX_SENTENCES = 100_000
"""Of more sentences the words are forgotten: a hundred thousand of them take some 60 MB."""

Sentences = Callable[[str], list[str]]


@dataclass(frozen=True)
class Words:
    """A tokenizer, a stemmer and a thesaurus. Each distinct sentence is cut, each word stemmed and looked up once.

    `sentences` splits a text before it is tokenized, as NLTK's `word_tokenize` does. `trained` says whether it knows
    English abbreviations (Punkt's tables) or not. `wordnet` is None if missing.
    """

    sentences: Sentences
    trained: bool
    wordnet: WordNet | None
    nltk_version: str
    tokenize: Callable[[str], list[str]]
    stem: Callable[[str], str]
    _stems: dict[str, str] = field(default_factory=dict, repr=False)
    _cut: dict[str, list[str]] = field(default_factory=dict, repr=False)

    @property
    def signature(self) -> str:
        """Fields of a score's signature: tokenizer, stemmer and thesaurus."""
        splitter = "punkt" if self.trained else "punkt-untrained"
        thesaurus = f"wordnet-{self.wordnet.version}" if self.wordnet else "none"
        return f"tok:nltk-{self.nltk_version}-{splitter}|stem:porter|syn:{thesaurus}"

    @property
    def complete(self) -> bool:
        """Whether scores can equal the shared task's: trained Punkt and WordNet 3.0 are both there."""
        return self.trained and self.wordnet is not None and self.wordnet.version == "3.0"

    def words(self, text: str) -> list[str]:
        """Return the words of `text` in lower case, in order: NLTK's `word_tokenize`, then `lower`."""
        words: list[str] = []
        known = self._cut
        for sentence in self.sentences(text):
            found = known.get(sentence)
            if found is None:
                if len(known) >= MAX_SENTENCES:
                    known.clear()
                found = known[sentence] = [intern(word.lower()) for word in self.tokenize(sentence)]
            words += found
        return words

    def stems(self, words: Sequence[str]) -> list[str]:
        """Return the Porter stem of each word."""
        known = self._stems
        for word in words:
            if word not in known:
                known[word] = self.stem(word)
        return [known[word] for word in words]

    def synonyms(self, stem: str) -> frozenset[str]:
        """Return the synonyms of a stem; none without a thesaurus."""
        return self.wordnet.synonyms(stem) if self.wordnet else frozenset()


def data_folders() -> list[Path]:
    """Return the folders of NLTK's data: Veridesk's own, then NLTK_DATA and NLTK's usual ones."""
    import nltk

    named = [folder for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep) if folder]
    folders = [settings().home / "nltk_data", *map(Path, named), *map(Path, nltk.data.path)]
    return list(dict.fromkeys(folders))


def find_words(folders: Iterable[Path] | None = None) -> Words:
    """Return the best tokenizer and thesaurus that lie in `folders`, by default `data_folders()`.

    Both may be missing. An untrained Punkt then splits sentences (about +0.0004 on the shared task's scores), and
    without WordNet synonyms do not match.
    """
    import nltk
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer, load_punkt_params

    places = list(data_folders() if folders is None else folders)
    tables = [folder / "tokenizers/punkt_tab/english" for folder in places]
    found = next((table for table in tables if (table / "abbrev_types.txt").is_file()), None)
    punkt = PunktSentenceTokenizer(load_punkt_params(found) if found else None)
    return Words(
        sentences=punkt.tokenize,
        trained=found is not None,
        wordnet=find_wordnet(places),
        nltk_version=nltk.__version__,
        tokenize=word_tokenizer(NLTKWordTokenizer),
        stem=PorterStemmer().stem,
    )


def fetch_language_data() -> list[str]:
    """Fetch Punkt's tables and WordNet into Veridesk's folder; return the names of failed downloads.

    Call it only on the user's request, because it uses the network (NLTK's data index on GitHub).
    """
    folder = settings().home / "nltk_data"
    folder.mkdir(parents=True, exist_ok=True)
    return [name for name in ("punkt_tab", "wordnet") if not _fetched(name, folder)]


def _fetched(name: str, folder: Path) -> bool:
    """Fetch one package of NLTK's data in a separate process, because NLTK has no time limit."""
    try:
        run = subprocess.run([sys.executable, "-c", _FETCH, str(folder), name], timeout=FETCH_SECONDS)
        return run.returncode == 0
    except subprocess.TimeoutExpired:
        return False


# Characters that a pattern needs one of to match, by the pattern's text. A straight double quote
# counts as a backquote and an apostrophe, because earlier substitutions turn it into them. A pattern that
# is not listed here (another version of NLTK) is always applied.
NEEDED_CHARACTERS = {
    "([«“‘„]|[`]+)": "«“‘„`",
    r"^\"": '"',
    "(``)": '`"',
    r"([ \(\[{<])(\"|\'{2})": "\"'",
    r"(?i)(\')(?!re|ve|ll|m|t|s|d|n)(\w)\b": "'\"",
    r"([^\.])(\.)([\]\)}>" + r'"\'' + "»”’ " + r"]*)\s*$": ".",
    r"([:,])([^\d])": ":,",
    r"([:,])$": ":,",
    r"\.{2,}": ".",
    r"[;@#$%&]": ";@#$%&",
    r'([^\.])(\.)([\]\)}>"\']*)\s*$': ".",
    r"[?!]": "?!",
    r"([^'])' ": "'\"",
    r"[*]": "*",
    r"[\]\[\(\)\{\}\<\>]": "[](){}<>",
    r"--": "-",
    "([»”’])": "»”’",
    r"''": "'\"",
    r'"': '"',
    r"([^' ])('[sS]|'[mM]|'[dD]|') ": "'\"",
    r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ": "'\"",
}
NEEDED_WORDS = {
    r"(?i)\b(can)(?#X)(not)\b": "cannot",
    r"(?i)\b(d)(?#X)('ye)\b": "d'ye",
    r"(?i)\b(gim)(?#X)(me)\b": "gimme",
    r"(?i)\b(gon)(?#X)(na)\b": "gonna",
    r"(?i)\b(got)(?#X)(ta)\b": "gotta",
    r"(?i)\b(lem)(?#X)(me)\b": "lemme",
    r"(?i)\b(more)(?#X)('n)\b": "more'n",
    r"(?i)\b(wan)(?#X)(na)(?=\s)": "wanna",
    r"(?i) ('t)(?#X)(is)\b": "'tis",
    r"(?i) ('t)(?#X)(was)\b": "'twas",
}
FOLDED = frozenset("İıſK")
"""Letters that match "i", "s" or "k" without case, although their lower case differs."""


@dataclass(frozen=True)
class Substitution:
    """A pattern, its replacement, and the characters or the word it needs (empty: always applied)."""

    pattern: re.Pattern[str]
    replacement: str
    characters: frozenset[str]
    word: str


@dataclass(frozen=True)
class WordTokenizer:
    """Cuts one sentence into words as `nltk.tokenize.NLTKWordTokenizer` does."""

    before_padding: tuple[Substitution, ...]
    after_padding: tuple[Substitution, ...]

    def tokenize(self, sentence: str) -> list[str]:
        """Return the words and punctuation marks of a sentence, in order."""
        characters = set(sentence)
        lower = None if not FOLDED.isdisjoint(characters) else sentence.lower()
        text = _apply(self.before_padding, sentence, characters, lower)
        return _apply(self.after_padding, f" {text} ", characters, lower).split()


def _apply(substitutions: tuple[Substitution, ...], text: str, characters: set[str], lower: str | None) -> str:
    for step in substitutions:
        if step.characters and step.characters.isdisjoint(characters):
            continue
        if step.word and lower is not None and step.word not in lower:
            continue
        text = step.pattern.sub(step.replacement, text)
    return text


def word_tokenizer(nltk_tokenizer: Any) -> Callable[[str], list[str]]:
    """Return a function that cuts sentences as `nltk_tokenizer` (an NLTKWordTokenizer, or its class) does."""
    before = (
        *nltk_tokenizer.STARTING_QUOTES,
        *nltk_tokenizer.PUNCTUATION,
        nltk_tokenizer.PARENS_BRACKETS,
        nltk_tokenizer.DOUBLE_DASHES,
    )
    contractions = (*nltk_tokenizer.CONTRACTIONS2, *nltk_tokenizer.CONTRACTIONS3)
    after = (*nltk_tokenizer.ENDING_QUOTES, *((pattern, r" \1 \2 ") for pattern in contractions))
    return WordTokenizer(
        before_padding=tuple(_substitution(pattern, replacement) for pattern, replacement in before),
        after_padding=tuple(_substitution(pattern, replacement) for pattern, replacement in after),
    ).tokenize


def _substitution(pattern: re.Pattern[str], replacement: str) -> Substitution:
    characters = frozenset(NEEDED_CHARACTERS.get(pattern.pattern, ""))
    return Substitution(pattern, replacement, characters, NEEDED_WORDS.get(pattern.pattern, ""))
