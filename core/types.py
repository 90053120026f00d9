"""The vocabulary of a case: claim, documents, passages, evidence, verdict."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from urllib.parse import urlsplit

from core.errors import cut
from core.search_report import SearchReport


class Label(StrEnum):
    """The four verdicts of AVeriTeC, spelled as its data files spell them."""

    SUPPORTED = "Supported"
    REFUTED = "Refuted"
    NOT_ENOUGH_EVIDENCE = "Not Enough Evidence"
    CONFLICTING = "Conflicting Evidence/Cherrypicking"


@dataclass(frozen=True)
class Claim:
    """A claim and what is known about it. `id` is empty unless it comes from a dataset."""

    text: str
    speaker: str = ""
    date: date | None = None
    source: str = ""
    place: str = ""
    id: str = ""


MAX_ADDRESS = 4000
MAX_TITLE = 500
"""Characters; both stand in every list and report, and a file may give megabytes for either."""


@dataclass(frozen=True)
class Document:
    """A document as it was read; `digest` is the SHA-256 of its text, in hex.

    `pages` are the characters of its text at which its pages begin, where it has pages. `date_source` says in words
    who gives its date ("the page", "its address", "you"), `encoding` which old encoding it was taken for, if one.
    """

    url: str
    text: str
    title: str = ""
    published: date | None = None
    digest: str = field(default="")
    pages: tuple[int, ...] = ()
    date_source: str = ""
    encoding: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", cut(self.url, MAX_ADDRESS))
        object.__setattr__(self, "title", cut(self.title, MAX_TITLE))
        if not self.digest:
            object.__setattr__(self, "digest", hashlib.sha256(self.text.encode()).hexdigest())

    def page(self, at: int) -> int | None:
        """Return the number of the page, from 1, on which a character of the text stands; None without pages."""
        return bisect_right(self.pages, at) or 1 if self.pages else None

    @property
    def site(self) -> str:
        """The host of the address without "www.", or the address itself where it has none."""
        try:
            host = urlsplit(self.url).hostname or self.url
        except ValueError:  # a knowledge store may hold any text as an address, such as "http://[x"
            return self.url
        return host.removeprefix("www.")


@dataclass(frozen=True)
class Passage:
    """A stretch of a document: characters `start` to `end` of its text."""

    document: Document
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.document.text[self.start : self.end]


@dataclass(frozen=True)
class Hit:
    """A passage found for a query. Ranks count from 1; None where that ranking did not see the passage."""

    passage: Passage
    rank: int
    bm25_rank: int | None = None
    dense_rank: int | None = None
    bm25_score: float | None = None
    cosine: float | None = None


@dataclass(frozen=True)
class Ranking:
    """The passages found for one query, best first."""

    query: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True)
class Evidence:
    """A question, its answer and the passage it stands on.

    `span` gives the characters of the *document's* text that the answer repeats, where it repeats them.
    """

    question: str
    answer: str
    passage: Passage | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True)
class Message:
    """One turn of a prompt; `role` is "system", "user" or "assistant"."""

    role: str
    text: str


Prompt = tuple[Message, ...]


@dataclass(frozen=True)
class Completion:
    """What a model was asked, what it wrote and what that cost.

    `prompt_tokens` counts the whole prompt, `reused_tokens` those of them that were already evaluated
    for an earlier prompt with the same beginning. `finish` is "stop" or "length".
    """

    prompt: Prompt
    text: str
    prompt_tokens: int
    reused_tokens: int
    completion_tokens: int
    seconds: float
    seed: int
    finish: str = "stop"
    step: str = ""


class Stance(StrEnum):
    """What a passage does with a claim."""

    FOR = "for"
    AGAINST = "against"
    ABOUT = "about"
    UNRELATED = "unrelated"


Span = tuple[int, int]
"""Start and end of a stretch of characters."""


@dataclass(frozen=True)
class PassageStance:
    """What one passage says of the claim, and the words of both that a reader can check.

    `probability` is that of the stance, in [0, 1]. `reason` is a clause such as "says 10.1 million; the claim says
    12.4 million". `kind` names what decided: "wording" (it says the same), "number", "date", "name", "negation",
    "antonym", "denial", "order" (it orders a verdict), "language" (it is in another), or "" where nothing did.
    `spans` are characters of the *document's* text, `claim_spans` of the claim's.
    """

    passage: Passage
    stance: Stance
    probability: float
    reason: str
    kind: str = ""
    spans: tuple[Span, ...] = ()
    claim_spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Four probabilities and who gave them.

    `label` is the likeliest of the four. `cannot_tell` says that its probability is below the threshold
    under which this judge was wrong too often to be quoted, or that it is not `grounded`: no passage says so. Pages
    then show "Cannot tell".
    `features` are the numbers the decision stands on, by name; empty if a language model decided, or plain words of
    the documents. `caveat` says why the threshold and what was measured of this judge may not hold here; empty if they
    do.
    `stances` are those of the passages, in their order. `decisive` are places in it (from 0): without any one of them
    the verdict would be another one; `would_change` says so in a sentence. `wording` are the probabilities that the
    claim's own words give, whatever the documents say, and `from_documents` those of the evidence with the wording
    left out; both are empty where the judge cannot tell them apart.
    """

    probabilities: dict[Label, float]
    judge: str
    threshold: float
    justification: str = ""
    features: dict[str, float] = field(default_factory=dict)
    caveat: str = ""
    grounded: bool = True
    stances: tuple[PassageStance, ...] = ()
    decisive: tuple[int, ...] = ()
    would_change: str = ""
    wording: dict[Label, float] = field(default_factory=dict)
    from_documents: dict[Label, float] = field(default_factory=dict)

    @property
    def label(self) -> Label:
        return max(self.probabilities, key=lambda label: self.probabilities[label])

    @property
    def cannot_tell(self) -> bool:
        return not self.grounded or self.probabilities[self.label] < self.threshold


@dataclass(frozen=True)
class NotSearched:
    """A document that was left out of a search, and in a few words why."""

    title: str
    url: str
    published: date | None
    why: str


@dataclass(frozen=True)
class CorpusSummary:
    """What the evidence was searched in.

    `late` counts documents left out because they were published after the claim, `undated` those that
    were searched although nothing says when they were published. `not_searched` names those left out, the first of
    them where they are many.
    """

    documents: int = 0
    passages: int = 0
    late: int = 0
    undated: int = 0
    digest: str = ""
    not_searched: tuple[NotSearched, ...] = ()


@dataclass(frozen=True)
class StepTime:
    """How long one step took, in seconds, and what it found, in words."""

    step: str
    seconds: float
    found: str


@dataclass(frozen=True)
class Case:
    """One claim under investigation; each step returns a new case with its findings added.

    `questions[i]` is what `queries[i]` is to find out; it is empty where each query is its own question. `search` is
    what was asked and left out where the evidence was searched for.
    """

    claim: Claim
    corpus: CorpusSummary = CorpusSummary()
    queries: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    hits: tuple[Hit, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    verdict: Verdict | None = None
    completions: tuple[Completion, ...] = ()
    notes: tuple[str, ...] = ()
    times: tuple[StepTime, ...] = ()
    search: SearchReport | None = None


@dataclass(frozen=True)
class Failure:
    """A case that came to no verdict: which step failed, and the sentence that says why."""

    claim_id: str
    step: str
    error: str


Outcome = Case | Failure
