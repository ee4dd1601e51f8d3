"""The reader that stage 1 is given, apart from the rest of the shell: child processes import it."""

from __future__ import annotations

from agents.reader import ReadRequest
from agents.rules.reader import RulesReader
from schemas.events.atom import CandidatesExtracted
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated


def read_by_rules(request: ExtractRequested, chunk: ChunkCreated) -> CandidatesExtracted:
    """What the offline reader finds in the chunk."""
    return RulesReader().read(ReadRequest(request, chunk))
