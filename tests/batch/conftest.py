"""What kills and clusters are compared with."""

import json
from pathlib import Path

import pytest

from tests.batch.small_batch import CLAIMS, make_claims, run_command


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of claims, with the submission and the table of a batch on this machine that nobody killed."""
    folder = tmp_path_factory.mktemp("batch")
    make_claims(folder, CLAIMS)
    done = run_command(folder, folder / "undisturbed.json", "--out", str(folder / "undisturbed.csv"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["claims"] == CLAIMS
    return folder
