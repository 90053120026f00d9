"""The difference between the revision of a wiki's page that was read and today's, after consent."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

import streamlit as st

from core.errors import BadInput
from core.search.extraction import read_page
from core.search.search_request import own_snapshots
from core.search.types import SearchFailure
from core.search.wiki_changes import TextChange, changes, consent_to_today, todays_text, wiki_page
from core.search_report import Origin
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import attempt, quiet

TODAY = "wiki-today"
STAYED = 0.5


def changes_since(origin: Origin) -> None:
    """Offer to compare a wiki's page with today's revision, and show the difference."""
    if (wiki := wiki_page(origin.url)) is None:
        return
    url, found = st.session_state.get(TODAY, ("", ()))
    if url == origin.url:
        show(difference(found))
        return
    quiet(f"Two requests to {wiki[0].place} read the number and the text of today's revision of {wiki[1]}")
    st.button(
        f"Compare with today’s revision: send 2 requests to {wiki[0].place}",
        key="wiki-today-read",
        icon=":material/difference:",
        on_click=attempt,
        args=(compare, origin, consent_to_today(origin.url).digest),
    )


def compare(origin: Origin, consent: str) -> None:
    """Read today's revision and keep the difference in the session. Raises as `todays_text` and `changes`."""
    before = read_page(own_snapshots().open(origin.snapshot, origin.url, origin.read))
    if isinstance(before, SearchFailure):
        raise BadInput(before.message)
    after = todays_text(origin.url, consent)
    st.session_state[TODAY] = (origin.url, changes(before.document.text, after.text))


def difference(found: list[TextChange]) -> Html:
    """Return the changed sentences with the words that went crossed out, and the new ones underlined."""
    if not found:
        return tag("p", "Today’s revision has the same text.", css="vd vd-quiet")
    rows = (tag("li", *marked_words(" ".join(one.gone), " ".join(one.new))) for one in found)
    head = tag("p", "Changes since the revision that was read. Crossed out: gone. Underlined: new.", css="vd-quiet")
    return tag("div", head, tag("ul", *rows, css="vd-text vd-bullets", dir="auto"), css="vd vd-card", role="region")


def marked_words(gone: str, new: str) -> Iterator[Html | str]:
    """Yield the words of a change, marked one by one where half of them stayed, else all together."""
    before, after = gone.split(), new.split()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    whole = [("replace", 0, len(before), 0, len(after))]
    for kind, a, b, c, d in matcher.get_opcodes() if matcher.ratio() >= STAYED else whole:
        if kind == "equal":
            yield " ".join(before[a:b]) + " "
            continue
        for name, words in (("del", before[a:b]), ("ins", after[c:d])):
            if words:
                yield join((tag(name, " ".join(words)), " "))
