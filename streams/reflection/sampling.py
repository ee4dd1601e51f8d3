"""Which candidates go to a model for a verdict beside the borderline ones.

A batch has its most valuable chunks first, and only the first fifth of its places is asked about:
so whether a chunk is asked about depends on nothing but its place, and a worker that starts again
knows it without having seen the rest of the batch. Decided against counting calls as they are made,
which would depend on what came first.

A sample of the sure ones shows what the comparison with the quote lets through. It is drawn by the
candidate's id, so that a replay and a second worker draw the same.
"""

from __future__ import annotations

from schemas.events.atom import Finding, Judged, Reading
from schemas.ids import sha256_hex

MOST_PERCENT = 20  # of a batch's chunks
SAMPLED = "sampled"
PARTS = 10_000


def may_ask(reading: Reading) -> bool:
    """Whether the chunk's candidates go to a model; the first chunk of a batch always may."""
    most = max(1, reading.batch_size * MOST_PERCENT // 100) if reading.batch_size else 0
    return reading.position <= most


def note_sampled(judged: Judged, percent: float) -> Judged:
    """A sure candidate with a finding where it belongs to the sample; else as it is."""
    is_sure = judged.status != "rejected" and any(it.code == "accepted" for it in judged.findings)
    if not is_sure or not _is_drawn(judged.candidate.candidate_id, percent):
        return judged
    finding = Finding(rule="R13", code=SAMPLED, detail=f"{percent:g} % of the sure ones")
    return judged.model_copy(update={"findings": [*judged.findings, finding]})


def _is_drawn(candidate_id: str, percent: float) -> bool:
    return int(sha256_hex(f"sample:{candidate_id}")[:8], 16) % PARTS < percent * PARTS / 100
