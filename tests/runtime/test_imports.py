"""The import rule of this folder: `infra` without `cli` stands on `schemas` alone."""

import ast
from pathlib import Path

from streams.hygiene.chunk_python import syntax_tree

ROOT = Path(__file__).parents[2]
OURS = {"schemas", "infra", "agents", "connectors", "projections", "streams"}


def imports_of(file: Path) -> set[str]:
    """Dotted names a file imports, inside functions too."""
    names: set[str] = set()
    for node in ast.walk(syntax_tree(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def test_infra_below_the_command_line_imports_only_schemas_of_ours():
    above = {ROOT / "infra" / "cli", ROOT / "infra" / "evaluation"}
    below = [file for file in files("infra") if above.isdisjoint(file.parents)]
    for file in below:
        ours = {name for name in imports_of(file) if name.split(".")[0] in OURS}
        strays = {name for name in ours if name.split(".")[0] not in {"schemas", "infra"}}
        assert not strays, f"{file.relative_to(ROOT)} imports {sorted(strays)}"


def test_nobody_imports_the_command_line():
    for package in OURS:
        for file in files(package):
            if (ROOT / "infra" / "cli") in file.parents:
                continue
            strays = {name for name in imports_of(file) if name.startswith("infra.cli")}
            assert not strays, f"{file.relative_to(ROOT)} imports {sorted(strays)}"


def test_only_their_modules_build_clients_and_open_connections():
    for package in sorted(OURS):
        for file in files(package):
            text = file.read_text()
            place = str(file.relative_to(ROOT))
            if place != "infra/postgres.py":
                assert "psycopg.connect(" not in text, place
                assert "Connection.connect(" not in text, place
            if place != "infra/kafka.py":
                assert "AIOKafkaProducer(" not in text, place
                assert "AIOKafkaConsumer(" not in text, place


def test_every_package_is_the_one_of_this_checkout():
    import importlib

    for package in sorted(OURS):
        module = importlib.import_module(package)
        assert Path(next(iter(module.__path__))).resolve() == ROOT / package
