"""The feeder: order, ids, unchanged sources, and the window it keeps in front of stage 0."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors import feeder
from connectors.connector import Item, Listing, Notice, SourceUnavailable, sort_items
from connectors.contents import NO_HASH
from connectors.feeder import FIRST_AT_ONCE, FeedOrder, FeedReport, InFlightWindow, feed, source_of
from schemas.codec import decode, encode
from schemas.envelope import Actor, Envelope
from schemas.events.ingestion_request import (
    LISTED_SOURCES_PER_PART,
    IngestionRequested,
    SourcesListed,
    SourcesUnchanged,
)
from schemas.events.source import CONTENT_PART_BYTES, SourceContentPart, SourceRevised
from schemas.ids import sha256_hex

AT = datetime(2026, 1, 1, tzinfo=UTC)
ORDER = FeedOrder("prj_demo", "key-1", Actor(type="human", id="ada"), AT)


def a_listing(contents: Mapping[str, bytes], unreadable: Sequence[str] = ()) -> Listing:
    def fetch(path: str, content: bytes) -> Callable[[], bytes]:
        def read() -> bytes:
            if path in unreadable:
                raise SourceUnavailable(f"{path} cannot be read.")
            return content

        return read

    items = [Item(path, len(data), fetch(path, data)) for path, data in contents.items()]
    return Listing("shop", True, *sort_items(items, []))


def sealed(content: bytes, owner: str = "") -> tuple[str, bytes]:
    return f"key_{owner or 'demo'}", b"sealed:" + content


def fed(
    listing: Listing,
    order: FeedOrder = ORDER,
    last_accepted: Mapping[str, str] | None = None,
    answers: Sequence[str] = (),
) -> tuple[list[Envelope], FeedReport]:
    """All facts of a feed whose sources are answered as soon as they are on the log."""
    log: list[Envelope] = []

    async def run() -> FeedReport:
        window = InFlightWindow()
        for answer in answers:
            window.release(answer)

        async def publish(envelopes: Sequence[Envelope]) -> None:
            log.extend(decode(encode(each.recorded(AT))) for each in envelopes)
            for each in envelopes:
                if isinstance(each.event, SourceRevised):
                    window.release(each.event.source.source_id)

        return await feed(
            listing,
            order,
            publish=publish,
            encrypt=sealed,
            last_accepted=last_accepted or {},
            window=window,
        )

    return log, asyncio.run(run())


def id_of(path: str) -> str:
    return source_of("prj_demo", "shop", path).source_id


def test_trigger_and_listing_come_before_content_and_content_in_listing_order() -> None:
    paths = {f"m{n:04}.py": b"x" for n in range(LISTED_SOURCES_PER_PART + 1)} | {"README.md": b"#"}
    log, report = fed(a_listing(paths))
    events = [envelope.event for envelope in log]
    assert isinstance(events[0], IngestionRequested)
    listed = [event for event in events[1:3] if isinstance(event, SourcesListed)]
    assert [(part.part_index, part.part_count, len(part.sources)) for part in listed] == [
        (0, 2, LISTED_SOURCES_PER_PART), (1, 2, 2),
    ]  # fmt: skip
    revised = [event for event in events[3:] if isinstance(event, SourceRevised)]
    named = [source.path for part in listed for source in part.sources]
    assert [event.source.path for event in revised] == named == ["README.md", *sorted(paths)[1:]]
    assert (report.listed, report.fed) == (len(paths), len(paths))


def test_an_empty_listing_is_one_part_without_sources() -> None:
    log, _ = fed(a_listing({}))
    listed = log[1].event
    assert isinstance(listed, SourcesListed)
    assert (listed.part_count, listed.sources, listed.complete) == (1, [], True)


def test_the_same_key_again_gives_the_same_ids_at_another_time() -> None:
    listing = a_listing({"README.md": b"#", "big.txt": bytes(2 * CONTENT_PART_BYTES)})
    first, _ = fed(listing)
    again, _ = fed(listing, replace(ORDER, at=AT + timedelta(days=1)))
    assert [each.event_id for each in first] == [each.event_id for each in again]
    other, _ = fed(listing, replace(ORDER, trigger_key="key-2"))
    assert {each.event_id for each in first}.isdisjoint(each.event_id for each in other)


def test_a_long_content_comes_in_parts_and_the_revision_last() -> None:
    content = bytes(range(256)) * (CONTENT_PART_BYTES // 128) + b"end"
    log, _ = fed(a_listing({"big.txt": content}))
    *parts, revised = [envelope.event for envelope in log[2:]]
    assert isinstance(revised, SourceRevised)
    assert [part.part_index for part in parts if isinstance(part, SourceContentPart)] == [1, 2]
    pieces = [revised.content, *(part.content for part in parts)]  # type: ignore[attr-defined]
    assert b"".join(piece.removeprefix(b"sealed:") for piece in pieces) == content
    assert (revised.byte_count, revised.raw_sha256) == (len(content), sha256_hex(content))


def test_what_equals_its_last_revision_is_named_and_not_fed() -> None:
    known = {id_of("a.md"): sha256_hex(b"same"), id_of("b.md"): sha256_hex(b"old")}
    log, report = fed(a_listing({"a.md": b"same", "b.md": b"new"}), last_accepted=known)
    unchanged = [each.event for each in log if isinstance(each.event, SourcesUnchanged)]
    assert [event.source_ids for event in unchanged] == [[id_of("a.md")]]
    assert (report.unchanged, report.fed) == (1, 1)


def test_two_attempts_that_find_others_unchanged_do_not_hide_each_other() -> None:
    listing = a_listing({"a.md": b"a", "b.md": b"b"})
    both = {id_of("a.md"): sha256_hex(b"a"), id_of("b.md"): sha256_hex(b"b")}
    [first] = [
        each for each in fed(listing, last_accepted=both)[0] if "unchanged" in each.event.type_name
    ]
    one = {id_of("a.md"): sha256_hex(b"a")}
    [again] = [
        each for each in fed(listing, last_accepted=one)[0] if "unchanged" in each.event.type_name
    ]
    assert first.event_id != again.event_id


def test_what_stage_0_has_answered_for_this_key_is_left_out() -> None:
    log, report = fed(a_listing({"a.md": b"a", "b.md": b"b"}), answers=[id_of("a.md")])
    revised = [each.event.source.path for each in log if isinstance(each.event, SourceRevised)]
    assert (revised, report.already_processed) == (["b.md"], 1)


def test_what_cannot_be_read_is_answered_for_and_told() -> None:
    listing = a_listing(
        {"new.md": b"", "old.md": b"", "z.md": b"z"}, unreadable=["new.md", "old.md"]
    )
    log, report = fed(listing, last_accepted={id_of("old.md"): sha256_hex(b"before")})
    revised = {
        each.event.source.path: each.event.raw_sha256
        for each in log
        if isinstance(each.event, SourceRevised)
    }
    assert revised == {"new.md": NO_HASH, "z.md": sha256_hex(b"z")}
    assert any(
        isinstance(each.event, SourcesUnchanged) and each.event.source_ids == [id_of("old.md")]
        for each in log
    )
    assert report.unreadable == ["new.md cannot be read.", "old.md cannot be read."]
    (told,) = [
        each.event.unread
        for each in log
        if isinstance(each.event, SourceRevised) and each.event.source.path == "new.md"
    ]
    assert told == "unreadable"


def test_what_a_listing_leaves_out_is_on_the_log_with_its_reason() -> None:
    told = (
        Notice("sub", "submodule"),
        Notice("x.zip", "encrypted", "by a password"),
        Notice("a\\x41", "escaped_name"),  # is read under this name
    )
    log, _ = fed(replace(a_listing({"a.md": b"a"}), notices=told))
    listed = [each.event for each in log if isinstance(each.event, SourcesListed)]
    assert [(it.path, it.code, it.detail) for it in listed[0].notices] == [
        ("sub", "submodule", ""),
        ("x.zip", "encrypted", "by a password"),
    ]


def test_a_translation_is_left_out_while_its_original_is_there() -> None:
    def told(listing: Listing) -> dict[str, tuple[str | None, str]]:
        log, _ = fed(listing)
        return {
            each.event.source.path: (each.event.unread, each.event.raw_sha256)
            for each in log
            if isinstance(each.event, SourceRevised)
        }

    both = told(a_listing({"a.md": b"One.", "a.pt-BR.md": b"Um."}))
    alone = told(a_listing({"a.pt-BR.md": b"Um."}))
    assert (both["a.md"][0], both["a.pt-BR.md"][0]) == (None, "translation")
    assert alone["a.pt-BR.md"][0] is None and alone["a.pt-BR.md"][1] != both["a.pt-BR.md"][1]


def test_a_document_is_fed_as_its_text_and_one_that_has_none_with_the_reason() -> None:
    log, _ = fed(a_listing({"a.csv": b"id,text\n1,One\n", "b.pdf": b"%PDF-1.7 nothing"}))
    fed_as = {
        each.event.source.path: (each.event.content, each.event.unread, each.event.unread_detail)
        for each in log
        if isinstance(each.event, SourceRevised)
    }
    table = b"| id | text |\n| --- | --- |\n| 1 | One |\n"
    assert fed_as == {
        "a.csv": (b"sealed:" + table, None, ""),
        "b.pdf": (b"sealed:", "unreadable", "a damaged PDF"),
    }


def test_a_fact_about_dated_content_happened_then() -> None:
    then = datetime(2019, 1, 1, tzinfo=UTC)
    item = Item("a.md", 1, lambda: b"a", then, "c0ffee")
    log, _ = fed(Listing("shop", True, (item,)))
    assert [each.occurred_at for each in log] == [AT, AT, then]


@settings(max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 400), min_size=1, max_size=150),
    max_records=st.integers(1, 40),
    max_bytes=st.integers(200, 5000),
    seed=st.randoms(use_true_random=False),
)
def test_the_window_is_never_exceeded(
    sizes: list[int], max_records: int, max_bytes: int, seed: object
) -> None:
    listing = a_listing({f"m{n:03}.py": bytes(size) for n, size in enumerate(sizes)})
    outstanding: dict[str, tuple[int, int]] = {}
    sent = 0

    async def run() -> FeedReport:
        window = InFlightWindow(max_records, max_bytes)
        wake = asyncio.Event()

        async def publish(envelopes: Sequence[Envelope]) -> None:
            nonlocal sent
            for each in envelopes:
                if isinstance(each.event, SourceRevised):
                    sent += 1
                    outstanding[each.event.source.source_id] = (1, len(each.event.content))
            if sent > FIRST_AT_ONCE and len(outstanding) > 1:
                assert sum(records for records, _ in outstanding.values()) <= max_records
                assert sum(size for _, size in outstanding.values()) <= max_bytes
            wake.set()

        async def stage_0() -> None:
            while True:
                await wake.wait()
                await asyncio.sleep(0)
                for source_id in list(outstanding)[: seed.randint(1, 5)]:  # type: ignore[attr-defined]
                    outstanding.pop(source_id)
                    window.release(source_id)
                if not outstanding:
                    wake.clear()

        worker = asyncio.create_task(stage_0())
        report = await feed(
            listing, ORDER, publish=publish, encrypt=sealed, last_accepted={}, window=window
        )
        worker.cancel()
        return report

    assert asyncio.run(run()).fed == len(sizes)


def test_the_first_sources_go_at_once_and_the_next_waits_for_an_answer() -> None:
    async def run() -> None:
        window = InFlightWindow(max_records=128, max_bytes=1000)
        for n in range(FIRST_AT_ONCE):
            assert window.has_room(1, 100)
            window.add(f"s{n}", 1, 100)
        assert not window.has_room(1, 100)
        waiting = asyncio.create_task(window.wait_for_room(1, 100))
        for n in range(FIRST_AT_ONCE - 9):
            window.release(f"s{n}")
            window.release(f"s{n}")  # twice is once
        await waiting

    asyncio.run(run())


def test_who_waits_long_for_answers_is_told_and_goes_on_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feeder, "STALLED_AFTER_S", 0.01)

    async def run() -> None:
        told = asyncio.Event()
        window = InFlightWindow(max_records=1, stalled=told.set)
        for n in range(FIRST_AT_ONCE):
            window.add(f"s{n}", 1, 1)
        waiting = asyncio.create_task(window.wait_for_room(1, 1))
        await told.wait()
        for n in range(FIRST_AT_ONCE):
            window.release(f"s{n}")
        await waiting

    asyncio.run(run())
