"""What starts `cairn`: only what the command needs, and `--help` says what the commands say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.cli.commands import COMMANDS, list_registered

CODE = """
import json, sys
from infra.cli import main
try:
    main()
except SystemExit:
    pass
print("\\n" + json.dumps(sorted(sys.modules)))
"""
# Each takes longer to import than all the rest of `cairn status`.
HEAVY = ("aiohttp", "aiokafka", "cryptography", "faust", "httpx", "numpy", "psycopg")
OURS = ("agents", "connectors.webhooks.receiver", "projections", "schemas", "streams")


def imported(home: Path, *arguments: str) -> set[str]:
    """The modules that are there at the end of a command."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        env=env | {"CAIRN_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_help_imports_no_command_and_nothing_heavy(tmp_path: Path) -> None:
    modules = imported(tmp_path, "--help")
    assert modules.isdisjoint((*HEAVY, *OURS, "pydantic", "structlog", "infra.platform.settings"))
    assert modules.isdisjoint(f"infra.cli.{command.module}" for command in COMMANDS.values())


def test_status_without_a_service_imports_no_client_of_one(tmp_path: Path) -> None:
    modules = imported(tmp_path, "status")
    assert modules.isdisjoint((*HEAVY, *OURS))
    assert "infra.cli.status" in modules
    assert "infra.cli.ingest" not in modules


@pytest.mark.parametrize("module", sorted({command.module for command in COMMANDS.values()}))
def test_the_help_of_a_command_is_what_the_command_says(module: str) -> None:
    listed = {name: each.help for name, each in COMMANDS.items() if each.module == module}
    said = {
        name: " ".join(command.help.split("\n\n")[0].split())
        for name, command in list_registered(module).items()
    }
    assert listed == said
