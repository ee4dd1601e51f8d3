"""Steps return changes: nobody calls one and leaves them, and none but the draft applies them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import streams.ledger

FOLDER = Path(streams.ledger.__file__).parent
TREES = {path: ast.parse(path.read_text()) for path in sorted(FOLDER.rglob("*.py"))}


def name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def steps() -> set[str]:
    functions = (it for tree in TREES.values() for it in ast.walk(tree))
    return {
        it.name
        for it in functions
        if isinstance(it, ast.FunctionDef)
        and isinstance(it.returns, ast.Subscript)
        and name_of(it.returns.value) == "Changes"
    } | {"take_in", "_take_in"}


def calls_of_steps() -> Iterator[tuple[str, bool]]:
    """Each place where a step is called, and whether its changes go on from there."""
    names = steps()
    for path, tree in TREES.items():
        if not any(isinstance(it, ast.Name) and it.id == "Changes" for it in ast.walk(tree)):
            continue  # it has functions of such names that are no steps
        taken = {
            id(given)
            for node in ast.walk(tree)
            for given in (
                [node.value]
                if isinstance(node, ast.YieldFrom)
                else node.args
                if isinstance(node, ast.Call) and name_of(node.func) == "apply"
                else []
            )
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and name_of(node.func) in names:
                yield f"{path.relative_to(FOLDER)}:{node.lineno}", id(node) in taken


def test_the_changes_of_every_step_that_is_called_are_applied_or_passed_on():
    found = dict(calls_of_steps())
    assert len(found) > 100
    assert [place for place, goes_on in found.items() if not goes_on] == []


def test_only_what_makes_a_change_set_knows_the_draft():
    known_to = {
        str(path.relative_to(FOLDER))
        for path, tree in TREES.items()
        if any(isinstance(it, ast.Name) and it.id == "ChangeSetDraft" for it in ast.walk(tree))
    }
    assert known_to == {"writer.py", "giving_up.py", "people/people.py"}
