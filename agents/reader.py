"""What stage 1 asks of whoever reads: one request in, one result out, always.

A request can be pickled, because heavy reading runs in child processes. It holds the chunk itself,
so that a reader never looks anything up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from schemas.events.atom import CandidatesExtracted, DocumentFacts
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.readers import is_prose

USUAL_SENTENCES = 12  # of a chunk for which the limit of atoms holds as it is


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One chunk to read, and the turn it is read for."""

    request: ExtractRequested
    chunk: ChunkCreated


class Reader(Protocol):
    def read(self, request: ReadRequest) -> CandidatesExtracted:
        """All that this reading of the chunk returned, also when that is nothing."""
        ...


def most_atoms(limit: int, sentences: int) -> int:
    """How many atoms a chunk with so many sentences may have: one with more has more in proportion,
    so that a long list is read to its end and a reader that invents is still stopped.
    """
    return max(limit, limit * sentences // USUAL_SENTENCES)


def describe_document(chunk: ChunkCreated) -> DocumentFacts | None:
    """What the chunk's document is called and replaces; None where it is no document of prose."""
    if not is_prose(chunk.path, chunk.source_type):
        return None
    return DocumentFacts(
        root=chunk.root,
        path=chunk.path,
        title=chunk.structure_path[0] if chunk.structure_path else chunk.title,
        supersedes=chunk.document_supersedes,
    )
