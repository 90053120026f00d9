"""A batch of small claims: the bundled examples' claims many times over, each with a store of one short document."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from core.batch.batch_job import Batch, Batches, BatchRequest, batch_files
from core.batch.types import read_claims_file
from core.documents.examples import examples
from core.verification.recipes.catalogue import DEFAULT
from tests.llm.parallel_server import ParallelServer

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


@dataclass(frozen=True)
class SmallBatch:
    """A folder of claims, and the server whose model writes their questions."""

    folder: Path
    server: ParallelServer

    def command(self, out: Path, *words: str) -> list[str]:
        """Return the command line of a batch over the claims."""
        claims = ("--claims", str(self.folder / "claims.json"), "--stores", str(self.folder / "stores"))
        model = ("--model", self.server.model)
        return [sys.executable, "-m", "core", "batch", *claims, *model, "--out", str(out), *words]

    def run(self, out: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a batch to its end."""
        command = self.command(out, *words)
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False)

    def start(self, batches: Batches, owner: str, *, workers: int) -> Batch:
        """Start a batch as the page does."""
        content, stores = (self.folder / "claims.json").read_bytes(), self.folder / "stores"
        ids = tuple(claim.id for claim in read_claims_file("claims.json", content)[0])
        model = self.server.model
        asked = BatchRequest("claims.json", ids, False, DEFAULT, model, stores=str(stores), workers=workers)
        batch = batches.find(batches.start(owner, asked, batch_files(asked, content, {})), owner)
        assert batch
        return batch

    def undisturbed(self, ending: str) -> bytes:
        """Return what a batch wrote that nobody killed."""
        return (self.folder / f"undisturbed{ending}").read_bytes()
