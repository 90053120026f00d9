"""The tables as they are before the first release.

Until then they are simply those of core.storage.tables. Whoever writes the second revision writes them out here first:
`alembic.autogenerate.produce_migrations` on an empty database does so.
"""

from __future__ import annotations

from alembic import op

from core.storage.tables import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    metadata.create_all(op.get_bind())
