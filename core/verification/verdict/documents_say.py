"""Sum up the documents in a sentence, quote one, and name the terms that they lack. Rules only, no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from core.retrieval.chunking import sentence_spans
from core.types import Case, Document, Label, PassageStance, Stance, Verdict
from core.verification.claim_parts import undecidable_claim
from core.verification.stance.amounts import Amount, amounts
from core.verification.stance.corrections import notice_on
from core.verification.stance.differences import ONE_OF_THEM
from core.verification.stance.names import Name, names
from core.verification.stance.stance_words import AGAINST
from core.verification.stance.two_amounts import DATES, agree, mid_sentence, phrase
from core.verification.stance.words import Word, is_content, lexicon, words_of
from core.verification.verdict.classifier import CLASSIFIER
from core.verification.verdict.evidence import SURE, of_a_part
from core.verification.verdict.source_voices import SourceVoice, on_topic, voices_of
from core.verification.verdict.verdict_words import DOUBT, is_rule_based, shown_label
from core.verification.verdict.verdict_words import WORDS as VERDICTS
from core.wording import day, listed, number_words, on_one_line

SILENT = "The documents do not speak of this."
UNREAD = "The documents on this could not be read well enough."
UNCLEAR = "No passage that takes a side is clear enough for a verdict."
DISAGREE = "The sources that take a side do not agree, and none outweighs the others."
WEIGHED = "Many web pages are weighed together, and these leave it open."
NOTHING_MISSING = "The documents have the claim’s names and numbers, but no sentence says clearly whether it is so."

NAMED = 2
"""The most sources of a side, and the most missing terms, that the sentence names."""

LONGEST_NAME = 60
"""Characters of a source's name, which a page may choose freely."""


def documents_say(claim: str, verdict: Verdict) -> str:
    """Return a sentence or two on the documents: how many sources take which side of a claim, and their names."""
    voices = voices_of(verdict.stances)
    if not voices:
        return UNREAD if any(one.kind == "language" for one in verdict.stances) else SILENT
    order = [Stance.FOR, Stance.AGAINST]
    if shown_label(verdict) is not Label.SUPPORTED:
        order.reverse()
    sided = [voice for voice in voices if voice.strongest(Stance.FOR) or voice.strongest(Stance.AGAINST)]
    if not sided:
        return _open(len(voices))
    said = list[str]()
    for stance in order:
        clauses, details = _joined(_clauses(claim, voices, stance))
        said += [_sentence(*one, len(voices), verdict, first=not said and not at) for at, one in enumerate(clauses)]
        said += [f"{_named(sources)} {one if len(sources) == 1 else more}." for one, more, sources in details]
    return " ".join([*said, *_others(len(voices) - len(sided)), *map(_origin, _copied(voices))])


Clause = tuple[str, str, list[SourceVoice]]
"""The words for one source and for several, and the sources."""


def said_of_documents(case: Case) -> str:
    """Return the sentence on the documents of a finished case; the classifier's names the deciding part too."""
    assert case.verdict is not None
    if case.evidence and not case.verdict.stances:  # answers without passages
        label = shown_label(case.verdict)
        return (VERDICTS[label] if label else DOUBT).meaning
    check = case.verdict.check or case.verdict
    written = check.justification if check.judge == CLASSIFIER else ""
    return written or documents_say(case.claim.text, case.verdict)


def _clauses(claim: str, voices: Sequence[SourceVoice], stance: Stance) -> list[Clause]:
    """Return the sides that voices take: those that say the same together, the most frequent first."""
    found = [(one, voice) for voice in voices if (one := voice.strongest(stance))]
    phrased = [(_phrase(claim, one), voice) for one, voice in found]
    if len({phrase for phrase, _ in phrased} & {*AGAINST.values()}) > 1:  # one group for all without a named difference
        phrased = [(AGAINST["reading"] if said in AGAINST.values() else said, voice) for said, voice in phrased]
    phrased.sort(key=lambda pair: pair[0])
    groups = [(*phrase, [voice for _, voice in group]) for phrase, group in groupby(phrased, key=lambda pair: pair[0])]
    surest = {id(voice): one.probability for one, voice in found}
    return sorted(groups, key=lambda one: (-len(one[2]), -max(surest[id(voice)] for voice in one[2])))


def _joined(clauses: list[Clause]) -> tuple[list[Clause], list[Clause]]:
    """Return the clauses of a side, and their details. Sources that contradict in several ways are one clause."""
    against = [clause for clause in clauses if not clause[0].startswith("agrees")]
    if len(against) < 2:
        return clauses, []
    voices = [voice for *_, some in against for voice in some]
    named = [clause for clause in against if clause[:2] not in AGAINST.values()]
    return [("contradicts the claim", "contradict the claim", voices)], named


def _phrase(claim: str, one: PassageStance) -> tuple[str, str]:
    """Return the words for a passage's side, for one source and for several."""
    if one.stance is Stance.FOR:
        agreed = "a part of the claim" if of_a_part(one) else "the claim"
        return f"agrees with {agreed}", f"agree with {agreed}"
    text, reason = one.passage.document.text, one.reason.lower()
    named = next((words for span in one.spans if (words := text[slice(*span)]) and words.lower() in reason), "")
    claimed = claim[slice(*one.claim_spans[0])] if one.claim_spans else ""
    apart = named and claimed and named.lower() != claimed.lower()  # "a fall of 10", "a rise of 10"
    if one.kind in ("number", "date", "name") and apart and len(named) <= LONGEST_NAME:
        if one.kind == "name":
            said = f"{on_one_line(named)}, not {claimed}"
            return f"names {said}", f"name {said}"
        said = f"{mid_sentence(on_one_line(named))}, not {mid_sentence(_apart(claimed, named))}"
        return f"says {said}", f"say {said}"
    return AGAINST[one.kind if one.kind in ("negation", "antonym", "denial") else "reading"]


def _apart(claimed: str, named: str) -> str:
    """Return the claimed amount without the last words that the other has too: "430" of "430 million pounds"."""
    words, others = claimed.split(), named.split()
    while len(words) > 1 and len(others) > 1 and words[-1] == others[-1]:
        words, others = words[:-1], others[:-1]
    return " ".join(words)


def _sentence(one: str, several: str, voices: Sequence[SourceVoice], of: int, verdict: Verdict, *, first: bool) -> str:
    count = len(voices)
    said = one if count == 1 else several
    sided = [one for voice in voices for one in voice.stances if one.stance in (Stance.FOR, Stance.AGAINST)]
    if verdict.cannot_tell and all(one.probability < SURE for one in sided):
        said = f"{'seems' if count == 1 else 'seem'} to {several}"
    who = _share(count, of) if first else number_words(count).capitalize()
    return f"{who} {said}: {_named(voices)}."


def _share(count: int, of: int) -> str:
    """Return how many of the sources, as the subject of a sentence."""
    if count < of:
        return f"{number_words(count).capitalize()} of {number_words(of)} sources on this"
    return {1: "The one source on this", 2: "Both sources on this"}.get(of, f"All {number_words(of)} sources on this")


def _open(of: int) -> str:
    """Return the sentence for sources if none takes a side."""
    if of == 1:
        return "The one source on this leaves it open."
    return f"{'Neither' if of == 2 else 'None'} of {number_words(of)} sources on this settles it."


def _others(count: int) -> list[str]:
    return [f"{number_words(count).capitalize()} {'leaves' if count == 1 else 'leave'} it open."] if count else []


def _named(voices: Sequence[SourceVoice]) -> str:
    """Return the first sources by name and date, and how many more there are."""
    more = [f"{number_words(len(voices) - NAMED)} more"] if len(voices) > NAMED else []
    return listed([*(source_and_day(voice.first) for voice in voices[:NAMED]), *more])


def source_and_day(document: Document) -> str:
    """Return the name of a source with its date where it has one: "Kelmouth Courier (14 March 2023)"."""
    return f"{source_name(document)} ({day(document.published)})" if document.published else source_name(document)


def source_name(document: Document) -> str:
    """Return the name by which a reader knows a source: that of the site, or a file's title."""
    if not document.on_web:
        return on_one_line(document.title or document.site, LONGEST_NAME)
    return on_one_line(
        document.site_name if _is_name_of(document.site_name, document.site) else document.site, LONGEST_NAME
    )


def _is_name_of(name: str, host: str) -> bool:
    """Say whether a page's name for its site is like the address: a page may give itself any name."""
    letters = "".join(filter(str.isalnum, name.lower()))
    labels = [label.replace("-", "") for label in host.split(".")[:-1]]
    return any(len(label) > 2 and (label in letters or (len(letters) > 2 and letters in label)) for label in labels)


def _copied(voices: Sequence[SourceVoice]) -> list[SourceVoice]:
    return [voice for voice in voices if len(voice.documents) > 1]


def _origin(voice: SourceVoice) -> str:
    """Return how many sources carry one text, and which of them is the earliest, as far as their dates say."""
    count, undated = len(voice.documents), sum(one.published is None for one in voice.documents)
    said = f"{count} sources, 1 original: {listed([source_name(one) for one in voice.documents])} carry one text"
    if undated == count:
        return f"{said}, and none has a date."
    unsure = f", and {number_words(undated)} {'has' if undated == 1 else 'have'} no date" if undated else ""
    return f"{said}; the earliest dated is {source_and_day(voice.first)}{unsure}."


def quoted_stances(verdict: Verdict) -> tuple[PassageStance, ...]:
    """Return the passages to quote first: the surest on the verdict's side, or one of each side.

    Without a verdict it is the surest that takes a side. Empty where none does.
    """
    sides = {Label.SUPPORTED: (Stance.FOR,), Label.REFUTED: (Stance.AGAINST,)}
    label = shown_label(verdict)
    wanted = sides.get(label, (Stance.AGAINST, Stance.FOR)) if label else (Stance.AGAINST, Stance.FOR)
    found = [_surest(verdict, stance) for stance in wanted]
    shown = [one for one in found if one]
    return tuple(shown if label else sorted(shown, key=lambda one: -one.probability)[:1])


def _surest(verdict: Verdict, stance: Stance) -> PassageStance | None:
    """Return the passage of a stance that decides, else that of the surest source."""
    decisive = [verdict.stances[at] for at in verdict.decisive if verdict.stances[at].stance is stance]
    found = decisive or [one for voice in voices_of(verdict.stances) if (one := voice.strongest(stance))]
    return max(found, key=lambda surest: surest.probability, default=None)


def open_places(verdict: Verdict) -> tuple[int, ...]:
    """Return the places of the passages that decide; where none does alone, of those that are quoted."""
    return verdict.decisive or tuple(at for at, one in enumerate(verdict.stances) if one in quoted_stances(verdict))


def place_of(one: PassageStance) -> int:
    """Return the first character of its document that counts for a stance, else the first of the passage."""
    return min((start for start, _ in one.spans), default=one.passage.start)


def sentence_of(one: PassageStance) -> str:
    """Return the sentence of a passage that holds most of the words that count, word for word.

    "These beliefs are wrong" is quoted with the next sentence if that one names the belief: "One of them is that …". A
    sentence that the document corrects is quoted with the notice.
    """
    passage = one.passage
    spans = [(passage.start + start, passage.start + end) for start, end in sentence_spans(passage.text)]
    whole = passage.start, passage.end

    def held(span: tuple[int, int]) -> int:
        return sum(max(0, min(span[1], end) - max(span[0], start)) for start, end in one.spans)

    text = passage.document.text
    start, end = max(spans or [whole], key=held)
    following = next((span for span in spans if span[0] >= end), (end, end))
    named = one.kind == "denial" and ONE_OF_THEM.match(text[slice(*following)])
    quoted = text[start : following[1] if named else end].strip()
    notice = notice_on(text, (start, end))
    return f"{quoted} … {notice}" if notice else quoted


def missing(case: Case) -> tuple[str, ...]:
    """Return sentences on why the documents settle nothing: the claim's terms that they lack, at most two.

    There are none if no document can settle the claim: its caveat says why. Names and years come first, then other
    numbers, then words. A term is missing if no passage on the topic has it.
    """
    verdict = case.verdict
    if verdict is None or undecidable_claim(case.claim.text, case.claim.date):
        return ()
    check = verdict.check or verdict
    if any(shown_label(one) not in (None, Label.NOT_ENOUGH_EVIDENCE) for one in (verdict, check)):
        return ()
    topical = on_topic(verdict.stances)
    near = [one.passage for one in topical or verdict.stances]
    documents = {one.passage.document for one in verdict.stances} | {hit.passage.document for hit in case.hits}
    near_text = "\n".join(passage.text for passage in near)
    all_text = "\n".join(document.text for document in documents)
    whole = 0 < case.corpus.documents <= len(documents)
    found = []
    for said, term in _terms(case.claim.text, words=not _sides(verdict)):
        if not _has(term, near_text):
            nowhere = whole and not _has(term, all_text)
            place = "document" if nowhere else "passage on this" if topical else "passage found"
            found.append(f"No {place} {said}.")
    sides = _sides(verdict)
    unclear = [DISAGREE if len(sides) > 1 else UNCLEAR if is_rule_based(check) else WEIGHED] if sides else []
    return tuple((unclear + found)[:NAMED]) or (NOTHING_MISSING,)


def _sides(verdict: Verdict) -> set[Stance]:
    return {one.stance for one in verdict.stances} & {Stance.FOR, Stance.AGAINST}


Term = Name | Amount | Word


def _terms(claim: str, *, words: bool) -> Iterator[tuple[str, Term]]:
    """Yield the names, dates, amounts and other words of a claim, each with a verb for documents."""
    every = words_of(claim)
    named, numbers = names(claim, every), amounts(claim)
    yield from ((f"mentions “{name.text}”", name) for name in named)
    dates, others = ([one for one in numbers if (one.kind in DATES) is date] for date in (True, False))
    yield from ((f"speaks of {phrase(date)}", date) for date in dates)
    yield from ((f"says “{phrase(amount)}”", amount) for amount in others)
    taken = [*(one.span for one in named), *(one.span for one in numbers)]
    for word in every if words else ():
        if is_content(word) and not any(start <= word.start < end for start, end in taken):
            yield f"uses the word “{word.text}”", word


def _has(term: Term, text: str) -> bool:
    """Say whether a text has a word of a name, an equal number, or a word or its synonym."""
    if isinstance(term, Amount):
        return any(agree(term, one) for one in amounts(text))
    told = words_of(text)
    stems = {word.stem for word in told}
    if isinstance(term, Name):
        return any(word.stem in stems for word in words_of(term.text) if is_content(word))
    like = lexicon().synonyms.get(term.lower, frozenset())
    return term.stem in stems or any(word.lower in like for word in told)
