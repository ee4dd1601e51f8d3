"""The application layer knows no terminal, and says why in words."""

import ast

import pytest

from projections.read.decision_words import REFUSALS
from streams.hygiene.chunks.python import syntax_tree
from tests.topology.test_imports import ROOT, imports

MODULES = sorted((ROOT / "infra" / "service").rglob("*.py"))
TERMINAL = {"typer", "rich", "click"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_use_case_knows_no_terminal(path):
    text = path.read_text()
    assert not {name.split(".")[0] for name in imports(path)} & TERMINAL
    assert "`cairn " not in text
    assert not [
        node
        for node in ast.walk(syntax_tree(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]


def test_every_reason_of_the_ledger_to_refuse_a_decision_is_said_in_words():
    reasons = {
        str(node.args[0].value)
        for path in (ROOT / "streams" / "ledger").rglob("*.py")
        for node in ast.walk(syntax_tree(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Refused"
        and isinstance(node.args[0], ast.Constant)
    }
    known_early = syntax_tree((ROOT / "streams" / "ledger" / "turns" / "refusals.py").read_text())
    reasons |= {
        each.value
        for node in ast.walk(known_early)
        if isinstance(node, ast.Return)
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and "_" in each.value
    }
    assert len(reasons) >= 15
    assert reasons <= REFUSALS.keys()
