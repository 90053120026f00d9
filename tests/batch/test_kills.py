"""A batch of 70 claims with the real models, killed ten times: the same submission as one that was not."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from core.batch.journal import journal_path
from tests.batch.small_batch import ROOT, batch_command, make_claims, run_command

pytestmark = pytest.mark.slow

CLAIMS = 70
KILLS = 10


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def killed(folder: Path, out: Path, chance: random.Random, *words: str) -> int:
    """Start a batch, kill it and all that it started at a moment drawn by lot, and return how many lines it wrote."""
    journal = journal_path(out)
    before, more = lines(journal), chance.choice([0, 1, 3, 6, 9])
    run = subprocess.Popen(
        batch_command(folder, out, *words),
        cwd=ROOT,
        env={**os.environ, "VERIDESK_HOME": str(folder / "home")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while more and lines(journal) < before + more and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(chance.uniform(0.0, 0.6))  # loading, in the middle of a claim, or while a line is written
    assert run.poll() is None, "the batch ended before it was killed"
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return lines(journal) - before


@pytest.mark.timeout(900)
def test_a_batch_killed_ten_times_ends_with_the_same_submission(tmp_path: Path) -> None:
    make_claims(tmp_path, CLAIMS)
    undisturbed, disturbed = tmp_path / "undisturbed.json", tmp_path / "disturbed.json"
    done = run_command(tmp_path, undisturbed, "--out", str(tmp_path / "undisturbed.csv"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["claims"] == CLAIMS
    chance = random.Random(8)
    # Mostly one worker: loading the models takes longer than the claims do.
    several = [("--workers", "2") if number % 4 == 1 else () for number in range(KILLS)]
    written = [killed(tmp_path, disturbed, chance, *words) for words in several]
    assert sum(written) > KILLS  # the kills fell into work, not only into loading
    assert not disturbed.exists()
    end = run_command(tmp_path, disturbed, "--out", str(tmp_path / "disturbed.csv"))
    assert end.returncode == 0, end.stderr
    worked_on = sum(line.startswith("{") is False and "claim" in line for line in end.stderr.splitlines())
    assert 0 < worked_on <= CLAIMS - sum(written) + 1  # no claim that was done was done again
    assert disturbed.read_bytes() == undisturbed.read_bytes()
    assert (tmp_path / "disturbed.csv").read_bytes() == (tmp_path / "undisturbed.csv").read_bytes()
