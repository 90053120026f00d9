"""Make a request of the typed form, or name the missing part in a sentence."""

from __future__ import annotations

from pathlib import Path

from core.archive.types import PREFIX
from core.documents.examples import examples
from core.errors import BadInput
from core.search.consent import NotAgreed
from core.settings import settings
from core.types import Claim, Document
from core.verification.reading import agreed
from core.verification.request import Request, checked
from pages.ui.archives import chosen_archive
from pages.ui.claim_form.claim_draft import (
    ADDRESSES,
    ARCHIVE,
    COLLECTION,
    EXAMPLE,
    FILES,
    SEARCH,
    STORE,
    addresses,
    current,
    lines,
)
from pages.ui.claim_form.recipe_choice import done_by
from pages.ui.claim_form.search_order import chosen_search
from pages.ui.claim_form.source_list import as_changed, documents_of_example
from pages.ui.claim_form.uploads import uploads
from pages.ui.collections import chosen_collection, collections, documents_of
from pages.ui.markup import readable
from pages.ui.roles import from_this_machine
from pages.ui.server_paths import chosen_training

NOT_YET = {
    SEARCH: "Nothing was sent yet. To search for documents, read “Requests that leave this machine”, and press the "
    "button. Or choose another place where the evidence comes from.",
    ADDRESSES: "Nothing was sent yet. Look at the web addresses that are to be read, and press the button again.",
}
"""The way on if something unseen would be sent, by the source of the evidence."""


def request(consent: str, *, recipe: str = "") -> Request:
    """Return the form's request, by its own recipe unless another is named, with the consent that its person gave.

    Raises BadInput with a sentence for a missing field, NotAgreed if something would be sent that was not shown.
    """
    typed = current()
    said = {name: readable(typed[name]).strip() for name in ("text", "speaker", "source", "place")}
    where = typed["where"]
    collection = chosen_collection(typed["collection"]) if where == COLLECTION else None
    stores = (str(collections().path(collection)),) if collection else ()
    if where == ARCHIVE:
        stores = (chosen_archive(typed["archive"]).address,)
    asked = Request(
        checked(Claim(said["text"], said["speaker"], typed["date"], said["source"], said["place"])),
        example=chosen_example(typed["example"]) if where == EXAMPLE else "",
        documents=chosen_files() if where == FILES else (),
        urls=addresses(typed["urls"]) if where == ADDRESSES else (),
        stores=chosen_stores(typed["store"]) if where == STORE else stores,
        training=chosen_training(typed["training"]),
        model=typed["model"] or "bundled",
        seed=int(typed["seed"]),
        sentences=int(typed["sentences"]),
        include_late=bool(typed["late"]),
        keep_index=bool(collection) or (bool(typed["keep"]) and where == STORE),
        search=chosen_search(typed) if where == SEARCH else None,
        consent=consent,
    )
    try:
        agreed(asked)
    except NotAgreed as error:
        raise NotAgreed(NOT_YET[where]) from error
    listed = documents_of(collection) if collection else (*asked.documents, *documents_of_example(asked.example))
    return done_by(as_changed(asked, listed), recipe or typed["recipe"])


def chosen_example(example_id: str | None) -> str:
    if example_id not in {example.id for example in examples()}:
        raise BadInput("Choose an example, or another place where the evidence comes from.")
    return str(example_id)


def chosen_files() -> tuple[Document, ...]:
    documents = tuple(document for found in uploads().values() for document in found)
    if not documents:
        raise BadInput("Add at least one file that can be read, or choose another place for the evidence.")
    return documents


def chosen_stores(written: str) -> tuple[str, ...]:
    paths = lines(written, "Write where the documents are stored: the path of a JSONL file, or of a folder of them.")
    for path in paths:
        if path.startswith(PREFIX):
            raise BadInput("Choose an archive under “Archive”: it is no path.")
        if not settings().may_read(Path(path), local=from_this_machine()):
            raise BadInput(
                f"{path}: this server is open to other machines, so it reads knowledge stores "
                f"from {settings().home / 'stores'} only."
            )
    return paths
