"""Requests to read a chunk, one topic a lane. Key ``source_id``."""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event


class ExtractRequested(Event):
    """Read one chunk. ``project_state`` is the canonical JSON of the working summary, or empty.

    ``batch_size`` counts the chunks of the batch, 0 where nobody has to know.
    ``chunk_partition`` and ``chunk_offset`` say where its ``chunk.created`` stands: a hint, -1
    unknown.
    """

    type_name: ClassVar[str] = "extract.requested"
    topic: ClassVar[str] = "extract.deep.v1"
    stable_key: ClassVar[bool] = True

    run_id: str
    batch_no: int
    position: int
    batch_size: int = 0
    lane: Literal["preview", "deep"]
    engine: Literal["heuristic", "model"] = "heuristic"
    chunk_id: str
    source_id: str
    chunk_partition: int = -1
    chunk_offset: int = -1
    project_state_version: str = ""
    project_state: str = ""
    max_atoms_per_chunk: int = 25
    max_output_tokens: int = 4_000

    @property
    def aggregate_id(self) -> str:
        return self.source_id

    @property
    def local_key(self) -> str:
        return f"{self.run_id}|{self.chunk_id}"
