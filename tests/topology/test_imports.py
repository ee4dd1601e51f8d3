"""Who may import whom, and that our plain package names mean ours."""

import ast
import importlib
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from streams.hygiene.chunks.python import syntax_tree

ROOT = Path(__file__).parents[2]
OURS = ("schemas", "infra", "agents", "connectors", "projections", "streams")
ALL = {
    *("schemas", "agents", "connectors", "projections", "streams", "streams.shell"),
    *(f"infra.{room}" for room in ("platform", "runtime", "store", "service", "client", "example")),
    "infra.measure",
}
BELOW = {"schemas", "infra.platform"}
# Each room with the rooms that it may import besides itself. Within infra arrows go down only.
MAY_IMPORT = {
    "schemas": set[str](),
    "infra.platform": {"schemas"},
    "infra.runtime": BELOW,
    "agents": {"schemas"},
    "connectors": BELOW,
    "projections": BELOW,
    "infra.store": BELOW | {"projections"},  # how it asks tables: pages and rows
    "streams": {"schemas"},  # a stage knows no shell
    "streams.shell": BELOW | {"streams", "infra.runtime", "agents"},
    "infra.client": {"infra.platform"},
    "infra.service": BELOW
    | {"infra.runtime", "infra.store", "agents", "connectors", "projections", "streams"}
    | {"streams.shell"},
    "infra.mcp": BELOW | {"infra.service"},
    "infra.http": BELOW | {"infra.runtime", "infra.store", "infra.service"},
    "infra.example": set[str](),
    "infra.measure": ALL,
    "infra.cli": ALL,
}
MOST_MODULES = 15  # of a folder of streams
LARGE_FOLDERS = {"streams", "streams/run_control", "streams/shell"}
ASKING = ("infra.http", "infra.mcp")  # they hand the queries of projections/read to the service
SERVED = {  # the file that serves it to a process, or to a folder
    "infra/cli/processes.py": "infra.http",
    "infra/http/routes/mcp_endpoint.py": "infra.mcp",
}
IN_PROCESS = {  # commands that run beside the servers, or before there are any
    *("up", "processes", "rebuild", "verify_log", "bench", "eval", "check_cluster"),
}
ALONE = {
    "fastavro": {"schemas/codec.py"},
    "faust": {"streams/app.py", "streams/shell"},
    "litellm": {"agents/models/worker.py"},
    "langgraph": {"agents/quality/graph.py", "agents/project/graph.py", "agents/runs"}
    | {"agents/assistant", "agents/development"},
    "langsmith": {"agents/runs/graphs.py"},
    "cryptography": {"infra/platform/vault.py"},
    **dict.fromkeys(
        ("tree_sitter", "tree_sitter_typescript", "tree_sitter_javascript", "tree_sitter_go")
        + ("tree_sitter_java", "tree_sitter_rust"),
        {"agents/development/codebase"},
    ),
    "mcp": {"infra/mcp", "infra/http/routes/mcp_endpoint.py"},
    "mcp_types": {"infra/mcp"},
}


def files():
    return [path for name in OURS for path in sorted((ROOT / name).rglob("*.py"))]


def room_of(module: str) -> str:
    parts = module.split(".")
    if parts[:2] in (["streams", "shell"], ["streams", "app"]):
        return "streams.shell"
    return ".".join(parts[:2]) if parts[0] == "infra" else parts[0]


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules it names anywhere, also inside functions; `from a import b` may name ``a.b``."""
    found: set[str] = set()
    for node in ast.walk(syntax_tree(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph() -> dict[str, set[str]]:
    """Our modules, each with those of ours that it imports for types only, too: whoever reads one
    has to read the other.
    """
    modules = {module_name(path): path for path in files()}
    return {name: {*imports(path)} & modules.keys() - {name} for name, path in modules.items()}


def package_of(module: str) -> str | None:
    """``streams.ledger.figures`` or ``infra.service.jobs`` of a module in there; else None."""
    parts = module.split(".")
    inside = parts[0] == "streams" or parts[:2] == ["infra", "service"]
    return ".".join(parts[:3]) if inside and len(parts) > 3 else None


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = graph[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The largest sets of modules that all import each other, at first or second hand."""
    reach = {name: reachable(graph, name) for name in graph}
    return {
        frozenset(other for other in reach[name] if name in reach[other])
        for name in graph
        if name in reach[name]
    }


def may_import(path: Path, name: str) -> bool:
    here, room, top = str(path.relative_to(ROOT)), room_of(module_name(path)), name.split(".")[0]
    if top not in OURS:
        return here.startswith(tuple(ALONE.get(top, [""])))
    if room == "infra.client" and room_of(name) == "infra.platform":
        return name.startswith("infra.platform.errors")
    if room == "infra.cli" and room_of(name) in ("infra.service", "infra.store"):
        return path.stem in IN_PROCESS
    if room in ASKING and name.startswith("projections.read"):
        return True
    return (
        name == "infra"
        or room_of(name) in {room, *MAY_IMPORT[room]}
        or name.startswith(SERVED.get(here, ()))
    )


def test_a_module_imports_only_what_its_folder_may():
    forbidden = [
        f"{path.relative_to(ROOT)} must not import {name}"
        for path in files()
        for name in sorted(imports(path))
        if not may_import(path, name)
    ]
    assert forbidden == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("schemas/codec.py", "infra.platform.log"),
        ("streams/ledger/writer.py", "streams.app"),
        ("streams/ledger/writer.py", "faust"),
        ("infra/platform/log.py", "infra.cli.output"),
        ("infra/platform/kafka.py", "infra.service.upkeep.status"),
        ("infra/platform/kafka.py", "infra.runtime.local.process"),
        ("infra/store/requests.py", "infra.service.access.tokens"),
        ("connectors/runner.py", "infra.store.jobs.queue"),
        ("infra/service/upkeep/status.py", "infra.measure.figures"),
        ("infra/client/client.py", "infra.platform.settings"),
        ("infra/cli/atoms.py", "infra.service.reading.reasons"),
        ("agents/reader.py", "litellm.utils"),
    ],
)
def test_what_a_module_may_not_import_is_found(path: str, name: str):
    assert not may_import(ROOT / path, name)


SQL = re.compile(r"\s*(?:SELECT|INSERT INTO|UPDATE \w+ |DELETE FROM|WITH \w+ AS)\b")
WITHOUT_SQL = ("infra/service", "infra/http", "infra/mcp")


def test_the_application_layer_and_the_ways_in_hold_no_sql():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: move the statement to infra/store"
        for path in files()
        if str(path.relative_to(ROOT)).startswith(WITHOUT_SQL)
        for node in ast.walk(syntax_tree(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value)
    ]
    assert found == []


def test_circles_are_found_with_all_who_take_part():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a", "e"}, "e": {"d"}, "f": {"a"}}
    assert circles(graph) == {frozenset("abc"), frozenset("de")}


def test_no_modules_import_each_other_in_a_circle():
    assert circles(import_graph()) == set()


OF_AGENTS = ("asking", "assistant", "jobs")


def test_packages_of_a_stage_and_of_the_service_import_each_other_in_one_direction():
    graph: dict[str, set[str]] = {}
    for name, imported in import_graph().items():
        if (package := package_of(name)) is not None:
            others = {package_of(it) for it in imported} - {package}
            graph.setdefault(package, set()).update(it for it in others if it is not None)
    assert len(graph) > 30
    # Agents schedule work, and scheduled work asks agents.
    assert circles(graph) == {frozenset(f"infra.service.{it}" for it in OF_AGENTS)}


def test_no_folder_of_streams_holds_more_modules_than_can_be_read_in_one_go():
    count: Counter[str] = Counter()
    for path in (ROOT / "streams").rglob("*.py"):
        count[str(path.parent.relative_to(ROOT))] += path.name != "__init__.py"
    assert {folder for folder, modules in count.items() if modules > MOST_MODULES} == LARGE_FOLDERS


def test_only_the_process_of_the_model_worker_loads_the_library_of_providers():
    found = {module_name(path) for path in files() if "agents.models.worker" in imports(path)}
    assert found == {"infra.service.models.worker"}
    tree = syntax_tree((ROOT / "infra/service/models/worker.py").read_text())
    at_start = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert "agents.models.worker" not in at_start


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
