"""The offline reader's packages import only those of earlier steps."""

import ast
from pathlib import Path

import pytest

import agents.offline

HOME = Path(agents.offline.__file__).parent
STEPS = (
    "lexicons",
    "segment",
    "models",
    "recognise",
    "resolve",
    "judge",
    "prose",
    "talk",
    "code",
    "manifests",
    "reader",
    "outcomes",
)


def test_every_step_has_its_place_in_the_order():
    found = {path.name for path in HOME.iterdir() if (path / "__init__.py").exists()}
    assert found == set(STEPS) - {"reader", "outcomes"}


@pytest.mark.parametrize("path", sorted(HOME.rglob("*.py")), ids=lambda path: path.name)
def test_a_step_imports_only_earlier_steps(path):
    own = path.relative_to(HOME).with_suffix("").parts[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("agents.offline."):
            step = (node.module or "").split(".")[2]
            assert STEPS.index(step) <= STEPS.index(own), f"{own} must not import {node.module}"
