"""What an installation weighs while nobody asks anything of it, and what it keeps on the disk.

Processor time and memory are those of the processes and all below them. Memory is proportional
(PSS): a page that several processes share counts once.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from infra.measure.benches.installation import Installation, installation

SETTLES_S = 30.0  # what follows a start or an ingest: commits, check points, collected memory
RESTS_S = 60.0  # what is done once a minute at the most is in it
TARGETS = {"processor_percent": 3.0, "memory_mib": 700.0, "start_s": 10.0, "disk_mib": 300.0}
MIB = 1024 * 1024
BLOCK_BYTES = 512  # of st_blocks, wherever the file is
PROJECT = "idle"


def idle(source: str) -> dict[str, Any]:
    """A new installation at rest; then the same one at rest and on the disk, with ``source`` read.

    ``ratio``: each sum as a part of its target.
    """
    began = time.monotonic()
    with installation() as cairn:
        start_s = round(time.monotonic() - began, 1)
        fresh = _weigh(cairn)
        cairn.project(PROJECT)
        began = time.monotonic()
        cairn.run("ingest", source, "--project", PROJECT, "--wait")
        ingest_s = round(time.monotonic() - began, 1)
        filled = _weigh(cairn)
        disk = disk_of(cairn.home)
    sums = {"start_s": start_s, **fresh["sum"], "disk_mib": disk["sum"]}
    return {
        "start_s": start_s,
        "at_rest": fresh,
        "ingest_s": ingest_s,
        "at_rest_filled": filled,
        "disk_mib": disk,
        "targets": TARGETS,
        "ratio": {name: round(sums[name] / target, 2) for name, target in TARGETS.items()},
    }


def _weigh(cairn: Installation) -> dict[str, Any]:
    """What each process takes, by name, and the sum."""
    time.sleep(SETTLES_S)
    roots = _roots_of(cairn)
    before, began = _used_s(roots), time.monotonic()
    time.sleep(RESTS_S)
    after, lasted_s = _used_s(roots), time.monotonic() - began
    rows = {
        name: {
            "processor_percent": round(100 * (after[name] - before[name]) / lasted_s, 2),
            **_memory_of(each, alone=name == "supervisor"),
        }
        for name, each in roots.items()
    }
    return rows | {
        "sum": {
            figure: round(sum(row[figure] for row in rows.values()), 1)
            for figure in ("processor_percent", "memory_mib", "resident_mib")
        }
    }


def _roots_of(cairn: Installation) -> dict[str, psutil.Process]:
    state = json.loads((cairn.home / "run" / "state.json").read_text())
    pids = {"supervisor": state["supervisor"]["pid"]}
    pids |= {row["name"]: row["pid"] for row in state["processes"]}
    return {name: psutil.Process(pid) for name, pid in pids.items()}


def _tree(root: psutil.Process, *, alone: bool) -> list[psutil.Process]:
    """The process and what it has started; of the supervisor, whose children have names, itself."""
    return [root] if alone else [root, *root.children(recursive=True)]


def _used_s(roots: dict[str, psutil.Process]) -> dict[str, float]:
    """Processor time by name, with that of children that have ended."""
    used: dict[str, float] = {}
    for name, root in roots.items():
        alone, used[name] = name == "supervisor", 0.0
        for each in _tree(root, alone=alone):
            with suppress(psutil.Error):
                times = each.cpu_times()
                used[name] += sum(times[:2] if alone else times[:4])
    return used


def _memory_of(root: psutil.Process, *, alone: bool) -> dict[str, float]:
    proportional = resident = 0
    for each in _tree(root, alone=alone):
        with suppress(psutil.Error):
            found = each.memory_full_info()
            proportional += getattr(found, "pss", found.rss)  # Linux alone knows it
            resident += found.rss
    return {
        "memory_mib": round(proportional / MIB, 1),
        "resident_mib": round(resident / MIB, 1),
    }


def disk_of(home: Path) -> dict[str, float]:
    """What an installation takes on its disk, by part, and the sum."""
    data = home / "postgres" / "data"
    parts = {
        "kafka": home / "kafka",
        "postgres_wal": data / "pg_wal",
        "postgres_tables": data / "base",
        "state": home / "state",
        "clones": home / "clones",
        "logs": home / "logs",
    }
    sizes = {name: sum(_sizes_below(folder)) / MIB for name, folder in parts.items()}
    whole = sum(_sizes_below(home)) / MIB
    sizes |= {"others": whole - sum(sizes.values()), "sum": whole}
    return {name: round(size, 1) for name, size in sizes.items()}


def _sizes_below(folder: Path) -> Iterator[int]:
    """In bytes that are there: a broker's files are longer than what they hold."""
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                yield (Path(parent) / name).lstat().st_blocks * BLOCK_BYTES
