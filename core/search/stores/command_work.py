"""Build a store for the command line, and show the contents of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.actions.action import ActionContext
from core.averitec.averitec import read_gold
from core.files import write_whole
from core.search.stores.build import BuildProgress, may_pass
from core.search.stores.command import BuildStore, ShowStore
from core.search.stores.orders import (
    OpenedBuild,
    carry_out,
    forecast,
    gold_sites,
    open_build,
    places,
    progress_words,
)
from core.search.stores.rows import Json
from core.search.stores.stats import StoreStats, store_stats
from core.search.stores.stats_tables import kinds_chart, stats_tables
from core.tabular.exports import EXPORTS
from core.wording import counted


def build(request: BuildStore, context: ActionContext) -> Json:
    """Name the queries and their receivers, ask, build, and return the manifest. Raises as `carry_out`."""
    opened, done = open_build(request), 0
    context.tell("\n".join(_announced(opened)))
    if not request.yes:
        context.ask("Go on?")
    agreed = replace(opened, order=replace(request, consent=forecast(opened).digest))

    def report(progress: BuildProgress) -> None:
        nonlocal done
        if progress.claims > done:
            done = progress.claims
            context.tell(progress_words(progress, len(opened.claims)))

    manifest = carry_out(agreed, request.out, report=report, stop=context.stop)
    if may_pass(manifest):
        context.tell("Run the same command once more to repeat the failed queries, and nothing else.")
    return manifest


def _announced(opened: OpenedBuild) -> Iterator[str]:
    most = forecast(opened)
    queries = f"Queries of {counted(len(opened.kinds), 'kind')} for {counted(len(opened.claims), 'claim')}"
    yield f"{queries} go to {places(opened.sources)}."
    yield from (f"  {place}: at most {counted(count, 'query', 'queries')}" for place, count in most.most.items())
    yield f"Then Veridesk reads at most {counted(most.pages, 'page')} from their answers."
    if sites := gold_sites(opened):
        yield f"Among these are the documents behind the annotated answers: {sites}."


def built(manifest: Json) -> str:
    """Return a manifest's figures in words."""
    lines = [f"{counted(manifest['rows'], 'row')}, {manifest['with_text']:,} with text"]
    for name in ("asked", "left_out", "without_text"):
        lines.append(f"  {name}: {', '.join(f'{count} {why}' for why, count in manifest[name].items()) or 'none'}")
    lines += [f"  not answered, {count} times: {message}" for message, count in manifest["failures"].items()]
    return "\n".join(lines)


def show(request: ShowStore, context: ActionContext) -> StoreStats:
    """Return the figures of a store, and write their tables. Raises as `store_stats`."""
    found = store_stats(request.folder, read_gold(request.gold) if request.gold else ())
    if request.tables:
        request.tables.mkdir(parents=True, exist_ok=True)
        for table in stats_tables(found):
            for write, suffix, _ in EXPORTS.values():
                write_whole(request.tables / f"{table.name}.{suffix}", write(table))
    return found


def chart(found: StoreStats, suffix: str) -> bytes:
    """Return a picture of the results of each kind of query."""
    from core.tabular.charts import picture

    return picture(kinds_chart(found), suffix.removeprefix("."))


def figures(found: StoreStats) -> Json:
    means = {name: round(found.mean(name), 1) for name in ("addresses", "with_text", "sentences", "tokens")}
    kinds = {"rows": found.rows, "gold": found.gold, "gold_found": found.gold_found}
    return {"claims": len(found.claims), "mean": means, **kinds}
