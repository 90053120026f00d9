"""Eight systems on the claims of a whole test split, from files to what the page shows: seconds, processor, memory.

    python -m tests.benchmarks.scoring_full_size [--systems 8] [--claims 2215]

A process of its own reads the files, scores them by the metrics that the page offers at first, keeps the run as the
queue does, reads it back and makes the tables of the page. Claims beyond the 250 of the public half repeat them under
other ids, with the words of their answers turned round. Needs ../shared/data.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.annotations import Prediction
from core.averitec.averitec import read_gold, read_submission
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State
from core.scoring.leaderboard import leaderboard
from core.scoring.leaderboard_tables import board_table, breakdown_table, difference_table, items_table
from core.scoring.open_metrics import Opening
from core.scoring.score_job import score_kind
from core.scoring.work import ScoringJob
from core.storage.store import Store
from tests.benchmarks.measuring import DATA, cpu_seconds, megabytes, parser_of, timed

METRICS = ("hungarian-meteor", "verdict")
SYSTEMS = ("hero_baseline", "ctu_aic", "efc")


def write_files(folder: Path, *, systems: int, claims: int) -> list[Path]:
    """Write a gold file of so many claims and so many submissions; return their paths, the gold file's first."""
    rows = json.loads((DATA / "averitec/dev_public.json").read_text(encoding="utf-8"))
    (folder / "gold.json").write_text(json.dumps([rows[n % len(rows)] for n in range(claims)]), encoding="utf-8")
    paths = [folder / "gold.json"]
    for system in range(systems):
        given = read_submission(DATA / f"averitec/submissions/{SYSTEMS[system % len(SYSTEMS)]}.csv").predictions
        turned = [answered(given[n % len(given)], n, n // len(given) + system // len(SYSTEMS)) for n in range(claims)]
        paths.append(folder / f"system{system}.json")
        paths[-1].write_text(json.dumps(turned, ensure_ascii=False), encoding="utf-8")
    return paths


def answered(prediction: Prediction, number: int, by: int) -> dict[str, Any]:
    """Return a submission's row whose answers are turned by so many words: no pair of texts comes twice."""
    pairs = [
        {"question": one.question, "answer": turned(one.answer, by), "url": one.url, "scraped_text": ""}
        for one in prediction.evidence
    ]
    return {"claim_id": number, "claim": prediction.claim, "pred_label": str(prediction.label), "evidence": pairs}


def turned(text: str, by: int) -> str:
    words = text.split()
    return " ".join((*words[by % max(len(words), 1) :], *words[: by % max(len(words), 1)]))


def score(paths: list[Path], home: Path) -> dict[str, float]:
    """Return the seconds of each stage, from files to tables."""
    took: dict[str, float] = {}

    def stage(name: str, work: Callable[[], Any]) -> Any:
        found, took[name] = timed(work)
        return found

    gold = stage("read gold", lambda: read_gold(paths[0]))
    submissions = stage("read submissions", lambda: [read_submission(path) for path in paths[1:]])
    jobs = JobStore(Store(f"sqlite:///{home / 'v.db'}"))
    queue = JobQueue(jobs)
    runs = Jobs(queue, score_kind())

    def run() -> str:
        run_id = runs.start("me", ScoringJob(tuple(gold), tuple(submissions), Opening(METRICS)))
        # On a machine that is much too busy a run looks interrupted for a while, and ends all the same.
        while (status := runs.status(run_id, "me")) and (status.state.live or status.state is State.INTERRUPTED):
            time.sleep(0.2)
        assert status.state is State.DONE, status.error
        return run_id

    run_id = stage("score and keep", run)
    found = stage("read back", lambda: runs.find(run_id, "me"))
    board = stage("leaderboard", lambda: leaderboard(found.result.reports, "hungarian-meteor:averitec@0.25"))
    tables = (board_table, breakdown_table, difference_table)
    stage("tables", lambda: [make(board) for make in tables] + [items_table(found.result.reports)])
    queue.close()
    return took


def helpers() -> list[str]:
    """Return the ids of the processes that this one has started and that are still there."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return [one for one in listed.stdout.split() if Path(f"/proc/{one}/status").exists()]  # not ps itself


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--systems", type=int, default=8)
    parser.add_argument("--claims", type=int, default=2215)
    parser.add_argument("--files", type=Path, nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if not chosen.files:
            paths = write_files(Path(place), systems=chosen.systems, claims=chosen.claims)
            # The writing of the files is not to count, neither as time nor as memory.
            again = [sys.executable, "-m", "tests.benchmarks.scoring_full_size", "--files", *map(str, paths)]
            subprocess.run(again, check=True)
            return
        took = score(chosen.files, Path(place))
    for name, seconds in took.items():
        print(f"{name:<18}{seconds:7.1f} s")
    processes = ["self", *helpers()]
    peaks, worked = [megabytes(one, "VmHWM") for one in processes], [cpu_seconds(one) for one in processes]
    whole = sum(took.values())
    share = sum(worked) / (whole * len(os.sched_getaffinity(0)))
    print(f"{'in all':<18}{whole:7.1f} s")
    print(
        f"processor         {sum(worked):7.1f} s: {worked[0]:.0f} here, {sum(worked[1:]):.0f} in helpers; "
        f"{share:.0%} of this machine's cores"
    )
    print(
        f"peak memory       {sum(peaks):7.0f} MB: {peaks[0]:.0f} here, {sum(peaks[1:]):.0f} in {len(peaks) - 1} helpers"
    )


if __name__ == "__main__":
    main()
