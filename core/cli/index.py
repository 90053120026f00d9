"""`python -m core index`: keep the indexes of stores on the disk, list them, and delete them."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from core.cli.common.numbers import iso_date, whole
from core.cli.common.paths import input_name
from core.cli.common.terminal import asked_to_end
from core.dates import published_before
from core.errors import BadInput
from core.retrieval.index_cache import KeptStore, kept_stores, remove_store
from core.settings import settings
from core.types import Claim
from core.verification.reading import gather, index_of
from core.verification.request import Request
from core.wording import counted, readable_name, size_words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    build = chosen.add_parser("build", help="keep the index that `verify --keep-index` will open")
    build.add_argument(
        "--store", type=input_name, action="append", required=True, metavar="PATH", help="a knowledge store; may repeat"
    )
    build.add_argument("--date", type=iso_date, help="leave documents after this day out, as a claim's date does")
    build.add_argument(
        "--sentences", type=whole(1, 1000), default=3, metavar="N", help="sentences per passage (default: 3)"
    )
    build.add_argument(
        "--fill", action="store_true", help="encode every passage now, about 100 a second; goes on where it was stopped"
    )
    build.add_argument("--dense", action="store_true", help="make and link all passages' static vectors now")
    chosen.add_parser("list", help="show the kept indexes, used last first")
    remove = chosen.add_parser("remove", help="delete kept indexes; the documents are not touched")
    remove.add_argument("keys", nargs="*", metavar="KEY", help="the beginning of an index's key, as `list` shows it")
    remove.add_argument("--all", action="store_true", help="delete every kept index")


def run(args: argparse.Namespace) -> int:
    return {"build": build, "list": listing, "remove": remove}[args.action](args)


def build(args: argparse.Namespace) -> int:
    from core.retrieval.dense import load_encoder

    request = Request(Claim("", date=args.date), stores=tuple(args.store), sentences=args.sentences, keep_index=True)
    documents, notes = gather(request, stop=asked_to_end)
    kept, late, _ = published_before(documents, args.date)
    encoder = load_encoder()
    started = time.perf_counter()
    index = index_of(request, kept, encoder, settings().indexes, report=say)
    if args.dense:
        index.link(report=say)
    if args.fill:
        index.fill(report=say)
    for note in [*notes, *([f"{late} later documents were left out."] if late else [])]:
        print(note)
    print(f"{counted(len(index.passages), 'passage')} kept in {time.perf_counter() - started:.1f} s.")
    return 0


def say(words: str) -> None:
    """Tell the terminal how far a long build is."""
    print(words, file=sys.stderr)


def listing(args: argparse.Namespace) -> int:
    stores = kept_stores(settings().indexes)
    for store in stores:
        name = readable_name(store.name) or "of another version, or damaged"
        held = f"{store.documents:,} documents, {store.passages:,} passages, {size_words(store.size)}"
        print(f"{store.key[:12]}  {store.used.astimezone():%Y-%m-%d %H:%M}  {held}  {name}")
    total = size_words(sum(store.size for store in stores))
    print(f"{counted(len(stores), 'index', 'indexes')}, {total} of {size_words(settings().index_limit)}.")
    return 0


def remove(args: argparse.Namespace) -> int:
    if bool(args.keys) == args.all:
        raise BadInput("Name the indexes to delete by their keys, or say --all.")
    stores = kept_stores(settings().indexes)
    chosen = {store.key for store in stores} if args.all else {key_of(key, stores) for key in args.keys}
    for key in chosen:
        remove_store(settings().indexes, key)
    print(f"{counted(len(chosen), 'index', 'indexes')} deleted.")
    return 0


def key_of(beginning: str, stores: Sequence[KeptStore]) -> str:
    """Return the one key that begins so. Raises BadInput for none and for several, as an empty text has."""
    found = [store.key for store in stores if beginning and store.key.startswith(beginning)]
    if len(found) != 1:
        several = "Several kept indexes have keys that begin" if found else "No kept index has a key that begins"
        raise BadInput(f"{several} with {beginning[:64]!r}; `index list` shows them.")
    return found[0]
