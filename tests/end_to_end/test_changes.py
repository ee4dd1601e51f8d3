"""A folder of which too much is gone: the command says so, and a person lets it go."""

import json

import pytest

from tests.service import COMMAND_PATIENCE_S
from tests.whole.changing import FILLER

pytestmark = pytest.mark.broker

SAID = "# Page {n}\n\nThe depot must store every parcel of route {n} for {n} days.\n\n" + FILLER


def live_titles(cairn, project):
    """Of what the pages require; what else they state is none of the test's."""
    listed = cairn.json("atoms", "--project", project, "--kind", "requirement")
    return {atom["title"] for atom in listed if "These words" not in atom["title"]}


def test_held_removals_end_the_command_with_one_until_a_person_accepts_them(shared, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(1, 7):
        (folder / f"page{number}.md").write_text(SAID.format(n=number))
    cairn = shared
    cairn.run("project", "create", "Pages", "--idempotency-key", "pages")
    cairn.ingest(folder, "Pages", "first")
    before = live_titles(cairn, "Pages")
    assert len(before) == 6
    (folder / "page1.md").rename(folder / "moved.md")
    (folder / "page2.md").unlink()
    again = ("ingest", str(folder), "--project", "Pages", "--as", folder.name, "--wait")
    command = cairn.start(*again, "--json")
    told, said = command.communicate(timeout=COMMAND_PATIENCE_S)
    assert command.returncode == 1
    assert "2 of 6 sources known as pages are not in" in said
    (held,) = [run for run in json.loads(told)["runs"] if run["removals_held"]]
    assert held["removals_held"] == 1
    assert live_titles(cairn, "Pages") == before
    cairn.run("runs", "accept-removals", held["run_id"], "--project", "Pages")
    cairn.run(*again)
    (gone,) = before - live_titles(cairn, "Pages")
    assert "route 2" in gone
    cairn.run("runs", "accept-removals", "run_unknown", "--project", "Pages", exit_code=1)
