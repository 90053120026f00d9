"""The vocabulary of a case: claim, documents, passages, evidence, verdict."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from urllib.parse import urlsplit

from core.errors import without_middle
from core.search_report import ReadAddress, SearchReport


class Label(StrEnum):
    """The four verdicts of AVeriTeC, spelled as its data files spell them."""

    SUPPORTED = "Supported"
    REFUTED = "Refuted"
    NOT_ENOUGH_EVIDENCE = "Not Enough Evidence"
    CONFLICTING = "Conflicting Evidence/Cherrypicking"


@dataclass(frozen=True)
class Claim:
    """A claim and its metadata. `id` is empty unless it comes from a dataset."""

    text: str
    speaker: str = ""
    date: date | None = None
    source: str = ""
    place: str = ""
    id: str = ""


MAX_ADDRESS = 4000
MAX_TITLE = 500
"""Characters; every list and report shows both, and a file may give megabytes for either."""


@dataclass(frozen=True)
class Document:
    """A document as it was read; `digest` is the SHA-256 of its text, in hex.

    `pages` are the characters of its text at which its pages begin, where it has pages. `date_source` names the source
    of its date in words ("the page", "its address", "you"). `encoding` names the old encoding of the file, if any.
    `site_name` and `page_type` are the page's own account of itself: og:site_name, og:type and types of schema.org.
    """

    url: str
    text: str
    title: str = ""
    published: date | None = None
    digest: str = field(default="")
    pages: tuple[int, ...] = ()
    date_source: str = ""
    encoding: str = ""
    site_name: str = ""
    page_type: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", without_middle(self.url, MAX_ADDRESS))
        object.__setattr__(self, "title", without_middle(self.title, MAX_TITLE))
        if not self.digest:
            object.__setattr__(self, "digest", hashlib.sha256(self.text.encode()).hexdigest())

    def page(self, at: int) -> int | None:
        """Return the page, from 1, that holds the character `at` of the text; None without pages."""
        return bisect_right(self.pages, at) or 1 if self.pages else None

    @property
    def on_web(self) -> bool:
        """Whether it is a web page; else it is a file or a note of the person's own."""
        return is_web_address(self.url)

    @property
    def site(self) -> str:
        """The host of the address without "www.", or the address itself where it has none."""
        try:
            host = urlsplit(self.url).hostname or self.url
        except ValueError:  # a knowledge store may hold any text as an address, such as "http://[x"
            return self.url
        return host.removeprefix("www.")


def is_web_address(address: str) -> bool:
    """Say whether an address may be a link: http(s) with a host, and nothing that runs."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


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
    """A question, its answer and the passage that supports it.

    `span` gives the characters of the *document's* text that the answer repeats, where it repeats them. A `doubtful`
    question is one that few people would ask of the passage: it is kept, and shown nowhere. `claim_question` is the
    part of the claim that the passage decides, as a question; "" if there is none.
    """

    question: str
    answer: str
    passage: Passage | None = None
    span: tuple[int, int] | None = None
    doubtful: bool = False
    claim_question: str = ""

    @property
    def heading(self) -> str:
        """The question that heads the passage: the claim's, or else its own unless that is doubtful; "" for none."""
        return self.claim_question or ("" if self.doubtful else self.question)


@dataclass(frozen=True)
class Message:
    """One turn of a prompt; `role` is "system", "user" or "assistant"."""

    role: str
    text: str


Prompt = tuple[Message, ...]


@dataclass(frozen=True)
class Completion:
    """A model's prompt, its answer and their cost.

    `prompt_tokens` counts the whole prompt. `reused_tokens` counts those already evaluated for an earlier prompt with
    the same beginning. `finish` is "stop" or "length".
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
    """The relation of a passage to a claim."""

    FOR = "for"
    AGAINST = "against"
    ABOUT = "about"
    UNRELATED = "unrelated"


Span = tuple[int, int]
"""Start and end of a stretch of characters."""


@dataclass(frozen=True)
class PassageStance:
    """The stance of one passage towards the claim, and the words of both that a reader can check.

    `probability` is that of the stance, in [0, 1]. `reason` is a clause such as "says 10.1 million; the claim says
    12.4 million". `kind` names the reason: "number", "date", "name", "negation", "antonym" or "denial". It is
    "wording" if the passage says the same, and "reading" if it does so in other words. It is "computed" if its amounts
    make the claim's. It is "order" if the passage orders a verdict, "language" if it is in another language, or "".
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
class SecondReading:
    """The reading of some passages by a chosen model, after the built-in reader.

    `digest` is that of its weights, or the fingerprint of its server; `prompt` the version of its prompt. With `both`,
    the probabilities of both readers are weighed together. `anyway` says that a person chose it, although no
    measurement says that it reads better. `passages` counts those it read, `of` those that mattered. `problem` is a
    sentence on why it stopped early.
    """

    name: str
    digest: str
    prompt: str
    both: bool
    anyway: bool
    passages: int = 0
    of: int = 0
    seconds: float = field(default=0.0, compare=False)
    problem: str = ""


@dataclass(frozen=True)
class Verdict:
    """Four probabilities and who gave them.

    `label` is the likeliest of the four. `cannot_tell` says that the verdict is not `grounded` in a passage, or too
    improbable. Under its threshold the judge was wrong too often. Pages then show "Cannot tell".
    `features` are the numbers behind the decision, by name; empty if a language model or a rule decided. `caveat` says
    why the judge's threshold and measurements may not hold here; empty if they do.
    `stances` are those of the passages, in their order. `decisive` are places in it (from 0): without any one of them
    the verdict would change. `counterfactual` says so in a sentence.
    `wording` are the probabilities from the claim's words alone. `from_documents` are those from the evidence without
    the wording. Both are empty where the judge cannot separate them. `second` is None where the built-in reader alone
    has read the passages.
    Where a language model decided, `check` is the verdict of the evidence check. It leaves out the `stances`, which
    are the same.
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
    counterfactual: str = ""
    wording: dict[Label, float] = field(default_factory=dict)
    from_documents: dict[Label, float] = field(default_factory=dict)
    second: SecondReading | None = None
    check: Verdict | None = None

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
    """The corpus that was searched for evidence.

    `late` counts documents left out because they were published after the claim. `undated` counts those searched
    without a known date. `not_searched` names those left out, or the first of many.
    """

    documents: int = 0
    passages: int = 0
    late: int = 0
    undated: int = 0
    digest: str = ""
    not_searched: tuple[NotSearched, ...] = ()


@dataclass(frozen=True)
class StepTime:
    """The seconds that one step took, and its findings in words."""

    step: str
    seconds: float
    found: str


@dataclass(frozen=True)
class Case:
    """One claim under investigation; each step returns a new case with its findings added.

    `questions[i]` is the question behind `queries[i]`; it is empty where each query is its own question. `search`
    reports the queries sent and the pages left out, if the evidence was searched for. `fetched` are the web addresses
    that the person named.
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
    fetched: tuple[ReadAddress, ...] = ()


@dataclass(frozen=True)
class Failure:
    """A case without a verdict: the step that failed, and the sentence that says why."""

    claim_id: str
    step: str
    error: str


Outcome = Case | Failure
