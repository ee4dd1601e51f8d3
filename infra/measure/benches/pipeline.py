"""Chunks and bytes a second through stages 0 to 2 into PostgreSQL, against the functions alone."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from connectors.feeder import source_of
from connectors.recognise import open_source
from infra.measure.benches import say
from infra.measure.benches.installation import installation
from schemas.events.extract import ExtractRequested
from streams.hygiene.stage import clean
from streams.reflection import reflect

TARGET_SHARE = 0.6  # of what the pure functions alone do
PROJECT = "bench"


def pipeline(source: str) -> dict[str, Any]:
    """The service's rate over ``source``, the rate of its pure functions in one process, and both.

    Rates count the chunks that were read; bytes are those of the sources that were not skipped.
    """
    alone = functions_alone(source)
    with installation() as cairn:
        cairn.project(PROJECT)
        began = time.perf_counter()
        cairn.run("ingest", source, "--project", PROJECT, "--wait")
        seconds = time.perf_counter() - began
        runs = cairn.json("runs", "--project", PROJECT)
    chunks = sum(run["chunks_processed"] for run in runs)
    rate, base = chunks / seconds, alone["chunks"] / alone["seconds"]
    return {
        "chunks": chunks,
        "seconds": round(seconds, 2),
        "chunks_per_s": round(rate, 1),
        "mb_per_s": round(alone["bytes"] / 1e6 / seconds, 3),
        "first_atom_ms": min(
            (run["first_atom_ms"] for run in runs if run["first_atom_ms"]), default=None
        ),
        "prd_v0_ms": min((run["prd_v0_ms"] for run in runs if run["prd_v0_ms"]), default=None),
        "functions_alone": {
            "chunks": alone["chunks"],
            "seconds": round(alone["seconds"], 2),
            "chunks_per_s": round(base, 1),
            "mb_per_s": round(alone["bytes"] / 1e6 / alone["seconds"], 3),
        },
        "ratio": round(rate / base, 3),
        "target": TARGET_SHARE,
    }


def functions_alone(source: str) -> dict[str, Any]:
    """Stages 0, 1 and 1b of ``source`` in this process, with neither broker nor database.

    They read what the service reads: of sources with the same content the first, and no chunk that
    stage 0 withholds.
    """
    reader = OfflineReader()
    with (
        tempfile.TemporaryDirectory() as clones,
        open_source(source, None, Path(clones), say).list() as listing,
    ):
        contents = [(item.path, item.read()) for item in listing.items]
    began, chunks, read_bytes = time.perf_counter(), 0, 0
    known: set[str | None] = set()
    for path, content in contents:
        cleaned = clean(source_of(PROJECT, listing.root, path), content)
        read_bytes += 0 if cleaned.skip_reason else len(content)
        if cleaned.raw_normalized_hash in known:
            continue
        known.add(None if cleaned.skip_reason else cleaned.raw_normalized_hash)
        for chunk in cleaned.chunks:
            if chunk.skip_reason:
                continue
            chunks += 1
            request = ExtractRequested(
                run_id="bench",
                batch_no=0,
                position=chunks,
                lane="deep",
                chunk_id=chunk.chunk_id,
                source_id=chunk.source_id,
            )
            reflect(reader.read(ReadRequest(request, chunk)), chunk)
    return {"chunks": chunks, "bytes": read_bytes, "seconds": time.perf_counter() - began}
