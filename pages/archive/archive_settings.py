"""The figures of an archive, its readers, and its deletion."""

from __future__ import annotations

import streamlit as st

from core.archive.actions import figures_table
from core.archive.catalogue import own_archives
from core.archive.types import ArchiveEntry, Readers
from core.tabular.table import Column, Table
from core.wording import counted, readable_name
from pages.ui.markup import plain
from pages.ui.notices import attempt, quiet, remark
from pages.ui.tables import show_table

READERS = {
    Readers.PERSON: "Only I",
    Readers.TEAM: "My team, by a link",
    Readers.EVERYBODY: "Everybody on this server",
}
SHOWN = 20
LINK = "archive-link"


def show_figures(entry: ArchiveEntry) -> None:
    """Show the size of an archive, and its documents by source and kind."""
    stats = own_archives().open(entry.id).stats()
    show_table(by_line(figures_table([(entry, stats)])[0]), entry.id)
    for title, counts in (("Source", stats.sources), ("Kind", stats.kinds)):
        columns = (Column(title), Column("Documents", 0))
        rows = tuple((readable_name(name) or "none", count) for name, count in counts)
        show_table(Table(title.lower(), f"Documents by {title.lower()}", columns, rows), entry.id, rows=SHOWN)


def by_line(table: Table) -> Table:
    """Return the figures of one archive, each on a line: side by side they are wider than the page."""
    columns = (Column("Figure"), Column("Value"))
    told = [at for at in table.read_columns if table.columns[at].title not in ("Archive", "Readers")]
    values = (f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in (table.rows[0][at] for at in told))
    rows = tuple(zip((table.columns[at].title for at in told), values, strict=True))
    note = next(column.help for column in table.columns if column.help)
    return Table("archive", "Size and days", columns, rows, f"Parts: {note[:1].lower()}{note[1:]}")


def show_settings(entry: ArchiveEntry, who: str) -> None:
    """Show who may read an archive; its owner may change that, and delete it."""
    if entry.owner != who:
        remark("This archive belongs to somebody else. Only its owner changes who may read it.")
        return
    chosen = st.radio(
        "Who may read it", list(READERS), list(READERS).index(entry.readers), format_func=lambda one: READERS[one],
        key=f"archive-readers-{entry.id}",
    )  # fmt: skip
    if chosen is Readers.TEAM:
        quiet(
            "Everybody with the link reads this archive and adds to it. A new link ends the one before, and the access "
            "of its readers."
        )
    label = "Make a link for the team" if chosen is Readers.TEAM else "Change the readers"
    st.button(
        label, disabled=chosen is entry.readers and chosen is not Readers.TEAM, on_click=attempt,
        args=(share, entry, who, chosen), key="archive-share",
    )  # fmt: skip
    if token := st.session_state.get(LINK, {}).get(entry.id):
        st.code(f"{(st.context.url or '').split('?')[0]}?join={token}", language=None, wrap_lines=True)
        quiet("Copy it now: it is shown to you only once.")
    if st.button("Delete this archive …", type="tertiary", icon=":material/delete:", key="archive-ask-delete"):
        confirm_deletion(entry, who)


def share(entry: ArchiveEntry, who: str, readers: Readers) -> None:
    token = own_archives().share(entry, who, readers)
    st.session_state[LINK] = {entry.id: token} if token else {}


@st.dialog("Delete this archive?")
def confirm_deletion(entry: ArchiveEntry, who: str) -> None:
    count = own_archives().open(entry.id).stats().documents
    st.write(f"{plain(entry.name)}: {counted(count, 'document')} with all versions. Cases keep their passages.")
    if st.button("Delete it", type="primary", on_click=attempt, args=(delete, entry, who), key="archive-delete"):
        st.rerun()


def delete(entry: ArchiveEntry, who: str) -> None:
    own_archives().delete(entry, who)
    st.query_params.clear()
