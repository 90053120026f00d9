"""The report as HTML: its body for a page, and one file without scripts or other files that prints well."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup

from core.verification.report import blocks
from core.verification.report.case_report import CaseReport
from core.verification.report.sources import Grid

STYLE = Path(__file__).parent / "report.css"
FILE_STYLE = """:root { color-scheme: light dark; }
body { margin: 2rem auto; padding: 0 1rem; max-width: 46rem; background: light-dark(#fff, #15191c); }
@page { margin: 20mm 18mm; }
@page { @bottom-right { content: counter(page) " / " counter(pages); font: 9pt sans-serif; color: #555; } }
@media print { body { margin: 0; padding: 0; max-width: none; background: #fff; } }
"""
PAGE = Markup("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} – report</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
""")


def report_body(report: CaseReport) -> str:
    """Return the report as one <article>; every text in it is escaped. Its style is that of `report_style`."""
    return str(
        Markup('<article class="report">\n{}\n</article>').format(
            _joined(map(_rendered, blocks.in_order(report)), "\n")
        )
    )


def report_style() -> str:
    """Return the style sheet of the report's body."""
    return STYLE.read_text(encoding="utf-8")


def to_html(report: CaseReport) -> str:
    """Return the report as one HTML file without scripts, pictures or outside files."""
    body, style = Markup(report_body(report)), Markup(FILE_STYLE + report_style())  # nosec B704: escaped by report_body
    return str(PAGE.format(title=report.claim, style=style, body=body))


def blocks_page(title: str, found: Iterable[blocks.Block]) -> str:
    """Return any blocks as one HTML file with the look of a report; every text in it is escaped."""
    body = Markup('<article class="report">\n{}\n</article>').format(_joined(map(_rendered, found), "\n"))
    style = Markup(FILE_STYLE + report_style())  # nosec B704: our own style sheet
    return str(PAGE.format(title=title, style=style, body=body))


def _rendered(block: blocks.Block) -> Markup:
    match block:
        case blocks.Heading(words, level, apart):
            look = Markup(' class="apart"') if apart else Markup()
            return Markup('<h{0}{1} dir="auto">{2}</h{0}>').format(level, look, words)
        case blocks.Paragraph(words, role):
            look = Markup(' class="{}"').format(role) if role else Markup()
            return Markup('<p{} dir="auto">{}</p>').format(look, words)
        case blocks.Quotation(words):
            return Markup('<blockquote dir="auto">{}</blockquote>').format(words)
        case blocks.WebAddress(address):
            link = Markup('<p class="source"><a href="{0}" rel="noopener noreferrer nofollow">{0}</a></p>')
            return link.format(address)
        case blocks.Facts(facts):
            rows = _joined(Markup('<dt>{}</dt><dd dir="auto">{}</dd>').format(*fact) for fact in facts)
            return Markup("<dl>{}</dl>").format(rows) if facts else Markup()
        case blocks.Bullets(sentences):
            items = _joined(Markup('<li dir="auto">{}</li>').format(sentence) for sentence in sentences)
            return Markup("<ul>{}</ul>").format(items)
        case blocks.Numbered(number, words, parts):
            text = (blocks.Paragraph(words),) if words else ()
            inner = _joined(map(_rendered, (*text, *parts)), "\n")
            return Markup('<section class="answer"><p class="cite">[{}]</p>\n{}</section>').format(number, inner)
        case Grid():
            return _table(block)


def _table(grid: Grid) -> Markup:
    titles = enumerate(grid.columns)
    head = _joined(Markup('<th scope="col"{}>{}</th>').format(_align(grid, at), title) for at, title in titles)
    rows = _joined((Markup("<tr>{}</tr>").format(_cells(grid, row)) for row in grid.rows), "\n")
    table = Markup('<table class="{}"><thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table>')
    return table.format(grid.style, head, rows)


def _cells(grid: Grid, row: tuple[str, ...]) -> Markup:
    cell = Markup('<td data-title="{}"{} dir="auto">{}</td>')
    cells = enumerate(zip(grid.columns, row, strict=True))
    return _joined(cell.format(title, _align(grid, at), _lines(words)) for at, (title, words) in cells)


def _align(grid: Grid, column: int) -> Markup:
    return Markup(' class="number"') if column in grid.numbers else Markup()


def _lines(words: str) -> Markup:
    """Return the first line of a cell, and the others in small below it."""
    first, *more = words.split("\n")
    return _joined((Markup("{}").format(first), *(Markup("<br><small>{}</small>").format(line) for line in more)))


def _joined(parts: Iterable[Markup], between: str = "") -> Markup:
    return Markup(between).join(parts)  # nosec B704: a separator of ours
