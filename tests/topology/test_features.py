"""The feature table's twin names every feature once, and nothing works without being shown."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
import typer.main

from infra.cli import build
from streams.hygiene.chunks.python import syntax_tree

ROOT = Path(__file__).parents[2]
SPEC = ROOT.parent / "shared" / "spec" / "09-feature-table.md"
LAST = {"AP": 67, "AF": 121, "GA": 38, "AZ": 44, "AM": 54, "CX": 31}
IDS = [f"{group}-{number:02d}" for group, last in LAST.items() for number in range(1, last + 1)]
STATE = re.compile(r"open|works|works \(stand-in\)|partial: \S.*")
FEATURES: dict[str, dict[str, str]] = tomllib.loads(
    (ROOT / "tests" / "features.toml").read_text(encoding="utf-8")
)


def test_every_feature_has_exactly_one_row():
    """A second row with the same id would not parse."""
    assert list(FEATURES) == IDS


def test_the_rows_are_those_of_the_feature_table():
    if not SPEC.exists():
        pytest.skip("left out: the feature table is not beside this checkout")

    rows = re.findall(r"^\| ([A-Z]{2}-\d+) \|", SPEC.read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(rows) == sorted(IDS)


def test_every_row_says_how_far_it_is_and_nothing_else():
    wrong = [
        name
        for name, row in FEATURES.items()
        if set(row) != {"state", "shown_by"} or not STATE.fullmatch(row["state"])
    ]

    assert wrong == []


def test_what_works_is_shown_by_a_test_or_a_command_that_exists():
    unshown = [
        f"{name}: {shown or 'nothing'}"
        for name, row in FEATURES.items()
        for shown in row["shown_by"].split("; ")
        if not (exists(shown) if shown else not row["state"].startswith("works"))
    ]

    assert unshown == []


@pytest.mark.parametrize(
    ("shown", "there"),
    [
        ("tests/topology/test_features.py::test_every_feature_has_exactly_one_row", True),
        ("tests/topology/test_features.py::test_that_nobody_wrote", False),
        ("tests/no_such_file.py::test_any", False),
        ("cairn status", True),
        ("cairn fly", False),
        ("somebody said so", False),
    ],
)
def test_only_existing_tests_and_commands_show_anything(shown, there):
    assert exists(shown) == there


def exists(shown: str) -> bool:
    """Whether ``shown`` is a test function of ours or a ``cairn`` command."""
    if shown.startswith("cairn "):
        return shown.split()[1] in commands()
    path, _, function = shown.partition("::")
    return function.partition("[")[0] in functions(path)


@cache
def commands() -> frozenset[str]:
    return frozenset(getattr(typer.main.get_command(build()), "commands", {}))


@cache
def functions(path: str) -> frozenset[str]:
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    tree = syntax_tree(file.read_text(encoding="utf-8"))
    defined = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, defined))
