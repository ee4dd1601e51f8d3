"""Counts deliveries by service and outcome; nothing about any single delivery.

The counts are kept in a file, so that `cairn status` can show them without asking the process and
they survive a restart. They are written when they have changed, at most once a second, atomically.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from infra.platform.errors import DiskFull
from infra.platform.files import write_whole

FILE, INTAKE_FILE = "webhooks.json", "intake.json"


class Counters:
    """Counts of one installation's deliveries, kept in ``path``."""

    def __init__(self, path: Path, address: str = "") -> None:
        self._path = path
        self._address = address
        self._counts = Counter(_load(path).get("counts", {}))
        self._written: Counter[str] | None = None

    def count(self, service: str, outcome: str) -> None:
        self._counts[f"{service} {outcome}"] += 1

    def set_address(self, address: str) -> None:
        """Sets the address at which deliveries are received."""
        self._address, self._written = address, None

    def write(self) -> None:
        """Writes the file if counts have changed; skips it while the disk is full."""
        if self._counts != self._written:
            state = {"address": self._address, "counts": dict(sorted(self._counts.items()))}
            with suppress(DiskFull):
                write_whole(self._path, json.dumps(state))
                self._written = Counter(self._counts)


def read_counters(path: Path) -> dict[str, Any] | None:
    """``{address, received, refused, other}`` as last written, by service; None without a file."""
    stored = _load(path)
    if not stored:
        return None
    from connectors.webhooks.receiver import STATUS  # heavy, and `cairn status` begins here

    shown: dict[str, dict[str, int]] = {"received": {}, "refused": {}, "other": {}}
    for name, count in stored["counts"].items():
        outcome = name.partition(" ")[2]
        group = "received" if outcome == "received" else "other"
        shown["refused" if outcome in STATUS else group][name] = count
    return {"address": stored["address"], **shown}


def _load(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
        counts = {str(name): int(count) for name, count in data["counts"].items()}
        return {"address": str(data["address"]), "counts": counts}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
