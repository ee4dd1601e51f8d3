"""One record never stops the rest: what raises is left out, told, and decided after the mend.

Every stage and every fold gets a fault on one record. The same holds then: the other project is as
it would have been, what the record is about is told once, every run ends, and whoever waits has an
answer. After the mend the log is read again by whole stages, and what is retried enters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from schemas.codec import decode
from schemas.envelope import Envelope
from schemas.events.atom import Judged, Reading
from schemas.events.dlq import DeadLetterSettled, RecordUndecidable
from schemas.events.ingestion import RunStarted
from schemas.events.ledger import LedgerChanged
from schemas.ids import derive_event_id
from streams.ledger.draft import ChangeSetDraft
from streams.ledger.fold import LedgerView
from streams.ledger.upsert import apply_candidate
from streams.ledger.writer import Ledger
from streams.memory import Driver, MemoryLog
from streams.pipeline import Pipeline, pipeline
from streams.tables import MemoryTables
from tests.whole.test_faults import read
from tests.worlds import ingestion

MARK = "marked"
FILES, LINES = 50, 20
ONE, OTHER = "prj_one", "prj_other"


def word(seed: str) -> str:
    """Six letters that no other seed gives."""
    digest = hashlib.sha256(seed.encode()).digest()
    return "".join("bdfgklmnprstvz"[byte % 14] + "aeiou"[byte % 5] for byte in digest[:3])


def a_line(number: int) -> str:
    one, two, three = (word(f"{number} {place}") for place in range(3))
    return f"The {one} must keep the {two} of every {three}."


def a_thousand() -> dict[str, bytes]:
    """Fifty files of twenty requirements each, no two alike; one of them is marked."""
    files: dict[str, bytes] = {}
    for number in range(FILES):
        lines = [a_line(number * LINES + at) for at in range(LINES)]
        if number == FILES // 2:
            lines[LINES // 2] = f"The {MARK} must keep the gate of every store."
        text = f"# Part {word(str(number))}\n\n" + "".join(f"- {line}\n" for line in lines)
        files[f"docs/part{number:02}.md"] = text.encode()
    return files


def a_few() -> dict[str, bytes]:
    return {
        "README.md": f"# Gate\n\n- The gate must be shut at night.\n- {a_line(9_001)}\n".encode(),
        "docs/rest.md": f"# Rest\n\n- {a_line(9_002)}\n- {a_line(9_003)}\n".encode(),
    }


def of_project(facts: Iterable[Envelope], project: str) -> list[Envelope]:
    return [
        replace(
            fact,
            project_id=project,
            event_id=derive_event_id(fact.event.type_name, project, fact.natural_key),
        )
        for fact in facts
    ]


def asked(project: str, files: dict[str, bytes], key: str = "k1") -> list[Envelope]:
    """The project's request; roots differ, and so do the ids of sources."""
    return of_project(ingestion(files, key=key, root=project), project)


def play(stages: Pipeline, facts: list[Envelope], log: MemoryLog | None = None) -> Driver:
    driver = Driver(stages, partitions=1, log=log)
    driver.publish(facts)
    driver.run()
    return driver


def letters(driver: Driver) -> list[RecordUndecidable]:
    found = (record.envelope.event for record in driver.log.of("dlq.v1"))
    return [event for event in found if isinstance(event, RecordUndecidable)]


def open_letters(driver: Driver) -> list[RecordUndecidable]:
    settled = {
        record.envelope.event.dead_letter_id
        for record in driver.log.of("dlq.v1")
        if isinstance(record.envelope.event, DeadLetterSettled)
    }
    return [each for each in letters(driver) if each.dead_letter_id not in settled]


def retry(driver: Driver) -> None:
    """As `cairn dlq retry` does with what is kept in the letters that are not settled."""
    driver.publish(decode(each.value) for each in open_letters(driver) if each.value)
    driver.run()


def view_of(driver: Driver) -> LedgerView:
    """The ledger as everybody folds it, who knows nothing of what raised."""
    view = LedgerView(MemoryTables())
    for record in driver.log.of("ledger.v1"):
        assert view.fold(record), "there is a gap"
    return view


def titles(driver: Driver, project: str) -> set[str]:
    return {atom.title for atom in view_of(driver).live_atoms(project)}


def all_runs_ended(driver: Driver) -> bool:
    started = {
        record.envelope.event.run_id
        for record in driver.log.of("ingestion.v1")
        if isinstance(record.envelope.event, RunStarted)
    }
    ended = {
        record.envelope.event.turn.run_id
        for record in driver.log.of("ledger.v1")
        if isinstance(record.envelope.event, LedgerChanged)
        and record.envelope.event.turn
        and record.envelope.event.turn.kind == "run_end"
    }
    return bool(started) and started == ended


@cache
def well() -> Driver:
    """Both projects without a fault."""
    return play(pipeline(read), asked(ONE, a_thousand()) + asked(OTHER, a_few()))


def raise_on_mark(draft: ChangeSetDraft, reading: Reading, judged: Judged) -> str:
    if MARK in judged.candidate.title:
        raise IndexError("words of the candidate")
    return apply_candidate(draft, reading, judged)


def with_writer(stages: Pipeline, writer: Any) -> Pipeline:
    """The stages with ``writer`` in the place of the one of its name."""
    others = [writer if each.name == writer.name else each for each in stages.writers]
    return replace(stages, writers=tuple(others))


def test_of_a_thousand_candidates_one_raises_and_all_others_are_decided() -> None:
    sick = with_writer(pipeline(read), Ledger(raise_on_mark))
    driver = play(sick, asked(ONE, a_thousand()) + asked(OTHER, a_few()))

    whole = titles(well(), ONE)
    assert len(whole) == FILES * LINES
    [left_out] = whole - titles(driver, ONE)
    assert MARK in left_out
    assert titles(driver, OTHER) == titles(well(), OTHER)
    assert all_runs_ended(driver)
    [letter] = letters(driver)
    assert (letter.stage, letter.error_class) == ("ledger", "IndexError")
    assert letter.subject_id.startswith("cnd_") and "words" not in letter.error

    mended = play(pipeline(read), [], driver.log)
    assert [each.subject_id for each in open_letters(mended)] == [letter.subject_id]
    assert left_out not in titles(mended, ONE)  # a replay decides nothing again
    retry(mended)
    assert titles(mended, ONE) == whole
    assert open_letters(mended) == []
    retry(mended)
    assert titles(mended, ONE) == whole
