"""No fact becomes bytes before its strings have passed the one function that redacts them."""

import ast

from schemas.events.vault import KeyCreated, KeyErased
from schemas.strings import plan_of
from tests.topology.test_imports import ROOT, files

# The store of keys is below the rules; its facts hold no words (see the last test).
WITHOUT_WORDS = {"infra/platform/key_store.py"}


def calls(tree: ast.AST) -> set[str]:
    """The names of the functions that are called, without what stands before a point."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name):
                    found.add(name)
                case ast.Attribute(value=ast.Name(id="codec"), attr=name):
                    found.add(name)
    return found


def test_whoever_writes_a_fact_redacts_it():
    called = {str(path.relative_to(ROOT)): calls(ast.parse(path.read_text())) for path in files()}
    writers = {path for path, names in called.items() if "encode" in names}
    assert writers >= {"connectors/runner.py", "streams/shell/outgoing.py"}
    assert {path for path in writers if "redact_fact" not in called[path]} == WITHOUT_WORDS


def test_facts_about_keys_hold_no_words():
    assert plan_of(KeyCreated) == plan_of(KeyErased) == {}
