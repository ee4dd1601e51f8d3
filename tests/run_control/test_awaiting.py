"""A request that nobody answers is sent again as it was, and only while nobody answers it."""

from schemas.envelope import Envelope
from schemas.events.extract import ExtractRequested
from schemas.events.ingestion import BatchPlanned
from streams.run_control.writer import RUN_CONTROL
from tests.run_control.play import Play, a_chunk, a_source


def sent(play: Play) -> dict[str, Envelope]:
    """The requests on the log, by chunk."""
    return {
        envelope.event.chunk_id: envelope
        for envelope in play.written
        if isinstance(envelope.event, ExtractRequested)
    }


def chunks_of(requests: list[Envelope]) -> list[str]:
    return [each.event.chunk_id for each in requests if isinstance(each.event, ExtractRequested)]


def first_batch(play: Play) -> BatchPlanned:
    events = [envelope.event for envelope in play.written]
    return next(event for event in events if isinstance(event, BatchPlanned))


def asked_again(play: Play) -> list[Envelope]:
    return RUN_CONTROL.repeat_requests(play.state, list(RUN_CONTROL.list_awaited(play.state)))


def a_play() -> Play:
    chunks = [a_chunk("a.md", at, partition=2, offset=40 + at) for at in range(5)]
    source = a_source("a.md").model_copy(update={"chunks": chunks})
    play = Play().asked(source, lanes=["deep"], batch_size=3).ready(source)
    play.when()
    return play


def test_what_waits_is_asked_again_with_the_same_ids_and_words():
    play = a_play()
    again = asked_again(play)
    assert chunks_of(again) == ["chk_a.md_0", "chk_a.md_1", "chk_a.md_2"]
    assert again == [sent(play)[chunk_id] for chunk_id in chunks_of(again)]


def test_what_the_ledger_has_applied_is_not_asked_again():
    play = a_play()
    first = first_batch(play)
    keys = list(RUN_CONTROL.list_awaited(play.state))
    play.ledger_applies(first)
    play.when()
    assert RUN_CONTROL.repeat_requests(play.state, keys) == []
    assert chunks_of(asked_again(play)) == ["chk_a.md_3", "chk_a.md_4"]


def test_within_a_batch_only_what_lies_behind_the_last_turn_is_asked_again():
    play = a_play()
    first = first_batch(play)
    selected = first.hint.selected_chunk_ids
    play.ledger_begins(first, 1)
    assert chunks_of(asked_again(play)) == selected[1:]


def test_while_the_ledger_moves_nothing_has_waited_since_the_look_before():
    play = a_play()
    before = set(RUN_CONTROL.list_awaited(play.state))
    play.ledger_decides()
    assert before.isdisjoint(RUN_CONTROL.list_awaited(play.state))
    assert len(before) == len(list(RUN_CONTROL.list_awaited(play.state)))


def test_a_run_that_has_ended_waits_for_nothing():
    play = a_play()
    play.to_the_end()
    assert list(RUN_CONTROL.list_awaited(play.state)) == []
