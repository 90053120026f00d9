"""A gold file is replaced: all submissions are scored again, the board has a notice, and the old board stays."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from sqlalchemy import select

from core.actions.fields import BadField
from core.annotations import GoldClaim
from core.dataclass_json import to_json
from core.errors import BadInput, Cancelled, Denied
from core.files import ROOT
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.types import STALE_SECONDS, State
from core.llm.caching import CallCache
from core.scoring.judging import Judging
from core.scoring.progress import UNMONITORED, ProgressMonitor
from core.storage.tables import task_scores
from core.tasks import rescoring
from core.tasks.rescore_job import replace_gold, rescore_kind
from core.tasks.rescoring import NewGold, propose_gold, replacements, rescore
from core.tasks.scores import scorer
from core.tasks.submitting import choose_final
from core.tasks.task_board import submissions_table
from core.types import Label
from tests.fakes import Reader
from tests.tasks.conftest import ANNA, BERT, CAREFUL, GOLD, PLAN, Organised, live, wrong
from tests.waiting import until

SUPPORTED = [replace(claim, label=Label.SUPPORTED) for claim in GOLD]
"""Annotations by which the submission with one verdict for all is right."""


def new(claims: list[GoldClaim] = SUPPORTED, reason: str = "Labels were corrected.") -> NewGold:
    return NewGold("new.json", claims, reason)


def proposed(here: Organised, gold: NewGold, *, other_claims: bool = False) -> str:
    with here.store.transaction(writing=True) as connection:
        return propose_gold(
            connection, here.task, here.organiser, "Trial", gold, now=here.clock(), other_claims=other_claims
        )


def teams(here: Organised, who: str = "", gold: str = "") -> list[tuple[object, object]]:
    return [(row[0], row[1]) for row in here.board(who, gold=gold).rows]


def test_the_board_changes_with_a_notice_and_the_old_one_stays(desk: Organised) -> None:
    desk.submit()
    desk.submit(BERT, wrong())
    phase = desk.plan.phase("Trial").id
    replace_gold(desk.store, desk.task, desk.organiser, phase, new())
    with pytest.raises(Denied):
        replace_gold(desk.store, desk.task, ANNA, phase, new())
    until(lambda: replacements(desk.store, desk.task, phase)[-1].since is not None)
    first, last = replacements(desk.store, desk.task, phase)
    assert (last.number, last.reason) == (2, "Labels were corrected.")
    assert {(last.moved.before, last.moved.after)} <= {(1, 2), (2, 1)}
    assert teams(desk) == [(1, "Bert's"), (2, "Anna's")]
    assert teams(desk, gold=first.id) == [(1, "Anna's"), (2, "Bert's")]
    with pytest.raises(Denied, match="opens on"):
        desk.rows(ANNA, gold=first.id)
    desk.clock.now = PLAN.phases[0].opens
    assert teams(desk, ANNA, first.id) == [(1, "Anna's"), (2, "Bert's")]
    with pytest.raises(Denied, match="no such gold file"):
        desk.rows(ANNA, gold="another task's")


def test_a_stopped_scoring_goes_on_and_changes_nothing_before_its_end(here: Organised) -> None:
    here.submit()
    here.submit(BERT, wrong())
    gold = proposed(here, new())
    done: list[int] = []

    def stop() -> bool:
        return max(done, default=0) >= len(GOLD)

    with pytest.raises(Cancelled):
        rescore(here.store, gold, ProgressMonitor(lambda n, _: done.append(n), stop))
    assert teams(here) == [(1, "Anna's"), (2, "Bert's")]
    assert proposed(here, new()) == gold, "the same file goes on"
    progress: list[tuple[int, int]] = []
    assert rescore(here.store, gold, ProgressMonitor(lambda n, all_: progress.append((n, all_)))) is not None
    assert progress[0] == (len(GOLD), 2 * len(GOLD)), "the first submission is not scored again"
    assert progress[-1] == (2 * len(GOLD), 2 * len(GOLD))
    assert teams(here) == [(1, "Bert's"), (2, "Anna's")]


def scored_at(desk: Organised, gold: str) -> dict[str, float]:
    """Return when each submission got its score by a gold file."""
    wanted = select(task_scores.c.submission, task_scores.c.made).where(task_scores.c.gold == gold)
    with desk.store.transaction() as connection:
        return {row.submission: row.made for row in connection.execute(wanted)}


@pytest.mark.slow
def test_after_a_kill_the_next_server_goes_on(desk: Organised) -> None:
    made = {desk.submit(who, content).id for who, content in ((ANNA, CAREFUL), (BERT, wrong()), (BERT, wrong()))}
    before, phase = teams(desk), desk.plan.phase("Trial").id
    desk.runs.queue.close()
    replace_gold(desk.store, desk.task, desk.organiser, phase, new())
    first, last = (one.id for one in replacements(desk.store, desk.task, phase))
    url = desk.store.engine.url.render_as_string(hide_password=False)
    server = [sys.executable, "-m", "tests.tasks.gold_server", url, str(desk.clock.now)]
    with subprocess.Popen(server, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline(), "the server ended before the middle"
        os.kill(process.pid, signal.SIGKILL)
    half = scored_at(desk, last)
    assert half.keys() < made
    assert half
    assert teams(desk) == before

    desk.clock.now += 2 * STALE_SECONDS
    queue = JobQueue(desk.jobs)
    Jobs(queue, rescore_kind(desk.store))
    until(lambda: replacements(desk.store, desk.task, phase)[-1].since is not None)
    queue.close()
    after = scored_at(desk, last)
    assert after.keys() == made
    assert after.items() >= half.items(), "it was scored again"
    assert teams(desk) == [(1, "Bert's"), (2, "Anna's")]
    assert teams(desk, gold=first) == before


def test_a_submission_during_the_scoring_is_on_the_new_board(here: Organised, monkeypatch: pytest.MonkeyPatch) -> None:
    here.submit()
    gold, put = proposed(here, new()), rescoring._put_into_force

    def submit_first(*arguments: object) -> object:
        monkeypatch.setattr(rescoring, "_put_into_force", put)
        here.submit(BERT, wrong())
        return put(*arguments)

    monkeypatch.setattr(rescoring, "_put_into_force", submit_first)
    rescore(here.store, gold, UNMONITORED)
    assert teams(here) == [(1, "Bert's"), (2, "Anna's")]


def test_two_runs_of_one_file_keep_its_notice(here: Organised, monkeypatch: pytest.MonkeyPatch) -> None:
    here.submit()
    here.submit(BERT, wrong())
    gold, put = proposed(here, new()), rescoring._put_into_force

    def run_first(*arguments: object) -> object:
        monkeypatch.setattr(rescoring, "_put_into_force", put)
        rescore(here.store, gold, UNMONITORED)
        return put(*arguments)

    monkeypatch.setattr(rescoring, "_put_into_force", run_first)
    moved = rescore(here.store, gold, UNMONITORED)
    assert moved is not None
    assert replacements(here.store, here.task, here.plan.phase("Trial").id)[-1].moved == moved


def test_all_are_scored_again_while_teams_choose_and_the_final_ones_later(here: Organised) -> None:
    first = here.submit()
    here.submit(content=wrong())
    rescore(here.store, proposed(here, new()), UNMONITORED)
    assert all(one.scored for one in here.of(ANNA))
    choose_final(here.store, here.jobs, here.task, ANNA, first.id)
    here.clock.now = PLAN.phases[0].opens
    rescore(here.store, proposed(here, new(list(GOLD), "Back again.")), UNMONITORED)
    assert {one.id for one in here.of(ANNA) if one.scored} == {first.id}


@pytest.mark.parametrize(
    ("gold", "field"),
    [
        (new(SUPPORTED[1:]), "gold"),
        (new([*SUPPORTED, replace(GOLD[0], claim=replace(GOLD[0].claim, id="99"))]), "gold"),
        (new([replace(SUPPORTED[0], claim=replace(GOLD[0].claim, text="Another.")), *SUPPORTED[1:]]), "gold"),
        (new(list(GOLD)), "gold"),
        (new(reason=" "), "reason"),
    ],
)
def test_a_file_with_faults_names_the_field_and_changes_nothing(here: Organised, gold: NewGold, field: str) -> None:
    with pytest.raises(BadField) as refused:
        proposed(here, gold)
    assert refused.value.field == field
    assert len(replacements(here.store, here.task, here.plan.phase("Trial").id)) == 1


def test_other_claims_are_taken_when_they_are_allowed(here: Organised) -> None:
    here.submit()
    rescore(here.store, proposed(here, new(SUPPORTED[1:]), other_claims=True), UNMONITORED)
    counts = {row[-1] for row in here.board().rows}
    assert (counts, here.rows().files[-1].claims) == ({0}, len(GOLD) - 1)


def test_a_submission_that_the_new_file_refuses_keeps_the_old_file_in_force(here: Organised) -> None:
    here.submit()
    others = [replace(claim, claim=replace(claim.claim, id=f"x{claim.id}", text="Another.")) for claim in SUPPORTED]
    phase = here.plan.phase("Trial").id
    job = replace_gold(here.store, here.task, here.organiser, phase, new(others), other_claims=True)
    until(lambda: not live(here.rescorings.status(job, here.task)))
    ended = here.rescorings.status(job, here.task)
    assert ended.state is State.FAILED
    assert "Anna's" in ended.error
    assert here.rescorings.status(job, here.of(ANNA)[0].team.id) is None
    assert teams(here) == [(1, "Anna's")]
    dropped = replacements(here.store, here.task, phase)[-1].id
    rescore(here.store, proposed(here, new()), UNMONITORED)
    with pytest.raises(BadInput, match="in place of this one"):
        rescore(here.store, dropped, UNMONITORED)


def test_no_gold_is_in_what_a_job_or_a_score_keeps(here: Organised) -> None:
    here.submit(content=CAREFUL)
    job = replace_gold(here.store, here.task, here.organiser, "Trial", new())
    until(lambda: not live(here.rescorings.status(job, here.task)))
    kept = here.jobs.load(job, here.task)
    assert kept.request == {"gold": here.rows().gold}
    assert "justification" not in json.dumps([kept.result, kept.facts])


def test_the_cost_of_a_judge_is_counted_also_where_its_answers_fail(
    here: Organised,
) -> None:
    made = here.submit()
    judge = Reader(reply=lambda _: "nonsense")
    plan = replace(here.plan, metrics=("ev2r",), judging=Judging("bundled", way="official"))
    with scorer(here.store, plan, UNMONITORED) as scoring:
        scoring.opening.judge, scoring.opening.kept = judge, CallCache()
        with pytest.raises(BadInput, match="Nothing was judged"):
            scoring.score(made.id, json.dumps(to_json(here.checked().submission)), list(GOLD), UNMONITORED)
        (after,) = here.of(ANNA)
        assert after.spent.asked == after.spent.failed == len(judge.asked) > 0
        with pytest.raises(BadInput, match="Nothing was judged"):
            scoring.score(made.id, json.dumps(to_json(here.checked().submission)), list(GOLD), UNMONITORED)
    (again,) = here.of(ANNA)
    assert again.spent.asked == 2 * after.spent.asked
    table = submissions_table(replace(plan, price=1e6), [again], {}, organiser=True)
    assert table.rows[0][-4:-1] == (again.spent.asked, again.spent.failed, table.rows[0][-2])
    assert table.rows[0][-1] == again.spent.prompt_tokens + again.spent.completion_tokens
