"""Megabytes and atoms a second through the offline reader, beside what stage 0 takes for the same.

In one process, file by file: stage 0, then reading and reflection of all its chunks. What the
reader costs shows in the ratio to stage 0, as both slow down alike. Memory is the peak of the
process after a third of the files and at the end: a reader that keeps what it has read would grow.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from connectors.feeder import source_of
from connectors.recognise import open_source
from infra.measure.benches import say
from infra.measure.extract import read_and_reflect
from streams.hygiene.stage import clean

PROJECT = "bench"
TARGET_SECONDS = 2.0  # of one file, at most


def reading(source: str) -> dict[str, Any]:
    """The reader's rate over ``source``, its slowest file, and the peak of memory in MiB."""
    files = size_bytes = chunks = atoms = 0
    cleaning = spent = 0.0
    slowest = (0.0, "")
    with (
        tempfile.TemporaryDirectory() as clones,
        open_source(source, None, Path(clones), say).list() as listing,
    ):
        a_third = peak = _peak_mib()
        for number, item in enumerate(listing.items):
            content = item.read()
            began = time.process_time()
            cleaned = clean(source_of(PROJECT, listing.root, item.path), content)
            handed = time.process_time()
            found = sum(len(read_and_reflect(chunk).accepted) for chunk in cleaned.chunks)
            took = time.process_time() - handed
            if number == len(listing.items) // 3:
                a_third = _peak_mib()
            if cleaned.skip_reason:
                continue
            files, size_bytes = files + 1, size_bytes + len(content)
            chunks, atoms = chunks + len(cleaned.chunks), atoms + found
            cleaning, spent = cleaning + handed - began, spent + took
            slowest = max(slowest, (took, item.path))
        peak = _peak_mib()
    return {
        "files": files,
        "bytes": size_bytes,
        "chunks": chunks,
        "atoms": atoms,
        "mb_per_s": round(size_bytes / 1e6 / spent, 3) if spent else None,
        "atoms_per_s": round(atoms / spent, 1) if spent else None,
        "baseline": {"stage 0, mb_per_s": round(size_bytes / 1e6 / cleaning, 3)}
        if cleaning
        else None,
        "ratio": round(spent / cleaning, 2) if cleaning else None,
        "slowest_file": {"path": slowest[1], "seconds": round(slowest[0], 3)},
        "target": {"slowest_file_seconds": TARGET_SECONDS},
        "peak_mib": {"after a third": a_third, "at the end": peak},
    }


def _peak_mib() -> float:
    """What the process has held at most so far."""
    told = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(told / (2**20 if sys.platform == "darwin" else 2**10), 1)
