"""A batch with the real models, one component after the other and killed: the submission of claim by claim."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.batch.underway import underway_path
from core.documents.examples import examples
from core.verification.recipes.catalogue import DEFAULT, RECIPES
from tests.batch.small_batch import ROOT, batch_command, make_claims, run_command

pytestmark = pytest.mark.slow

CLAIMS = 4
KILLS = 4
COMPONENTS = len(RECIPES[DEFAULT].steps) + 1
ORDER = ("--order", "components")
LINE = re.compile(r"component (\d+) of \d+  .*: (\d+) of \d+ claims?")


def make_longer(stores: Path) -> None:
    """Give each claim passages of several lengths: what is encoded with what then shows in the last digits."""
    for number, store in enumerate(sorted(stores.iterdir())):
        documents = examples()[number % len(examples())].documents
        lines = [{"url": one.url, "url2text": one.text.split("\n")[:3]} for one in documents[1:4]]
        with store.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)


def done_in(said: str) -> list[int]:
    """Return, for each component that a run told of, for how many claims it was done in that run."""
    told: dict[str, list[int]] = {}
    for place, done in LINE.findall(said):
        told.setdefault(place, []).append(int(done))
    return [max(counts) - min(counts) for counts in told.values()]


def killed(folder: Path, out: Path, *, after: int, wait: float) -> str:
    """Start a batch, kill it and all that it started `wait` seconds after it did `after` steps; return what it said."""
    log = folder / "killed.log"
    with log.open("wb") as errors:
        run = subprocess.Popen(
            batch_command(folder, out, *ORDER),
            cwd=ROOT,
            env={**os.environ, "VERIDESK_HOME": str(folder / "home")},
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
    deadline = time.monotonic() + 200
    while sum(done_in(log.read_text())) < after and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(wait)
    assert run.poll() is None, log.read_text()
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return log.read_text()


@pytest.mark.timeout(900)
def test_killed_between_and_within_components_it_ends_with_the_submission_of_claim_by_claim(tmp_path: Path) -> None:
    make_claims(tmp_path, CLAIMS)
    make_longer(tmp_path / "stores")
    by_claim, by_component = tmp_path / "claims.json", tmp_path / "components.json"
    assert run_command(tmp_path, by_claim).returncode == 0
    chance = random.Random(5)
    # Before the model writes, where steps take milliseconds, and twice while it writes for one claim or another.
    quick = (COMPONENTS - 2) * CLAIMS
    said: list[str] = []
    for total in (*sorted(chance.sample(range(1, quick), KILLS - 2)), quick + 1, quick + 2):
        left = total - sum(map(sum, map(done_in, said)))
        said.append(killed(tmp_path, by_component, after=left, wait=chance.uniform(0.0, 0.9)))
    assert not by_component.exists()
    assert underway_path(by_component).is_dir()
    end = run_command(tmp_path, by_component, *ORDER)
    assert end.returncode == 0, end.stderr
    check_nothing_twice([*said, end.stderr])
    assert by_component.read_bytes() == by_claim.read_bytes()
    assert not underway_path(by_component).exists()


def check_nothing_twice(said: Sequence[str]) -> None:
    """A step of a claim is told of after it was put on disk: it may be told of once, and a kill may come between."""
    told = sum(sum(done_in(each)) for each in said)
    assert CLAIMS * COMPONENTS - KILLS <= told <= CLAIMS * COMPONENTS
    assert sum(done_in(said[-1])) < CLAIMS * COMPONENTS
