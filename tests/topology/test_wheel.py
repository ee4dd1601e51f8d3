"""The built wheel holds what runs, with its data, and nothing that trains or tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.topology.test_imports import OURS, ROOT, files, imports

WHAT_TRAINS = {"numpy", "scipy", "sklearn"}
# It hands arrays to a model that is finished.
READS = ("infra/service/foundation/small_reader.py", "numpy")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of the files in a wheel built from a copy of the sources."""
    folder = tmp_path_factory.mktemp("sources")
    for name in OURS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "tests" / "reading", folder / "tests" / "reading")
    build = "from setuptools import build_meta; build_meta.build_wheel('dist')"
    subprocess.run([sys.executable, "-c", build], cwd=folder, check=True, capture_output=True)
    (built,) = (folder / "dist").glob("*.whl")
    return zipfile.ZipFile(built).namelist()


def test_a_wheel_holds_our_packages_alone(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(OURS)


def test_a_wheel_holds_every_module_and_the_data_that_is_read(wheel: list[str]) -> None:
    read = [path for name in OURS for path in (ROOT / name).rglob("*.*") if _is_read(path)]
    assert {str(path.relative_to(ROOT)) for path in read} <= set(wheel)


def test_a_wheel_holds_the_example_project(wheel: list[str]) -> None:
    files = (file for file in (ROOT / "infra" / "example").rglob("*") if file.is_file())
    kept = {str(file.relative_to(ROOT)) for file in files if "__pycache__" not in file.parts}
    assert len(kept) > 25 and kept <= set(wheel)


def test_a_wheel_holds_nothing_that_trains(wheel: list[str]) -> None:
    assert [name for name in wheel if "train" in Path(name).name or name.endswith(".tsv")] == []


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
