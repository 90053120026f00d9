"""The tables of the first release, written out: they stay as they are here, whatever core.storage.tables becomes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "answer_history",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("item", sa.String(length=43), nullable=False),
        sa.Column("rater", sa.String(length=43), nullable=False),
        sa.Column("question", sa.String(length=80), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("saved", sa.Double(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("campaign", "item", "rater", "question", "version"),
    )
    op.create_table(
        "campaigns",
        sa.Column("id", sa.String(length=43), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("ratings_per_item", sa.Integer(), nullable=False),
        sa.Column("items_per_rater", sa.Integer(), nullable=False),
        sa.Column("controls_per_rater", sa.Integer(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "drafts",
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("form", sa.String(length=40), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("saved", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "form"),
    )
    op.create_table(
        "invitations",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("rater", sa.String(length=43), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("revoked", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_index("invitations_by_rater", "invitations", ["rater"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=43), nullable=False),
        sa.Column("lane", sa.String(length=20), nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("server", sa.String(length=20), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Boolean(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("uses", sa.Text(), nullable=False),
        sa.Column("label", sa.String(length=40), nullable=False),
        sa.Column("share", sa.Double(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("progress", sa.Text(), nullable=True),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("jobs_by_owner", "jobs", ["owner", "lane", "created"], unique=False)
    op.create_index("jobs_by_state", "jobs", ["state", "created"], unique=False)
    op.create_table(
        "members",
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("rater", sa.String(length=43), nullable=False),
        sa.Column("grounds", sa.String(length=12), nullable=False),
        sa.Column("invitation", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("owner", "campaign"),
    )
    op.create_index("members_by_rater", "members", ["rater"], unique=False)
    op.create_table(
        "reviews",
        sa.Column("job", sa.String(length=43), nullable=False),
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("saved", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("job", "subject", "version"),
    )
    op.create_table(
        "shares",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("job", sa.String(length=43), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_index("shares_by_job", "shares", ["job"], unique=False)
    op.create_table(
        "campaign_items",
        sa.Column("id", sa.String(length=43), nullable=False),
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("system", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("claim", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("predicted", sa.String(length=40), nullable=False),
        sa.Column("gold", sa.String(length=40), nullable=False),
        sa.Column("control", sa.Boolean(), nullable=False),
        sa.Column("control_key", sa.Text(), nullable=True),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("stratum", sa.Text(), nullable=False),
        sa.Column("scores", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign"],
            ["campaigns.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("campaign", "position"),
    )
    op.create_table(
        "raters",
        sa.Column("id", sa.String(length=43), nullable=False),
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("pseudonym", sa.String(length=12), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("revoked", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign"],
            ["campaigns.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("campaign", "pseudonym"),
    )
    op.create_table(
        "adjudications",
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("item", sa.String(length=43), nullable=False),
        sa.Column("question", sa.String(length=80), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("saved", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item"],
            ["campaign_items.id"],
        ),
        sa.PrimaryKeyConstraint("campaign", "item", "question"),
    )
    op.create_table(
        "assignments",
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("item", sa.String(length=43), nullable=False),
        sa.Column("rater", sa.String(length=43), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("opened", sa.Double(), nullable=False),
        sa.Column("touched", sa.Double(), nullable=False),
        sa.Column("submitted", sa.Double(), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item"],
            ["campaign_items.id"],
        ),
        sa.ForeignKeyConstraint(
            ["rater"],
            ["raters.id"],
        ),
        sa.PrimaryKeyConstraint("campaign", "item", "rater"),
        sa.UniqueConstraint("rater", "position"),
    )
    op.create_table(
        "exclusions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("rater", sa.String(length=43), nullable=False),
        sa.Column("item", sa.String(length=43), nullable=False),
        sa.Column("excluded", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("saved", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["rater"],
            ["raters.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("exclusions_by_campaign", "exclusions", ["campaign"], unique=False)
    op.create_table(
        "people",
        sa.Column("rater", sa.String(length=43), nullable=False),
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("external", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["rater"],
            ["raters.id"],
        ),
        sa.PrimaryKeyConstraint("rater"),
    )
    op.create_table(
        "answers",
        sa.Column("campaign", sa.String(length=43), nullable=False),
        sa.Column("item", sa.String(length=43), nullable=False),
        sa.Column("rater", sa.String(length=43), nullable=False),
        sa.Column("question", sa.String(length=80), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("saved", sa.Double(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign", "item", "rater"],
            ["assignments.campaign", "assignments.item", "assignments.rater"],
        ),
        sa.PrimaryKeyConstraint("campaign", "item", "rater", "question"),
    )
