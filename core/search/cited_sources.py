"""The sources that a wiki cites for the passages that decide a case."""

from __future__ import annotations

from contextlib import suppress

from core.errors import VerideskError
from core.search.footnotes import Footnote, footnotes_of
from core.search.search_request import own_snapshots
from core.types import Case, PassageStance, Stance, Verdict


def cited_in(case: Case) -> tuple[Footnote, ...]:
    """Return the sources that the pages of a case cite in its deciding passages, each once."""
    read = [(one.url, one.snapshot, one.read) for one in case.search.origins] if case.search else []
    read += [(one.url, one.snapshot, one.read) for one in case.fetched if not one.problem]
    pages = {url: (digest, url, at) for url, digest, at in read}
    notes: dict[str, Footnote] = {}
    for one in _deciding(case.verdict) if case.verdict else ():
        with suppress(VerideskError):  # a page that is not kept any more offers nothing
            if one.passage.document.url in pages:
                page = own_snapshots().open(*pages[one.passage.document.url])
                cited = footnotes_of(page, one.passage.text) if b"cite_note" in page.body else ()
                notes |= {note.url: note for note in cited}
    return tuple(notes.values())


def _deciding(verdict: Verdict) -> list[PassageStance]:
    """Return the passages that decide a verdict, else those for and against the claim."""
    decisive = [verdict.stances[place] for place in verdict.decisive]
    return decisive or [one for one in verdict.stances if one.stance in (Stance.FOR, Stance.AGAINST)]
