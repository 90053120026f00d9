"""A batch of small claims: the bundled examples' claims many times over, each with a store of one short document."""

import json
import subprocess
import sys
from pathlib import Path

from core.batch.batch_job import Batch, Batches, BatchRequest, batch_files
from core.batch.types import read_claims_file
from core.documents.examples import examples
from core.verification.recipes.catalogue import DEFAULT

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = 8


def make_claims(folder: Path, count: int) -> None:
    """Write FOLDER/claims.json and FOLDER/stores/ID.json."""
    (folder / "stores").mkdir(parents=True)
    offered = examples()
    rows = []
    for number in range(count):
        example = offered[number % len(offered)]
        rows.append({"claim_id": number, "claim": f"{example.claim.text} Said {number} times."})
        # The claim's own words, so that something is found; one passage, so that the model writes one question.
        text = f"{example.claim.text} {' '.join(example.documents[0].text.split()[:12])}."
        line = json.dumps({"url": example.documents[0].url, "url2text": [text]})
        (folder / "stores" / f"{number}.json").write_text(line + "\n")
    (folder / "claims.json").write_text(json.dumps(rows))


def batch_command(folder: Path, out: Path, *words: str) -> list[str]:
    """Return the command line of a batch over the claims of a folder."""
    claims = ("--claims", str(folder / "claims.json"), "--stores", str(folder / "stores"), "--out", str(out))
    return [sys.executable, "-m", "core", "batch", *claims, *words]


def batch_of(batches: Batches, folder: Path, owner: str, *, workers: int) -> Batch:
    """Start a batch over the claims of a folder as the page does."""
    content, stores = (folder / "claims.json").read_bytes(), folder / "stores"
    ids = tuple(claim.id for claim in read_claims_file("claims.json", content)[0])
    asked = BatchRequest("claims.json", ids, False, DEFAULT, "bundled", stores=str(stores), workers=workers)
    batch = batches.find(batches.start(owner, asked, batch_files(asked, content, {})), owner)
    assert batch
    return batch


def run_command(folder: Path, out: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a batch to its end."""
    return subprocess.run(
        batch_command(folder, out, *words),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
