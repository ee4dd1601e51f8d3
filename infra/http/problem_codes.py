"""Collect the codes of problems from the code, for the document of the API.

A code is given where an error is raised, so the list is read from there and committed:
`python -m infra.http.client_code` writes it, and a test compares.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from infra.http import problems

ROOT = Path(__file__).resolve().parents[2]
LISTED = Path(__file__).with_name("problem_codes.json")
# What answers over HTTP; commands have errors of their own.
FOLDERS = ("agents", "connectors", "infra", "projections", "schemas", "streams")
LEFT_OUT = ("infra/cli/", "infra/client/", "infra/measure/", "infra/runtime/local/", "infra/mcp/")
ABOUT_NOTHING = "…"  # where the text is made elsewhere

Problems = dict[str, dict[str, Any]]


def read_listed() -> Problems:
    """The codes as they are committed: each with its statuses, and a message that it came with."""
    found: Problems = json.loads(LISTED.read_text())
    return found


def render_codes() -> str:
    return json.dumps(collect_codes(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def collect_codes() -> Problems:
    """Each code that an error may have, with its statuses and one of its messages; values in it
    are `…`.
    """
    trees = [ast.parse(path.read_text()) for path in _files()]
    classes = _status_by_class(trees)
    found: dict[str, tuple[set[int], set[str]]] = defaultdict(lambda: (set(), set()))
    for code, status, message in _codes(trees, classes):
        statuses, messages = found[code]
        statuses.add(status)
        if message and message != ABOUT_NOTHING:
            messages.add(" ".join(message.split()))
    return {
        code: {"statuses": sorted(statuses), "example": min(messages, default="")}
        for code, (statuses, messages) in found.items()
    }


def _files() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not str(path.relative_to(ROOT)).startswith(LEFT_OUT):
                yield path


def _status_by_class(trees: list[ast.Module]) -> dict[str, int]:
    """The status of each class of refusals, by its name: that of the nearest class that has one."""
    statuses = {kind.__name__: status for kind, status in problems.STATUS}
    bases = {
        node.name: [ast.unparse(base) for base in node.bases]
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    count = -1
    while count != len(statuses):
        count = len(statuses)
        for name, parents in bases.items():
            known = [statuses[parent] for parent in parents if parent in statuses]
            if known:
                statuses.setdefault(name, known[0])
    return statuses


def _codes(trees: list[ast.Module], classes: dict[str, int]) -> Iterator[tuple[str, int, str]]:
    for status, code in problems.CODES.items():
        yield code, status, problems.MESSAGES.get(status, "")
    yield "internal_error", 500, problems.FAULT
    yield "invalid_request", 422, "The request cannot be used: …: …."
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name in classes:
                for code in _own_code(node):
                    yield code, classes[node.name], ast.get_docstring(node) or ""
            elif isinstance(node, ast.Call) and (name := _name(node.func)) in classes:
                for each in node.keywords:
                    if each.arg == "code" and (code := _constant(each.value, tree)):
                        yield code, classes[name], _text(node.args[0]) if node.args else ""


def _constant(given: ast.expr, tree: ast.Module) -> str:
    """The text of a code, which may be a constant of its file; empty for one that is computed."""
    if isinstance(given, ast.Constant):
        return str(given.value)
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == ast.unparse(given)
            and isinstance(node.value, ast.Constant)
        ):
            return str(node.value.value)
    return ""


def _own_code(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        if (
            isinstance(each, ast.Assign)
            and ast.unparse(each.targets[0]) == "code"
            and isinstance(each.value, ast.Constant)
        ):
            yield str(each.value.value)


def _name(function: ast.expr) -> str:
    return ast.unparse(function).rpartition(".")[2] if _is_name(function) else ""


def _is_name(function: ast.expr) -> bool:
    return isinstance(function, ast.Name | ast.Attribute)


def _text(message: ast.expr) -> str:
    """The message as it is written, with `…` for each value."""
    match message:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(part) for part in parts)
        case _:
            return ABOUT_NOTHING
