"""A measurement of a reader as a table and in sentences, for pages and for the command line."""

from __future__ import annotations

from core.documents.language import NAMES
from core.statistics.bootstrap import Interval
from core.tabular.table import Column, Table
from core.types import SecondReading
from core.verification.stance.measurement import Figures, Measurement, Way
from core.wording import counted, time_words

WORDS = {Way.BUILT_IN: "built-in reader", Way.CHOSEN: "this model", Way.BOTH: "both together"}


def figures_table(found: Measurement) -> Table:
    """Return the figures of a measurement: a row for each way to read."""
    columns = (
        Column("Read by"),
        Column("Right", 2, help="Share of claims with the right side, or rightly with no side"),
        Column("Wrong", 2, help="Share of claims with a side that is not right"),
        Column("Open", 2, help="Share of claims with a side that was not found"),
        Column("Seconds a claim", 1),
    )
    rows = [(way, found.figures[way]) for way in Way]
    below = {
        (row, column): _between(interval)
        for row, (_, one) in enumerate(rows)
        for column, interval in ((1, one.right_interval), (2, one.wrong_interval))
    }
    return Table(
        "reader",
        f"{counted(found.claims, 'claim')} in {NAMES[found.language]} read on {found.made.isoformat()}",
        columns,
        tuple(_cells(WORDS[way], one) for way, one in rows),
        note="Small figures: the interval that holds the share in 95 of 100 such tests. This model and both together "
        "were calibrated on other documents than each claim’s own.",
        below=below,
        signature=f"reader {found.reader.digest[:12]}, prompt {found.reader.prompt or 'none'}, "
        f"built-in reader {found.built_in[:12]}",
    )


def _cells(name: str, one: Figures) -> tuple[str | float, ...]:
    return name, one.right, one.wrong, one.open, one.seconds


def _between(one: Interval) -> str:
    return f"{one.low:.2f}–{one.high:.2f}"


def chart_words(found: Measurement) -> str:
    """Return the figures in a sentence for each way to read, for those who do not see the picture."""
    shares = ((WORDS[way], found.figures[way]) for way in Way)
    return " ".join(
        f"{name}: right {one.right:.2f}, wrong {one.wrong:.2f}, open {one.open:.2f}." for name, one in shares
    )


def decision_words(found: Measurement) -> str:
    """Return in a sentence or two whether a model reads, and why."""
    gain = f"{found.gain.low:+.2f} to {found.gain.high:+.2f}".replace("-", "−")
    beyond = f"Its gain in right answers over the built-in reader is {gain} of all claims."
    where = "" if found.language == "en" else f" in {NAMES[found.language]}"
    if found.better:
        how = "together with the built-in reader" if found.way is Way.BOTH else "in place of the built-in reader"
        return f"This model reads passages{where} {how}, because it reads better. {beyond}"
    unread = f"It gave no usable answer to {counted(found.unanswered, 'claim')}. " if found.unanswered else ""
    if found.anyway:
        return f"This model reads{where} because you chose so; it was not measured as better. {unread}{beyond}"
    return f"This model does not read passages{where}, because it does not read measurably better. {unread}{beyond}"


def read_by(second: SecondReading | None) -> str:
    """Return in a sentence or two who read the passages of a case."""
    if second is None:
        return "Read by the built-in reader."
    share = f"{second.passages} of the {second.of} passages that matter"
    said = f"Read by the built-in reader, then by {second.name}: {share}, in {time_words(second.seconds)}."
    if second.anyway:
        said += " A person chose it, although no measurement says that it reads better."
    return f"{said} {second.problem}".strip()
