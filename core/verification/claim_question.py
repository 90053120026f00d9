"""Turn a statement into the question whether it is so, by rules: "Is X Y?", "Did X do Y?".

The rules look at words and their order. Where they are in doubt, there is no question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from core.interfaces import Encoder, Stop, never
from core.retrieval.chunking import sentence_spans
from core.terms import STOP_WORDS, lower_words, words
from core.types import Case, Passage, PassageStance, Stance
from core.verification.claim_intake import asks
from core.verification.claim_parts import ClaimPart, parts_of
from core.verification.question_focus import Focus, content_terms, focus_of
from core.verification.question_judge import DraftQuestion, answered_by, vectors_of
from core.verification.stance.numerals import measures
from core.verification.stance.polarity import content_of
from core.verification.stance.stance_words import UNCOUNTED
from core.verification.verb_forms import base_of_past, base_of_third, is_base, is_only_past, is_participle
from core.verification.verdict.evidence import ON_PART

MOST_WORDS = 26
"""A longer question is no headline."""

LEAST_COSINE = {Stance.FOR: 0.5, Stance.AGAINST: 0.5, Stance.ABOUT: 0.55}
"""The least cosine of a question with a passage or its sentence, by the passage's stance."""

LEAST_SHARE = {Stance.FOR: 0.5, Stance.AGAINST: 0.7}
"""The least share of a claim's terms, numbers apart, in a sentence of a passage that takes a side.

A passage on another year or city seems to disagree too. One that says the opposite needs the cosine alone.
"""

LEAST_ANSWERED = 0.9
"""The least probability, by the judge of questions, that a passage without a side answers the claim's question."""

_BE = frozenset("is are was were".split())
_HAVE = frozenset("has have had".split())
_DO = frozenset("does do did".split())
_NEVER_FIRST = frozenset(("may", "might", "shall"))
_AUXILIARIES = _BE | _HAVE | _DO | _NEVER_FIRST | frozenset("can could will would must should".split())
_NOT = {
    "isn't": "is", "aren't": "are", "wasn't": "was", "weren't": "were", "hasn't": "has", "haven't": "have",
    "hadn't": "had", "doesn't": "does", "don't": "do", "didn't": "did", "can't": "can", "cannot": "can",
    "couldn't": "could", "won't": "will", "wouldn't": "would",
}  # fmt: skip
_DETERMINERS = frozenset(
    "a an the this that these those its his her their our my your another each every some any no all both".split()
)
_PREPOSITIONS = frozenset(
    "by in from at with on for of to into as under over near during since until against about than within between "
    "through across among around behind below above per like towards toward via without".split()
)
_ADVERBS = frozenset(
    "also now still soon already always often usually recently just then later once ever currently long all both "
    "either even mostly largely widely mainly".split()
)
_UNCLEAR = frozenset(
    "i we you he she they this these those it here who whoever what which when where why how whether if thanks apart "
    "according less".split()
)
"""Subjects that only the text around a statement names, and words that begin no statement."""

_OWN = frozenset("i we our ours my mine me you your yours i'm we're we've i've you're".split())
_INSIDE = frozenset(
    "that who which whom whose where when while because although though if whether what how why".split()
)
_JOINING = frozenset("and but or while whereas although though yet so".split())
_SIGNS = re.compile(r"[“”\"«»:;?!()\[\]{}<>|*_#@/\\…=]|\.\.|--|[–—]|(?<!\w)'|(?<!s)'(?!\w)|https?")
_SAYING = {"said": "say", "says": "say", "wrote": "write", "writes": "write", "tweeted": "tweet", "stated": "state"}
_SAID = re.compile(
    rf"(?P<who>[^“”\":,]{{3,60}}) (?P<verb>{'|'.join(_SAYING)})(?P<how> [^“”\":,]{{2,30}})?\s?[:,]? ?"
    r"[“\"](?P<words>[^“”\"]{8,})[”\"]"
)
_OPENING = re.compile(
    r"(?:In|On|At|By|During|Since|Until|Between|Before|After|From|Within|Under|Despite|Following|Because of|Due to)\b"
    r"(?:[^,]|,(?=\d)){2,50},(?!\d)|Today,|Currently,"
)
_ACRONYM = re.compile(r"\s*\([A-Z][\w&.-]{1,9}\)")
_DATE = re.compile(
    r"(?:In|Since|By|During|On|Until|Before|After)\s(?:the\s)?(?:(?:early|late|mid)\s)?"
    r"(?:(?:\d{1,2}(?:st|nd|rd|th)?\s)?(?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December)(?:\s\d{1,2}(?:st|nd|rd|th)?)?(?:,?\s\d{4})?|\d{4}s?|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
    r"(?=\s)(?!\s(?:and|or|to|until)\b)"
)
_COUNTS = frozenset(
    "one all most many much few half some several every each both nearly almost about over more".split()
)
_NOBODY = {"nobody": "anybody", "none of": "any of", "nothing": "anything", "no one": "anyone"}
_SMALL = _DETERMINERS | _PREPOSITIONS | frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirty forty fifty sixty seventy eighty ninety "
    "hundred more most many much few fewer less half nearly almost about some there people women men children "
    "neither several other such only not never nobody none nothing over roughly every today at".split()
)  # fmt: skip


def claim_questions(case: Case, encoder: Encoder, *, stop: Stop = never) -> dict[Passage, str]:
    """Return the claim as a question for each passage that answers it. Of several parts it is the passage's part.

    One that agrees has to be near the question, one that disagrees has to speak of the same thing. To one that takes no
    side the judge of questions has to say that it answers. A part that the rules doubt has no question.
    """
    if case.verdict is None:
        return {}
    parts = parts_of(case.claim.text)
    stances = [one for one in case.verdict.stances if one.stance in LEAST_COSINE and one.kind not in UNCOUNTED]
    known = [text for one in stances for text in (one.passage.text, one.passage.document.title)]
    asked = {part: question_of(content_of(part.text).text, known) for part in parts}
    pairs = [(one, part) for one in stances for part in _parts_meant(one, parts) if asked[part]]
    if not pairs:
        return {}
    focuses = [focus_of(part.text, one.passage, one) for one, part in pairs]
    found = dict[Passage, str]()
    for (one, part), focus, cosine in zip(pairs, focuses, _cosines(pairs, asked, focuses, encoder, stop), strict=True):
        near = cosine >= LEAST_COSINE[one.stance]
        if one.stance is Stance.ABOUT:
            draft = DraftQuestion(asked[part], one.passage.text, focus.span, part.text)
            answers = near and answered_by(draft, encoder, stop=stop) >= LEAST_ANSWERED
        else:
            answers = near and (one.stance is Stance.FOR or one.kind == "antonym")
            answers = answers or _most_terms(part.text, one.passage.text) >= LEAST_SHARE[one.stance]
        if answers:
            found.setdefault(one.passage, asked[part])
    return found


def _cosines(
    pairs: Sequence[tuple[PassageStance, ClaimPart]],
    asked: Mapping[ClaimPart, str],
    focuses: Sequence[Focus],
    encoder: Encoder,
    stop: Stop,
) -> list[float]:
    """Return the cosine of each part's question with the passage or its sentence, whichever is nearer."""
    drafts = [
        DraftQuestion(asked[part], one.passage.text, focus.text)
        for (one, part), focus in zip(pairs, focuses, strict=True)
    ]
    vectors = vectors_of(drafts, encoder, stop=stop)
    near = ((vectors.question * other).sum(axis=1) for other in (vectors.passage, vectors.span))
    return [float(cosine) for cosine in np.maximum(*near)]


def _most_terms(claim: str, passage: str) -> float:
    """Return the largest share of a claim's terms, numbers apart, in a sentence of a passage."""
    own = content_terms(" ".join(word for word in words(claim) if not _is_number(word)))
    found = [len(own & content_terms(passage[start:end])) for start, end in sentence_spans(passage)]
    return max(found, default=0) / max(len(own), 1)


def _is_number(word: str) -> bool:
    known, lower = measures(), word.lower()
    return word[0].isdigit() or lower in known.numbers or lower in known.scales or lower in ("per", "cent", "percent")


def _parts_meant(one: PassageStance, parts: Sequence[ClaimPart]) -> Sequence[ClaimPart]:
    """Return the part of a claim that a stance is about; all parts if it is the same on each."""
    meant = [part for part in parts if one.reason.startswith(f"{ON_PART}{part.text}”")]
    return meant or parts


def question_of(statement: str, known: Sequence[str] = ()) -> str:
    """Return the question whether a statement is so, "" where the rules are in doubt.

    The `known` texts say whether its first word is a name.
    """
    text = _ACRONYM.sub("", " ".join(statement.split())).rstrip(".").replace("’", "'")
    if said := _SAID.fullmatch(text):
        return _quotation(said)
    if not _plain(text):
        return ""
    opening, rest = _opening(text)
    tokens = rest.split(" ")
    if not 3 <= len(tokens) <= MOST_WORDS or tokens[0].lower() in _UNCLEAR | _INSIDE:
        return ""
    asked = _inverted(tokens, known, first=not opening)
    if not asked:
        return ""
    whole = f"{opening} {asked}?".strip()
    return whole[0].upper() + whole[1:]


def _quotation(said: re.Match[str]) -> str:
    """Return the question whether somebody said the words of a quotation; "" for one of many words."""
    who, quoted = said["who"].strip(" ,"), said["words"].strip(" ,.")
    clear = not set(lower_words(who)) & (_INSIDE | _UNCLEAR) and who[0].isupper() and len(quoted.split()) <= MOST_WORDS
    if not clear or any(_finite(word) for word in who.split()):
        return ""
    first = who if who.split()[0].lower() not in _SMALL else who[0].lower() + who[1:]
    auxiliary = "Does" if said["verb"] == "says" else "Did"
    return f"{auxiliary} {first} {_SAYING[said['verb']]}{said['how'] or ''}: “{quoted}”?"


def _plain(text: str) -> bool:
    """Say whether a text is one statement in its writer's words, with nothing that a question cannot hold."""
    said = {word.strip(",.") for word in text.split()}
    own = "us" in said or {word.lower() for word in said} & _OWN
    if not text or _SIGNS.search(text) or own or len(sentence_spans(text)) > 1:
        return False
    return not (_is_title(text) or asks(text) or content_of(text).denied)


def _is_title(text: str) -> bool:
    """Say whether a text is written as a headline: all its words but the small ones have capitals."""
    return not any(word[0].islower() and word.lower() not in STOP_WORDS and len(word) > 2 for word in text.split())


def _opening(text: str) -> tuple[str, str]:
    """Return the words of time or place before a statement's subject, with a comma, and the rest."""
    found = _OPENING.match(text) or _DATE.match(text)
    if found is None or not text[found.end() :].strip():
        return "", text
    opening, rest = found.group().rstrip(","), text[found.end() :].strip()
    if any(_finite(word) for word in opening.split()[1:]):
        return "", ""
    return f"{opening},", rest


def _finite(word: str) -> bool:
    return word in _AUXILIARIES or word in _NOT or bool(base_of_past(word))


def _inverted(tokens: Sequence[str], known: Sequence[str], *, first: bool) -> str:
    """Return the words of a statement in the order of a question, without its mark.

    `first` says that its first word begins a sentence, so that its capital says nothing.
    """
    bare = [token.strip(",").lower() for token in tokens]
    verb = _verb(tokens, bare)
    if verb is None:
        return ""
    never = bare[verb - 1] == "never"
    subject, predicate = list(tokens[: verb - never]), _predicate(tokens, bare, verb)
    if predicate is None or not subject or not _is_subject(subject, bare[: len(subject)]):
        return ""
    auxiliary, rest = predicate
    rest = ["ever", *rest] if never else rest
    named = _asked_of(subject, known, first=first)
    return " ".join([auxiliary, named, *rest]) if named else ""


def _verb(tokens: Sequence[str], bare: Sequence[str]) -> int | None:
    """Return the place of a statement's verb; None where it has none, or where two words may be it."""
    places = [at for at in range(1, len(bare)) if _may_be_verb(tokens, bare, at)]
    if not places:
        return None
    first = places[0]
    if bare[first] in _AUXILIARIES or bare[first] in _NOT or is_only_past(bare[first]):
        return first
    if (
        base_of_third(bare[first])
        and any(base_of_past(bare[at]) for at in places[1:])
        and bare[first + 1] in _PREPOSITIONS
    ):
        first, places = places[1], places[1:]  # "votes from ward 4 ended up": a noun
    later = next((at for at in places[1:] if not _of_clause(bare, first, at)), None)
    if later is None:
        return first if _governs(tokens, bare, first) else None
    return None


def _may_be_verb(tokens: Sequence[str], bare: Sequence[str], at: int) -> bool:
    word, before = bare[at], bare[at - 1]
    if tokens[at][0].isupper() or before in _DETERMINERS or before in _PREPOSITIONS or tokens[at - 1].endswith("'s"):
        return False
    if word in _AUXILIARIES or word in _NOT:
        return True
    if base_of_past(word):
        return True
    if base_of_third(word):
        return not before.endswith("s") or before.endswith("ss") or tokens[at - 1][0].isupper()
    head = _head(bare[:at])
    return is_base(word) and _is_plural(before if head[-1] == "%" or head in _SMALL else head)


def _head(bare: Sequence[str]) -> str:
    """Return the last word before the first preposition of a subject."""
    end = next((at for at, word in enumerate(bare) if at and word in _PREPOSITIONS), len(bare))
    return bare[end - 1] if end else ""


def _is_plural(word: str) -> bool:
    return word in ("people", "women", "men", "children", "police") or (word.endswith("s") and not word.endswith("ss"))


def _of_clause(bare: Sequence[str], first: int, at: int) -> bool:
    """Say whether a word that begins a clause is between two places."""
    return any(word in _INSIDE or word in ("than", "as", "before", "after", "to") for word in bare[first + 1 : at])


def _governs(tokens: Sequence[str], bare: Sequence[str], at: int) -> bool:
    """Say whether a word is more likely a verb than a noun or the participle of the noun before it."""
    if at + 1 == len(bare):
        return bool(base_of_past(bare[at]))
    after = bare[at + 1]
    by = after == "by" and not any(character.isdigit() for character in " ".join(bare[at + 2 : at + 6]))
    return not by and not tokens[at].endswith(",") and after not in ("and", "or")


def _predicate(tokens: Sequence[str], bare: Sequence[str], verb: int) -> tuple[str, list[str]] | None:
    """Return the auxiliary of the question and the words after its subject; None in doubt."""
    word, rest = bare[verb], list(tokens[verb + 1 :])
    if (not rest and (word in _AUXILIARIES or word in _NOT)) or _second_verb(tokens, bare, verb):
        return None
    counted = _is_number(bare[0]) or bare[0] in _COUNTS  # "one in four is not used": without "not", another share
    if counted and (word in _NOT or {"not", "never"} & {*bare[verb - 1 : verb + 2]}):
        return None
    if word in _NOT:
        return _NOT[word], rest
    if word in _AUXILIARIES:
        if bare[verb + 1] == "not":
            if len(rest) < 2 or bare[verb + 2] in ("only", "just", "all", "a", "until", "every", "even", "necessarily"):
                return None
            return word, rest[1:]
        if bare[verb + 1] == "never":
            return word, ["ever", *rest[1:]]
        if word in _BE or _helps(bare, verb):
            return None if word in _NEVER_FIRST else (word, rest)
        if word in _HAVE and base_of_past(bare[verb + 1]):
            return None
        base = {"has": "have", "had": "have", "does": "do", "did": "do"}.get(word, word)
        return {"has": "does", "have": "do", "had": "did", "does": "does", "do": "do", "did": "did"}[word], [
            base,
            *rest,
        ]
    if base := base_of_past(word):
        return "did", [base + tokens[verb][len(word) :], *rest]
    if base := base_of_third(word):
        return "does", [base + tokens[verb][len(word) :], *rest]
    return "do", [tokens[verb], *rest]


def _helps(bare: Sequence[str], verb: int) -> bool:
    """Say whether a form of "have" or "do", or another auxiliary, has a verb after it."""
    word = bare[verb]
    after = next((one for one in bare[verb + 1 :] if one not in _ADVERBS and not one.endswith("ly")), "")
    if word in _HAVE:
        return is_participle(after) and after not in ("left", "set", "cut", "hit", "cast", "shut", "read", "spread")
    return word not in _DO or is_base(after)


def _second_verb(tokens: Sequence[str], bare: Sequence[str], verb: int) -> bool:
    """Say whether a second verb with the same subject may follow "and" or "but": both would have to change."""
    for at in range(verb + 1, len(bare) - 1):
        if bare[at] not in _JOINING:
            continue
        later = range(at + 1, len(bare))
        if any(_may_be_verb(tokens, bare, place) for place in later):
            return True
    return False


def _is_subject(subject: Sequence[str], bare: Sequence[str]) -> bool:
    """Say whether words can be the subject of a question as they are."""
    if set(bare) & _INSIDE or len(subject) > 14 or bare[-1] in _PREPOSITIONS | _DETERMINERS | {"and", "or"}:
        return False
    if bare[0] in _PREPOSITIONS - {"over", "about", "around"} or bare[0].endswith("ly") or bare[0] in ("not", "never"):
        return False
    commas = sum(token.endswith(",") for token in subject)
    return commas == 0 or (commas == 2 and subject[-1].endswith(","))


def _asked_of(subject: Sequence[str], known: Sequence[str], *, first: bool) -> str:
    """Return a subject within a question: "anybody" in place of "nobody", a name as it is; "" in doubt."""
    whole = " ".join(subject)
    for no, some in _NOBODY.items():
        if whole.lower().startswith(f"{no} ") or whole.lower() == no:
            return some + whole[len(no) :]
    word = re.split(r"[,']", subject[0])[0]
    if word.lower() in ("no", "none", "neither", "not", "nor"):
        return ""
    named = not first or _is_name(word, len(subject) > 1 and subject[1][0].isupper(), known)
    return "" if named is None else whole if named else whole[0].lower() + whole[1:]


def _is_name(word: str, name_follows: bool, known: Sequence[str]) -> bool | None:
    """Say whether the first word of a statement is a name, by how texts write it; None in doubt."""
    if word.lower() in _SMALL or not word[:1].isupper():
        return False
    if name_follows or word[1:] != word[1:].lower():
        return True
    if _is_in(known, rf"(?<![\w-]){re.escape(word.lower())}"):
        return False
    if _is_in(known, rf"[a-z,] {re.escape(word)}"):
        return True
    if word.endswith("ing") or _is_plural(word):
        return False
    return True if _is_in(known, rf"(?<![\w-]){re.escape(word)}") else None


def _is_in(texts: Sequence[str], pattern: str) -> bool:
    return any(re.search(rf"{pattern}(?![\w-])", text) for text in texts)
