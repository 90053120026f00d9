"""Show the stress test of metrics: its form and its result."""

from __future__ import annotations

import streamlit as st

from core.annotations import GoldClaim, Submission
from core.scoring.charts import movement_chart
from core.scoring.judging import Judging
from core.scoring.leaderboard_tables import movement_table
from core.scoring.open_metrics import Opening
from core.scoring.registry import EVIDENCE_ITEMS, TITLES
from core.scoring.stress import as_predictions
from core.scoring.work import Job, Stressed, StressJob
from core.wording import counted
from pages.score.score_files import example_gold, read_gold, read_submissions
from pages.ui.charts import show_chart
from pages.ui.judging_fields import judging_fields
from pages.ui.markup import Html, show, tag
from pages.ui.notices import notice, notices, quiet
from pages.ui.tables import show_table

ABOUT = (
    "A sound metric falls if numbers, names or answers are destroyed. It stays if only form, order or repetition "
    "changes. The test changes the evidence in eleven such ways, and each metric scores it before and after."
)


def stress_form() -> Job | None:
    """Show the form; return the test after the press of the button."""
    quiet(ABOUT)
    left, right = st.columns(2)
    gold_file = left.file_uploader("Gold annotations", key="stress-gold", help="As for scoring.")
    upload = right.file_uploader(
        "Evidence to change (optional)",
        key="stress-submission",
        help="A submission. Without one, the test changes the gold evidence, which every metric scores highest.",
    )
    names = st.pills(
        "Metrics",
        list(EVIDENCE_ITEMS),
        selection_mode="multi",
        default=["hungarian-meteor", "soft-coverage"],
        format_func=TITLES.__getitem__,
        key="stress-metrics",
    )
    opening = Opening(tuple(names), judging_fields(recall=True) if "ev2r" in names else Judging())
    first, seed = st.columns(2)
    most = first.number_input("Claims", 1, None, 100, key="stress-first", help="The first claims of the gold file.")
    chance = seed.number_input("Seed", 0, None, 0, key="stress-seed", help="Seed of the random changes.")
    troubles: list[str] = []
    read = read_gold(gold_file, troubles) if gold_file else None
    submissions = read_submissions([upload] if upload else [], troubles)
    if read and not read.claims:
        troubles.append(
            f"{gold_file.name if gold_file else ''} has no annotated claims: the test needs their evidence."
        )
    if troubles:
        notices(troubles)
    row = st.container(horizontal=True)
    ready = bool(read and read.claims and names and not troubles)
    pressed = row.button(
        "Run the test", type="primary", icon=":material/experiment:", disabled=not ready, key="stress-start"
    )
    if row.button("Test with the example", disabled=not names, key="stress-example"):
        return _job(example_gold(), None, opening, int(most), int(chance))
    if not ready and not troubles:
        quiet("Add a gold file." if names else "Choose at least one metric.")
    if not pressed or not read:
        return None
    return _job(read.claims, submissions[0] if submissions else None, opening, int(most), int(chance))


def _job(gold: list[GoldClaim], submission: Submission | None, opening: Opening, most: int, seed: int) -> Job | None:
    claims = [claim for claim in gold[:most] if claim.pairs]
    predictions = submission.by_id if submission else as_predictions(claims)
    if not any(claim.id in predictions for claim in claims):
        notice("None of these claims has evidence to change: is this another split?")
        return None
    return StressJob(tuple(claims), predictions, opening, seed)


def show_stress(job: StressJob, result: Stressed) -> None:
    """Show each metric's result in a sentence, a chart and a table."""
    show(tag("div", *(_sentence(result, name) for name in job.opening.names), css="vd vd-cards"))
    if (chart := movement_chart(result.movements)) is not None:
        show_chart(chart, "stress", "Change of each metric under each change of the evidence, with 95 % intervals")
    show_table(movement_table(result.movements))


def _sentence(result: Stressed, name: str) -> Html:
    found = [one for one in result.movements if one.metric == EVIDENCE_ITEMS[name]]
    named = {"blind": "Did not fall for", "fragile": "Did not hold for", "too few items": "Too few items for"}
    sound = sum(one.finding == "sound" for one in found)
    words = f"Sound under {sound} of {counted(len(found), 'change')}."
    for finding, begin in named.items():
        listed = [one.perturbation for one in found if one.finding == finding]
        words += f" {begin}: {', '.join(listed)}." if listed else ""
    return tag("p", tag("strong", TITLES[name], ": "), words)
