"""Read the documents that a request names, and index them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.archive.types import PREFIX, Filters
from core.dates import dated, published_before
from core.documents.collections import DOCUMENTS
from core.documents.documents import Reading
from core.documents.examples import examples
from core.documents.knowledge_store import KnowledgeStore, load_store
from core.documents.language import mismatch
from core.errors import BadInput
from core.interfaces import Encoder, Retriever, Stop, ignore, never
from core.retrieval.caching import CachingEncoder
from core.retrieval.corpus import corpus_of
from core.retrieval.index import Index
from core.retrieval.kept_index import KeptIndex, open_index
from core.search.consent import Consent
from core.search.search_plan import Approve, always
from core.search_report import ReadAddress, SearchReport, outcome
from core.settings import settings
from core.types import CorpusSummary, Document, NotSearched
from core.verification.progress import Progress
from core.verification.request import Request
from core.wording import counted

SEARCHING = "Search for documents"
READING = "Read the documents"
INDEXING = "Index the passages"
YOU = "you"
"""Who gives a document's date where the person did (see `core.dates.dated`)."""
BY_HAND, LATER = "left out by hand", "published after the claim"
FROM_ARCHIVE = 100
"""The documents of an archive that are read for one claim."""
MAX_NAMED = 200
"""How many of the documents that are left out a case names."""


LoadStore = Callable[[Path], KnowledgeStore]
"""Opens a knowledge store. Raises as `load_store`."""


def open_retriever(
    request: Request,
    encoder: Encoder,
    progress: Progress,
    stop: Stop,
    load: LoadStore = load_store,
    snapshots: Path | None = None,
    approve: Approve = always,
) -> Retriever:
    """Read and index the documents that a request names, in two stages of its progress. Raises as `documents_of`.

    `snapshots` is the folder of pages that were read before; None for this machine's own. `approve` is asked before
    each later query.
    """
    # A vector's last digits depend on its batch. A replay has other batches than a search and a new index, so their
    # vectors stay out of the case's.
    apart = encoder.encoder if isinstance(encoder, CachingEncoder) else encoder
    if request.search:
        searching = CachingEncoder(apart)
        with progress.stage(SEARCHING) as stage:
            found, report = searched_documents(
                request, searching, stop=stop, report=stage.report, folder=snapshots, approve=approve
            )
            nothing = "" if found else f"The search brought no document. {outcome(report)}"
            stage.case = replace(stage.case, search=report, notes=tuple(filter(None, (nothing or report.silenced,))))
            stage.found = f"{counted(len(found), 'document')}, {counted(len(report.left_out), 'page')} left out"
        request = replace(request, documents=(*request.documents, *found))
    with progress.stage(READING) as stage:
        if request.urls and not request.fetched:
            request = replace(request, fetched=fetch_and_keep(request, stop=stop))
        documents, corpus, unread = documents_of(request, stop=stop, load=load, folder=snapshots)
        notes = (*stage.case.notes, *unread)
        stage.case = replace(stage.case, corpus=corpus, notes=notes, fetched=request.fetched)
        stage.found = counted(corpus.documents, "document")
    with progress.stage(INDEXING) as stage:
        retriever = (
            index_of(request, documents, apart, settings().indexes, stop=stop, report=stage.report)
            if request.keep_index and documents and not searches_archive(request)
            else Index(corpus_of(documents, request.chunking), encoder, stop=stop)
        )
        stage.case = replace(stage.case, corpus=replace(corpus, passages=len(retriever.passages)))
        stage.found = counted(len(retriever.passages), "passage")
    return retriever


def searched_documents(
    request: Request,
    encoder: Encoder,
    *,
    stop: Stop,
    report: Callable[[str], None],
    folder: Path | None = None,
    approve: Approve = always,
) -> tuple[list[Document], SearchReport]:
    """Return a search's documents and report; an earlier search is read from the snapshots in a folder."""
    # sources, robots.txt and WARC: a claim with documents of its own needs none of them
    from core.search.search_request import carry_out, documents_again, snapshots_in

    if request.searched:
        return documents_again(request.searched, snapshots_in(folder)), request.searched
    assert request.search
    consent = agreed(request)
    return carry_out(request.search, request.claim, consent, stop=stop, report=report, encoder=encoder, approve=approve)


def consent_for(request: Request) -> Consent:
    """Return the consent to all that a request sends. Raises BadInput for a source that cannot be opened."""
    consent = Consent()
    if request.search and not request.searched:
        from core.search.search_request import consent_of  # see `searched_documents`

        consent = consent_of(request.search, request.claim)
    return replace(consent, addresses=() if request.fetched else request.urls)


def fetch_and_keep(request: Request, *, stop: Stop = never) -> tuple[ReadAddress, ...]:
    """Read the web addresses of a request and keep their snapshots. Raises BadInput, NotAgreed and Cancelled."""
    from core.documents.web import fetch_answers  # an HTTP client, which takes a tenth of a second
    from core.search.search_request import keep_fetched

    return tuple(keep_fetched(one) for one in fetch_answers(agreed(request).addresses, stop=stop))


def fetched_again(request: Request, *, stop: Stop, folder: Path | None) -> Reading:
    """Return the documents of a request's web addresses from their snapshots. Raises BadInput where one is missing."""
    from core.documents.web import read_all
    from core.search.search_request import fetched_from, snapshots_in

    snapshots = snapshots_in(folder)
    return read_all([one.problem or fetched_from(one, snapshots) for one in request.fetched], stop=stop)


def agreed(request: Request) -> Consent:
    """Return the consent that a request needs. Raises NotAgreed unless its person gave just that."""
    consent = consent_for(request)
    consent.check(request.consent)
    return consent


def documents_of(
    request: Request, *, stop: Stop = never, load: LoadStore = load_store, folder: Path | None = None
) -> tuple[list[Document], CorpusSummary, list[str]]:
    """Return the documents to search, their figures, and notes on those that could not be read.

    Raises as `gather` does, and BadInput if all were published after the claim. A search may have found none.
    """
    documents, notes = gather(request, stop=stop, load=load, folder=folder)
    documents = [redated(document, request) for document in documents]
    wanted = [document for document in documents if document.digest not in request.without]
    if documents and not wanted:
        raise BadInput("You left out all of the documents: take one of them back, or add others.")
    deadline = None if request.include_late else request.claim.date
    before, late, undated = published_before(wanted, deadline)
    if documents and not before:
        raise BadInput(
            f"All {late} documents were published after the claim: check its date, or allow later documents."
        )
    # One hash over the documents' hashes in order.
    digest = hashlib.sha256("".join(document.digest for document in before).encode()).hexdigest()
    left_out = not_searched(documents, request.without, before)
    corpus = CorpusSummary(len(before), 0, late, undated, digest, left_out)
    foreign = mismatch(request.claim.text, before)
    return before, corpus, [*notes, foreign] if foreign else notes


def redated(document: Document, request: Request) -> Document:
    """Return a document with the date that the person gave it, if they did."""
    return dated(document, request.dates[document.digest], YOU) if document.digest in request.dates else document


def not_searched(
    documents: Sequence[Document], without: Collection[str], searched: Sequence[Document]
) -> tuple[NotSearched, ...]:
    """Return the documents that are not searched, and why: those that a person left out first, then later ones."""
    kept = {document.digest for document in searched}
    named = [
        NotSearched(document.title or document.site, document.url, document.published, reason)
        for chosen, reason in ((True, BY_HAND), (False, LATER))
        for document in documents
        if document.digest not in kept and (document.digest in without) is chosen
    ]
    return tuple(named[:MAX_NAMED])


def gather(
    request: Request, *, stop: Stop, load: LoadStore = load_store, folder: Path | None = None
) -> tuple[list[Document], list[str]]:
    """Return the documents that a request names, each text once, and notes on those that could not be read.

    Its web addresses are read from their snapshots in a folder.

    Raises BadInput where there are none, and BadRecord for a broken knowledge store.
    """
    stores = {path: stored(path, request, load) for path in request.stores}
    notes = notes_on(stores)
    documents = [*request.documents, *(document for store in stores.values() for document in store.documents)]
    if request.example:
        documents += next((item.documents for item in examples() if item.id == request.example), ())
    if request.fetched:
        fetched = fetched_again(request, stop=stop, folder=folder)
        documents += fetched.documents
        notes += fetched.problems
    if not documents and not request.search:
        nothing = "There are no documents to search: add files, web addresses or stored documents."
        if searches_archive(request):
            nothing = "The archive holds no document that is near to this claim and is not later: add documents to it."
        raise BadInput("\n".join([nothing, *notes]))
    return each_once(documents), notes


def stored(path: str, request: Request, load: LoadStore = load_store) -> KnowledgeStore:
    """Return the documents of a store; of an archive those nearest to the claim, in the versions of its day.

    Raises as `load`, and BadInput for an archive that is not there.
    """
    if not path.startswith(PREFIX):
        return load(Path(path))
    from core.archive.catalogue import archive_named, own_archives  # the database, which few claims need

    archive = own_archives().open(archive_named(path).id)
    day = None if request.include_late else request.claim.date
    return KnowledgeStore(archive.documents(request.claim.text, k=FROM_ARCHIVE, filters=Filters(day)), 0)


def searches_archive(request: Request) -> bool:
    """Say whether an archive is among the stores of a request."""
    return any(path.startswith(PREFIX) for path in request.stores)


def notes_on(stores: Mapping[str, KnowledgeStore]) -> list[str]:
    """Return a sentence for each archive, and for each store with records without text; `stores` is by path."""
    found = [len(store.documents) for path, store in stores.items() if path.startswith(PREFIX)]
    return [
        *(f"Of the archive, {counted(count, 'document')} nearest to the claim were read." for count in found),
    ] + [
        f"Records without text in {store_name(Path(path))}, left out: {store.empty}."
        for path, store in stores.items()
        if store.empty
    ]


def each_once(documents: Iterable[Document]) -> list[Document]:
    """Return each text once, in order of first occurrence, with the earliest date of its copies."""
    by_digest: dict[str, Document] = {}
    for document in documents:
        first = by_digest.setdefault(document.digest, document)
        if document.published and (first.published is None or document.published < first.published):
            by_digest[document.digest] = dated(first, document.published, document.date_source)
    return list(by_digest.values())


def index_of(
    request: Request,
    documents: Sequence[Document],
    encoder: Encoder,
    indexes: Path,
    *,
    stop: Stop = never,
    report: Callable[[str], None] = ignore,
) -> KeptIndex:
    """Return the kept index of a request's documents, built where there is none."""
    return open_index(
        indexes,
        documents,
        encoder,
        chunking=request.chunking,
        name=named(request),
        stop=stop,
        report=report,
    )


def named(request: Request) -> str:
    """Return a name for the documents of a request: its stores by name, or the number of its files."""
    stores = ", ".join(store_name(Path(store)) for store in request.stores)
    others = counted(len(request.documents) + len(request.urls), "file")
    return stores or (f"Example {request.example}" if request.example else others)


def store_name(path: Path) -> str:
    """Return the name of a store's file or folder. A collection has its id: only its owner's pages show its name."""
    return path.parent.name if path.name == DOCUMENTS else path.name
