"""No file of the product is longer than 400 lines, and no function longer than 60."""

import ast

from streams.hygiene.chunks.python import syntax_tree
from tests.topology.test_imports import ROOT

PRODUCT = ("agents", "connectors", "infra", "projections", "schemas", "streams")
FILE_LINES = 400
FUNCTION_LINES = 60


def test_no_file_and_no_function_is_too_long():
    too_long = _list_too_long()
    assert too_long == [], "\n".join(too_long)


def _list_too_long() -> list[str]:
    """Files and functions above the limits, each with its lines."""
    too_long = []
    for path in (path for room in PRODUCT for path in sorted((ROOT / room).rglob("*.py"))):
        text, place = path.read_text(), path.relative_to(ROOT).as_posix()
        if (lines := text.count("\n")) > FILE_LINES:
            too_long.append(f"{place}: {lines} lines")
        for node in ast.walk(syntax_tree(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    too_long.append(f"{place}:{node.name}: {lines} lines")
    return too_long
