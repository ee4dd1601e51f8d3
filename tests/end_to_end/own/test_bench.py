"""`cairn bench` prints a figure and its baseline of the same run, and leaves nothing behind."""

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from infra.runtime.local.runtime import Runtime, read_runtime
from tests.parcel import write_to
from tests.service import COMMAND_PATIENCE_S
from tests.shell.harness import eventually

pytestmark = [pytest.mark.broker, pytest.mark.slow]


def bench(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "infra.cli", "bench", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (line,) = done.stdout.splitlines()
    figures: dict[str, Any] = json.loads(line)
    return figures


def homes() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("cairn-bench-*"))


def test_the_pipeline_is_measured_against_its_functions(tmp_path):
    before = homes()
    figures = bench("pipeline", str(write_to(tmp_path / "parcel")))
    alone = figures["functions_alone"]
    assert 0 < figures["chunks"] <= alone["chunks"]
    assert figures["ratio"] == pytest.approx(
        figures["chunks_per_s"] / alone["chunks_per_s"], abs=0.01
    )
    assert homes() <= before


@pytest.mark.long
@pytest.mark.parametrize("name", ["first-atom", "prd-v0"])
def test_the_wait_is_measured_behind_a_backlog(tmp_path, name):
    parcel = str(write_to(tmp_path / "parcel"))
    figures = bench(name, parcel, "--backlog", parcel, "--runs", "1")
    assert figures["runs"] == 1
    assert 0 < figures["first_atom_ms"]["p50"] <= figures["first_atom_ms"]["p95"]
    assert "backlog_lasted" in figures


@pytest.mark.long
def test_an_installation_is_weighed_at_rest_and_on_its_disk(tmp_path):
    figures = bench("idle", str(write_to(tmp_path / "parcel")))
    for at_rest in (figures["at_rest"], figures["at_rest_filled"]):
        total = at_rest.pop("sum")
        assert {"supervisor", "kafka", "postgres", "web"} <= at_rest.keys()
        assert total["memory_mib"] == pytest.approx(
            sum(row["memory_mib"] for row in at_rest.values()), abs=1
        )
        assert 0 < total["memory_mib"] <= total["resident_mib"]
    disk = figures["disk_mib"]
    assert 0 < disk["kafka"] < disk["sum"] and 0 < disk["postgres_wal"] < disk["sum"]


def test_a_bench_that_is_asked_to_end_stops_what_it_has_started():
    before = homes()
    command = [sys.executable, "-m", "infra.cli", "bench", "first-atom"]

    async def started() -> list[Runtime]:
        return [known for home in homes() - before if (known := read_runtime(home))]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        [runtime] = asyncio.run(eventually(started, bool))
        process.terminate()
        process.communicate(timeout=COMMAND_PATIENCE_S)
    assert process.returncode
    assert not runtime.owner.alive()
    assert homes() <= before


def test_an_unknown_bench_is_wrong_use():
    command = [sys.executable, "-m", "infra.cli", "bench", "nothing"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pipeline" in done.stderr
