"""Find synonyms in WordNet's own files, without NLTK's reader: one pass over the index, then look-ups.

NLTK builds an object for each synset it touches, which is most of METEOR's cost there. Here a word's synonyms are found
by its byte offsets in the data files. The result is the same set of words.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

PARTS = ("noun", "verb", "adj", "adv")
ENDINGS = {
    "noun": (
        *(("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z")),
        *(("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    ),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
"""The endings WordNet's morphological processing (morphy) detaches, and their replacements."""

DEBIAN = Path("/usr/share/wordnet")


@dataclass(frozen=True)
class PartOfSpeech:
    """One of WordNet's four databases: lemma -> index line, form -> base forms, and the synsets' text."""

    index: dict[bytes, bytes]
    exceptions: dict[str, list[str]]
    endings: tuple[tuple[str, str], ...]
    data: bytes

    def base_forms(self, word: str) -> set[str]:
        """Return the lemmas `word` may be a form of, `word` itself included if it is a lemma."""
        forms = self.exceptions.get(word)
        if forms is None:
            forms = [word[: -len(old)] + new for old, new in self.endings if word.endswith(old)]
        return {form for form in (word, *forms) if form.encode() in self.index}

    def synset_words(self, lemma: str) -> set[str]:
        """Return the words of every synset of `lemma`, without collocations ("_")."""
        fields = self.index[lemma.encode()].split()
        offsets = fields[-int(fields[1]) :]
        return {word for offset in offsets for word in self._words_at(int(offset))}

    def _words_at(self, offset: int) -> list[str]:
        fields = self.data[offset : self.data.index(b" | ", offset)].split(b" ")
        words = (field.decode() for field in fields[4 : 4 + 2 * int(fields[3], 16) : 2])
        # An adjective may carry its place in the sentence: "galore(ip)".
        return [word.partition("(")[0] for word in words if "_" not in word]


@dataclass(frozen=True)
class WordNet:
    """Synonyms by word. `version` is named by the files' licence ("3.0"); `place` is their folder."""

    version: str
    place: Path
    parts: tuple[PartOfSpeech, ...]
    _known: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the lemmas, in their own case, that share a synset with `word` or a base form of it."""
        found = self._known.get(word)
        if found is None:
            lower = word.lower()
            found = frozenset(
                synonym
                for part in self.parts
                for lemma in part.base_forms(lower)
                for synonym in part.synset_words(lemma)
            )
            self._known[word] = found
        return found


def find_wordnet(folders: Iterable[Path]) -> WordNet | None:
    """Return WordNet from the first folder of NLTK data that has it, else Debian's, else None.

    A folder may hold `corpora/wordnet/` or, as NLTK's downloader leaves it, `corpora/wordnet.zip`.
    """
    for folder in folders:
        if (folder / "corpora/wordnet/index.noun").is_file():
            return load_wordnet(folder / "corpora/wordnet")
        if (folder / "corpora/wordnet.zip").is_file():
            return load_wordnet(folder / "corpora/wordnet.zip")
    return load_wordnet(DEBIAN) if (DEBIAN / "index.noun").is_file() else None


def load_wordnet(place: Path) -> WordNet:
    """Return WordNet from a folder with its twelve files (`index.noun`, …) or a zip of `wordnet/`."""
    files = _read(place, [f"{kind}.{part}" for part in PARTS for kind in ("index", "data")])
    files |= _read(place, [f"{part}.exc" for part in PARTS])
    version = re.search(rb"WordNet (\d+\.\d+)", files["index.noun"][:4096])
    parts = tuple(
        PartOfSpeech(
            index=_index(files[f"index.{part}"]),
            exceptions=_exceptions(files[f"{part}.exc"].decode()),
            endings=ENDINGS[part],
            data=files[f"data.{part}"],
        )
        for part in PARTS
    )
    return WordNet(version[1].decode() if version else "of unknown version", place, parts)


def _read(place: Path, names: list[str]) -> dict[str, bytes]:
    if place.suffix == ".zip":
        with zipfile.ZipFile(place) as archive:
            return {name: archive.read(f"wordnet/{name}") for name in names}
    return {name: (place / name).read_bytes() for name in names}


def _index(content: bytes) -> dict[bytes, bytes]:
    # A line is "lemma pos synset_count …"; those that begin with a space are the licence.
    lines = (line.partition(b" ") for line in content.split(b"\n") if line and not line.startswith(b" "))
    return {lemma: rest for lemma, _, rest in lines}


def _exceptions(text: str) -> dict[str, list[str]]:
    lines = (line.split() for line in text.splitlines() if line)
    return {words[0]: words[1:] for words in lines}
