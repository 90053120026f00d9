"""`python -m core doctor`: each part run for real, and broken for real."""

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.compiled_packages import rebuild_command
from core.doctor import engines, machine
from core.doctor.examination import checks, examined, presence, works
from core.doctor.finding import Finding, Health
from core.errors import StoreError
from core.files import ROOT
from core.interfaces import never
from core.llm.llama_attempts import REBUILD
from core.optional_packages import LIBZIM, OPTIONAL_PACKAGES, OptionalPackage
from tests.retrieval.test_hnswlib_trial import break_hnswlib
from tests.search.servers import free_port
from tests.search.site import Site, reply, running


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def doctor(**environment: str) -> tuple[int, dict[str, Finding]]:
    done = subprocess.run(
        [sys.executable, "-m", "core", "doctor", "--json"],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    told = json.loads(done.stdout)
    assert told["good"] == (done.returncode == 0)
    return done.returncode, {part["part"]: Finding(**part | {"state": Health(part["state"])}) for part in told["parts"]}


def test_a_fresh_home_is_good_and_each_part_has_run(home: Path) -> None:
    port = free_port()
    found = examined(checks(never, port=port), seconds=600)  # more than it has in use: tests run beside others
    assert [part for part in found if part.state is Health.WRONG] == []
    assert works(found)
    parts = {part.part: part for part in found}
    assert re.search(r"\d+ tokens .*[\d.]+ s", parts["Language model"].words)
    assert (home / "veridesk.db").is_file()
    assert (home / "hnswlib-trial.json").is_file()
    assert parts["Port"].words == f"{port} is free"


@pytest.mark.slow
def test_a_home_that_cannot_be_written_is_wrong_and_so_is_its_database(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, parts = doctor(VERIDESK_HOME=str(tmp_path / "file" / "home"))
    assert status == 1
    assert parts["Home"].mend == "export VERIDESK_HOME=/a/folder/with/room"
    assert parts["Database"].words.endswith("set VERIDESK_HOME.")
    assert parts["Language model"].state is not Health.ABSENT


def test_too_little_disk_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "free_space", lambda folder: 12_000_000)
    found = machine.home()
    assert found.state is Health.WRONG
    assert "12.0 MB free" in found.words


def test_too_little_memory_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "memory_available", lambda: 300_000_000)
    found = machine.memory()
    assert (found.state, found.words.split(",")[0]) == (Health.WRONG, "300 MB free")


def test_a_port_of_another_program_is_wrong_and_one_of_streamlit_is_good() -> None:
    with running(Site()) as (site,):
        site.otherwise = reply(200, "something else")
        found = machine.port(site.port)
        assert (found.state, found.mend.rpartition(" ")[2]) == (Health.WRONG, str(site.port + 1))
        site.otherwise = reply(200, "ok")
        assert machine.port(site.port).state is Health.GOOD


def test_a_database_of_a_newer_program_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    machine.database()
    monkeypatch.setattr("core.storage.migrating.newest", lambda: "0000")
    found = examined({"Database": machine.database}, seconds=300)[0]
    assert found.state is Health.WRONG
    assert "newer Veridesk" in found.words


def test_hnswlib_that_ends_its_process_is_a_remark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    break_hnswlib(tmp_path / "broken", monkeypatch)
    found = engines.neighbour_search()
    assert (found.state, found.mend) == (Health.REMARK, rebuild_command("hnswlib"))
    assert "SIGILL" in found.words


@pytest.mark.slow
def test_llama_cpp_that_cannot_be_loaded_is_wrong(tmp_path: Path) -> None:
    package = tmp_path / "llama_cpp"
    package.mkdir()
    (package / "__init__.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n")
    status, parts = doctor(PYTHONPATH=str(tmp_path))
    assert status == 1
    assert "SIGILL" in parts["Processor"].words
    assert parts["Processor"].mend == REBUILD
    assert parts["Language model"].state is Health.WRONG
    assert parts["Home"].state is Health.GOOD


def test_a_build_for_another_processor_names_the_features_that_are_missing() -> None:
    here = frozenset({"pni", "ssse3", "avx", "avx2", "fma", "f16c", "bmi2"})
    found = engines.compared({"AVX2", "AVX512", "AVX512_VNNI"}, here, "An older one")
    assert found.state is Health.WRONG
    assert "AVX512, AVX512_VNNI" in found.words
    assert engines.compared({"AVX2", "FMA"}, here, "It").state is Health.GOOD
    assert engines.compared({"AVX2"}, frozenset(), "A Mac").state is Health.GOOD
    assert engines.compared({"AMX_INT8"}, frozenset({"amx_int8"}), "A server").state is Health.REMARK


def test_words_that_are_missing_are_only_for_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.scoring.metrics.words.data_folders", lambda: [tmp_path])
    found = engines.words_of_meteor()
    assert (found.state, found.mend.rpartition(" ")[2]) == (Health.ABSENT, "--fetch-words")


def test_another_version_of_a_package_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.packages().state is Health.GOOD
    monkeypatch.setattr(machine, "version", lambda package: "0.1")
    found = machine.packages()
    assert "streamlit 0.1 for " in found.words
    assert found.mend == "pip install -r requirements.txt"


def test_an_optional_package_that_is_absent_is_named_with_its_command() -> None:
    found = presence(OptionalPackage("a_package_of_nobody", "a_package_of_nobody==1", "nothing"))
    assert (found.state, found.mend) == (Health.ABSENT, "pip install a_package_of_nobody==1")
    assert presence(LIBZIM).state is Health.GOOD


def test_optional_packages_are_pinned_as_the_tests_have_them() -> None:
    pinned = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    assert all(re.search(rf"^{re.escape(one.requirement.strip(chr(39)))}\s", pinned, re.M) for one in OPTIONAL_PACKAGES)


def test_a_check_that_hangs_or_fails_costs_only_its_own_line() -> None:
    def refused() -> Finding:
        raise StoreError("The database refused.")

    def broken() -> Finding:
        raise ZeroDivisionError

    released = threading.Event()

    def slow() -> Finding:
        released.wait()
        return good

    good = Finding("Good", Health.GOOD, "")
    parts = {"Slow": slow, "Refused": refused, "Broken": broken, "Good": lambda: good}
    found = examined(parts, seconds=0.5)
    released.set()
    assert [one.state for one in found] == [Health.WRONG, Health.WRONG, Health.WRONG, Health.GOOD]
    assert found[0].words.endswith("0.5 seconds")
    assert found[1].words == "The database refused."
