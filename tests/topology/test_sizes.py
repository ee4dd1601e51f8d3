"""No file of the product is longer than 400 lines, and no function longer than 60."""

import ast

from streams.hygiene.chunks.python import syntax_tree
from tests.topology.test_imports import ROOT

PRODUCT = ("agents", "connectors", "infra", "projections", "schemas", "streams")
FILE_LINES = 400
FUNCTION_LINES = 60
# What is still above, with its lines: these may shrink and not grow, and nothing may join them.
STILL_ABOVE = {
    "streams/reduce/reports/reports.py": 402,
}


def test_no_file_and_no_function_is_too_long():
    too_long = [
        f"{place}: {lines} lines" for place, lines in _above() if lines > STILL_ABOVE.get(place, 0)
    ]
    assert too_long == [], "\n".join(too_long)


def _above() -> list[tuple[str, int]]:
    """Files and functions above the limits, each with its lines."""
    above = []
    for path in (path for room in PRODUCT for path in sorted((ROOT / room).rglob("*.py"))):
        text, place = path.read_text(), path.relative_to(ROOT).as_posix()
        if (lines := text.count("\n")) > FILE_LINES:
            above.append((place, lines))
        for node in ast.walk(syntax_tree(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    above.append((f"{place}:{node.name}", lines))
    return above
