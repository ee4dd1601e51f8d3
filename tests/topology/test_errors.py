"""Errors that users read are one family: each has its code, and an outage is no refusal."""

import ast
import re
from collections.abc import Iterator

from infra.platform.errors import BrokerUnavailable, NotFound, Refusal
from streams.hygiene.chunks.python import syntax_tree
from tests.topology.test_imports import ROOT, files

OUTAGE = "Unavailable"


def test_an_error_says_its_code_and_its_detail():
    error = NotFound("There is no run run_1.", code="unknown_run", detail={"run_id": "run_1"})
    assert (str(error), error.code) == ("There is no run run_1.", "unknown_run")
    assert error.detail == {"run_id": "run_1"}
    assert BrokerUnavailable("Kafka is away.").code == "broker_unavailable"


def test_each_kind_of_error_has_a_code_of_its_own():
    kinds = [
        node
        for path in files()
        for node in ast.walk(syntax_tree(path.read_text()))
        if isinstance(node, ast.ClassDef)
    ]
    codes: dict[str, str] = {}
    family = {"Refusal"}
    while added := [
        kind for kind in kinds if kind.name not in family and family & names_in(kind.bases)
    ]:
        codes |= {kind.name: code_of(kind) for kind in added}
        family |= codes.keys()
    assert len(codes) > 15
    assert len(set(codes.values())) == len(codes)
    assert all(re.fullmatch("[a-z][a-z_]*", code) for code in codes.values())


def test_a_handler_of_refusals_lets_outages_through():
    """By an earlier handler of the same ``try``, by raising in the end, or by naming them."""
    held = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in files()
        for line in holding_back(syntax_tree(path.read_text()))
    ]
    assert held == []


def holding_back(tree: ast.AST) -> Iterator[int]:
    """The lines of handlers of refusals that take an outage for one."""
    if Refusal.__name__ not in taken_from_errors(tree):
        return
    for attempt in (node for node in ast.walk(tree) if isinstance(node, ast.Try)):
        earlier: set[str] = set()
        for handler in attempt.handlers:
            named = names_in([handler.type] if handler.type else [])
            if Refusal.__name__ in named:
                raises = isinstance(handler.body[-1], ast.Raise)
                if not raises and OUTAGE not in named | earlier:
                    yield handler.lineno
            earlier |= named


def taken_from_errors(tree: ast.AST) -> set[str]:
    return {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "infra.platform.errors"
        for alias in node.names
    }


def names_in(expressions: list[ast.expr]) -> set[str]:
    return {node.id for one in expressions for node in ast.walk(one) if isinstance(node, ast.Name)}


def code_of(kind: ast.ClassDef) -> str:
    (code,) = (
        node.value.value
        for node in kind.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "code"
        and isinstance(node.value, ast.Constant)
    )
    return str(code)
