"""The built wheel holds what runs, with its data, and nothing that trains, measures or tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.topology.test_imports import OURS, ROOT, files, imports

EXAMPLE = "infra/example/"
MEASURING = ROOT / "infra" / "measure"
MAX_BYTES = 4_300_000
WHAT_TRAINS = {"numpy", "scipy", "sklearn"}
# It hands arrays to a model that is finished.
READS = ("infra/service/foundation/small_reader.py", "numpy")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the sources."""
    folder = copy_sources(tmp_path_factory.mktemp("sources"))
    build(folder)
    (built,) = (folder / "dist").glob("*.whl")
    return built


def copy_sources(folder: Path) -> Path:
    for name in OURS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "tests" / "reading", folder / "tests" / "reading")
    return folder


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "from setuptools import build_meta; build_meta.build_wheel('dist')"
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(built: Path) -> list[str]:
    """The names of the files in it."""
    return zipfile.ZipFile(built).namelist()


def test_a_wheel_holds_our_packages_alone(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(OURS)


def test_a_wheel_holds_every_module_and_the_data_that_is_read(wheel: list[str]) -> None:
    read = [path for name in OURS for path in (ROOT / name).rglob("*.*") if _is_read(path)]
    read = [path for path in read if not path.is_relative_to(MEASURING)]
    assert {str(path.relative_to(ROOT)) for path in read} <= set(wheel)


def test_a_wheel_holds_the_example_project(wheel: list[str]) -> None:
    files = (file for file in (ROOT / "infra" / "example").rglob("*") if file.is_file())
    kept = {str(file.relative_to(ROOT)) for file in files if "__pycache__" not in file.parts}
    assert len(kept) > 25 and kept <= set(wheel)


def test_a_wheel_holds_nothing_that_trains(wheel: list[str]) -> None:
    assert [name for name in wheel if "train" in Path(name).name or name.endswith(".tsv")] == []


def test_a_wheel_holds_no_benches_and_no_pages_about_the_code(wheel: list[str]) -> None:
    pages = [name for name in wheel if name.endswith(".md") and not name.startswith(EXAMPLE)]
    assert pages == []
    assert [name for name in wheel if name.startswith("infra/measure")] == []


def test_no_wheel_is_built_without_the_client(tmp_path: Path) -> None:
    folder = copy_sources(tmp_path)
    (folder / "infra" / "client" / "client.py").unlink()
    refused = build(folder)
    assert refused.returncode == 1
    assert "not written yet: run `make venv` in the checkout" in refused.stderr


def test_a_wheel_is_small(built: Path) -> None:
    assert built.stat().st_size < MAX_BYTES


@pytest.mark.parametrize("command", [["bench", "idle"], ["eval", "redact"]])
def test_an_installed_package_says_where_measurements_are(
    built: Path, tmp_path: Path, command: list[str]
) -> None:
    zipfile.ZipFile(built).extractall(tmp_path)
    # Without the finder of an editable installation, which would lead back to the checkout.
    run = (
        "import sys; sys.meta_path = [f for f in sys.meta_path if 'ditable' not in repr(f)];"
        " from infra.cli import main; main()"
    )
    answer = subprocess.run(
        [sys.executable, "-c", run, *command], cwd=tmp_path, capture_output=True, text=True
    )
    assert answer.returncode == 1
    assert answer.stderr.startswith("The installed package holds no measurements: clone Cairn")
    assert len(answer.stderr.splitlines()) == 1


def test_no_module_imports_a_library_of_training() -> None:
    trained = [
        (str(path.relative_to(ROOT)), name)
        for path in files()
        for name in imports(path)
        if name.split(".")[0] in WHAT_TRAINS
    ]
    assert trained == [READS]


def _is_read(path: Path) -> bool:
    return path.suffix in (".py", ".json", ".gz", ".avsc", ".sql", ".toml", ".lock")
