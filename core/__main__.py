"""The command line: `veridesk COMMAND …` or `python -m core COMMAND …`."""

from __future__ import annotations

import signal

if __name__ == "__main__":  # until a handler is installed, Ctrl-C ends this without a stack trace
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
import gc
import importlib
import os
import resource
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from core import confined
from core.cli.common.paths import check_paths
from core.cli.common.terminal import ask_to_end, cleaned_output, tell
from core.errors import NO_MEMORY, BadInput, Cancelled, VerideskError, lacks_memory, unforeseen
from core.files import ROOT
from core.logs import logged


class Command(NamedTuple):
    """A command in the help, and the module that declares it."""

    summary: str
    module: str


COMMANDS = {
    "app": Command("open the pages in a browser", "core.cli.app"),
    "verify": Command("verify one claim", "core.cli.verify"),
    "claims": Command("rank the sentences of a speech by whether they are worth checking", "core.claims.command"),
    "replay": Command("run a receipt again and say whether it comes out the same", "core.cli.replay"),
    "report": Command(
        "write a case as a report: HTML, Word, Markdown or a ClaimReview draft", "core.verification.report.command"
    ),
    "batch": Command("verify a file of claims and write a submission", "core.batch.command"),
    "score": Command("score submissions against gold data", "core.scoring.score"),
    "stress": Command("show how far metrics move when evidence is changed in known ways", "core.cli.stress"),
    "models": Command("measure how well a model reads passages", "core.verification.measure_command"),
    "doctor": Command(
        "load and run each part of this installation, and say how to repair it", "core.doctor.examination"
    ),
    "check": Command("say whether a submission would be accepted", "core.scoring.check"),
    "convert": Command("convert gold files and submissions between JSON, JSON lines and CSV", "core.averitec.convert"),
    "agreement": Command("compare human ratings with scores, and raters with each other", "core.agreement.compare"),
    "recipes": Command("list the recipes, or print one as a file or a picture", "core.verification.recipes.listing"),
    "campaign": Command("plan, watch, export and import rating campaigns", "core.campaigns.commands"),
    "task": Command("run shared tasks: teams, phases, submissions, leaderboards", "core.tasks.task_requests"),
    "invite": Command(
        "make a personal link for an organiser or a rater, list the links, withdraw one", "core.campaigns.commands"
    ),
    "backup": Command("write the whole database to one file", "core.storage.backup_actions"),
    "restore": Command("fill the database from a backup", "core.storage.backup_actions"),
    "store": Command("build your own knowledge stores, and list their contents", "core.search.stores.command"),
    "archive": Command(
        "keep a growing archive of documents with their versions, and search it", "core.archive.actions"
    ),
    "index": Command("keep the indexes of knowledge stores, list them, delete them", "core.verification.indexes"),
    "fit": Command(
        "fit the stance and verdict classifiers, or measure whether a model may judge", "core.training.commands"
    ),
}

INTERRUPTED, TERMINATED = 130, 143
LEAST_ADDRESS_SPACE = 512 * 2**20


class Terminated(KeyboardInterrupt):
    """The system asked the command to end (SIGTERM)."""


def version() -> str:
    """Return the version of this checkout."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def main(arguments: list[str] | None = None, *, imported: Callable[[], None] = lambda: None) -> int:
    """Run one command and return its exit status.

    0 done, 2 bad input or failure, 70 an unexpected error, 130 interrupted, 143 ended by the system. `imported` is
    called after the import of the command's module, before the work.
    """
    words = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in words
    with cleaned_output(), logged(debug=debug) as log:
        status = _status([word for word in words if word != "--debug"], imported)
        if status:
            gc.collect()  # deleting objects after a failure may warn: let that go to the log now
        if log is not None and log.written:
            print(f"The log is {log.baseFilename}; --debug shows it here.", file=sys.stderr)
    return status


def _status(words: list[str], imported: Callable[[], None]) -> int:
    name = words[0] if words[:1] and words[0] in COMMANDS else "veridesk"
    try:
        _check_words(words)
        if words[:1] == [name]:
            _check_address_space()
        parsed = _parsed(words)
        imported()
        status = int(parsed.run(parsed))
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of the output, such as head, has closed it
        return 0
    except Terminated:
        return TERMINATED
    except (KeyboardInterrupt, Cancelled) as end:
        print(str(end) or "Stopped.", file=sys.stderr)
        return INTERRUPTED
    except VerideskError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        known = NO_MEMORY if lacks_memory(error) else _of_system(error) if isinstance(error, OSError) else ""
        print(f"{name}: {known or unforeseen('This command')}", file=sys.stderr)
        return 2 if known else 70


def _of_system(error: OSError) -> str:
    """Return the sentence for a missing folder, a missing right or a full disk."""
    reason = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or error
    return f"{reason}. Free some space, or name another place."


def _check_words(words: list[str]) -> None:
    """Raise BadInput for an argument in another encoding, which neither receipts nor models can hold."""
    for number, word in enumerate(words, start=1):
        if any("\ud800" <= letter <= "\udfff" for letter in word):
            raise BadInput(f"Argument {number} ({word[:80]!r}) is not in UTF-8: write it so, or rename its file.")


def _check_address_space() -> None:
    """Raise BadInput if memory is too small to load libraries: some would end the process silently."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE:
        raise BadInput(
            f"A limit leaves this command {limit / 2**20:.0f} MB of address space, and its libraries alone need "
            f"{LEAST_ADDRESS_SPACE / 2**20:.0f}: raise it (ulimit -v unlimited)."
        )


def called() -> str:
    """Return the name by which the command was called: `veridesk` or `python -m core`."""
    return "veridesk" if Path(sys.argv[0]).stem == "veridesk" else "python -m core"


def _parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=called(), description="Veridesk on the command line.")
    parser.add_argument("--debug", action="store_true", help="show on the terminal what else goes to a log")
    parser.add_argument("--version", action="version", version=f"Veridesk {version()}")
    chosen = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (summary, _) in COMMANDS.items():
        sub = chosen.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if words[:1] == [name]:  # only the command that runs is imported: the help must not load models
            add_command(sub, name)
    parsed = parser.parse_args(words, argparse.Namespace(words=words))
    check_paths(parser, parsed)
    return parsed


def add_command(parser: argparse.ArgumentParser, name: str) -> None:
    """Import a command and give its parser its arguments and its `run`."""
    from core.cli.common import action_command

    action_command.add_command(parser, getattr(importlib.import_module(COMMANDS[name].module), name.upper()))


def run() -> int:
    """Run the command of this process and return its exit status."""
    confined.say = tell
    try:
        return main(imported=_end_in_words)
    except Terminated:
        return TERMINATED
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _close_output()


def _end_in_words() -> None:
    """Let Ctrl-C and SIGTERM end the command with a message; during imports they ended it at once."""

    def end(number: int, _: object) -> None:
        ask_to_end(INTERRUPTED if number == signal.SIGINT else TERMINATED)
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


def _close_output() -> None:
    """Flush the output. If its reader is gone, prevent a second flush and its error message."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except OSError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(run())
