"""How long a user waits for the first atom and for PRD v0, alone or behind another's backlog."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from infra.measure.benches.installation import Installation, installation
from infra.platform.errors import Refusal

FIGURES = {  # name on the run: target and contract in milliseconds
    "first_atom_ms": (1_000, 3_000),
    "prd_v0_ms": (10_000, 30_000),
    "features_v0_ms": (10_000, 30_000),
}
NOTE = """# Note {number}

The importer must finish within {number} minutes. We decided to keep its queue in PostgreSQL because
operators already back it up. A single broker outage may lose the events of {number} minutes.
"""


def first_atom(backlog: str | None, runs: int) -> dict[str, Any]:
    """The same three of ``runs`` small ingests into one project, after a first, cold one."""
    with installation() as cairn, tempfile.TemporaryDirectory() as folder:
        cairn.project("notes")
        cold = _note(cairn, Path(folder), 0)
        with _behind(cairn, backlog) as lasted:
            times = [_note(cairn, Path(folder), number) for number in range(1, runs + 1)]
    return _summary(times, cold, lasted)


def prd_v0(source: str, backlog: str | None, runs: int, last_line: str) -> dict[str, Any]:
    """First atom, PRD v0 and features v0 of ``runs`` preview runs over ``source``, each into a
    project of its own, after a first, cold one.

    ``last_line``: how the line of `cairn ingest` begins that says the last of the three is there.
    """
    with installation() as cairn:
        cold = _preview(cairn, source, "cold", last_line)
        with _behind(cairn, backlog) as lasted:
            times = [_preview(cairn, source, f"run {number}", last_line) for number in range(runs)]
    return _summary(times, cold, lasted)


def _preview(cairn: Installation, source: str, project: str, last_line: str) -> dict[str, int]:
    """The ingest is ended when its run has: the rest of the listing is no part of a preview, and
    takes longer than ten of them behind a backlog.
    """
    cairn.project(project)
    ingest = cairn.start(*_ingest(source, project, project), "--lane", "preview")
    assert ingest.stderr is not None
    last = ""
    try:
        for line in ingest.stderr:
            last = line.strip()
            if last.startswith(last_line):
                while any(run["status"] == "running" for run in _runs(cairn, project, project)):
                    pass  # each look is a command, which takes its time
                break
        else:
            if ingest.wait():
                raise Refusal(f"`cairn ingest` failed in the bench: {last}")
    finally:
        ingest.kill()
        ingest.communicate()
    return _times_of(cairn, project, project)


def _note(cairn: Installation, folder: Path, number: int) -> dict[str, int]:
    root = folder / f"note-{number}"
    root.mkdir()
    (root / "README.md").write_text(NOTE.format(number=number + 2))
    cairn.run(*_ingest(str(root), "notes", root.name))
    return _times_of(cairn, "notes", root.name)


def _ingest(source: str, project: str, key: str) -> tuple[str, ...]:
    return ("ingest", source, "--project", project, "--wait", "--idempotency-key", key)


def _times_of(cairn: Installation, project: str, key: str) -> dict[str, int]:
    """What the runs of one ingest took, by figure; the first run that has it counts."""
    runs = _runs(cairn, project, key)
    return {
        name: min(run[name] for run in runs if run.get(name) is not None)
        for name in FIGURES
        if any(run.get(name) is not None for run in runs)
    }


def _runs(cairn: Installation, project: str, key: str) -> list[dict[str, Any]]:
    found = cairn.json("runs", "--project", project)
    return [run for run in found if run["trigger_key"].startswith(key)]


@contextmanager
def _behind(cairn: Installation, backlog: str | None) -> Iterator[list[bool]]:
    """A deep run over ``backlog`` in another project meanwhile; the list says whether it lasted."""
    lasted: list[bool] = []
    if backlog is None:
        yield lasted
        return
    cairn.project("backlog")
    ingest = cairn.start("ingest", backlog, "--project", "backlog", "--lane", "deep", "--wait")
    try:
        yield lasted
        lasted.append(ingest.poll() is None)
    finally:
        ingest.kill()
        ingest.communicate()


def _summary(
    times: list[dict[str, int]], cold: dict[str, int], lasted: list[bool]
) -> dict[str, Any]:
    figures: dict[str, Any] = {"runs": len(times)}
    for name, (target, contract) in FIGURES.items():
        values = sorted(one[name] for one in times if name in one)
        if values:
            figures[name] = {
                "cold": cold.get(name),
                "each": [one[name] for one in times if name in one],
                "p50": statistics.median(values),
                "p95": values[-(-95 * len(values) // 100) - 1],
                "target": target,
                "contract": contract,
            }
    if lasted:
        figures["backlog_lasted"] = lasted[0]
    return figures
