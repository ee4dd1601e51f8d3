"""Records that several stages of a process read are decoded once, or not at all.

A fact that this process writes is known before it comes back as a record. One memory for all stages
of the process, since they follow each other closely.
"""

from __future__ import annotations

from collections import OrderedDict

from infra.platform.placement import check_place
from schemas.codec import decode
from schemas.envelope import Envelope
from streams.shell.delivery import Delivery

KEPT_BYTES = 4 * 1024 * 1024  # of records: several batches on their way through the stages
LARGEST_BYTES = 16 * 1024  # what is larger is rare, and would push out many


class Decoded:
    """The last records that were written or read, with what is in them."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._known: OrderedDict[bytes, Envelope] = OrderedDict()
        self._left = kept_bytes

    def envelope_in(self, value: bytes) -> Envelope:
        """Equal bytes give the same envelope, which nobody may change. Raises InvalidRecord."""
        known = self._known.get(value)
        if known is None:
            known = decode(value)
            self.note(value, known)
        return known

    def note(self, value: bytes, envelope: Envelope) -> None:
        """``envelope`` is what ``value`` will be decoded to."""
        if len(value) > LARGEST_BYTES or value in self._known:
            return
        self._known[value] = envelope
        self._left -= len(value)
        while self._left < 0:
            self._left += len(self._known.popitem(last=False)[0])


_decoded = Decoded()
note_decoded = _decoded.note


def fact_in(delivery: Delivery, partitions: int, *, alone: bool = False) -> Envelope:
    """The fact of a record that is on its own topic and partition. Raises InvalidRecord.

    ``alone``: no other stage of the process will read it.
    """
    fact = decode(delivery.value) if alone else _decoded.envelope_in(delivery.value)
    check_place(delivery.topic, delivery.partition, delivery.key, fact, partitions)
    return fact
