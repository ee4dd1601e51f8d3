"""Stage 0, live on the broker: contents in, text and chunks out, the marker last and once."""

import asyncio
from pathlib import Path

import pytest

from infra.platform.settings import Settings
from schemas.codec import decode
from schemas.envelope import SYSTEM, Envelope, outside_fact
from schemas.events.dlq import RecordUndecidable
from schemas.events.hygiene import ChunkCreated, SourceProcessed
from schemas.events.source import SourceContentPart, SourceInfo, SourceRevised
from schemas.ids import sha256_hex
from streams.app import Stages, Worker
from streams.hygiene import stage as stage_0
from streams.shell.hygiene_runner import Hygiene
from tests.shell.harness import (
    eventually,
    facts_of,
    publish,
    raw,
    records_of,
    uncommit,
    until_committed,
)
from tests.shell.stages import AT

pytestmark = pytest.mark.broker
PARAGRAPH = b"The service must keep every record for ten years.\n\n"
TEXT = (b"# Storage\n\n" + PARAGRAPH) * 4


def endless_on_mark(source: SourceInfo, content: bytes, force_include: bool) -> stage_0.Cleaned:
    """Cleans whatever does not hold one word."""
    while b"endlessly" in content:
        pass
    return stage_0.clean(source, content, force_include)


def mirrored(key_id: str, sealed: bytes) -> bytes:
    """Stands for the vault: contents here are written backwards."""
    return sealed[::-1]


HYGIENE = Stages(hygiene=Hygiene(stage_0.clean, stage_0.decide, stage_0.give_up, mirrored))


def a_revision(
    trigger: str,
    content: bytes = TEXT,
    *,
    path: str = "docs/a.md",
    parts: int = 1,
    sha: str = "",
    project: str = "prj_one",
) -> list[Envelope]:
    """The records of a revision in the order they are written: further parts, then the revision."""
    size = -(-len(content) // parts)
    pieces = [content[at * size : (at + 1) * size][::-1] for at in range(parts)]
    source_id = f"src_{sha256_hex(path)[:32]}"
    further = [
        SourceContentPart(
            source_id=source_id,
            trigger_key=trigger,
            part_index=index,
            part_count=parts,
            key_id="key",
            content=pieces[index],
        )
        for index in range(1, parts)
    ]
    revised = SourceRevised(
        source=SourceInfo(
            source_id=source_id,
            root="root",
            external_ref=f"root@{path}",
            path=path,
            source_type="doc",
            priority_tier=1,
        ),
        trigger_key=trigger,
        part_count=parts,
        byte_count=len(content),
        raw_sha256=sha or sha256_hex(content),
        key_id="key",
        content=pieces[0],
    )
    return [
        outside_fact(event, project_id=project, occurred_at=AT, actor=SYSTEM)
        for event in (*further, revised)
    ]


def is_marker(fact: Envelope) -> bool:
    return isinstance(fact.event, SourceProcessed)


async def markers(settings: Settings) -> list[SourceProcessed]:
    facts = await facts_of(settings, "chunk.v1")
    return [fact.event for fact in facts if isinstance(fact.event, SourceProcessed)]


async def answers(
    settings: Settings, count: int, stages: Stages = HYGIENE
) -> list[SourceProcessed]:
    """The markers once there are ``count`` and every record of the input is acknowledged."""
    async with Worker(settings, stages).running():
        found: list[SourceProcessed] = await eventually(
            lambda: markers(settings), lambda each: len(each) >= count
        )
        await until_committed(settings, "hygiene", "source.v1")
    return found


def test_a_revision_becomes_chunks_and_a_marker_that_knows_their_places(fresh: Settings) -> None:
    async def scenario() -> None:
        await publish(fresh, *a_revision("t1"))
        [marker] = await answers(fresh, 1)
        assert (marker.outcome, marker.revision_seq) == ("sanitized", 1)
        records = await records_of(fresh, "chunk.v1")
        facts = await facts_of(fresh, "chunk.v1")
        chunks = {
            fact.event.chunk_id: (record.partition, record.offset)
            for record, fact in zip(records, facts, strict=True)
            if isinstance(fact.event, ChunkCreated)
        }
        assert {ref.chunk_id: (ref.partition, ref.offset) for ref in marker.chunks} == chunks
        assert isinstance(facts[-1].event, SourceProcessed) and chunks
        kinds = [fact.event.type_name for fact in await facts_of(fresh, "hygiene.v1")]
        assert kinds == ["source.sanitized", "document.described"]

    asyncio.run(scenario())


def test_revisions_are_counted_and_answered_once_whatever_is_delivered_again(
    fresh: Settings,
) -> None:
    async def scenario() -> None:
        first, second = a_revision("t1"), a_revision("t2", TEXT + b"\nIt may be slow.\n")
        await publish(fresh, *first, *first, *second)
        await answers(fresh, 2)
        await uncommit(fresh, "hygiene", "source.v1")
        for file in (Path(fresh.home) / "state" / "hygiene").glob("*.sqlite*"):
            file.unlink()
        third = a_revision("t3", TEXT + b"\nIt may be slow.\n")
        await publish(fresh, *third)
        found = await answers(fresh, 3)
        told = [(each.trigger_key, each.outcome, each.revision_seq) for each in found]
        assert told == [("t1", "sanitized", 1), ("t2", "sanitized", 2), ("t3", "unchanged", 2)]
        assert found[2].chunks == found[1].chunks

    asyncio.run(scenario())


def test_revisions_answered_together_have_their_chunks_in_front_of_their_markers(
    fresh: Settings,
) -> None:
    async def scenario() -> None:
        paths = [f"docs/{number}.md" for number in range(40)]
        for trigger in ("t1", "t2"):  # each source twice: the second answer knows the first
            text = TEXT + f"\nIt is {trigger}.\n".encode()
            await publish(
                fresh, *(fact for path in paths for fact in a_revision(trigger, text, path=path))
            )
        await answers(fresh, 80)
        chunks: set[tuple[str, int, int]] = set()
        revisions: dict[str, list[int]] = {}
        for record in await records_of(fresh, "chunk.v1"):
            match decode(record.value).event:
                case ChunkCreated(chunk_id=chunk_id):
                    chunks.add((chunk_id, record.partition, record.offset))
                case SourceProcessed() as marker:
                    assert {
                        (ref.chunk_id, ref.partition, ref.offset) for ref in marker.chunks
                    } <= chunks
                    revisions.setdefault(marker.source.path, []).append(marker.revision_seq)
        assert revisions == {path: [1, 2] for path in paths}

    asyncio.run(scenario())


def test_a_preview_does_not_stand_behind_the_backlog_of_another_project(fresh: Settings) -> None:
    async def scenario() -> None:
        backlog = [
            fact
            for number in range(120)
            for fact in a_revision("t1", TEXT * 100 + b"%d" % number, path=f"docs/{number}.md")
        ]
        preview = [
            fact
            for number in range(3)
            for fact in a_revision("t2", path=f"new/{number}.md", project="prj_two")
        ]
        await publish(fresh, *backlog, *preview)
        await answers(fresh, len(backlog) + len(preview))
        facts = [each for each in await facts_of(fresh, "chunk.v1") if is_marker(each)]
        facts.sort(key=lambda fact: fact.recorded_at or AT)
        projects = [fact.project_id for fact in facts]
        assert "prj_two" not in projects[len(backlog) // 2 :]

    asyncio.run(scenario())


def test_a_long_content_is_put_together_even_when_its_parts_were_read_before(
    fresh: Settings,
) -> None:
    async def scenario() -> None:
        *further, revised = a_revision("t1", TEXT * 50, parts=4)
        await publish(fresh, *further)
        async with Worker(fresh, HYGIENE).running() as worker:
            await worker.ready()
            await until_committed(fresh, "hygiene", "source.v1")
        await publish(fresh, revised)
        [marker] = await answers(fresh, 1)
        assert (marker.outcome, marker.raw_sha256) == ("sanitized", sha256_hex(TEXT * 50))

    asyncio.run(scenario())


def test_bytes_that_do_not_match_or_cannot_be_read_are_skipped_as_poison(fresh: Settings) -> None:
    async def scenario() -> None:
        changed = a_revision("t1", sha=sha256_hex(b"something else"))
        *_, incomplete = a_revision("t2", path="docs/b.md", parts=3)
        await raw(fresh, "source.v1", 0, b"no fact at all")
        await publish(fresh, *changed, incomplete, *a_revision("t3", path="docs/c.md"))
        found = await answers(fresh, 3)
        told = {each.trigger_key: (each.outcome, each.skip_reason) for each in found}
        assert told == {
            "t1": ("skipped", "poison"),
            "t2": ("skipped", "poison"),
            "t3": ("sanitized", None),
        }
        assert len(await facts_of(fresh, "dlq.v1")) == 1  # the bytes that were no fact

    asyncio.run(scenario())


def test_a_part_that_takes_too_long_is_left_out_alone_and_told(fresh: Settings) -> None:
    """The rest of the file is read; the letter about it has it read again after an upgrade."""

    async def scenario() -> None:
        functions = (endless_on_mark, stage_0.decide, stage_0.give_up, mirrored)
        sick = Hygiene(*functions, limit_s=6)
        text = PARAGRAPH + b"The pump may run endlessly.\n\nThe valve must close by itself.\n"
        await publish(fresh, *a_revision("t1", text))
        [marker] = await answers(fresh, 1, Stages(hygiene=sick))
        assert (marker.outcome, marker.raw_sha256) == ("sanitized", sha256_hex(text))
        chunks = [it.event for it in await facts_of(fresh, "chunk.v1")]
        mine = [it for it in chunks if isinstance(it, ChunkCreated) and it.path == "docs/a.md"]
        [left_out] = [it for it in mine if it.skip_reason]
        line = text.decode()[: text.index(b"The pump")].count("\n") + 1
        assert (left_out.skip_reason, left_out.line_start) == ("poison", line)
        assert (left_out.skip_detail or "").startswith(f"line {line}: the job worked longer than")
        read = " ".join(it.text_payload for it in mine if not it.skip_reason)
        assert "ten years" in read and "valve" in read and "endlessly" not in read
        [letter] = [it.event for it in await facts_of(fresh, "dlq.v1")]
        assert isinstance(letter, RecordUndecidable) and letter.value
        assert (letter.stage, letter.error_class) == ("hygiene", "JobTimedOut")
        assert letter.error.startswith(f"left out: line {line}: ")

    asyncio.run(scenario())
