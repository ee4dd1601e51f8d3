"""How often the obvious sibling of a file is among the similar ones: `python -m
tests.development.similar_bench CLONE…`, each a clone at the commit of `similar_cases.toml`.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.development.codebase import BUDGET, read_codebase
from infra.service.development.code_files import ListedFiles, open_code

CASES = Path(__file__).with_name("similar_cases.toml")


class Without:
    """The files of a repository but one."""

    def __init__(self, files: ListedFiles, path: str) -> None:
        self.files, self.path = files, path

    def list_paths(self) -> Sequence[str]:
        return [it for it in self.files.list_paths() if it != self.path]

    def read(self, path: str) -> str | None:
        return self.files.read(path)


def measure(files: ListedFiles, cases: list[tuple[str, str]], change: str) -> tuple[int, int]:
    """How many siblings are in the context, and how many are first."""
    within = first = 0
    for path, sibling in cases:
        source = files if change == "modify" else Without(files, path)
        draft = f"## Files to change\n\n| File | Change |\n|---|---|\n| `{path}` | {change} |\n"
        context, again = (read_codebase(source, draft) for _ in range(2))
        assert context.text == again.text
        assert len(context.text.encode()) <= BUDGET
        names = [it.path for it in context.similar]
        within += sibling in names and f": {sibling}\n" in context.text
        first += names[:1] == [sibling]
    return within, first


def main(clones: list[str]) -> None:
    repositories: list[dict[str, Any]] = tomllib.loads(CASES.read_text())["repository"]
    for clone in clones:
        with open_code(str(Path(clone).resolve()), Path(clone) / "no-home") as files:
            paths = {*files.list_paths()}
            (repository,) = (it for it in repositories if it["cases"][0][0] in paths)
            for change in ("modify", "new"):
                within, first = measure(files, repository["cases"], change)
                print(f"{repository['name']} {change}: {within} within, {first} first")


if __name__ == "__main__":
    main(sys.argv[1:])
