"""Detect old encodings of texts, by letters and language together, because texts do not name their encoding."""

from __future__ import annotations

from core.documents.language import SURE, identifier

LANGUAGES = {
    "cp1252": "en fr de es pt it nl sv da no fi id sw",
    "cp1250": "pl cs hu ro",
    "iso8859_2": "pl cs hu ro",
    "cp1251": "ru uk bg sr",
    "koi8_r": "ru uk bg",
    "cp1253": "el",
    "cp1254": "tr",
    "cp1255": "he",
    "cp1256": "ar fa ur",
    "cp932": "ja",
    "euc_jp": "ja",
    "cp949": "ko",
    "gb18030": "zh",
    "big5": "zh",
}
"""Old encodings, with the languages written in each."""

NAMES = {
    "cp1252": "Windows-1252 (Western European)",
    "cp1250": "Windows-1250 (Central European)",
    "iso8859_2": "ISO 8859-2 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8_r": "KOI8-R (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp932": "Shift-JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "cp949": "CP949 (Korean)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
}
MAX_MESS = 0.35
"""Largest share of odd letter pairs in text, for charset-normalizer; Czech and Polish reach 0.1."""

APART = 0.05
"""Minimum difference in that share between the best reading and other readings."""

MAX_BYTES = 5000
"""Number of bytes to examine, around the first letter that is not ASCII."""


def old_encoding(content: bytes) -> str:
    """Return the only encoding that gives text in one of its languages; "" for none or several.

    charset-normalizer judges letters only, and reads a short "à" as "ŕ". So py3langid also judges the language. If two
    encodings give different texts, neither is returned: a question is better than a wrong quotation.
    """
    from charset_normalizer import from_bytes

    content = _around_first_letter(content)
    readings = sorted(
        (match.chaos, place, encoding)
        for match in from_bytes(content, cp_isolation=list(LANGUAGES), threshold=MAX_MESS)
        for place, encoding in enumerate(LANGUAGES)
        if encoding in (match.encoding, *match.could_be_from_charset) and _is_of_its_language(content, encoding)
    )
    if not readings:
        return ""
    least, _, best = readings[0]
    close = (encoding for mess, _, encoding in readings[1:] if mess - least < APART)
    text = content.decode(best, "replace")
    return best if all(content.decode(encoding, "replace") == text for encoding in close) else ""


def _around_first_letter(content: bytes) -> bytes:
    """Return the part to examine, cut at line ends, so that no letter is divided."""
    first = next((at for at, byte in enumerate(content) if byte > 127), 0)
    part = content[max(0, first - MAX_BYTES // 2) :]
    return part[: part.rfind(b"\n", 0, MAX_BYTES)] if len(part) > MAX_BYTES else part


def _is_of_its_language(content: bytes, encoding: str) -> bool:
    """Return whether the decoded bytes are in a language of the encoding."""
    ranked = dict(identifier().rank(content.decode(encoding, "replace")))
    language = max(ranked, key=lambda code: ranked[code])
    return language in LANGUAGES[encoding].split() and ranked[language] >= SURE
