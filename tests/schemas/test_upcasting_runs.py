"""Runs recorded under the first version are read with what today's version would have said."""

from pathlib import Path

from schemas.codec import decode
from schemas.events.ingestion import BatchCommitted, RunStarted, RunStopped, guarded

RELEASED = Path(__file__).parent / "released"


def recorded(event_type: str):
    return decode((RELEASED / f"{event_type}.v1.bin").read_bytes()).event


def test_a_run_of_the_first_version_is_not_guarded_and_has_a_listing():
    event = recorded("ingestion.run_started")
    assert isinstance(event, RunStarted)
    assert not guarded(event)
    assert (event.source_ids, event.resumed_from, event.retry_poison) == ([], None, False)


def test_a_commit_of_the_first_version_lets_the_run_go_on():
    event = recorded("ingestion.batch_committed")
    assert isinstance(event, BatchCommitted)
    assert (event.batch_no, event.counters.tokens, event.stop_reason) == (4, 300, None)


def test_an_end_of_the_first_version_gives_no_detail():
    event = recorded("ingestion.run_stopped")
    assert isinstance(event, RunStopped)
    assert (event.stop_reason, event.stop_detail) == ("exhausted", "")
