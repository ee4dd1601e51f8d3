"""What is known of records without decoding them again."""

from datetime import UTC, datetime

import pytest

from schemas.codec import InvalidRecord, encode
from schemas.envelope import SYSTEM, Envelope, outside_fact
from schemas.events.project import ProjectCreated
from streams.shell.decoding import LARGEST_BYTES, Decoded

AT = datetime(2026, 1, 1, tzinfo=UTC)


def fact(name: str) -> Envelope:
    made = outside_fact(
        ProjectCreated(name=name),
        project_id="prj_1",
        occurred_at=AT,
        actor=SYSTEM,
        natural_key=name[:20],
    )
    return made.recorded(AT)


def test_equal_bytes_give_the_same_envelope_while_they_are_remembered() -> None:
    first, second = encode(fact("first")), encode(fact("second"))
    decoded = Decoded(kept_bytes=len(first) + len(second) - 1)
    known = decoded.envelope_in(first)
    assert known == fact("first")
    assert decoded.envelope_in(bytes(bytearray(first))) is known
    decoded.envelope_in(second)
    again = decoded.envelope_in(first)
    assert again == known and again is not known, "there was no room for both"


def test_what_was_noted_is_not_decoded() -> None:
    written = fact("written")
    decoded = Decoded()
    decoded.note(encode(written), written)
    assert decoded.envelope_in(encode(written)) is written


def test_large_records_are_decoded_each_time() -> None:
    large = encode(fact("n" * LARGEST_BYTES))
    decoded = Decoded()
    assert decoded.envelope_in(large) is not decoded.envelope_in(large)


def test_bytes_that_are_no_fact_are_refused_each_time() -> None:
    decoded = Decoded()
    for _ in range(2):
        with pytest.raises(InvalidRecord):
            decoded.envelope_in(b"no fact")
