"""What reading costs as texts made to be slow grow from 10⁴ to 10⁷ characters: in proportion to them, it must be.

    python -m tests.benchmarks.reading_costs [--most 10000000]

Prints, for each kind, the processor's seconds at each size and the power with which they grew from the last but one
size to the last (1 is in proportion); "refused" is a sentence.
"""

import math
import time
from collections.abc import Callable

from core.documents.documents import _all_readings
from core.errors import VerideskError
from core.records import _parse_records
from core.tabular.sheets import _read_sheet
from tests.benchmarks.measuring import parser_of

Reader = Callable[[str, bytes], object]
FIRST = 10_000


def filled(piece: str, start: str = "", end: str = "") -> Callable[[int], bytes]:
    """Return what makes a text of so many characters of one piece."""
    return lambda size: (start + piece * (size // len(piece)) + end).encode()


DOCUMENTS = {
    "headings.md": filled("# a\n"),
    "headings of blanks.md": filled("#" + " " * 99),
    "short lower-case lines.txt": filled("ab\n"),
    "lines that end in hyphens.txt": filled("ab-\n"),
    "blank lines.txt": filled("\n", "a"),
    "blanks.txt": filled(" ", "a", "b"),
    "one word.txt": filled("a"),
    "full stops.txt": filled("."),
    "quotes.txt": filled('"'),
    "brackets.txt": filled("["),
    "attributes.html": filled("a=1 ", "<html><body><p ", ">Text.</p>"),
    "tags.html": filled("<b>", "<html><body>"),
    "open comments.html": filled("<!--", "<html><body>"),
    "entities.html": filled("&amp;", "<html><body><p>"),
    "paragraphs.html": filled("<p>Some words of a text. ", "<html><body>"),
    "open groups.rtf": filled("{", "{\\rtf1 "),
    "records.jsonl": filled('{"url": "u", "url2text": ["a"]}\n'),
    "nested.jsonl": filled("[", '{"url2text": '),
}
RECORDS = {
    "records.json": filled('{"claim": "x", "claim_id": 1},', "[", "{}]"),
    "nested.json": filled("[", '[{"claim": '),
    "open string.json": filled("a", '[{"claim": "'),
    "backslashes.json": filled("\\\\", '[{"claim": "', '"}]'),
    "rows.csv": filled("1,2,3,4\n", "id,claim,evi,label\n"),
    "open quote.csv": filled('a""', 'id,claim,evi,label\n1,"'),
}
TABLES = {
    "columns.csv": filled("c,"),
    "rows of two.csv": filled("1,2\n", "id,bleu\n"),
    "commas.csv": filled(",", "id\n"),
    "quotes.csv": filled('"'),
}
KINDS: dict[str, tuple[Reader, Callable[[int], bytes]]] = {
    **{name: (_all_readings, make) for name, make in DOCUMENTS.items()},
    **{name: (lambda name, content: _parse_records(name, content, ("id",)), make) for name, make in RECORDS.items()},
    **{name: (_read_sheet, make) for name, make in TABLES.items()},
}


def seconds(reader: Reader, name: str, content: bytes) -> tuple[float, bool]:
    """Return what reading took of the processor, and whether it ended in a sentence."""
    began = time.process_time()
    try:
        readings = reader(name, content)
        refused = bool(getattr((readings or [None])[0], "problems", ())) if isinstance(readings, list) else False
    except VerideskError:
        refused = True
    return time.process_time() - began, refused


def main(most: int) -> None:
    sizes = [FIRST * 10**power for power in range(round(math.log10(most / FIRST)) + 1)]
    seconds(_all_readings, "warm.html", b"<html><body><p>Some words of a text.</p></body></html>")
    print("| kind | " + " | ".join(f"10^{round(math.log10(size))}" for size in sizes) + " | power |")
    for name, (reader, make) in KINDS.items():
        took = [seconds(reader, name, make(size)) for size in sizes]
        cells = [f"{one:.2f} s{' refused' if refused else ''}" for one, refused in took]
        last, before = took[-1][0], took[-2][0]
        power = f"{math.log10(last / before):.1f}" if before > 0.005 else "–"
        print(f"| {name} | " + " | ".join(cells) + f" | {power} |", flush=True)


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--most", type=int, default=10_000_000)
    main(parser.parse_args().most)
