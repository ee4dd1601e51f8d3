"""Records that several writers of a process fold are decoded once."""

from __future__ import annotations

from functools import lru_cache

from schemas.codec import decode
from schemas.envelope import Envelope

KEPT = 512  # records: writers of one process follow a topic closely together
KEPT_BYTES = 16 * 1024  # what is larger is rare, and many of them would be much


def decode_for_all(value: bytes) -> Envelope:
    """The envelope in ``value``; equal bytes give the same one, which nobody may change.

    Raises InvalidRecord.
    """
    return _decoded(value) if len(value) <= KEPT_BYTES else decode(value)


_decoded = lru_cache(KEPT)(decode)
