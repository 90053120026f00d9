"""The database's tables. Every text is a plain string; a value with parts is JSON."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

# Everything that runs in the background, of all kinds: see core.jobs. Times are seconds since 1970. `seen` is the
# last sign of life of its server, `tries` how often a server may still begin it. `stop` asks it to end.
jobs = Table(
    "jobs",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("slot", Text, nullable=False),
    Column("place", Text, nullable=False),
    Column("owner", String(64), nullable=False),
    Column("created", Double, nullable=False),
    Column("state", String(12), nullable=False),
    Column("server", String(20), nullable=False, default=""),
    Column("seen", Double, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("stop", Boolean, nullable=False, default=False),
    Column("title", Text, nullable=False),
    Column("folded", Text, nullable=False),
    Column("facts", Text, nullable=False),
    Column("uses", Text, nullable=False),
    Column("label", String(40), nullable=False, default=""),
    Column("share", Double),
    Column("error", Text, nullable=False, default=""),
    Column("started", Double),
    Column("seconds", Double),
    Column("progress", Text),
    Column("result", Text),
    Index("jobs_by_owner", "owner", "kind", "created"),
    Index("jobs_by_state", "state", "created"),
)

# The requests of jobs. They may be 100 MB, and SQLite rewrites a whole row for each report of progress.
job_requests = Table(
    "job_requests",
    metadata,
    Column("job", String(43), primary_key=True),
    Column("request", Text, nullable=False),
)

drafts = Table(
    "drafts",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("form", String(40), primary_key=True),
    Column("content", Text, nullable=False),
    Column("saved", Double, nullable=False),
)

# Rating campaigns. Times are seconds since 1970; an empty `revoked`, `opened` or `submitted` means not yet.

campaigns = Table(
    "campaigns",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("form", Text, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("ratings_per_item", Integer, nullable=False),
    Column("items_per_rater", Integer, nullable=False),
    Column("controls_per_rater", Integer, nullable=False),
    Column("options", Text, nullable=False, default="{}"),
    Column("state", String(12), nullable=False),
    Column("created", Double, nullable=False),
)

campaign_items = Table(
    "campaign_items",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("campaign", String(43), nullable=False),
    Column("position", Integer, nullable=False),
    Column("item", Text, nullable=False),
    Column("system", Text, nullable=False),
    Column("team", Text, nullable=False),
    Column("rank", Integer),
    Column("claim", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("predicted", String(40), nullable=False),
    Column("gold", String(40), nullable=False),
    Column("control", Boolean, nullable=False),
    Column("control_key", Text),
    Column("practice", Boolean, nullable=False, default=False),
    Column("stratum", Text, nullable=False),
    Column("scores", Text, nullable=False),
    ForeignKeyConstraint(["campaign"], ["campaigns.id"]),
    UniqueConstraint("campaign", "position"),
)

raters = Table(
    "raters",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("campaign", String(43), nullable=False),
    Column("pseudonym", String(12), nullable=False),
    Column("team", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("revoked", Double),
    ForeignKeyConstraint(["campaign"], ["campaigns.id"]),
    UniqueConstraint("campaign", "pseudonym"),
)

# The only table with names, addresses and the ids that other services know people by: exports leave it out.
people = Table(
    "people",
    metadata,
    Column("rater", String(43), primary_key=True),
    Column("campaign", String(43), nullable=False),
    Column("name", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("external", Text, nullable=False, default=""),
    ForeignKeyConstraint(["rater"], ["raters.id"]),
)

# `campaign` and `rater` are "" for an organiser, who may work on every campaign.
invitations = Table(
    "invitations",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("role", String(12), nullable=False),
    Column("campaign", String(43), nullable=False),
    Column("rater", String(43), nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
    Column("revoked", Double),
    Index("invitations_by_rater", "rater"),
)

# `grounds` are the reasons for the owner's role (core.campaigns.access.Grounds). `invitation` is the link's hash or "".
members = Table(
    "members",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("campaign", String(43), primary_key=True),
    Column("role", String(12), nullable=False),
    Column("rater", String(43), nullable=False),
    Column("grounds", String(12), nullable=False),
    Column("invitation", String(64), nullable=False),
    Index("members_by_rater", "rater"),
)

# Positions count from 1, those of practice items down from -1. `counted` is false of items excluded or not judged:
# the rating is nobody's, and another rater is wanted.
assignments = Table(
    "assignments",
    metadata,
    Column("campaign", String(43), primary_key=True),
    Column("item", String(43), primary_key=True),
    Column("rater", String(43), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("opened", Double, nullable=False),
    Column("touched", Double, nullable=False),
    Column("submitted", Double),
    Column("seconds", Double, nullable=False),
    Column("counted", Boolean, nullable=False, default=True),
    ForeignKeyConstraint(["item"], ["campaign_items.id"]),
    ForeignKeyConstraint(["rater"], ["raters.id"]),
    UniqueConstraint("rater", "position"),
)

# `question` is one of core.campaigns.planning.rating_form or the name of a scale. `value` is JSON, `seconds` its time.
answers = Table(
    "answers",
    metadata,
    Column("campaign", String(43), primary_key=True),
    Column("item", String(43), primary_key=True),
    Column("rater", String(43), primary_key=True),
    Column("question", String(80), primary_key=True),
    Column("value", Text, nullable=False),
    Column("saved", Double, nullable=False),
    Column("version", Integer, nullable=False),
    Column("seconds", Double),
    ForeignKeyConstraint(
        ["campaign", "item", "rater"], [f"assignments.{key}" for key in ("campaign", "item", "rater")]
    ),
)

# Every value that was ever confirmed, the present one included; versions count from 1.
answer_history = Table(
    "answer_history",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("campaign", String(43), nullable=False),
    Column("item", String(43), nullable=False),
    Column("rater", String(43), nullable=False),
    Column("question", String(80), nullable=False),
    Column("value", Text, nullable=False),
    Column("saved", Double, nullable=False),
    Column("version", Integer, nullable=False),
    Column("seconds", Double),
    UniqueConstraint("campaign", "item", "rater", "question", "version"),
)

adjudications = Table(
    "adjudications",
    metadata,
    Column("campaign", String(43), primary_key=True),
    Column("item", String(43), primary_key=True),
    Column("question", String(80), primary_key=True),
    Column("value", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("owner", String(64), nullable=False),
    Column("saved", Double, nullable=False),
    ForeignKeyConstraint(["item"], ["campaign_items.id"]),
)

# Exclusions that an organiser made or took back: of each rater and item the newest row counts. `item` is ""
# where it is about everything that the rater gave.
exclusions = Table(
    "exclusions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("campaign", String(43), nullable=False),
    Column("rater", String(43), nullable=False),
    Column("item", String(43), nullable=False),
    Column("excluded", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("owner", String(64), nullable=False),
    Column("saved", Double, nullable=False),
    ForeignKeyConstraint(["rater"], ["raters.id"]),
    Index("exclusions_by_campaign", "campaign"),
)

# Notes of a person on a case or for a campaign's raters. Every value ever saved is kept, and the newest of a subject
# counts. `job` is the case or the campaign. A case's `subject` is "conclusion" or the key of a passage
# (core.verification.review). A campaign's is "texts" (core.campaigns.organising). `value` is JSON; versions begin at 1.
reviews = Table(
    "reviews",
    metadata,
    Column("job", String(43), primary_key=True),
    Column("subject", String(80), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("value", Text, nullable=False),
    Column("owner", String(64), nullable=False),
    Column("saved", Double, nullable=False),
)

# Links that let anybody read one job's result. Only the hash of the link's secret is kept.
shares = Table(
    "shares",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("job", String(43), nullable=False),
    Column("owner", String(64), nullable=False),
    Column("created", Double, nullable=False),
    Index("shares_by_job", "job"),
)

# Shared tasks. `plan` is core.tasks.shared_task.TaskPlan as JSON. A team's link is an invitation, and its browsers are
# members. There `campaign` is the task and `rater` the team. `sign_up` is the hash of the open sign-up link, or "".
tasks = Table(
    "tasks",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("plan", Text, nullable=False),
    Column("sign_up", String(64), nullable=False, default=""),
    Column("created", Double, nullable=False),
)

# The gold annotations of a task's phase, as JSON; no page reads them. The last `number` with a time in `since` is
# in force; a row without one is being scored by. `board` are the ids of the submissions on the last board before the
# next row. `moved` is the largest change of rank by this row, as JSON.
task_golds = Table(
    "task_golds",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("task", String(43), nullable=False),
    Column("phase", String(43), nullable=False),
    Column("number", Integer, nullable=False),
    Column("file", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("claims", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("made", Double, nullable=False),
    Column("since", Double),
    Column("job", String(43), nullable=False, default=""),
    Column("board", Text, nullable=False, default="[]"),
    Column("moved", Text, nullable=False, default=""),
    ForeignKeyConstraint(["task"], ["tasks.id"]),
    UniqueConstraint("task", "phase", "number"),
)

# `applicant` is the owner who signed the team up, "" for a team that an organiser invited. A team without `approved`
# waits. `terms` is the text that it accepted, `agreed` the time.
task_teams = Table(
    "task_teams",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("task", String(43), nullable=False),
    Column("name", Text, nullable=False),
    Column("address", Text, nullable=False, default=""),
    Column("applicant", String(64), nullable=False, default=""),
    Column("baseline", Boolean, nullable=False, default=False),
    Column("created", Double, nullable=False),
    Column("approved", Double),
    Column("revoked", Double),
    Column("terms", Text, nullable=False, default=""),
    Column("agreed", Double),
    ForeignKeyConstraint(["task"], ["tasks.id"]),
    UniqueConstraint("task", "name"),
)

# `job` is the scoring job, which the team owns; "" in the moment before it is stored. `content` is JSON, and so is
# `spent`: the judge's cost of all scorings.
task_submissions = Table(
    "task_submissions",
    metadata,
    Column("id", String(43), primary_key=True),
    Column("task", String(43), nullable=False),
    Column("team", String(43), nullable=False),
    Column("phase", String(43), nullable=False),
    Column("file", Text, nullable=False),
    Column("received", Double, nullable=False),
    Column("late", Boolean, nullable=False, default=False),
    Column("claims", Integer, nullable=False),
    Column("chosen", Boolean, nullable=False, default=False),
    Column("job", String(43), nullable=False, default=""),
    Column("content", Text, nullable=False),
    Column("spent", Text, nullable=False, default=""),
    ForeignKeyConstraint(["task"], ["tasks.id"]),
    ForeignKeyConstraint(["team"], ["task_teams.id"]),
    Index("task_submissions_by_team", "team", "received"),
)

# The scores of a submission by each gold file: `report` is JSON, `score` the one that ranks.
task_scores = Table(
    "task_scores",
    metadata,
    Column("submission", String(43), primary_key=True),
    Column("gold", String(43), primary_key=True),
    Column("score", Double),
    Column("report", Text, nullable=False),
    Column("made", Double, nullable=False),
    ForeignKeyConstraint(["submission"], ["task_submissions.id"]),
    ForeignKeyConstraint(["gold"], ["task_golds.id"]),
)
