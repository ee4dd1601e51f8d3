# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Runs are made of."""

from __future__ import annotations

from infra.client.connection import Model


class RankedChunk(Model):
    """A chunk that could be chosen, and its place; None while the chunk is not in the tables."""

    chunk_id: str
    source_id: str
    reason_code: str
    expected_value_score: float
    priority_rank: int
    selected: bool
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None


class Hint(Model):
    """Why the batch holds what it holds."""

    hint_version: int
    decision_rule: str
    selected_chunk_ids: list[str]
    candidate_chunks: list[RankedChunk]
    gaps_targeted: list[str]
