"""What is held of a root, whole or below one path of it."""

from __future__ import annotations

import pytest

from projections import holdings
from tests.projections.builders import PROJECT
from tests.projections.conftest import ReadModel
from tests.projections.log import Story


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
    held = holdings.inventory(model.connection, PROJECT, "demo", under)
    assert sorted(row["path"] for row in held) == found
