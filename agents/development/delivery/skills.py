"""What a reviewer looks for in each technology: short texts, chosen by the files of a change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

SKILLS = files(__package__) / "skills"
BY_SUFFIX = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"), "typescript"),
    **dict.fromkeys((".go",), "go"),
    **dict.fromkeys((".java", ".kt"), "java"),
    **dict.fromkeys((".rs",), "rust"),
    **dict.fromkeys((".sql",), "sql"),
    **dict.fromkeys((".sh", ".bash"), "shell"),
    **dict.fromkeys((".yml", ".yaml", ".toml", ".json"), "configuration"),
    **dict.fromkeys((".md", ".rst", ".adoc"), "documents"),
}
BY_NAME = {"dockerfile": "configuration", "makefile": "shell"}
TEST_MARKS = ("test_", "_test.", ".test.", ".spec.", "tests/", "test/")


def select_skills(paths: Sequence[str]) -> tuple[str, ...]:
    """The names of the texts for a change of these files, sorted; ``general`` is always there."""
    chosen = {"general"}
    for path in paths:
        lowered = path.lower()
        name = PurePosixPath(lowered)
        if skill := BY_SUFFIX.get(name.suffix) or BY_NAME.get(name.name):
            chosen.add(skill)
        if any(mark in lowered for mark in TEST_MARKS):
            chosen.add("tests")
    return tuple(sorted(chosen))


@cache
def read_skill(name: str) -> str:
    return (SKILLS / f"{name}.md").read_text(encoding="utf-8").strip()
