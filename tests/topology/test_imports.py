"""Who may import whom, and that our plain package names mean ours."""

import ast
import importlib
from pathlib import Path

import pytest

from streams.hygiene.chunk_python import syntax_tree

ROOT = Path(__file__).parents[2]
OURS = ("schemas", "infra", "agents", "connectors", "projections", "streams")
MAY_IMPORT = {
    "schemas": {"schemas"},
    "infra": {"infra", "schemas"},
    "agents": {"agents", "schemas"},
    "connectors": {"connectors", "schemas", "infra"},
    "projections": {"projections", "schemas", "infra"},
    "streams": {"streams", "schemas"},
    "streams.shell": {"streams", "schemas", "infra", "agents"},
    "infra.service": set(OURS),
    "infra.cli": set(OURS),
    "infra.http": {"infra", "schemas"},
    "infra.mcp": {"infra", "schemas"},
    "infra.evaluation": set(OURS),
}
EDGES = ("infra.cli", "infra.http", "infra.mcp")
ALONE = {
    "fastavro": {"schemas/codec.py"},
    "faust": {"streams/app.py", "streams/shell"},
    "litellm": {"agents/model.py"},
    "langgraph": {"agents/reading/graph.py"},
    "cryptography": {"infra/vault.py"},
}


def files():
    return [path for name in OURS for path in sorted((ROOT / name).rglob("*.py"))]


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if ".".join(parts[:2]) in MAY_IMPORT:
        return ".".join(parts[:2])
    if parts[:2] in (("streams", "shell"), ("streams", "app")):
        return "streams.shell"
    return parts[0]


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(syntax_tree(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_what_its_folder_may(path):
    room = room_of(path)
    for name in imports(path):
        top = name.split(".")[0]
        if top in OURS:
            assert top in MAY_IMPORT[room], f"{room} must not import {name}"
            if name.startswith(EDGES):
                assert name.startswith(room), f"{room} must not import {name}: nobody does"
            if name.startswith("infra.service"):
                assert room in ("infra.service", "infra.evaluation", *EDGES), (
                    f"{room} must not import {name}"
                )
            if name.startswith("infra.evaluation"):
                assert room in ("infra.evaluation", "infra.cli"), f"{room} must not import {name}"
            if room == "streams":
                assert not name.startswith(("streams.shell", "streams.app")), (
                    "a stage knows no shell"
                )
        for library, places in ALONE.items():
            if top == library:
                here = str(path.relative_to(ROOT))
                assert here.startswith(tuple(places)), f"{library} is for {places} alone"


@pytest.mark.parametrize("name", OURS)
def test_a_package_name_resolves_inside_this_repository(name):
    module = importlib.import_module(name)
    assert Path(module.__file__ or "").parent == ROOT / name


def test_no_module_is_called_like_one_of_the_standard_library():
    import sys

    names = {path.stem for path in files() if path.stem not in ("__init__", "__main__")}
    top_level = {path.stem for path in files() if path.parent.parent == ROOT}
    assert not top_level & sys.stdlib_module_names
    assert "logging" not in names
