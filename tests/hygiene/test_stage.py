from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from schemas.events.hygiene import (
    VERSIONS,
    ChunkCreated,
    DocumentDescribed,
    SourceProcessed,
    SourceSanitized,
)
from streams.hygiene.stage import Cleaned, decide, give_up
from tests.hygiene.builders import a_revision, answered, cleaned

TEXT = "# Title\n\nSome sentence that is long enough to be a chunk.\n"


@given(st.binary(max_size=400), st.sampled_from(["a.md", "a.py", "a.json", "A.java", "x"]))
def test_no_bytes_make_cleaning_fail(content: bytes, path: str) -> None:
    assert isinstance(cleaned(content, path, force=True), Cleaned)


def test_text_and_chunks_come_before_the_marker() -> None:
    events = decide(None, a_revision(), cleaned(TEXT))
    kinds = [SourceSanitized, DocumentDescribed, ChunkCreated, SourceProcessed]
    assert [type(it) for it in events] == kinds


def test_a_long_text_travels_in_parts() -> None:
    result = cleaned("word and word\n" * 30_000)
    parts = [it for it in decide(None, a_revision(), result) if isinstance(it, SourceSanitized)]
    assert [it.part_index for it in parts] == [0, 1, 2]
    assert "".join(it.text for it in parts) == result.text


def test_the_same_content_again_is_unchanged() -> None:
    first = answered(TEXT)
    (again,) = decide(first, a_revision(trigger="t2"), cleaned(TEXT.replace("\n", "\r\n")))
    assert isinstance(again, SourceProcessed)
    assert (again.outcome, again.revision_seq, again.trigger_key) == ("unchanged", 1, "t2")
    assert (again.chunks, again.sanitized_hash) == (first.chunks, first.sanitized_hash)


def test_changed_content_counts_up_and_names_the_hash_before() -> None:
    first = answered(TEXT)
    second = answered(TEXT + "more\n", first)
    assert (second.outcome, second.revision_seq) == ("sanitized", 2)
    assert second.previous_sanitized_hash == first.sanitized_hash


def test_content_that_returns_is_a_further_revision() -> None:
    third = answered(TEXT, answered(TEXT + "more\n", answered(TEXT)))
    assert (third.outcome, third.revision_seq) == ("sanitized", 3)


def test_new_rules_are_a_reason_to_process_again() -> None:
    older = VERSIONS.model_copy(update={"redactor": "r0"})
    old = answered(TEXT).model_copy(update={"versions": older})
    assert answered(TEXT, old).outcome == "sanitized"


def test_a_skipped_source_gives_only_the_marker() -> None:
    (marker,) = decide(answered(TEXT), a_revision(), cleaned(b"\x89PNG"))
    assert isinstance(marker, SourceProcessed)
    assert (marker.outcome, marker.skip_reason, marker.chunks) == ("skipped", "binary", [])
    assert marker.sanitized_hash is None


def test_a_revision_that_cannot_be_processed_is_poison() -> None:
    (marker,) = give_up(answered(TEXT), a_revision(), "three tries")
    assert isinstance(marker, SourceProcessed)
    assert (marker.skip_reason, marker.skip_detail, marker.revision_seq) == (
        "poison",
        "three tries",
        2,
    )


def test_a_result_travels_between_processes() -> None:
    result = cleaned(TEXT)
    assert pickle.loads(pickle.dumps(result)) == result


def test_what_a_connector_could_not_read_is_skipped_with_its_reason() -> None:
    revision = a_revision().model_copy(
        update={"unread": "encrypted", "unread_detail": "PDF with a password", "raw_sha256": "0f"}
    )
    (marker,) = decide(None, revision, cleaned(""))
    assert isinstance(marker, SourceProcessed)
    assert (marker.skip_reason, marker.skip_detail) == ("encrypted", "PDF with a password")
    assert (marker.raw_sha256, marker.chunks) == ("0f", [])
