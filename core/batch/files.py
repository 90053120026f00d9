"""The files that a batch is made of: claims, with or without annotations, and the stores of a ZIP or a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.averitec.averitec import holds_gold, parse_claims
from core.errors import BadInput
from core.types import Claim


def read_claims_file(name: str, content: bytes) -> tuple[list[Claim], bool]:
    """Return the claims of a file, and whether it is annotated. Raises BadRecord as the readers do."""
    claims = parse_claims(name, content)
    return claims, bool(claims) and has_gold(name, content)


def has_gold(name: str, content: bytes) -> bool:
    try:
        return holds_gold(name, content)
    except BadInput:  # claims without labels, as of a test set
        return False


def stores_from_zip(files: Sequence[tuple[str, bytes]], ids: Sequence[str]) -> dict[str, bytes]:
    """Return the stores of these claims among the files of a ZIP, by plain names. Raises BadInput for one twice."""
    wanted = {f"{claim_id}{suffix}" for claim_id in ids for suffix in (".json", ".jsonl")}
    found: dict[str, bytes] = {}
    for path, content in files:
        name = path.rsplit("/", 1)[-1]
        if name in wanted:
            if name in found:
                raise BadInput(f"The ZIP holds {name} twice: keep one store a claim.")
            found[name] = content
    return found


def without_store(ids: Sequence[str], folder: Path) -> list[str]:
    """Return the ids of which a folder holds no store."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    return [claim_id for claim_id in ids if not names & {f"{claim_id}.json", f"{claim_id}.jsonl"}]
