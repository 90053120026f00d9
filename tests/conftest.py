"""Fixtures and rules of all tests: patience, and a database of each kind."""

import gc
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from core.interfaces import Models
from core.storage import database
from core.storage.store import Store
from core.storage.tables import metadata
from tests.postgres import Cluster, cluster, programs
from tests.search.servers import BRIDGE, LEE, MEDIAWIKI, mediawiki, missing

LONG = {
    *("test_kills", "test_rate_in_browser", "test_verify_in_browser", "test_accessibility"),
    *("test_published_designs", "test_files_as_people_have_them", "test_corpus", "test_forty_raters"),
    *("test_reading", "test_receipt"),
}
"""Files of minutes. They begin first, so that no worker is left alone with one at the end."""

# Laws take the time they take: on a busy machine a deadline would fail them for nothing.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file without slow tests where only those are wanted: imports take each worker half a minute."""
    if config.option.markexpr != "slow" or not collection_path.name.startswith("test_"):
        return None
    return "mark.slow" not in collection_path.read_text(encoding="utf-8") or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.stem not in LONG)


@pytest.fixture(scope="session", autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests, and the commands that they start, away from the home of the person who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIDESK_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="module", autouse=True)
def few_to_collect() -> None:
    """Spare collections the modules that are imported: a failed command collects, and half a second went into those."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def no_wait_for_the_disk() -> Iterator[None]:
    """Let SQLite commit without waiting for the disk: no test cuts the power of its own process. Locks may last."""
    prepare = database.prepare_sqlite

    def prepare_quickly(connection: sqlite3.Connection, record: object) -> None:
        prepare(connection, record)
        connection.execute("PRAGMA synchronous = OFF")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "prepare_sqlite", prepare_quickly)
        patch.setattr(database, "PATIENCE_SECONDS", 300)
        yield


@pytest.fixture(scope="session")
def bundled_models() -> Iterator[Models]:
    """The bundled encoder and language model, opened once for all tests of this process; `close` leaves them open."""
    from core.verification.opening import open_models  # imports torch, which few tests need

    models = open_models("bundled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models.llm, "close", lambda: None)
        yield models
    models.llm.close()  # type: ignore[attr-defined]


@pytest.fixture
def open_already(bundled_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands in this process work with the bundled models that are open, as claims on a server do."""
    from core.models.choice import BUNDLED_CHOICE
    from core.verification import opening

    open_model = opening.open_model
    kept = {BUNDLED_CHOICE: bundled_models.llm}
    monkeypatch.setattr(opening, "open_model", lambda choice: kept.get(choice) or open_model(choice))
    monkeypatch.setattr(opening, "load_encoder", lambda: bundled_models.encoder)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """A PostgreSQL server that ends with the test run."""
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed here: apt-get install postgresql")
    with cluster(folder, durable=False) as running:
        yield running


@pytest.fixture(scope="session")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a MediaWiki with a page on a bridge, in two revisions, and one on its river."""
    if absent := missing("php", MEDIAWIKI):
        pytest.skip(f"not installed here: {absent} (apt-get install mediawiki php-cli php-sqlite3 …)")
    with mediawiki(tmp_path_factory.mktemp("wiki"), {"Springfield Bridge": BRIDGE, "Lee": LEE}) as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, once of each kind."""
    return new_database(request, tmp_path)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with all tables and nothing in them: copied, it costs a test a tenth of what making it would."""
    path = tmp_path_factory.mktemp("desk") / "veridesk.db"
    Store(f"sqlite:///{path}").engine.dispose()
    return path


@pytest.fixture(scope="session")
def tables_of_postgresql(postgresql: Cluster) -> Store:
    """All tables in a schema of this process's own."""
    return Store(postgresql.new_database())


@pytest.fixture(params=["sqlite", "postgresql"])
def made_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """As `database_url`, with all tables and nothing in them. To copy or to empty them is quicker than to make them."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("empty_database"), tmp_path)
        return f"sqlite:///{tmp_path / 'veridesk.db'}"
    store: Store = request.getfixturevalue("tables_of_postgresql")
    with store.transaction(writing=True) as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    return store.engine.url.render_as_string(hide_password=False)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def kept_database_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """As `database_url`, for the tests of a file together: what is made in it costs once."""
    return new_database(request, tmp_path_factory.mktemp("kept"))


def new_database(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{folder / 'desk' / 'veridesk.db'}"
    server: Cluster = request.getfixturevalue("postgresql")
    return server.new_database()
