"""Create every table as core.storage.tables has it; the release 0.1.0 writes them out here.

The number grows with each change of the tables: a database of an earlier number is refused in a sentence.
"""

from __future__ import annotations

from alembic import op

from core.storage.tables import metadata

revision = "0005"
down_revision = None


def upgrade() -> None:
    metadata.create_all(op.get_bind(), checkfirst=False)  # a table that is not ours is refused, and not used
