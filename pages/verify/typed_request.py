"""What the form asks for, checked: a request to verify a claim, or a sentence for what is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.averitec.averitec import read_gold
from core.documents.examples import examples
from core.errors import BadInput
from core.files import expanded
from core.search.consent import NotAgreed
from core.settings import settings
from core.types import Claim, Document
from core.verification.reading import agreed
from core.verification.recipes.catalogue import Recipe
from core.verification.recipes.files import adapters, read_recipe
from core.verification.request import Request, checked
from pages.ui.markup import readable
from pages.ui.roles import from_this_machine
from pages.verify.collections import chosen_collection, collections, documents_of
from pages.verify.draft import ADDRESSES, COLLECTION, EXAMPLE, FILES, OWN, OWN_RECIPE, SEARCH, STORE, current
from pages.verify.lines import addresses, lines
from pages.verify.search.order import chosen_search
from pages.verify.source_list import as_changed, documents_of_example
from pages.verify.uploads import uploads

NOT_YET = {
    SEARCH: "Nothing was sent yet. To search for documents, read under “What leaves this machine” which queries go to "
    "whom, and press the button. Or choose another place where the evidence comes from.",
    ADDRESSES: "Nothing was sent yet. Look at the web addresses that are to be read, and press the button again.",
}
"""How to go on where something would be sent that was not yet on the screen, by where the evidence comes from."""


def request(consent: str, *, recipe: str = "") -> Request:
    """Return what the form asks for, by its own recipe unless another is named, with the consent that its person gave.

    Raises BadInput with a sentence for what is missing, NotAgreed where something would be sent that was not shown.
    """
    typed = current()
    said = {name: readable(typed[name]).strip() for name in ("text", "speaker", "source", "place")}
    where = typed["where"]
    collection = chosen_collection(typed["collection"]) if where == COLLECTION else None
    stores = (str(collections().path(collection)),) if collection else ()
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


def done_by(asked: Request, recipe: str) -> Request:
    """Return what is asked for, by the built-in recipe of this name or, for OWN, by the user's own. Raises BadInput."""
    if recipe != OWN:
        return replace(asked, recipe=recipe, own_recipe="")
    mine = own_recipe()
    if mine is None:
        raise BadInput("Add your recipe file in the settings, or choose a built-in recipe.")
    return replace(asked, recipe=mine.name, own_recipe=current()[OWN_RECIPE])


def own_recipe() -> Recipe | None:
    """Return the recipe of the file that the user brought, None before that.

    Raises BadInput if it is no recipe, or if it names an adapter that may not be read here.
    """
    text = current()[OWN_RECIPE]
    if not text:
        return None
    recipe = read_recipe(text, file="Your recipe file")
    for path in (Path(file) for file in adapters(recipe)):
        if not settings().may_read(path, local=from_this_machine(), folder=settings().models):
            raise BadInput(
                f"{path}: this server is open to other machines, so recipes may use adapters in "
                f"{settings().models} only."
            )
    return recipe


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
        if not settings().may_read(Path(path), local=from_this_machine()):
            raise BadInput(
                f"{path}: this server is open to other machines, so it reads knowledge stores "
                f"from {settings().home / 'stores'} only."
            )
    return paths


def chosen_training(written: str) -> str:
    """Return the path of the training claims, empty where none is named. Raises BadInput if they cannot be read."""
    if not written.strip():
        return ""
    path = checked_path(written)
    read_gold(path)
    return str(path)


def checked_path(written: str, *, folder: bool = False) -> Path:
    """Return a path that may be read and is there. Raises BadInput."""
    path = expanded(Path(written.strip()))
    if not settings().may_read(path, local=from_this_machine()):
        home = settings().home / "stores"
        raise BadInput(f"{path}: this server is open to other machines, so it reads files from {home} only.")
    if not (path.is_dir() if folder else path.exists()):
        raise BadInput(f"{path} is not there." if not folder else f"{path} is no folder on this machine.")
    return path.absolute()
