"""A small made-up project that shows what Cairn does: its documents, its tickets, its chat.

Everything in it was written for this purpose. `cairn demo` reads it and takes a reader through what
comes of it; the README of the project says that it is made up, so that nobody takes it for real.
"""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

NAME = "Toolshed"
SITE, CHANNEL, TEAM = "toolshed.example.org", "pilot", "T0TOOLSHED"
QUESTION = "Why do text messages go through a provider?"
NEWER = "21 days"  # what the later of the two documents that disagree says
CHANGED = Path("docs/requirements/reminders.md")
BEFORE, AFTER = "two days before a tool is due", "three days before a tool is due"
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Example:
    """Where a copy of the example lies: a folder, and exports of Jira and Slack."""

    folder: Path
    jira: Path
    slack: Path

    def change(self) -> Path:
        """Write one sentence of one document anew; the document."""
        document = self.folder / CHANGED
        document.write_text(document.read_text("utf-8").replace(BEFORE, AFTER), "utf-8")
        return document


def copy_example(into: Path) -> Example:
    """A fresh copy of the example below ``into``, which is made anew; nobody's files are there."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    folder = Path(shutil.copytree(_HERE / "toolshed", into / "toolshed"))
    jira = Path(shutil.copy(_HERE / "jira.json", into / "jira.json"))
    slack = into / "slack.zip"
    with zipfile.ZipFile(slack, "w") as export:
        for file in sorted((_HERE / "slack").rglob("*.json")):
            export.write(file, file.relative_to(_HERE / "slack").as_posix())
    return Example(folder, jira, slack)
