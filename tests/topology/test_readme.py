"""The lists in the documentation are those of the code, and its links lead somewhere."""

import re
from pathlib import Path

import pytest

from infra.cli.commands import COMMANDS
from infra.platform.settings import Settings, variable_of
from schemas.topics import TOPICS
from tests.topology.test_imports import OURS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
MAX_WORDS = 1_500
VARIABLES = {variable_of(field) for field in Settings.model_fields}
PAGES = sorted(
    [*ROOT.glob("*.md"), *(page for name in OURS for page in (ROOT / name).rglob("*.md"))]
)


def test_the_list_of_topics_has_every_topic_with_its_events():
    listed = (ROOT / "schemas" / "TOPICS.md").read_text()

    for topic in TOPICS:
        (row,) = re.findall(rf"^\| `{re.escape(topic.name)}`.*$", listed, re.MULTILINE)
        assert ("○" in row) == topic.internal
        for event in topic.events:
            assert f"`{event}`" in row


def test_the_readme_names_every_command_in_its_group():
    table = README.partition("\n## Commands\n")[2].partition("\n## ")[0]

    for name, command in COMMANDS.items():
        group = table.partition(f"| **{command.panel}** |")[2].partition("| **")[0]
        assert re.search(rf"`(cairn )?{name}\b", group), name


def test_the_list_of_settings_is_that_of_the_code():
    listed = (ROOT / "infra" / "SETTINGS.md").read_text()

    assert set(re.findall(r"CAIRN_[A-Z_]+", listed)) == VARIABLES
    assert set(re.findall(r"CAIRN_[A-Z_]+", README)) <= VARIABLES


def test_the_readme_stays_short():
    assert len(README.split()) <= MAX_WORDS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_files_lead_to_files(page):
    linked = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text())

    assert [link for link in linked if not (page.parent / link).exists()] == []
