"""A toy action of three fields and one table: its command, form, job and JSON are derived from its declaration."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
from streamlit.testing.v1 import AppTest

from core.actions.action import Action, ActionContext
from core.actions.fields import BadField, Between, Choices, FromFile, Help
from core.cli.common import action_command
from core.errors import BadInput
from core.jobs.action_job import action_kind
from core.jobs.jobs import Jobs
from core.jobs.limits import JobLimits
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import Listed, State
from core.storage.store import Store
from core.tabular.table import Column, Table
from tests.pages.desks import by_role
from tests.waiting import until

STEMS = {"short": "The first letter", "whole": "All letters"}


def words_in(name: str, content: bytes) -> list[str]:
    if not content:
        raise BadInput(f"{name} is empty: give it a word.")
    return content.decode().split()


@dataclass(frozen=True)
class Count:
    """Count the words of a text."""

    text: Annotated[list[str], FromFile(words_in), Help("a file of words", "Text")]
    form: Annotated[str, Choices(STEMS), Help("how much of a word counts")] = "whole"
    most: Annotated[int, Between(1, 9), Help("only the N most frequent words")] = 2

    def __post_init__(self) -> None:
        if self.form == "short" and self.most > 5:
            raise BadField("most", "Of first letters at most 5 are counted.")


@dataclass(frozen=True)
class Counted:
    rows: tuple[tuple[str, int], ...]


def count(request: Count, context: ActionContext) -> Counted:
    context.begin("words")
    words = [word[:1] if request.form == "short" else word for word in request.text]
    found = {word: words.count(word) for word in words}
    context.advance(len(words), len(words))
    return Counted(tuple(sorted(found.items(), key=lambda one: -one[1])[: request.most]))


def tables(result: Counted) -> list[Table]:
    return [Table("words", "Words", (Column("Word"), Column("Times", 0)), result.rows)]


QUIET = ActionContext(lambda part: None, lambda done, total: None, lambda remark: None, lambda: False)
COUNT = Action("count", Count, count, tables=tables)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("tower ten tower bridge")
    return path


def command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    action_command.add_arguments(parser, COUNT)
    return action_command.run(COUNT, parser.parse_args(words))


def test_its_command_reads_options_and_prints_text_json_and_csv(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--text", str(text), "--most", "1") == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["tower", "2"]
    assert command("--text", str(text), "--form", "short", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"rows": [["t", 3], ["b", 1]]}
    assert command("--text", str(text), "--format", "csv") == 0
    assert capsys.readouterr().out.splitlines() == ["Word,Times", "tower,2", "ten,1"]


def test_its_help_has_each_field_with_its_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command("--help")
    said = " ".join(capsys.readouterr().out.split())
    for expected in ("--text FILE", "a file of words", "{short,whole}", "(default: whole)", "--most N", "(default: 2)"):
        assert expected in said


@pytest.mark.parametrize("most", ["0", "10", "2.5", "x", "9" * 100])
def test_a_number_outside_its_bounds_is_refused_at_its_option(
    most: str, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command("--text", str(text), "--most", most)
    assert "argument --most" in capsys.readouterr().err


def test_an_error_names_the_option_that_it_is_about(text: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^--most: "):
        command("--text", str(text), "--form", "short", "--most", "6")
    (tmp_path / "empty.txt").touch()
    with pytest.raises(BadInput, match=r"^--text: empty\.txt"):
        command("--text", str(tmp_path / "empty.txt"))


def test_its_job_keeps_request_progress_and_result_as_json(tmp_path: Path) -> None:
    store = JobStore(Store(f"sqlite:///{tmp_path / 'v.db'}"))
    queue = JobQueue(store)
    kind = action_kind(COUNT, "a count", "counts", Counted, lambda asked: Listed(asked.form), JobLimits())
    jobs = Jobs(queue, kind)
    asked = Count(["tower", "ten", "tower"], most=1)
    job_id = jobs.start("me", asked)
    until(lambda: (status := jobs.status(job_id, "me")) is not None and not status.state.live)
    found = jobs.find(job_id, "me")
    assert found
    assert (found.state, found.request, found.result) == (State.DONE, asked, Counted((("tower", 2),)))
    assert found.status.progress
    assert found.status.progress["doing"] == "words"
    assert jobs.find(job_id, "someone else") is None
    queue.close()


def page(database: str) -> None:
    import streamlit as st

    from core.storage.store import Store
    from pages.ui.action_form import ActionForm
    from pages.ui.tables import show_table
    from tests.actions.test_toy_action import COUNT, QUIET, count, tables

    store, form = Store(database), ActionForm(COUNT.request, "toy")
    form.restore(store, "me")
    form.rest()
    request = form.request()
    form.keep(store, "me")
    if request and st.button("Count", key="toy-start"):
        for table in tables(count(request, QUIET)):
            show_table(table)


def test_its_form_shows_errors_beside_fields_and_outlives_a_reload(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'v.db'}"
    at = AppTest.from_function(page, args=(database,), default_timeout=120).run()
    assert not at.exception
    assert not at.button
    at.file_uploader(key="toy-text").set_value([("text.txt", b"tower ten tower", "text/plain")])
    assert (at.number_input(key="toy-most").min, at.number_input(key="toy-most").max) == (1, 9)
    at.number_input(key="toy-most").set_value(6)
    at.selectbox(key="toy-form").set_value("short").run()
    assert not at.button  # six first letters are too many
    assert len(by_role(at, "alert")) == 1
    at.number_input(key="toy-most").set_value(1).run()
    at.button(key="toy-start").click().run()
    assert not at.exception
    assert [one.key.rpartition("-")[2] for one in at.get("download_button")] == ["csv", "xlsx", "tex", "json"]
    again = AppTest.from_function(page, args=(database,), default_timeout=120).run()
    assert (again.selectbox(key="toy-form").value, again.number_input(key="toy-most").value) == ("short", 1)
