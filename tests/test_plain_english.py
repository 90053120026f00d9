"""The prose of pages, messages, docstrings, comments and docs is plain English; its exceptions may only become fewer.

tests/plain_english.toml holds the number of exceptions by room. `python tests/test_plain_english.py [ROOM]` lists them,
and `python tests/test_plain_english.py --budget` counts them anew.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET = Path(__file__).with_name("plain_english.toml")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md")
PROGRAMS = ("app.py", "core/**/*.py", "pages/**/*.py")
NOT_OURS = {"core/campaigns/planning/rating_form.py", "core/campaigns/planning/scales.py"}
"""The rating form and its scales are the shared task's, word for word."""

MOST_WORDS = 20
HOW_TO_LIST = "write them plainer (python tests/test_plain_english.py lists them)"
PATTERNS = {
    "what": r"\bwhat\b(?![^.]*\?)",
    "whoever": r"\b(whoever|whatever|whose|of which)\b",
    "stands": r"\b(stands?|stood|standing)\b(?! for)",
    "comes to": r"\b(comes?|came) to\b",
    "told": r"\b(told|tells)\b",
    "is said": r"\b(is|are|was|were|be|been|gets?|got) said\b",
    "is none": r"(?<!here )\b(is|are) (?-i:none)\b(?! of| to)|\bin none of (it|them)\b",
    "one a line": r"\bone (?!(as|by|for|from|in|of|to) )(\w+ )?an? "
    r"(claim|command|file|format|item|language|line|metric|page|query|question|rater|response|row|system|team)\b",
    "so many": r"\bso many\b(?! that)",
    "anew": r"\banew\b",
    "verb first": r"^(Independent|New|Sensible|Missing|Worse|Better) (is|are|was|were)\b",
}
"""Forms that a reader has to read twice. A question on the page may begin with "What"."""

CODE = re.compile(r"^```.*?^```|^(?: {4}|\t)(?! *[-*]).*?$", re.MULTILINE | re.DOTALL)
NO_PROSE = re.compile(r"[{}\\<>]|\(\?:|^\s*(SELECT|FROM|WITH)\b")
QUOTED = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"|https?://\S+")
LIST_ITEM = re.compile(r"\n(?=\s*(?:[-*|#]|\d+\.) ?)")
ENDS = re.compile(r"(?<=[.?!:])[\"”*)_]*\s+(?=[\"“*(`_\[]*[A-Z0-9αι`])|\n\s*\n")
COMMENT = re.compile(r"(?:^|(?<=\s\s))# (.*)$")


@dataclass(frozen=True)
class Breach:
    """One sentence that breaks one rule."""

    room: str
    place: str
    rule: str
    sentence: str

    def __str__(self) -> str:
        """Return the place, the rule and the sentence on one line."""
        return f"{self.place}: {self.rule}: {self.sentence}"


def test_prose_is_plain() -> None:
    """No room has more breaches than its budget, and no budget is larger than the breaches left."""
    found, allowed = Counter(breach.room for breach in breaches()), tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    assert dict(found) == allowed, "\n".join(
        f'"{room}": {found[room]} breaches, {allowed.get(room, 0)} in {BUDGET.name}: '
        + (HOW_TO_LIST if found[room] > allowed.get(room, 0) else f"set {found[room]}")
        for room in sorted({*found, *allowed})
        if found[room] != allowed.get(room, 0)
    )


def breaches() -> Iterator[Breach]:
    """Yield every breach in programs and documents."""
    for path in [*_files(PROGRAMS), *_files(DOCUMENTS)]:
        reader = _of_program if path.suffix == ".py" else _of_document
        name = path.relative_to(ROOT).as_posix()
        if name in NOT_OURS:
            continue
        for line, text in reader(path.read_text(encoding="utf-8")):
            for sentence in _sentences(text):
                yield from (Breach(_room(name), f"{name}:{line}", rule, sentence) for rule in _broken(sentence))


def _files(patterns: tuple[str, ...]) -> list[Path]:
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def _room(name: str) -> str:
    parts = name.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 or parts[0] == "docs" else parts[0]


def _of_document(text: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs and list items of Markdown; code and tables are no prose."""
    text = CODE.sub(lambda code: "\n" * code[0].count("\n"), text)
    line = 1
    for paragraph in re.split(r"(\n\s*\n)", text):
        if paragraph.strip() and not paragraph.lstrip().startswith("|"):
            yield line, re.sub(r"\]\([^)]*\)", "]", paragraph)
        line += paragraph.count("\n")


def _of_program(text: str) -> Iterator[tuple[int, str]]:
    """Yield the comments and the string constants that hold a sentence, docstrings included."""
    nodes = list(ast.walk(ast.parse(text)))
    pieces = {id(piece) for node in nodes if isinstance(node, ast.JoinedStr) for piece in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in pieces:
            words = _text(node)
            if _is_prose(words):
                yield node.lineno, words
    yield from _comments(text)


def _text(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(_text(part) if isinstance(part, ast.Constant) else "1" for part in node.values)


def _comments(text: str) -> Iterator[tuple[int, str]]:
    block: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = COMMENT.search(line) if "# " in line else None
        if block and (match is None or line.lstrip()[0] != "#"):
            yield number - 1, "\n".join(block)
            block = []
        if match is not None:
            block.append(match[1])


def _is_prose(text: str) -> bool:
    """Tell whether a text holds words of a sentence: no list of words, pattern or statement of SQL."""
    return len(text.split()) > 3 and bool(re.search(r"[A-Z]|[.,:;]( |$)", text)) and not NO_PROSE.search(text)


def _sentences(text: str) -> Iterator[str]:
    for item in LIST_ITEM.split(text):
        for sentence in ENDS.split(item):
            if sentence.strip():
                yield " ".join(sentence.split())


def _broken(sentence: str) -> Iterator[str]:
    """Yield the rules that a sentence breaks; quotations and code are left out."""
    ours = QUOTED.sub("x", sentence)
    yield from (rule for rule, pattern in PATTERNS.items() if re.search(pattern, ours, re.I))
    if len(re.findall(r"[^\W\d_][\w’'-]*", ours)) > MOST_WORDS:
        yield f"over {MOST_WORDS} words"


if __name__ == "__main__":
    if sys.argv[1:] == ["--budget"]:
        counts = Counter(breach.room for breach in breaches())
        BUDGET.write_text("".join(f'"{room}" = {counts[room]}\n' for room in sorted(counts)), encoding="utf-8")
    else:
        print(*(breach for breach in breaches() if breach.place.startswith(tuple(sys.argv[1:]) or "")), sep="\n")
