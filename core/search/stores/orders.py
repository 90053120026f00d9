"""Orders for builds, from a command or a page: their largest cost, and how they are carried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.interfaces import Stop, never
from core.llm.backends import open_model
from core.models.choice import parse_choice
from core.search.addresses import host_of
from core.search.consent import Consent
from core.search.queries import Material, QueryKind, QueryWriter, named_entities, read_kinds
from core.search.reading import PAUSE_SECONDS
from core.search.sender import Sender
from core.search.sources import open_source
from core.search.stores.build import BuildProgress, OnBuild, build_store
from core.search.stores.claims import StoreClaim, read_store_claims
from core.search.stores.command import MAX_PAGES, MAX_WORKERS, BuildOrder
from core.search.stores.page_workers import ClusterPageWorker, LocalPageWorker, PageWorker
from core.search.stores.rows import Json, StorePlan
from core.search.types import LocalSource, Source
from core.settings import settings
from core.wording import counted


@dataclass(frozen=True)
class OpenedBuild:
    """An order with its files read and its sources opened; nothing was sent yet."""

    order: BuildOrder
    kinds: tuple[QueryKind, ...]
    claims: tuple[StoreClaim, ...]
    sources: tuple[Source, ...]

    @property
    def model(self) -> str:
        """The id of the model that writes queries, "" where no kind wants one."""
        return self.order.model if any(kind.method == "model" for kind in self.kinds) else ""


def open_build(order: BuildOrder) -> OpenedBuild:
    """Return an order ready to be carried out. Raises BadInput, BadRecord for anything in it that cannot be."""
    if not (1 <= order.pages <= MAX_PAGES and 1 <= order.workers <= MAX_WORKERS):
        raise BadInput(f"Pages of results go from 1 to {MAX_PAGES}, workers from 1 to {MAX_WORKERS}.")
    if order.scheduler and order.workers > 1:
        raise BadInput("A Dask cluster brings its own workers: leave out the workers or the scheduler.")
    kinds, sources = tuple(wanted_kinds(order)), opened_sources(order.sources)
    claims = read_store_claims(Path(order.claims), kinds, claim_only=order.claim_only)
    return OpenedBuild(order, kinds, tuple(claims), sources)


def opened_sources(names: Sequence[str]) -> tuple[Source, ...]:
    """Return the sources of these names. Raises BadInput for one that cannot be opened, or if none finds words."""
    sources = tuple(open_source(named) for named in names)
    if not any(source.can.words for source in sources):
        raise BadInput("Name at least one source that can be searched by words, such as wikipedia.")
    return sources


def wanted_kinds(order: BuildOrder) -> list[QueryKind]:
    """Return the kinds of query that an order wants. Raises BadInput for one that its file has not."""
    known = read_kinds(Path(order.kinds_file))
    if unknown := [name for name in order.kinds if name not in known]:
        raise BadInput(f"There is no kind of query “{unknown[0]}” in {order.kinds_file}.")
    named = [known[name] for name in order.kinds] or list(known.values())
    kinds = [kind for kind in named if not (order.claim_only and kind.needs_gold)]
    if not kinds:
        raise BadInput("No kind of query is left: these all need gold annotations.")
    return kinds


def forecast(build: OpenedBuild) -> Consent:
    """Return the consent that a build needs: the most that it sends, were nothing of it known already."""
    queries = sum(most_queries(kind, claim.material) for claim in build.claims for kind in build.kinds)
    asked = queries * build.order.pages
    gold = sum(len(claim.material.urls) for claim in build.claims)
    web = [source for source in build.sources if source.can.words and not isinstance(source, LocalSource)]
    pages = gold + asked * sum(source.can.page_size for source in web)
    return Consent(most={source.place: asked for source in web}, pages=pages)


def gold_sites(build: OpenedBuild, *, most: int = 10) -> str:
    """Return the hosts of the gold documents, which are read as well, most frequent first; "" without gold."""
    hosts = Counter(host_of(url) for claim in build.claims for url in claim.material.urls)
    named = [f"{host} ({count:,})" for host, count in hosts.most_common(most)]
    others = f" and {counted(len(hosts) - most, 'other site')}" if len(hosts) > most else ""
    return f"{', '.join(named)}{others}"


def most_queries(kind: QueryKind, material: Material) -> int:
    """Return how many queries of a kind a claim has at most."""
    each = {"questions": material.questions, "answers": material.answers, "urls": material.urls}
    count = len(each[kind.each]) if kind.each in each else 1
    if kind.method == "entities":
        names = named_entities(material.claim.text)
        return len({*names, " ".join(names)} - {""})
    if kind.method == "similar":
        return min(1, len(material.urls))
    return count * kind.count if kind.method == "model" else count


def carry_out(build: OpenedBuild, out: Path, *, report: OnBuild, stop: Stop = never) -> Json:
    """Build the store in a folder, going on where an earlier build was stopped, and return its manifest.

    Raises NotAgreed unless the order carries the consent that it needs; BadInput, ModelError, ServerError, Cancelled.
    """
    order, consent = build.order, forecast(build)
    consent.check(order.consent)
    with page_worker_for(build, stop) as (hands, workers):
        return build_store(
            out,
            build.claims,
            StorePlan(build.kinds, order.pages, order.same_day, order.seed),
            build.sources,
            hands,
            Sender(consent, settings().contact, stop=stop),
            pause=PAUSE_SECONDS,
            workers=workers,
            report=report,
        )


@contextmanager
def page_worker_for(build: OpenedBuild, stop: Stop) -> Iterator[tuple[PageWorker, int]]:
    """Open who does the heavy work of a build, and say on how many claims at once."""
    order = build.order
    if order.scheduler:
        cluster = ClusterPageWorker(order.scheduler, build.model, seed=order.seed, stop=stop)
        try:
            yield cluster, min(cluster.size, MAX_WORKERS)
        finally:
            cluster.close()
        return
    llm = open_model(parse_choice(build.model), stop=stop) if build.model else None
    try:
        yield LocalPageWorker(QueryWriter(llm, order.seed, stop)), order.workers
    finally:
        if llm:
            llm.close()


def progress_words(progress: BuildProgress, claims: int) -> str:
    """Return how far a build is, in words."""
    asked, read = counted(progress.queries, "query", "queries"), counted(progress.pages, "page")
    silent = f" ({progress.unanswered:,} not answered)" if progress.unanswered else ""
    return f"{progress.claims:,} of {counted(claims, 'claim')}, {asked} sent{silent}, {read} read"


def places(sources: Sequence[Source]) -> str:
    """Return the names and places of sources, for the person who must agree first."""
    return ", ".join(f"{source.title} ({source.place})" for source in sources)
