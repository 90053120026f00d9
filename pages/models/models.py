"""Draw models and their downloads: name, facts, memory, progress. Names from files and the network are escaped."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from core.jobs.types import State
from core.models.download_job import Download
from core.models.download_progress import ARRIVING, CHECKING
from core.models.hub import HubModel
from core.models.installed import Installed
from core.models.memory import MemoryNeed, fits_words, memory_available, memory_need
from core.wording import counted, size_words
from pages.ui.app_state import app_state
from pages.ui.markup import Html, join, plain, tag
from pages.ui.notices import attempt_button, in_words, troubles
from pages.ui.verdicts import bar

DOING = {"": "Begins", CHECKING: "Checking the downloaded part", ARRIVING: "Downloading"}
STATES = {
    State.DONE: "Downloaded, and its SHA-256 is right",
    State.FAILED: "Stopped",
    State.CANCELLED: "Cancelled, the downloaded part is kept",
    State.INTERRUPTED: "Interrupted when the server stopped, the downloaded part is kept",
}


def model_card(model: Installed) -> Html:
    """Return the model in use: its name and its memory."""
    return tag(
        "section",
        tag("p", "In use for new cases", css="vd-eyebrow"),
        tag("h2", model.choice.name, css="vd-heading", style="margin-top: 0"),
        facts(model),
        memory(model),
        css="vd vd-card",
        aria_label="Model in use",
    )


def model_row(model: Installed) -> Html:
    """Return a listed model: its name, facts, memory and problems, if any."""
    fits = memory_line(memory_need(model.size, model.header), memory_available()) if model.header else ""
    problem = tag("p", model.problem, css="vd-text", role="alert") if model.problem else ""
    return tag("div", tag("p", model.choice.name, css="vd-strong"), facts(model), fits, problem, css="vd")


def facts(model: Installed) -> Html:
    """Return a model's facts in one line that wraps; each fact explains itself in its title."""
    if model.choice.kind == "server":
        pairs = [(model.choice.url, "The server's address"), ("weights and memory are the server's affair", "")]
    else:
        pairs = [(size_words(model.size), "Size on disk")] if model.size else []
    if model.header:
        tokens = f"{model.header.context_tokens:,} tokens"
        need = memory_need(model.size, model.header)
        pairs += [
            (f"about {size_words(need.total)} of memory", f"Weights, {need.tokens:,} tokens of context and buffers"),
            (model.header.quantisation, "Quantisation: the precision of the stored weights"),
            (f"reads {tokens} at once", "The longest text that the model was trained to read"),
        ]
    pairs += [(model.licence, "Licence, as stated by the maker"), (model.repository, "Source of the download")]
    return facts_line(pairs)


def facts_line(pairs: Iterable[tuple[str, str]]) -> Html:
    """Return facts with their titles in one line that wraps, leaving out empty facts."""
    return tag("div", join(tag("span", words, title=title or None) for words, title in pairs if words), css="vd-facts")


def memory(model: Installed) -> Html:
    """Return the model's share of the free memory, as a bar and in words; nothing for a server's."""
    if model.header is None:
        return Html()
    return memory_bar(memory_need(model.size, model.header))


def memory_bar(need: MemoryNeed) -> Html:
    free = memory_available()
    return tag(
        "div",
        tag("div", bar(need.total / free), css="vd-refuted" if need.total > free else "") if free else "",
        memory_line(need, free),
        style="display: grid; gap: 0.3rem; margin-top: 0.7rem",
    )


def memory_line(need: MemoryNeed, free: int | None) -> Html:
    """Return in words whether a model fits, in bold if not; the title lists its memory."""
    parts = (
        f"{size_words(need.weights)} of weights, {size_words(need.cache)} for {need.tokens:,} tokens of context, "
        f"{size_words(need.total - need.weights - need.cache)} for everything else"
    )
    full = free is not None and need.total > free
    return tag("p", fits_words(need, free), css="vd-strong" if full else "vd-quiet", title=parts)


def offer(model: HubModel, licence: str) -> Html:
    """Return a preview of a language model's download."""
    return tag("div", to_download(model, licence), memory_bar(memory_need(model.size, None)), css="vd")


def to_download(model: HubModel, licence: str) -> Html:
    """Return the size, files and licence of a download."""
    files = counted(len(model.files), "file")
    return facts_line(
        [(f"{size_words(model.size)} to download", "As stated by the hub"), (files, ""), (licence, "Licence")]
    )


def download_words(download: Download, ahead: int) -> str:
    """Return a download's progress in one line: "Downloading: 1.20 GB of 9.05 GB, 43.0 MB/s, 3 min left".

    `ahead` counts the downloads before it.
    """
    if download.state is State.WAITING:
        doing = f"Waits for {counted(ahead, 'download')} before it" if ahead else DOING[""]
    else:
        doing = STATES.get(download.state, DOING[download.doing])
    words = f"{doing}: {size_words(download.received)} of {size_words(download.plan.model.size)}"
    if (left := download.seconds_left) is None:
        return words
    return f"{words}, {size_words(int(download.bytes_per_second))}/s, {time_words(left)} left"


def time_words(seconds: float) -> str:
    """Return a duration in words: "45 s", "3 min", "2 h 5 min"."""
    if seconds < 60:
        return f"{max(seconds, 1):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def downloads_live() -> bool:
    """Return whether a download waits or runs."""
    return any(download.state.live for download in app_state().downloads.all())


def show_downloads(were_live: bool) -> None:
    """Show the downloads; refresh every second if one was live when the page began."""
    st.fragment(in_words(_rows), run_every=1.0 if were_live else None)(were_live)


def _rows(were_live: bool) -> None:
    troubles()
    listed = app_state().downloads.all()
    if listed:
        st.subheader("Downloads")
    for download in listed:
        _row(download)
    if were_live != any(download.state.live for download in listed):
        st.rerun()  # the whole page, to list finished models and watch new downloads


def _row(download: Download) -> None:
    name = download.plan.name
    with st.container(border=True):
        st.markdown(f"**{plain(name)}**")
        share = min(download.received / download.plan.model.size, 1.0)
        st.progress(share, text=plain(download_words(download, app_state().jobs.ahead(download.job))))
        if download.sentence:
            st.caption(plain(download.sentence))
        with st.container(horizontal=True):
            _buttons(download)


def _buttons(download: Download) -> None:
    at, name = app_state().downloads, download.plan.name
    if download.state.live:
        attempt_button("Cancel", at.jobs.cancel, download.job, key=f"cancel {name}")
    elif download.state is State.DONE:
        attempt_button("Dismiss", at.forget, download, key=f"dismiss {name}")
    else:
        attempt_button("Resume", at.resume, download, key=f"resume {name}", type="primary")
        again = "Removes the downloaded part."
        attempt_button("Discard", at.discard, download, key=f"discard {name}", help=again)
