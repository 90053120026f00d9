"""Check whether a submission would be accepted, and whether an evidence package is as it was made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, ActionContext
from core.actions.fields import BadField, Help, Place, Reads
from core.averitec.averitec import read_gold, read_submission
from core.averitec.checking import all_problems, by_weight, problem_line, problem_lines
from core.errors import BadInput
from core.verification.package.container import SUFFIX, Package, open_package
from core.verification.package.signing import public_key_in
from core.wording import counted


@dataclass(frozen=True)
class Check:
    """Check a submission against its gold file, or an evidence package."""

    file: Annotated[Path, Place("FILE"), Reads(), Help("a submission, - for standard input; or a package (.wacz)")]
    gold: Annotated[Path | None, Reads(), Help("the gold file that a submission answers")] = None
    key: Annotated[Path | None, Reads(), Help("the public key (Ed25519 in PEM) that must have signed a package")] = None
    all: Annotated[bool, Help("a line for each id, and not one for many that say the same")] = False

    def __post_init__(self) -> None:
        if self.file.suffix != SUFFIX and (self.gold is None or self.key):
            wrong = "key" if self.key else "gold"
            raise BadField(wrong, f"{self.file} is checked as a submission: name its gold file, and no key.")


@dataclass(frozen=True)
class Checked:
    """The result of a check: whether the file is accepted, why in a sentence, and a line for each problem."""

    accepted: bool
    summary: str
    problems: tuple[str, ...] = ()


def check(request: Check, context: ActionContext) -> Checked:
    """Return the result. Raises BadInput for an unreadable file, and for a package that was changed."""
    if request.gold is None or request.file.suffix == SUFFIX:
        key = public_key_in(request.key) if request.key else None
        return Checked(True, package_in_words(open_package(request.file), key))
    gold, submission = read_gold(request.gold), read_submission(request.file)
    problems = all_problems(submission, gold)
    lines = [problem_line(one) for one in by_weight(problems)] if request.all else problem_lines(problems)
    read = f"{counted(len(submission.predictions), 'prediction')} for {counted(len(gold), 'claim')}"
    if fatal := sum(problem.fatal for problem in problems):
        said = counted(len(problems) - fatal, "remark")
        summary = f"Not accepted: {read}, {counted(fatal, 'problem')} to be solved and {said}."
    else:
        summary = f"Accepted: {read}, {counted(len(problems), 'remark')}."
    return Checked(not fatal, summary, tuple(lines))


def package_in_words(package: Package, key: bytes | None) -> str:
    """Return the result of a check in sentences. Raises BadInput if the package is not signed with this key."""
    signed = package.signature
    if key and (signed is None or signed.key != key):
        by = f"another key, {signed.fingerprint}" if signed else "no key"
        raise BadInput(f"{package.path} is signed with {by}: do not take it for one of this signer's.")
    whole = f"Unchanged since {package.created}: {len(package.places)} parts."
    if signed is None:
        return f"{whole} Nobody signed it, so its maker could have written anything."
    return f"{whole} Signed with the key {signed.fingerprint}{' that you named' if key else ''}."


CHECK = Action(
    "check",
    Check,
    check,
    lambda result: "\n".join([*result.problems, result.summary]),
    good=lambda result: result.accepted,
)
