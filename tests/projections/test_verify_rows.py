"""Names and places of evidence rows, over arbitrary histories of readings, merges and decisions.

What the ledger's writer does is never accused; the same log with one row changed always is.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from projections.verify_rows import RowCheck
from schemas.events.ingestion import Reanchored, SourceChange
from schemas.events.ledger import LedgerChanged
from schemas.ids import evidence_id
from tests.ledger.decisions import a_decision
from tests.ledger.story import Chunk, Story, a_row, a_run, judged
from tests.ledger.test_merging import HALF_ALIKE, LONG, REWORDED
from tests.projections.builders import replace_part
from tests.projections.log import records_in
from tests.projections.test_verify import report_on
from tests.whole.changing import Project

AGAIN = LONG.replace("before the client", "before a client")
BOTH = AGAIN.replace("so that", "and therefore")
WORDINGS = (LONG, REWORDED, AGAIN, BOTH, HALF_ALIKE, "Drivers are paid by the hour")
SOURCES = ("src_a", "src_b", "src_c")


def a_history(seed: int, runs: int = 6) -> Story:
    """Sources that are read, changed, moved and read again, with decisions in between."""
    chance, told = random.Random(seed), Story()
    payload = dict.fromkeys(SOURCES, 1)
    for number in range(runs):
        changes: list[SourceChange] = []
        if number and chance.random() < 0.6:
            source = chance.choice(SOURCES)
            changes.append(a_revision(chance, source, payload[source], payload[source] + 1))
            payload[source] += 1
        chunks = [a_chunk(chance, payload) for _ in range(chance.randint(1, 3))]
        names = {chunk.chunk_id: chunk for chunk in chunks}
        told.given(a_run(*names.values(), trigger=f"t{number}", changes=changes))
        while chance.random() < 0.5 and (event := a_decision(told.view, chance)):
            told.decision(event, key=f"{seed}|{number}|{len(told.log)}")
    return told


def a_chunk(chance: random.Random, payload: dict[str, int]) -> Chunk:
    source = chance.choice(SOURCES)
    place = chance.randint(1, 2)
    said = [
        judged(
            "Order store writes",
            body,
            kind=chance.choice(("claim", "claim", "requirement")),
            rows=[row],
        )
        for body in chance.sample(WORDINGS, chance.randint(1, 3))
        for row in [a_row(body, start=10 * WORDINGS.index(body))]
    ]
    return Chunk(
        f"{source}_{payload[source]}_{place}",
        said,
        source_id=source,
        sanitized_hash=f"h{payload[source]}",
    )


def a_revision(chance: random.Random, source: str, old: int, new: int) -> SourceChange:
    """The source changed; some of its chunks stand elsewhere in it, word for word."""
    kept = [place for place in (1, 2) if chance.random() < 0.7]
    return SourceChange(
        kind="revised",
        source_id=source,
        old_hash=f"h{old}",
        new_hash=f"h{new}",
        reanchored=[
            Reanchored(
                from_chunk_id=f"{source}_{old}_{place}",
                to_chunk_id=f"{source}_{new}_{place}",
                shift=chance.choice((0, 40)),
                line_shift=1,
            )
            for place in kept
        ],
    )


def accused(events: Iterable[LedgerChanged]) -> list[str]:
    check = RowCheck()
    return [detail for event in events for detail in check.see(event)]


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_no_honest_history_is_accused(seed: int):
    assert accused(a_history(seed).change_sets) == []


def test_the_histories_hold_what_they_are_about():
    """Rows named by a merged atom, merges, splits, twins and rows that are fresh again."""
    found: dict[str, int] = {}
    for seed in range(12):
        for event in a_history(seed).change_sets:
            for op in event.merge_ops:
                found[op.op] = found.get(op.op, 0) + 1
                found[op.reason] = found.get(op.reason, 0) + 1
            for change in event.changes:
                if change.op == "evidence_refreshed":
                    found[change.reason] = found.get(change.reason, 0) + 1
    wanted = {"same_as_merged", "auto_merge", "reviewed_merge", "unmerge", "reanchored"}
    assert wanted <= found.keys(), found


FORGERIES: dict[str, Any] = {
    "another id": lambda row: {"evidence_id": "evd_" + "0" * 32},
    "another span": lambda row: {"char_start": row.char_start + 1},
    "another chunk": lambda row: {"chunk_id": "chk_other"},
    "another atom": lambda row: {"atom_id": "atm_" + "0" * 32},
}


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), at=st.integers(0, 10_000), forgery=st.sampled_from([*FORGERIES]))
def test_one_row_that_was_changed_is_found(seed: int, at: int, forgery: str):
    events = a_history(seed, runs=4).change_sets
    places = [
        (number, place)
        for number, event in enumerate(events)
        for place, _ in enumerate(event.evidence)
    ]
    number, place = places[at % len(places)]
    rows = list(events[number].evidence)
    rows[place] = replace_part(rows[place], **FORGERIES[forgery](rows[place]))
    events[number] = replace_part(events[number], evidence=rows)
    assert accused(events)


def test_a_row_named_by_an_atom_that_was_never_merged_into_its_own_is_found():
    told = Story().given(
        a_run(Chunk("c1", [judged("Labels are kept")]), Chunk("c2", [judged("Drivers are paid")]))
    )
    kept, paid = (told.atom(title).atom_id for title in ("Labels are kept", "Drivers are paid"))
    first, second, *_ = told.change_sets
    (row,) = second.evidence
    forged = evidence_id(kept, row.chunk_id, row.char_start, row.char_end)
    assert row.atom_id == paid
    events = [first, replace_part(second, evidence=[replace_part(row, evidence_id=forged)])]
    assert accused(events) == [f"{forged} is not of its span"]


def test_a_project_that_says_the_same_again_in_either_wording_has_a_sound_ledger():
    one = (
        "The parcel desk must keep a copy of each printed label in the archive folder, because a"
        " lost parcel can be traced with it later on by the people in the depot."
    )
    said = [one, one.replace("can be", "can then be")] * 2
    project = Project()
    for number in range(3):
        said = [*said[1:], said[0]]
        project.ingest(
            {
                f"docs/{name}.md": f"# Labels\n\n{text}\n\n## Notes\n\n{name}{number}.\n".encode()
                for name, text in zip("abcd", said, strict=True)
            }
        )
    reasons = {op.reason for event in project.change_sets() for op in event.merge_ops}
    assert "same_as_merged" in reasons
    report = report_on(records_in(project.driver))
    assert {each.code for each in report.findings} <= {"unknown_key"}  # nobody tells keys here
