"""Megabytes a second through stage 0, against what others would use for the half of it.

The baseline is a scan by detect-secrets and a cut by a common text splitter: neither normalises,
annotates or filters. Both sides take turns file by file, so that another job on the machine slows
both. Only files that stage 0 reads to the end count, since skipping costs it next to nothing.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from connectors.feeder import source_of
from connectors.recognise import open_source
from infra.measure.benches import say
from infra.measure.benches.peers import Peer, missing, versions
from streams.hygiene.chunks.units import BYTES_PER_TOKEN, OVERLAP_TOKENS, WINDOW_TOKENS
from streams.hygiene.stage import clean

TARGET_RATIO = 5.0  # times the rate of the peers together
PEERS = ("detect-secrets", "langchain-text-splitters")
PROJECT = "bench"
Cut = Callable[[str], list[str]]


def hygiene(source: str) -> dict[str, Any]:
    """Stage 0's rate over ``source`` in one process, that of the peers, and the ratio."""
    with (
        tempfile.TemporaryDirectory() as clones,
        open_source(source, None, Path(clones), say).list() as listing,
    ):
        contents = [(item.path, item.read()) for item in listing.items]
        root = listing.root
    scan_and_cut = None if missing(PEERS) else _scan_and_cut()
    files = size_bytes = chunks = 0
    own = peers = 0.0
    for path, content in contents:
        began = time.process_time()
        cleaned = clean(source_of(PROJECT, root, path), content)
        spent = time.process_time() - began
        if cleaned.skip_reason:
            continue
        own += spent
        files, size_bytes, chunks = files + 1, size_bytes + len(content), chunks + len(cleaned.refs)
        if scan_and_cut:
            peers += scan_and_cut(Path(path).name, content)
    figures: dict[str, Any] = {
        "files": files,
        "bytes": size_bytes,
        "chunks": chunks,
        "mb_per_s": _rate(size_bytes, own),
    }
    if not scan_and_cut:
        return figures | {"baseline": missing(PEERS)}
    return figures | {
        "baseline": {"mb_per_s": _rate(size_bytes, peers), "versions": versions(PEERS)},
        "ratio": round(peers / own, 1) if own else None,
        "target": TARGET_RATIO,
    }


def _rate(size_bytes: int, seconds: float) -> float | None:
    return round(size_bytes / 1e6 / seconds, 3) if seconds else None


def _scan_and_cut() -> Callable[[str, bytes], float]:
    """Seconds that the peers take for one file; writing it for the scanner is not counted."""
    settings = Peer("detect_secrets.settings")
    collection = Peer("detect_secrets").SecretsCollection
    cut: Cut = (
        Peer("langchain_text_splitters")
        .RecursiveCharacterTextSplitter(
            chunk_size=WINDOW_TOKENS * BYTES_PER_TOKEN,
            chunk_overlap=OVERLAP_TOKENS * BYTES_PER_TOKEN,
        )
        .split_text
    )

    def take(name: str, content: bytes) -> float:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / name
            place.write_bytes(content)
            began = time.process_time()
            with settings.default_settings():
                collection().scan_file(str(place))
            cut(content.decode("utf-8", "replace"))
            return time.process_time() - began

    return take
