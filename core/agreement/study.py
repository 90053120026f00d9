"""Ratings beside scores: the responses that a recipe analyses, and its treatment of missing ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.agreement.ratings import MajorError, RatingImport, Response, same_claim
from core.agreement.recipes import BY_DESIGN, CLUSTERS, AgreementRecipe
from core.agreement.scored_items import ScoredItem, ScoredItems
from core.errors import BadInput
from core.statistics.bootstrap import Floats
from core.statistics.crossed import MIN_SYSTEMS, Crossed
from core.types import Label
from core.wording import counted

# Not a question of the form: 1 where the rater's verdict is the item's gold label, else 0.
VERDICT_AGREEMENT = "verdict_agreement"
MISTYPED = "claim differs from the item's (mistyped id)"


SHARED = 0.1
"""If so large a share of items has the claim of another item, the claims are taken as independent."""


@dataclass(frozen=True)
class RatedResponse:
    """One analysed response with the item that scores it, the rated system ("" if unknown) and its numbers by scale.

    `claim` names the claim, which items of several systems may share.
    """

    response: Response
    item: ScoredItem
    system: str
    ratings: dict[str, float]
    claim: str


@dataclass(frozen=True)
class Study:
    """The analysed responses and an account of all others: (reason, count), in the order of the filters.

    `scales` includes verdict_agreement where gold labels are known. `unanswered` counts, per scale, the
    analysed responses without an answer: dropped, or counted as 0 where the recipe says so. `mistyped` are
    the rows of responses left out because their claim is another item's. The recipe's cluster is a name of CLUSTERS,
    and `cluster_reason` is a sentence on the choice.
    """

    recipe: AgreementRecipe
    judged: tuple[RatedResponse, ...]
    scales: tuple[str, ...]
    metrics: tuple[str, ...]
    account: tuple[tuple[str, int], ...]
    unanswered: dict[str, int]
    mistyped: tuple[int, ...] = ()
    cluster_reason: str = ""


@dataclass(frozen=True)
class ScoredRatings:
    """A score and a rating for every analysed response that has both; arrays and names of shape (n,)."""

    scores: Floats
    ratings: Floats
    raters: tuple[str, ...]
    systems: tuple[str, ...]
    judged: tuple[RatedResponse, ...]


def build_study(
    ratings: RatingImport,
    scored: ScoredItems,
    recipe: AgreementRecipe,
    *,
    controls: Iterable[str] = (),
) -> Study:
    """Join responses with scores by item id (and system, where the ratings name one) under a recipe.

    `controls` are ids of control items: they measure raters, not metrics, and are left out, as are marked responses.
    Raises BadInput if no id joins, or if an id has several systems' scores and the ratings name none.
    """
    left_out = recipe.excluded | set(controls)
    by_item = _by_item(scored)
    dropped: dict[str, list[int]] = {}
    kept: list[tuple[Response, ScoredItem]] = []
    for response in ratings.responses:
        item = None
        if response.control or response.item in left_out:
            reason = "control or excluded items"
        elif response.error is not MajorError.NONE:
            reason = "evidence with a major error (not rated further)"
        elif (item := _scored_item(response, by_item)) is None:
            reason = "items without scores"
        elif not recipe.any_claim and not same_claim(response.claim, item.claim):
            reason = MISTYPED
        else:
            kept.append((response, item))
            continue
        dropped.setdefault(reason, []).append(response.row)
    counts = {reason: len(rows) for reason, rows in dropped.items()}
    if not kept:
        raise BadInput(_nothing_joined(ratings, scored, counts))
    verdicts = not ratings.own and any(item.gold for _, item in kept)
    scales = (*ratings.scales, *([VERDICT_AGREEMENT] if verdicts else []))
    if not scales:
        raise BadInput("The ratings have no scale to compare with scores: show the raters' agreement without scores.")
    judged = _judged(kept, scales, recipe)
    account = (("responses", len(ratings.responses)), *counts.items(), ("analysed", len(judged)))
    unanswered = {
        scale: sum(given_answer(response, item, scale, recipe) is None for response, item in kept) for scale in scales
    }
    cluster, why = chosen_cluster(judged, recipe.cluster)
    recipe = replace(recipe, cluster=cluster)
    return Study(recipe, judged, scales, scored.metrics, account, unanswered, tuple(dropped.get(MISTYPED, ())), why)


def pairs(study: Study, metric: str, scale: str) -> ScoredRatings:
    """Return the responses that have both the metric's score and an answer to the scale."""
    rows = [
        (judged, scores[metric], judged.ratings[scale])
        for judged in study.judged
        for scores in [dict(judged.item.scores)]
        if metric in scores and scale in judged.ratings
    ]
    return ScoredRatings(
        np.array([score for _, score, _ in rows], dtype=np.float64),
        np.array([rating for _, _, rating in rows], dtype=np.float64),
        tuple(judged.response.rater for judged, _, _ in rows),
        tuple(judged.system for judged, _, _ in rows),
        tuple(judged for judged, _, _ in rows),
    )


def chosen_cluster(judged: Sequence[RatedResponse], wanted: str) -> tuple[str, str]:
    """Return the independent unit, a name of CLUSTERS, and a sentence on the reason.

    By design it is claims and systems, if SHARED of the items share their claim, and there are MIN_SYSTEMS. Ratings of
    a claim are alike, also of two systems, and ratings of a system are alike.
    """
    items = {(one.item.item, one.item.system): one.claim for one in judged}
    claims = Counter(items.values())
    sharing = sum(count for count in claims.values() if count > 1)
    shared = sharing >= SHARED * len(items) > 0
    systems = len({one.system for one in judged})
    several = systems >= MIN_SYSTEMS
    facts = f"{counted(len(claims), 'claim')}, {counted(systems, 'system')}, {counted(len(items), 'item')}"
    cluster = wanted or (("claim-system" if several else "claim") if shared else "item")
    if wanted != BY_DESIGN:
        why = f"The {CLUSTERS[wanted]} are independent, as the recipe or the reader chose ({facts})."
    elif shared and several:
        why = f"The claims and the systems are independent: ratings of one claim or one system are alike ({facts})."
    elif shared:
        why = f"The claims are independent: systems share claims, and ratings of one claim are alike ({facts})."
    else:
        why = f"The items are independent: {counted(sharing, 'item')} of {len(items)} share a claim ({facts})."
    if shared and cluster == "claim":
        why += " Figures hold for these systems alone."
        why += " To speak of others, choose claims and systems." if several else ""
    return cluster, why + _spread(judged, cluster, "claim" if shared else "item")


def _spread(judged: Sequence[RatedResponse], cluster: str, whole: str) -> str:
    """Warn if SHARED of the claims or items belong to several clusters; else return ""."""
    clusters = clusters_of(judged, cluster)
    if isinstance(clusters, Crossed) or cluster in (whole, "claim"):
        return ""
    within: dict[Hashable, set[Hashable]] = {}
    for one, row in zip(judged, clusters or range(len(judged)), strict=True):
        within.setdefault(one.claim if whole == "claim" else (one.item.item, one.item.system), set()).add(row)
    several = sum(len(rows) > 1 for rows in within.values())
    if several < SHARED * len(within):
        return ""
    torn = f"{several} of {counted(len(within), whole)} belong to several {CLUSTERS[cluster]}"
    return f" The p values are too small: {torn}, and ratings of one {whole} are alike. Choose {CLUSTERS[whole]}."


def clusters_of(judged: Sequence[RatedResponse], cluster: str) -> tuple[Hashable, ...] | Crossed | None:
    """Return each response's cluster under a name of CLUSTERS; None makes each response its own."""
    if cluster == "response":
        return None
    if cluster == "claim":
        return tuple(one.claim for one in judged)
    if cluster == "claim-system":
        return Crossed(tuple(one.claim for one in judged), tuple(one.system for one in judged))
    if cluster == "rater":
        return tuple(one.response.rater for one in judged)
    if cluster == "system":
        return tuple(one.system for one in judged)
    return tuple((one.item.item, one.item.system) for one in judged)


def rating_matrix(responses: Sequence[Response], scale: str) -> tuple[tuple[str, ...], tuple[str, ...], Floats]:
    """Return raters, items and their ratings, shape (raters, items), NaN where there is none.

    `scale` "verdict" gives the four verdicts as 0 to 3. Items are "id" or "id · system". Of several ratings of an item
    by one rater the last one counts. Responses that report a major error give no ratings.
    """
    order = list(Label)

    def value(response: Response) -> float | None:
        if scale == "verdict" and response.verdict is not None:
            return order.index(response.verdict)
        return response.ratings.get(scale)

    return value_matrix(responses, value)


def value_matrix(
    responses: Sequence[Response], value_of: Callable[[Response], float | None]
) -> tuple[tuple[str, ...], tuple[str, ...], Floats]:
    """Return raters, items and the responses' values as `rating_matrix`; `value_of` gives None for no answer."""
    cells: dict[tuple[str, str], float] = {}
    for response in responses:
        value = value_of(response)
        if value is not None and response.error is MajorError.NONE:
            name = f"{response.item} · {response.system}" if response.system else response.item
            cells[response.rater, name] = float(value)
    raters = tuple(sorted({rater for rater, _ in cells}))
    items = tuple(dict.fromkeys(item for _, item in cells))
    matrix = np.full((len(raters), len(items)), np.nan)
    row, column = {r: i for i, r in enumerate(raters)}, {name: j for j, name in enumerate(items)}
    for (rater, name), value in cells.items():
        matrix[row[rater], column[name]] = value
    return raters, items, matrix


def verdict_agrees(human: Label, gold: Label, recipe: AgreementRecipe) -> bool:
    """Tell whether a human verdict counts as the gold label under the recipe."""
    return human is gold and not (recipe.conflicting_never_agrees and human is Label.CONFLICTING)


def _by_item(scored: ScoredItems) -> dict[str, list[ScoredItem]]:
    by_item: dict[str, list[ScoredItem]] = {}
    for item in scored.items.values():
        by_item.setdefault(item.item, []).append(item)
    return by_item


def _scored_item(response: Response, by_item: Mapping[str, Sequence[ScoredItem]]) -> ScoredItem | None:
    items = [item for item in by_item.get(response.item, ()) if item.scores]
    if response.system:
        items = [item for item in items if item.system in ("", response.system)]
    if len(items) > 1:
        systems = ", ".join(sorted(item.system for item in items))
        raise BadInput(
            f"Item {response.item} has scores of several systems ({systems}), but row {response.row} of the ratings "
            "does not say which one was rated. Add a column 'system' to the ratings, or give one system's scores."
        )
    return items[0] if items else None


def _judged(
    kept: Sequence[tuple[Response, ScoredItem]], scales: Sequence[str], recipe: AgreementRecipe
) -> tuple[RatedResponse, ...]:
    first: dict[tuple[str, str], Response] = {}
    for response, item in kept:
        first.setdefault((item.item, item.system), response)
    judged = []
    claims = _claim_names(kept)
    for response, item in kept:
        source = first[item.item, item.system] if recipe.first_rating_only else response
        answers = {scale: given_answer(source, item, scale, recipe) for scale in scales}
        if recipe.missing_as_zero:
            answers = {scale: answer or 0.0 for scale, answer in answers.items()}
        ratings = {scale: answer for scale, answer in answers.items() if answer is not None}
        system = dict(recipe.rated_systems).get((response.item, response.team), item.system)
        judged.append(RatedResponse(response, item, system, ratings, claims[item.item, item.system]))
    return tuple(judged)


def _claim_names(kept: Sequence[tuple[Response, ScoredItem]]) -> dict[tuple[str, str], str]:
    """Return (item, system) → claim: its `claim_id`, else the id of the first item with its text, else its own id."""
    named: dict[tuple[str, str], str] = {}
    by_text: dict[str, str] = {}
    for response, item in kept:
        key = (item.item, item.system)
        given = item.claim_id or response.claim_id
        text = " ".join((item.claim or response.claim).casefold().split())
        first = by_text.setdefault(text, item.item) if text else item.item
        if given or key not in named:
            named[key] = given or first
    return named


def given_answer(response: Response, item: ScoredItem, scale: str, recipe: AgreementRecipe) -> float | None:
    """Return a response's answer to a scale as it was given, None where it is missing."""
    if scale != VERDICT_AGREEMENT:
        rating = response.ratings.get(scale)
        return None if rating is None else float(rating)
    if response.verdict is None or item.gold is None:
        return None
    return float(verdict_agrees(response.verdict, item.gold, recipe))


def _nothing_joined(ratings: RatingImport, scored: ScoredItems, dropped: Mapping[str, int]) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in dropped.items()) or "no responses"
    if not any(item.scores for item in scored.items.values()):
        return f"The score files have no score that can be used: {'; '.join(scored.notes) or 'all cells are empty'}."
    rated = ", ".join(sorted({response.item for response in ratings.responses})[:3])
    known = ", ".join(sorted({item for item, _ in scored.items})[:3])
    return (
        f"No rating could be joined with a score ({reasons}). The ratings have ids such as {rated}; the scores "
        f"have ids such as {known}. Give files about the same items."
    )
