"""Manifests: what a project declares to depend on, and nothing that stands below it."""

from __future__ import annotations

import pytest

from agents.offline.manifests.dependencies import dependencies


def declared(text: str, path: str = "pyproject.toml") -> list[tuple[str, str]]:
    return [(one.name, one.version) for one in dependencies(text, path, ())]


def test_an_empty_list_does_not_read_the_settings_below_it():
    text = "[project]\ndependencies = []\n\n[tool.setuptools]\nzip-safe = false\nwhere = [\n]\n"
    assert declared(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'dependencies = ["anyio", "httpcore[asyncio]==1.*"]\nother = [\n"idna",\n]\n',
        'dependencies = [\n  "anyio",  # not "idna"]\n  "httpcore[asyncio]==1.*",\n]\n',
        "dependencies = [\n  'anyio',\n  'httpcore[asyncio] == 1.*'\n]\n",
    ],
)
def test_a_list_is_read_on_one_line_and_on_many(text):
    assert declared(text) == [("anyio", ""), ("httpcore", "1.*")]


def test_a_version_is_named_only_where_one_is_asked_for():
    text = """dependencies = [
  "low>=1.2",
  "high<2",
  "range<3,>=2.1",
  "marked>=4; python_version < '3.12'",
]
"""
    assert declared(text) == [("low", "1.2"), ("high", ""), ("range", ""), ("marked", "4")]


def test_an_unfinished_list_declares_nothing():
    assert declared('dependencies = [\n  "anyio",\n  "open\n') == []


def test_lines_of_requirements_are_read_like_items():
    text = "low>=1.2\nhigh<2\nnot!=3  # broken\nrange >=2.1,<3 ; python_version < '3.12'\nbare\n"
    assert declared(text, "requirements.txt") == [
        ("low", "1.2"),
        ("high", ""),
        ("not", ""),
        ("range", ""),
        ("bare", ""),
    ]


def test_a_part_of_the_same_repository_is_no_dependency():
    text = '[dependencies]\nlanes = { path = "crates/lanes", version = "0.1" }\nserde = "1.0"\n'
    assert declared(text, "Cargo.toml") == [("serde", "1.0")]
