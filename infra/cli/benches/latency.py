"""How long a user waits for the first atom, alone and behind another project's backlog."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

from infra.cli.benches.installation import Installation, installation

RUNS = 30
TARGET_P95_MS, CONTRACT_MS = 1_000, 3_000  # spec 12 §4
NOTE = """# Note {number}

The importer must finish within {number} minutes. We decided to keep its queue in PostgreSQL because
operators already back it up. A single broker outage may lose the events of {number} minutes.
"""


def first_atom(backlog: str | None, runs: int = RUNS) -> dict[str, Any]:
    """``first_atom_ms`` of ``runs`` small ingests, and of the first after the start.

    With ``backlog`` a deep run over that source is under way in another project all the while.
    """
    with installation() as cairn, tempfile.TemporaryDirectory() as folder:
        cairn.project("notes")
        cold = _measured(cairn, Path(folder), 0)
        behind = None
        if backlog:
            cairn.project("backlog")
            behind = cairn.start(
                "ingest", backlog, "--project", "backlog", "--lane", "deep", "--wait"
            )
        times = [_measured(cairn, Path(folder), number) for number in range(1, runs + 1)]
        lasted = behind is not None and behind.poll() is None
        if behind:
            behind.kill()
            behind.communicate()
    return {
        "runs": runs,
        "cold_ms": cold,
        "p50_ms": statistics.median(times),
        "p95_ms": sorted(times)[max(0, -(-95 * runs // 100) - 1)],
        "backlog_lasted": lasted if backlog else None,
        "target_p95_ms": TARGET_P95_MS,
        "contract_ms": CONTRACT_MS,
    }


def _measured(cairn: Installation, folder: Path, number: int) -> int:
    root = folder / f"note-{number}"
    root.mkdir()
    (root / "README.md").write_text(NOTE.format(number=number + 2))
    key = f"note-{number}"
    cairn.run("ingest", str(root), "--project", "notes", "--wait", "--idempotency-key", key)
    runs = cairn.json("runs", "--project", "notes")
    return int(
        min(
            run["first_atom_ms"]
            for run in runs
            if run["trigger_key"].startswith(key) and run["first_atom_ms"] is not None
        )
    )
