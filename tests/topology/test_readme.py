"""The README's lists are those of the code."""

import re
from pathlib import Path

from infra.cli.commands import COMMANDS
from schemas.topics import TOPICS

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_readme_lists_every_topic_with_its_events():
    for topic in TOPICS:
        (row,) = re.findall(rf"^\| `{re.escape(topic.name)}`.*$", README, re.MULTILINE)
        assert ("○" in row) == topic.internal
        for event in topic.events:
            assert f"`{event}`" in row


def test_the_readme_names_every_command():
    for command in COMMANDS:
        assert command in README, command
