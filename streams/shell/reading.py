"""The reader that stage 1 is given, apart from the rest of the shell: child processes import it."""

from __future__ import annotations

from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from schemas.events.atom import CandidatesExtracted
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated


def read_by_rules(request: ExtractRequested, chunk: ChunkCreated) -> CandidatesExtracted:
    """What the offline reader finds in the chunk."""
    return OfflineReader().read(ReadRequest(request, chunk))
