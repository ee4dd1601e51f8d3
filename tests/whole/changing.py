"""A small project that changes from one ingest to the next, and what its ledger must then be."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from schemas.envelope import Envelope
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import SourceSanitized
from schemas.events.ingestion import BatchPlanned, RunStopped, SourceChange
from schemas.events.ledger import AtomRecord, Change, LedgerChanged
from streams.ledger.turns.fold import LedgerView
from streams.memory import Driver, Faults
from streams.pipeline import pipeline
from streams.tables import MemoryTables
from tests.worlds import PROJECT, info, ingestion

READER = OfflineReader()
WORDS = [
    *("backlog", "billing", "cache", "depot", "gateway", "invoice"),
    *("ledger", "parcel", "queue", "report", "scanner", "tracker"),
]
FILLER = "These words only make the section long enough to be read on its own. " * 14
Section = tuple[str, ...]  # a heading and its statements
World = dict[str, tuple[Section, ...]]
Key = tuple[str, str]


def ledger_of(driver: Driver) -> list[LedgerChanged]:
    """The accepted change sets, without the one field that depends on the hour."""
    accepted: list[LedgerChanged] = []
    view = LedgerView(MemoryTables())
    for record in driver.log.of("ledger.v1"):
        event = record.envelope.event
        assert isinstance(event, LedgerChanged)
        if view.fold(record):
            accepted.append(event.model_copy(update={"prev_hash": ""}))
    return accepted


class Project:
    """One project that is ingested again and again, in memory."""

    def __init__(self, **faults: Any) -> None:
        self.driver = Driver(
            pipeline(lambda request, chunk: READER.read(ReadRequest(request, chunk))),
            faults=Faults(**faults),
        )
        self._ingests = 0

    def ingest(self, files: Mapping[str, bytes], **how: Any) -> Project:
        self._ingests += 1
        return self.given(ingestion(dict(files), key=f"k{self._ingests}", **how))

    def given(self, facts: Iterable[Envelope]) -> Project:
        self.driver.publish(facts)
        self.driver.run()
        return self

    @property
    def ledger(self) -> LedgerView:
        view = LedgerView(MemoryTables())
        for record in self.driver.log.of("ledger.v1"):
            view.fold(record)
        return view

    @property
    def live(self) -> dict[Key, AtomRecord]:
        return {
            (atom.kind, atom.atom_fingerprint): atom for atom in self.ledger.live_atoms(PROJECT)
        }

    @property
    def stops(self) -> list[RunStopped]:
        return self._said(RunStopped)

    @property
    def changes(self) -> list[SourceChange]:
        """What the ledger was told of sources, in the order of the log."""
        events = [record.envelope.event for record in self.driver.log.of("ingestion.v1")]
        return [
            change
            for event in events
            if isinstance(event, BatchPlanned | RunStopped)
            for change in event.source_changes
        ]

    @property
    def notes(self) -> list[Change]:
        return [change for event in self.change_sets() for change in event.changes]

    def read(self) -> set[str]:
        """The chunks that somebody was asked to read."""
        return {
            record.envelope.event.chunk_id
            for topic in ("extract.preview.v1", "extract.deep.v1")
            for record in self.driver.log.of(topic)
            if isinstance(record.envelope.event, ExtractRequested)
        }

    def change_sets(self) -> list[LedgerChanged]:
        return ledger_of(self.driver)

    def texts(self) -> dict[str, str]:
        """The sanitized texts by source and hash."""
        found: dict[str, str] = {}
        for record in self.driver.log.of("hygiene.v1"):
            event = record.envelope.event
            if isinstance(event, SourceSanitized):
                found[f"{event.source_id}|{event.sanitized_hash}"] = event.text
        return found

    def _said(self, kind: type[RunStopped]) -> list[RunStopped]:
        events = [record.envelope.event for record in self.driver.log.of("ingestion.v1")]
        return [event for event in events if isinstance(event, kind)]


def assert_it_is_as_read_anew(project: Project, files: Mapping[str, bytes]) -> None:
    """The live atoms are those of a first ingest, and each rests on text that is there."""
    anew = Project().ingest(files)
    ours, theirs = project.live, anew.live
    assert _unexplained(theirs.keys() - ours.keys(), project) == []
    assert _unexplained(ours.keys() - theirs.keys(), anew) == []
    today = {text.split("|")[1] for text in anew.texts()}
    here = {info(path, "parcel").source_id for path in files}
    texts = project.texts()
    for atom in ours.values():
        fresh = [r for r in project.ledger.evidence_of(PROJECT, atom.atom_id) if not r.stale]
        assert fresh, f"{atom.title} rests on nothing"
        for row in fresh:
            assert row.source_id in here
            assert row.sanitized_hash in today
            text = texts[f"{row.source_id}|{row.sanitized_hash}"]
            assert text[row.char_start : row.char_end] == row.snippet
            assert text.count("\n", 0, row.char_start) + 1 == row.line_start


def _unexplained(keys: set[Key], other: Project) -> list[Key]:
    """Which of the statements the other project has neither merged nor replaced."""
    known = {(atom.kind, atom.atom_fingerprint): atom for _, atom in other.ledger.atoms.items()}
    return [
        key
        for key in sorted(keys)
        if key not in known or known[key].status not in ("merged", "superseded")
    ]


def files_of(world: World) -> dict[str, bytes]:
    return {path: _text(sections) for path, sections in world.items()}


def a_world(chance: random.Random) -> World:
    paths = ("README.md", "docs/a.md", "docs/b.md", "docs/c.md", "src/d.md")
    return {path: _document(chance) for path in paths}


def changed(chance: random.Random, world: World) -> World:
    """The world after one to three edits, moves, copies and deletions."""
    after = dict(world)
    for _ in range(chance.randint(1, 3)):
        path = chance.choice(sorted(after))
        sections = after[path]
        at = chance.randrange(len(sections))
        match chance.choice(("edit", "edit", "insert", "rename", "delete", "add", "copy")):
            case "edit":
                edited = (*sections[at][:-1], _statement(chance))
                after[path] = (*sections[:at], edited, *sections[at + 1 :])
            case "insert":
                new = (f"New {chance.choice(WORDS)}", _statement(chance))
                after[path] = (*sections[:at], new, *sections[at:])
            case "rename":
                after[f"docs/moved{chance.randrange(99)}.md"] = after.pop(path)
            case "delete" if len(after) > 2:
                del after[path]
            case "copy":
                after[f"docs/copy{chance.randrange(99)}.md"] = sections
            case _:
                after[f"docs/new{chance.randrange(99)}.md"] = _document(chance)
    return after


def _document(chance: random.Random) -> tuple[Section, ...]:
    return tuple(
        (f"Part {number} {chance.choice(WORDS)}", *(_statement(chance) for _ in range(2)))
        for number in range(chance.randint(1, 4))
    )


def _statement(chance: random.Random) -> str:
    one, other, third = chance.sample(WORDS, 3)
    number = chance.randint(1, 90)
    return chance.choice(
        (
            f"The {one} must store every {other} in the {third} within {number} seconds.",
            f"The {one} uses the {other} because the {third} is slow after {number} hours.",
            f"We decided to use {one} for the {other} since the {third} needs {number} replicas.",
        )
    )


def _text(sections: tuple[Section, ...]) -> bytes:
    parts = [f"## {heading}\n\n" + "\n\n".join(said) for heading, *said in sections]
    return "\n\n".join(f"{part}\n\n{FILLER}" for part in parts).encode() + b"\n"
