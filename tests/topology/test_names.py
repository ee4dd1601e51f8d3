"""Names say what they hold, in words of the field."""

import ast
from collections.abc import Iterator

from streams.hygiene.chunks.python import syntax_tree
from tests.topology.test_imports import ROOT, files

# Rooms where every name has been replaced; a field of a class may keep its name, as may columns.
ROOMS = ("agents", "connectors", "projections", "schemas")
PLAIN = {
    "told": "message, text, row or fields",
    "said": "text, sentence or message",
    "found": "match, matches, records or items",
    "known": "earlier, existing or the noun of what is known",
}
EVERYWHERE = {"fate": "outcome", "fates": "outcomes", "desk": "ports or context"}


def test_a_name_is_the_noun_of_what_it_holds():
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: «{name}»: say {better[word_of(name)]}"
        for path in files()
        for better in [EVERYWHERE | (PLAIN if path.relative_to(ROOT).parts[0] in ROOMS else {})]
        for name, line in names_in(syntax_tree(path.read_text()))
        if word_of(name) in better
    ]
    assert wrong == [], "\n".join(wrong)


def word_of(name: str) -> str:
    return name.strip("_").lower()


def names_in(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Names of variables, parameters, functions and classes with their lines."""
    nodes = list(ast.walk(tree))
    fields = {
        id(line.target)
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.AnnAssign)
    }
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) if id(node) not in fields:
                yield name, node.lineno
            case ast.arg(arg=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name, node.lineno
            case ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.MatchAs(name=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name, node.lineno
