"""Read the sets of questions that people wrote or judged, under licences that allow weights to be distributed.

The folder's README names their sources. Rows that are held out serve for measuring alone.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput, BadRecord
from core.retrieval.chunking import sentence_spans
from core.terms import STOP_WORDS, strange_words, words
from core.verification.question_focus import NAME, candidates_of, content_terms, kind_of
from core.verification.question_judge import asked_for
from core.verification.questions import asks_of_text, is_generic, is_question, named_terms, speaks_to_nobody

HELD_OUT = 10
"""One text or article in this many is held out."""

WRITTEN = (
    "SQuAD 2.0 (Rajpurkar et al., ACL 2018), CC BY-SA 4.0",
    "QAMR (Michael et al., NAACL 2018), MIT; its sentences are of Wikipedia, CC BY-SA, and Wikinews, CC BY",
    "QADiscourse (Pyatkin et al., EMNLP 2020), CC BY 4.0",
)
"""The sets of questions with their answers: the adapter learns from them alone."""

SOURCES = (
    *WRITTEN,
    "Query well-formedness (Faruqui and Das, EMNLP 2018), CC BY-SA 4.0",
    "Quiz design judgements (Laban et al., Findings of NAACL 2022), BSD-3-Clause",
)
"""All sets: the judge of questions learns from them."""

LICENCE = "cc-by-sa-4.0"

MIN_AGREE = 2
"""How many people at least must have given a question of QAMR the same answer."""

MOST_WORDS = 18
MOST_CLAIM_WORDS, MOST_PASSAGE_WORDS = 36, 44
MIN_TERMS = 3
"""The least terms of a question to learn from; one less if it has a name or a number."""

REASON = re.compile(
    r"What is the reason (?!for\b|that\b)((?:\S+ ){1,8}?)(is|are|was|were|has|had|can|could|will|would) (.+)"
)
"""The questions of QADiscourse that are easily put as somebody would ask: with "Why"."""

OF_NAMES = re.compile(r"\b(?:first|last|sur|full)[ -]?name\b")
"""Questions of QAMR for a part of a name."""

VAGUE = frozenset("something someone somebody anything thing things it he she they him her them his its their".split())


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question that a person wrote for an answer in a text. `beside` are the other sentences of its paragraph.

    `before` is the sentence before it. `topic` names its article or sentence: rows of one topic are held out together.
    """

    question: str
    passage: str
    answer: str
    source: str
    topic: str
    beside: tuple[str, ...] = ()
    before: str = ""

    @property
    def held_out(self) -> bool:
        return zlib.crc32(self.topic.encode()) % HELD_OUT == 0


@dataclass(frozen=True)
class RatedQuestion:
    """A question that people judged: `good` says how. `passage` is "" where they saw the question alone."""

    question: str
    good: bool
    passage: str
    answer: str
    reason: str
    held_out: bool


@dataclass(frozen=True)
class AskingExample:
    """A claim, a passage, the words of it that answer a question about the claim, and this question."""

    claim: str
    passage: str
    span: str
    question: str


def read_rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a set. Raises BadInput if it is missing, BadRecord for an unreadable row."""
    path = folder / f"{name}.jsonl.gz"
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                row = json.loads(line)
                if not isinstance(row, dict) or not isinstance(row.get("question"), str):
                    raise BadRecord(f"{path}:{number}: a row needs a question.")
                yield {**row, "question": " ".join(row["question"].replace(" ?", "?").split())}
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise BadRecord(f"{path} holds a line that is no JSON: {error}.") from error


def answered_questions(folder: Path) -> list[AnsweredQuestion]:
    """Return the questions with answers of SQuAD, QAMR and QADiscourse."""
    found = [*_squad(folder)]
    for row in read_rows(folder, "qamr"):
        if row["agree"] >= MIN_AGREE and row["answer"] in row["passage"]:
            found.append(AnsweredQuestion(row["question"], row["passage"], row["answer"], "qamr", row["passage"]))
    for row in read_rows(folder, "qadiscourse"):
        question = as_in(row["passage"], with_why(row["question"]))
        if row["answer"] in row["passage"] and question.startswith("Why "):
            found.append(AnsweredQuestion(question, row["passage"], row["answer"], "qadiscourse", row["passage"]))
    return found


def _squad(folder: Path) -> Iterator[AnsweredQuestion]:
    for row in read_rows(folder, "squad2_dev"):
        if not row["answerable"] or not row["sentence"]:
            continue
        answer = row["answer"] or only_answer(row["question"], row["sentence"])
        if answer and answer in row["sentence"]:
            every = sentences_of(row["passage"])
            at = every.index(row["sentence"]) if row["sentence"] in every else 0
            beside = tuple(one for one in every if one != row["sentence"])
            before = every[at - 1] if at else ""
            yield AnsweredQuestion(row["question"], row["sentence"], answer, "squad", row["title"], beside, before)


ANSWER_KINDS = {"when": "date", "how many": "number", "how much": "number", "who": "name", "why": "reason"}


def only_answer(question: str, sentence: str) -> str:
    """Return the only words of a sentence that can answer a question, by their kind; "" if several can."""
    kind, asked = ANSWER_KINDS.get(asked_for(question)), content_terms(question)
    spans = [sentence[start:end] for start, end, other in candidates_of(sentence) if other == kind]
    fitting = [span for span in spans if not content_terms(span) <= asked]
    return fitting[0] if len(fitting) == 1 else ""


def unanswerable_questions(folder: Path) -> list[AnsweredQuestion]:
    """Return SQuAD's questions without an answer, each beside the sentence of its text that is most like it."""
    found = []
    for row in read_rows(folder, "squad2_dev"):
        sentences = sentences_of(row["passage"])
        if row["answerable"] is False and sentences:
            asked = content_terms(row["question"])
            nearest = max(sentences, key=lambda one: len(asked & content_terms(one)))
            spans = [nearest[start:end] for start, end, _ in candidates_of(nearest)]
            span = spans[zlib.crc32(row["question"].encode()) % len(spans)] if spans else ""
            found.append(AnsweredQuestion(row["question"], nearest, span, "squad", row["title"]))
    return found


def judged_questions(folder: Path) -> list[RatedQuestion]:
    """Return the questions that people judged: of web searches by their form, of quizzes with the reason."""
    found = [
        RatedQuestion(row["question"], row["wellformed"] >= 0.8, "", "", "form", row["split"] == "test")
        for row in read_rows(folder, "query_wellformedness")
    ]
    for row in read_rows(folder, "quiz_design_judgements"):
        sentences = [one for one in sentences_of(row["passage"]) if row["answer"][:60] in one]
        passage = sentences[0] if sentences else row["passage"]
        held = row["doc"] == "6"
        found.append(RatedQuestion(row["question"], bool(row["accepted"]), passage, row["answer"], row["reason"], held))
    return found


def sentences_of(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def with_why(question: str) -> str:
    """Return a question for a reason with "Why", its verb before its subject; others as they are."""
    found = REASON.fullmatch(question)
    if not found or not VAGUE.isdisjoint(found[1].split()) or {"who", "that", "which"} & set(found[1].split()):
        return question
    return f"Why {found[2]} {found[1]}{found[3]}"


def as_in(passage: str, question: str) -> str:
    """Return a question of QADiscourse with its names spelled as in the passage: it has them in lower case."""
    capital = [word for word in words(passage)[1:] if word[0].isupper() and word.lower() not in STOP_WORDS]
    written = {word.lower(): word for word in capital if word.lower() not in words(passage)}
    first, _, rest = question.partition(" ")
    return f"{first} " + re.sub(r"\w+", lambda word: written.get(word.group(), word.group()), rest)


def asking_examples(rows: Sequence[AnsweredQuestion], *, seed: int, each: int = 1) -> list[AskingExample]:
    """Return examples to learn asking from, in random order: at most `each` of a text of one sentence.

    See `teaches` for the questions that are left out.
    """
    random_order = random.Random(seed)
    shuffled = sorted(rows, key=lambda row: (row.topic, row.question))
    random_order.shuffle(shuffled)
    spans = {
        kind: [row.answer for row in shuffled if kind_of(row.answer) == kind] for kind in ("date", "number", "name")
    }
    taken: dict[str, int] = {}
    found = []
    for row in shuffled:
        if row.source != "squad" and taken.get(row.passage, 0) >= each:
            continue
        claim = claim_about(row, spans, random_order)
        passage = " ".join(f"{row.before} {row.passage}".split())
        if len(passage.split()) > MOST_PASSAGE_WORDS or random_order.random() < 0.5:
            passage = " ".join(row.passage.split())
        example = AskingExample(claim, passage, row.answer, row.question)
        if teaches(example):
            taken[row.passage] = taken.get(row.passage, 0) + 1
            found.append(example)
    return found


def claim_about(row: AnsweredQuestion, spans: dict[str, list[str]], random_order: random.Random) -> str:
    """Return a claim that a passage speaks of: its own sentence with another answer, shortened, or one beside it."""
    kind, chance = kind_of(row.answer), random_order.random()
    near = [one for one in row.beside if content_terms(one) & content_terms(row.question)]
    if near and chance < 0.35:
        return random_order.choice(near)
    short = shortened(row.passage, row.question, row.answer)
    others = [one for one in spans.get(kind, ()) if one != row.answer]
    if others and chance < 0.75:
        return short.replace(row.answer, random_order.choice(others))
    return short


def shortened(sentence: str, question: str, answer: str) -> str:
    """Return the clauses of a sentence that hold the answer or most of a question's terms, as a sentence."""
    asked = content_terms(question) | content_terms(answer)
    clauses = re.split(r"(?<=[,;:–—])\s+", sentence)
    kept = [clause for clause in clauses if answer in clause or len(content_terms(clause) & asked) >= 2]
    whole = " ".join(kept).strip(" ,;:–—")
    text = whole if answer in whole and sentence.startswith(kept[0]) else sentence
    return text.rstrip(".") + "."


def teaches(example: AskingExample) -> bool:
    """Say whether an example has a question to learn from: short, plain, and about claim and passage."""
    question, claim, passage = example.question, example.claim, example.passage
    said = question.split()
    asked = content_terms(question)
    named = any(word[0].isupper() or word[0].isdigit() for word in words(question)[1:])
    return (
        4 <= len(said) <= MOST_WORDS
        and 5 <= len(claim.split()) <= MOST_CLAIM_WORDS
        and len(passage.split()) <= MOST_PASSAGE_WORDS
        and is_question(question)
        and len(named_terms(question)) >= MIN_TERMS - named
        and not OF_NAMES.search(question)
        and VAGUE.isdisjoint(word.lower() for word in words(question))
        and not asks_of_text(question, claim)
        and not speaks_to_nobody(question, claim)
        and not is_generic(question, claim, passage)
        and not strange_words(question, claim, passage)
        and bool(asked & content_terms(claim))
        and bool(asked & content_terms(passage))
        and not content_terms(example.span) <= asked
    )


def damaged(question: str, random_order: random.Random) -> str:
    """Return a question that is no longer well formed: words exchanged, left out, repeated or cut off."""
    said = question.rstrip("?").split()
    place = random_order.randrange(len(said) - 1)
    match random_order.randrange(5):
        case 0:
            said[place], said[place + 1] = said[place + 1], said[place]
        case 1:
            small = [at for at, word in enumerate(said) if at and word.lower() in STOP_WORDS]
            del said[random_order.choice(small) if small else place]
        case 2:
            said[place + 1 : place + 1] = said[max(place - 1, 0) : place + 1]
        case 3:
            said = said[: max(3, len(said) * 2 // 3)]
        case _:
            far = random_order.randrange(len(said))
            said[place], said[far] = said[far], said[place]
    return " ".join(said) + "?"


WRONG_WORDS = {"who": ("When", "How many"), "when": ("Who", "Where"), "where": ("Who", "Why"), "why": ("Who", "When")}


def misasked(question: str, random_order: random.Random) -> str | None:
    """Return a question with a first word for another kind of answer; None if it is for no kind."""
    first, _, rest = question.partition(" ")
    if question.lower().startswith(("how many", "how much")):
        return "Who " + rest.partition(" ")[2]
    other = WRONG_WORDS.get(first.lower())
    return f"{random_order.choice(other)} {rest}" if other else None


def misnamed(question: str, names: Sequence[str], random_order: random.Random) -> str | None:
    """Return a question with one of its names or numbers exchanged for another of `names`; None where it has none."""
    own = [found.group() for found in NAME.finditer(question) if found.start()] + re.findall(
        r"\d[\d.,]*\d|\d", question
    )
    return question.replace(random_order.choice(own), random_order.choice(names)) if own else None


def names_in(rows: Sequence[AnsweredQuestion]) -> list[str]:
    """Return the names and numbers of questions, to exchange them."""
    return [found.group() for row in rows for found in NAME.finditer(row.question) if found.start()]
