"""A shared task on the page: made by an organiser, used by two teams, and closed to everybody else."""

import json
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.averitec.averitec import parse_gold
from core.campaigns.access import Role, command_line, invite_organiser, roles_of
from core.campaigns.redeeming import redeem
from core.jobs.types import State
from core.tasks.moments import moment
from core.tasks.rescoring import replacements
from core.tasks.shared_task import DAY, TaskPhase, TaskPlan, TeamSubmission
from core.tasks.submitting import submissions_of, submit
from core.tasks.task_store import all_tasks, change_task, create_task, load_task, set_phase
from core.tasks.teams import invite_team, task_teams_of
from pages.tasks import submission_upload
from pages.ui import roles
from pages.ui.app_state import AppState
from tests.pages.desks import ANNA, BERT, ROOT, by_role, click_again, html_of, keys, press, told, visit
from tests.waiting import until

SCORING = ROOT / "assets" / "scoring"
GOLD = parse_gold("gold.json", (SCORING / "gold.json").read_bytes())
CAREFUL = (SCORING / "careful.json").read_bytes()
OSCAR = "0" * 64
SECRETS = [words for claim in GOLD for words in (claim.justification, *(text for pair in claim.pairs for text in pair))]


@pytest.fixture(autouse=True)
def served_to_others(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    """Local mode is over: Oscar is the organiser, and everybody else needs a link."""
    redeem(at_desk.store, invite_organiser(at_desk.store, days=1), OSCAR)


def plan_now(at: AppState, **parts: Any) -> TaskPlan:
    now = at.store.clock()
    phase = replace(TaskPhase("Test", now - DAY, now + DAY, now + 2 * DAY, daily=1), **parts)
    return TaskPlan("AVeriTeC", (phase,), metrics=("verdict",))


def made(at: AppState, **parts: Any) -> str:
    return create_task(at.store, command_line(at.store), plan_now(at, **parts), GOLD)


def joined(at: AppState, task: str, name: str, who: str) -> None:
    redeem(at.store, invite_team(at.store, task, command_line(at.store), name, days=1), who)


def at_tasks(owner: str, **query: str) -> AppTest:
    return visit(owner, page="tasks", **query)


def of(at: AppState, task: str, who: str) -> tuple[TeamSubmission, ...]:
    return submissions_of(at.store, at.jobs, task, who)


def send(app: AppTest, at: AppState, task: str, who: str, content: bytes = CAREFUL) -> AppTest:
    """Upload a file and submit it, and wait until it is scored."""
    app.file_uploader[0].set_value([("careful.json", content, "application/json")]).run()
    press(app, "task-submit")
    until(lambda: all(one.status and not one.status.state.live for one in of(at, task, who)))
    return app.run()


def everything(app: AppTest) -> str:
    """Return all elements of the page, as they are written for the browser."""
    written = "".join(str(proto) for one in app._tree if (proto := getattr(one, "proto", None)) is not None)
    assert "AVeriTeC" in written
    return written


def tab(app: AppTest, task: str, name: str) -> AppTest:
    app.session_state[f"task-tab-{task}"] = name
    return app.run()


def test_an_organiser_makes_a_task_and_invites_a_team(at_desk: AppState) -> None:
    app = press(at_tasks(OSCAR), "task-new")
    assert app.button(key="task-create").disabled
    app.file_uploader[0].set_value([("gold.json", (SCORING / "gold.json").read_bytes(), "application/json")]).run()
    app.text_input(key="task-new-0-name").set_value("AVeriTeC").run()
    app.text_input(key="task-new-0-end").set_value("2020-01-01 00:00:00 UTC").run()
    assert "ends before it begins" in told(app)
    app.text_input(key="task-new-0-end").set_value("2099-01-01 00:00:07 +01:00").run()
    app.number_input(key="task-new-0-daily").set_value(2).run()
    press(app, "task-create")
    (line,) = all_tasks(at_desk.store, OSCAR)
    (phase,) = line.plan.taking(at_desk.store.clock())
    assert (line.plan.name, phase.daily, line.claims) == ("AVeriTeC", 2, len(GOLD))
    assert phase.end == moment("2099-01-01 00:00:07 +01:00")
    assert app.query_params["task"] in (line.id, [line.id])
    app.text_area(key="task-team-0").set_value("Alpha")
    press(app, "task-invite")
    (link,) = [code.value for code in app.code]
    assert "?invite=" in link
    member = at_tasks(ANNA, invite=link.partition("invite=")[2])
    assert load_task(at_desk.store, line.id, ANNA).team is not None
    assert "invite" not in member.query_params
    assert not [words for words in SECRETS if words in everything(app) + everything(member)]


def test_a_team_submits_to_its_limit_and_sees_no_score_before_the_date(at_desk: AppState) -> None:
    task = made(at_desk)
    joined(at_desk, task, "Alpha", ANNA)
    app = send(at_tasks(ANNA, task=task), at_desk, task, ANNA)
    (one,) = of(at_desk, task, ANNA)
    assert one.status.state is State.DONE
    assert f"{one.score:.4f}" not in html_of(app)
    app.file_uploader[0].set_value([("careful.json", CAREFUL, "application/json")]).run()
    assert app.button(key="task-submit").disabled
    tab(app, task, "Leaderboard")
    assert not by_role(app, "table")
    assert not [words for words in SECRETS if words in everything(app)]


def test_a_double_click_submits_a_file_once(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    task = made(at_desk, daily=3)
    joined(at_desk, task, "Alpha", ANNA)
    clicked = []

    def submit_and_click(*given: Any) -> str:
        made = submit(*given)
        clicked.append(made)
        if len(clicked) == 1:
            click_again()
        return made

    monkeypatch.setattr(submission_upload, "submit", submit_and_click)
    send(at_tasks(ANNA, task=task), at_desk, task, ANNA)
    assert [one.id for one in of(at_desk, task, ANNA)] == clicked


def test_scores_are_shown_where_the_task_says_so(at_desk: AppState) -> None:
    task = made(at_desk, shows_scores=True)
    joined(at_desk, task, "Alpha", ANNA)
    app = tab(send(at_tasks(ANNA, task=task), at_desk, task, ANNA), task, "Submissions")
    (one,) = of(at_desk, task, ANNA)
    assert one.status is not None
    assert f"{one.score:.4f}" in html_of(app)
    assert len(by_role(app, "table")) == 1


def test_a_file_without_all_verdicts_is_submitted_only_when_confirmed(at_desk: AppState) -> None:
    task = made(at_desk)
    joined(at_desk, task, "Alpha", ANNA)
    app = at_tasks(ANNA, task=task)
    part = json.loads(CAREFUL)[1:]
    part[0]["pred_label"] = "Perhaps"
    app.file_uploader[0].set_value([("part.json", json.dumps(part).encode(), "application/json")]).run()
    assert f"2 of {len(GOLD)} claims" in told(app)
    assert app.button(key="task-submit").disabled
    (agree,) = [box for box in app.checkbox if box.key.startswith("task-incomplete-")]
    agree.check().run()
    assert not app.button(key="task-submit").disabled


def test_a_file_with_errors_is_not_counted(at_desk: AppState) -> None:
    task = made(at_desk)
    joined(at_desk, task, "Alpha", ANNA)
    app = at_tasks(ANNA, task=task)
    other = [row | {"claim_id": 900, "claim": ""} for row in json.loads(CAREFUL)]
    app.file_uploader[0].set_value([("odd.json", json.dumps(other).encode(), "application/json")]).run()
    assert app.button(key="task-submit").disabled
    assert "id 900" in told(app)
    assert of(at_desk, task, ANNA) == ()
    app.file_uploader[0].set_value([("odd.json", b"nonsense", "application/json")]).run()
    assert told(app)


def test_the_leaderboard_opens_and_teams_choose_until_then(at_desk: AppState) -> None:
    task = made(at_desk, daily=5)
    for name, who in (("Alpha", ANNA), ("Beta", BERT)):
        joined(at_desk, task, name, who)
        send(at_tasks(who, task=task), at_desk, task, who)
    app = send(at_tasks(ANNA, task=task), at_desk, task, ANNA)
    newest, first = of(at_desk, task, ANNA)
    assert newest.final
    press(tab(app, task, "Submissions"), f"task-final-{first.id}")
    assert [one.final for one in of(at_desk, task, ANNA)] == [False, True]
    now = at_desk.store.clock()
    over = TaskPhase("Test", now - DAY, now - 60, now - 60)
    set_phase(at_desk.store, task, command_line(at_desk.store), over)
    app = tab(app, task, "Leaderboard")
    rows = [" ".join(row.text_content().split()) for row in by_role(app, "row")]
    assert [name in row for name, row in zip(("Team", "Alpha", "Beta"), rows, strict=True)] == [True] * 3
    assert f"task-final-{newest.id}" not in keys(tab(app, task, "Submissions"))


def test_a_guess_is_answered_as_nothing(at_desk: AppState) -> None:
    task = made(at_desk)
    joined(at_desk, task, "Alpha", ANNA)
    said = {told(at_tasks(who, task=asked)) for who, asked in ((BERT, task), (BERT, "nothing"), (ANNA, "nothing"))}
    assert len(said) == 1
    assert told(at_tasks(BERT, invite="guess"))
    assert "task-new" not in keys(at_tasks(BERT))
    assert "New task" not in html_of(at_tasks(ANNA, new="1"))


def test_a_team_has_its_page_alone(at_desk: AppState) -> None:
    task = made(at_desk)
    joined(at_desk, task, "Alpha", ANNA)
    assert roles_of(at_desk.store, ANNA) == {Role.TEAM, Role.JOURNALIST}
    mine = roles_of(at_desk.store, ANNA)
    assert [page for page in ("verify", "tasks", "score", "rate", "models") if roles.in_sidebar(page, mine)] == [
        "tasks"
    ]
    assert "New campaign" not in html_of(visit(ANNA, page="score"))
    assert "score-start" not in keys(visit(ANNA, page="score"))


def test_the_example_has_two_ranked_teams(at_desk: AppState) -> None:
    app = press(at_tasks(OSCAR), "task-example")
    (line,) = all_tasks(at_desk.store, OSCAR)
    until(lambda: sum(one.final for one in of(at_desk, line.id, OSCAR)) == 2)
    assert len(by_role(tab(app, line.id, "Leaderboard"), "row")) == 3


def test_the_dates_are_changed_on_the_page(at_desk: AppState) -> None:
    task = made(at_desk, total=7)
    app = tab(at_tasks(OSCAR, task=task), task, "Phases")
    (before,) = load_task(at_desk.store, task, OSCAR).plan.phases
    key = f"task-phase-{before.id}"
    app.text_input(key=f"{key}-end").set_value("2020-01-01 00:00:00 UTC").run()
    press(app, f"{key}-save")
    assert "ends before it begins" in told(app)
    assert app.text_input(key=f"{key}-end").value == "2020-01-01 00:00:00 UTC"
    assert load_task(at_desk.store, task, OSCAR).plan.phases == (before,)
    app.text_input(key=f"{key}-end").set_value("2030-01-02 03:00:05 UTC").run()
    app.text_input(key=f"{key}-opens").set_value("2030-01-02 03:00:06").run()
    assert "no time zone" in told(app)
    app.text_input(key=f"{key}-opens").set_value("2030-01-02 03:00:06 UTC").run()
    press(app, f"{key}-save")
    (after,) = load_task(at_desk.store, task, OSCAR).plan.phases
    assert (after.end, after.opens, after.total) == (1_893_553_205.0, 1_893_553_206.0, 7)
    app.text_input(key=f"task-phase-new-{task}-1-phase").set_value("Dev").run()
    press(app, "task-phase-add")
    assert {phase.name for phase in load_task(at_desk.store, task, OSCAR).plan.phases} == {"Test", "Dev"}
    app.text_input(key=f"{key}-rename").set_value("dev").run()
    press(app, f"{key}-save")
    assert "one name" in told(app)


def test_the_texts_are_changed_on_the_page(at_desk: AppState) -> None:
    task = made(at_desk)
    app = tab(at_tasks(OSCAR, task=task), task, "Texts")
    app.text_input(key=f"task-texts-{task}-name").set_value(" ").run()
    press(app, "task-save")
    assert "name has 1 to" in told(app)
    app.text_input(key=f"task-texts-{task}-name").set_value("AVeriTeC 2027").run()
    app.text_area(key=f"task-texts-{task}-terms").set_value("Be fair.").run()
    press(app, "task-save")
    plan = load_task(at_desk.store, task, OSCAR).plan
    assert (plan.name, plan.terms) == ("AVeriTeC 2027", "Be fair.")


def test_a_team_signs_up_is_approved_and_submits(at_desk: AppState) -> None:
    task = made(at_desk)
    change_task(at_desk.store, task, OSCAR, name="AVeriTeC", description="", terms="Be fair.", price=None)
    organiser = press(tab(at_tasks(OSCAR, task=task), task, "Teams"), "task-sign-up-open")
    (link,) = [code.value for code in organiser.code]
    visitor = at_tasks(ANNA, signup=link.partition("signup=")[2])
    assert visitor.button(key="task-sign-up-send").disabled
    visitor.text_input(key="task-sign-up-name").set_value("Alpha").run()
    visitor.text_input(key="task-sign-up-address").set_value("alpha").run()
    visitor.checkbox(key="task-sign-up-agreed").check().run()
    press(visitor, "task-sign-up-send")
    assert "e-mail address" in told(visitor)
    assert visitor.text_input(key="task-sign-up-name").value == "Alpha"
    visitor.text_input(key="task-sign-up-address").set_value("alpha@x.example").run()
    press(visitor, "task-sign-up-send")
    (team,) = task_teams_of(at_desk.store, task, OSCAR)
    press(organiser.run(), f"task-approve-{team.id}")
    press(visitor.run(), "task-signed-up")
    send(visitor, at_desk, task, ANNA)
    assert len(of(at_desk, task, ANNA)) == 1
    assert told(at_tasks(BERT, signup="guess"))


def test_an_invited_team_accepts_the_terms_first(at_desk: AppState) -> None:
    task = made(at_desk)
    joined(at_desk, task, "Alpha", ANNA)
    change_task(at_desk.store, task, OSCAR, name="AVeriTeC", description="", terms="Be fair.", price=None)
    app = at_tasks(ANNA, task=task)
    assert not app.file_uploader
    press(app, "task-agree")
    assert app.file_uploader


def test_the_gold_is_replaced_on_the_page_and_the_old_board_is_read(at_desk: AppState) -> None:
    task = made(at_desk, opens=0.0)
    joined(at_desk, task, "Alpha", ANNA)
    send(at_tasks(ANNA, task=task), at_desk, task, ANNA)
    (phase,) = load_task(at_desk.store, task, OSCAR).plan.phases
    key, rows = f"task-gold-{phase.id}", json.loads((SCORING / "gold.json").read_bytes())
    app = tab(at_tasks(OSCAR, task=task), task, "Phases")
    chosen = next(one for one in app.file_uploader if one.key == f"{key}-1-gold")
    for content, said in ((rows[1:], "lacks 1 of the 6"), ([row | {"label": "Refuted"} for row in rows], "")):
        chosen.set_value([("new.json", json.dumps(content).encode(), "application/json")]).run()
        app.text_area(key=f"{key}-1-reason").set_value("Labels were corrected.").run()
        press(app, f"{key}-start")
        assert said in told(app)
        chosen = next((one for one in app.file_uploader if one.key == f"{key}-1-gold"), chosen)
    until(lambda: len(replacements(at_desk.store, task, phase.id)) == 2)
    until(lambda: replacements(at_desk.store, task, phase.id)[-1].since is not None)
    first = replacements(at_desk.store, task, phase.id)[0]
    member = tab(at_tasks(ANNA, task=task), task, "Leaderboard")
    assert "Labels were corrected." in told(member, "note")
    now = html_of(member)
    member.selectbox(key=f"task-board-gold-{phase.id}").set_value(first.id).run()
    assert "out of date" in told(member, "note")
    assert html_of(member) != now
    assert not [words for words in SECRETS if words in everything(member)]
