"""Read paths and web addresses, one per line; a malformed address is refused where it is typed."""

from __future__ import annotations

from core.errors import BadInput
from core.http.fetching import target


def lines(written: str, missing: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(line.strip() for line in written.splitlines() if line.strip()))
    if not found:
        raise BadInput(missing)
    return found


def malformed(written: str) -> list[str]:
    """Return a sentence for each line that is no address of a web page."""
    problems = []
    for line in filter(None, map(str.strip, written.splitlines())):
        try:
            target(line)
        except BadInput as error:
            problems.append(str(error))
    return problems


def addresses(written: str) -> tuple[str, ...]:
    """Return the addresses, one per line. Raises BadInput without an address, or for a malformed one."""
    found = lines(written, "Write at least one web address, one per line.")
    if problems := malformed(written):
        raise BadInput("\n".join(problems))
    return found
