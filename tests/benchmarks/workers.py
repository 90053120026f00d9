"""What more workers bring: `python -m tests.benchmarks.workers [--claims 20] [--workers 1,2]`.

The batch command runs on the first public claims, each searched in its own store, all others and the haystack, with
one worker and with more. Prints seconds, claims a minute and memory, and says whether the submissions are the same
byte for byte.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "averitec"
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=20)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--recipe", default="quoted_passages")
    args = parser.parse_args()
    print("| workers | seconds, models loaded too | claims a minute | seconds per claim, median | memory |")
    print("|---|---|---|---|---|")
    written = []
    with tempfile.TemporaryDirectory() as folder:
        for workers in args.workers.split(","):
            out = Path(folder) / f"{workers}.json"
            seconds, told = batch(out, workers, args)
            memory = f"{told['peak_bytes'] / 1e9:.2f} GB" if told["peak_bytes"] else "not told"
            median, rate = told["median_seconds"], 60 * args.claims / seconds
            print(f"| {workers} | {seconds:.1f} | {rate:.1f} | {median:.1f} | {memory} |", flush=True)
            written.append(out.read_bytes())
    same = all(one == written[0] for one in written)
    print(f"\n{args.claims} claims, {args.recipe}: the submissions are {'the same' if same else 'DIFFERENT'}.")
    return 0 if same else 1


def batch(out: Path, workers: str, args: argparse.Namespace) -> tuple[float, dict[str, Any]]:
    """Run the command; return its seconds and its figures."""
    stores = DATA / "knowledge_store"
    words = ["--claims", str(DATA / "dev_public.json"), "--stores", str(stores), "--stores-extra", str(stores)]
    words += ["--stores-extra", str(DATA / "haystack.jsonl"), "--first", str(args.claims), "--recipe", args.recipe]
    words += ["--out", str(out), "--workers", workers, "--json"]
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "core", "batch", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return time.perf_counter() - started, dict(json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
