"""The one tool of the brainstormer: it writes a design document, as Markdown and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.development.ports import ToolDescription, ToolOutcome

SUFFIXES = (".md", ".markdown")
LONGEST_DESIGN = 200_000
LONGEST_NAME = 100
WRITE_DESIGN_DOC = ToolDescription(
    name="write_design_doc",
    description="Write the design document of this session, or a newer version of it.",
    arguments={
        "type": "object",
        "properties": {
            "file_name": {
                "type": "string",
                "description": "A name without folders that ends with .md, such as sign-in.md.",
            },
            "markdown": {"type": "string", "description": "The whole document, in Markdown."},
        },
        "required": ["file_name", "markdown"],
        "additionalProperties": False,
    },
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]*", re.ASCII)
_FENCED = re.compile(r"\s*```(?:md|markdown)\n(.*)\n```\s*", re.DOTALL)
_OTHER_FORMATS = ("<!doctype", "<html", "<?xml", "%pdf-", "{\\rtf")


@dataclass(frozen=True, slots=True)
class Design:
    file_name: str
    markdown: str


class DesignTools:
    """A toolbox for one answer; ``design`` is what was written last."""

    tools: Sequence[ToolDescription] = (WRITE_DESIGN_DOC,)

    def __init__(self) -> None:
        self.design: Design | None = None

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Whatever was given, the outcome says what was wrong with it."""
        if name != WRITE_DESIGN_DOC.name:
            return _refuse(
                f"There is no tool {name!r} here: write_design_doc is the only one, and writes"
                " Markdown alone."
            )
        file_name, markdown = arguments.get("file_name"), arguments.get("markdown")
        if not isinstance(file_name, str) or not isinstance(markdown, str):
            return _refuse("`file_name` and `markdown` are texts, and both are needed.")
        if problem := find_problem(file_name, markdown):
            return _refuse(problem)
        self.design = Design(file_name, unwrap(markdown))
        return ToolOutcome(f"{file_name} is written.")


def find_problem(file_name: str, markdown: str) -> str | None:
    """Why this is no design document; None: it is one."""
    if not file_name.lower().endswith(SUFFIXES):
        return f"{file_name[:LONGEST_NAME]!r} is refused: a design document ends with .md."
    if len(file_name) > LONGEST_NAME or not _NAME.fullmatch(file_name) or ".." in file_name:
        return (
            f"{file_name[:LONGEST_NAME]!r} is refused: a name has letters, digits, blanks, dots and"
            " hyphens, and no folder."
        )
    text = unwrap(markdown)
    if not text.strip():
        return "The document is empty."
    if len(text) > LONGEST_DESIGN:
        return f"The document is too long: at most {LONGEST_DESIGN:,} characters."
    if "\0" in text or text.lstrip().lower().startswith(_OTHER_FORMATS):
        return "The document is no Markdown: write text with headings, lists and tables."
    return None


def unwrap(markdown: str) -> str:
    """The document without a fence around the whole of it, and without halves of characters."""
    match = _FENCED.fullmatch(markdown)
    return (match[1] if match else markdown).encode("utf-8", "replace").decode()


def _refuse(problem: str) -> ToolOutcome:
    return ToolOutcome(problem, is_error=True)
