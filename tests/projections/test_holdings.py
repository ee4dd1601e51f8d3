"""What is held of a root, whole or below one path of it."""

from __future__ import annotations

import pytest

from projections.read import sources
from schemas.events.hygiene import VERSIONS, SourceProcessed
from tests.projections.builders import PROJECT, replace_part
from tests.projections.conftest import ReadModel
from tests.projections.log import Story
from tests.projections.test_folding import projected


@pytest.mark.parametrize(
    ("under", "found"),
    [
        ("", ["1/b.md", "12", "12/%.md", "12/a.md", "120/a.md"]),
        ("12/", ["12/%.md", "12/a.md"]),
        ("12/%", ["12/%.md"]),
        ("3/", []),
    ],
)
def test_an_inventory_names_what_is_held_under_a_path(model: ReadModel, under, found):
    story = Story()
    story.project()
    paths = ["12", "12/a.md", "120/a.md", "1/b.md", "12/%.md"]
    story.requested(paths)
    for path in paths:
        story.source(path, f"The export must be resumable ({path}).\n")
    model.fold(story.log.records)
    held = sources.read_inventory(model.connection, PROJECT, "demo", under)
    assert sorted(row["path"] for row in held) == found


@pytest.mark.parametrize(
    ("changes", "comparable"),
    [
        ({}, True),
        ({"versions": VERSIONS.model_dump() | {"hygiene": "h0"}}, False),
        ({"outcome": "skipped", "skip_reason": "poison", "sanitized_hash": None}, False),
    ],
)
def test_what_has_to_be_sent_again_is_held_without_its_hash_and_so_can_go(
    model: ReadModel, changes: dict[str, object], comparable: bool
):
    story = Story()
    story.requested(["README.md"])
    story.source("README.md", "One paragraph that is long enough.")
    now = story.processed["README.md"]
    again = replace_part(now, revision_seq=2, trigger_key="t2", chunks=[], **changes)
    assert isinstance(again, SourceProcessed)
    story.outside(again, natural_key="again")
    model.fold(projected(story))
    (held,) = sources.list_stored_sources(model.connection, PROJECT, [now.source.source_id])
    assert held["raw_sha256"] == (now.raw_sha256 if comparable else "")
