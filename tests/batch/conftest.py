"""What kills and clusters are compared with."""

import json
from collections.abc import Iterator

import pytest

from tests.batch.small_batch import CLAIMS, SmallBatch, make_claims
from tests.llm.parallel_server import parallel_server


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallBatch]:
    """A batch, with the submission and the table that it gives on this machine when nobody kills it."""
    folder = tmp_path_factory.mktemp("batch")
    make_claims(folder, CLAIMS)
    with parallel_server(delay=0.1, slots=4) as server:
        small = SmallBatch(folder, server)
        done = small.run(folder / "undisturbed.json", "--out", str(folder / "undisturbed.csv"), "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["claims"] == CLAIMS
        assert server.asked >= CLAIMS
        yield small
