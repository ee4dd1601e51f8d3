"""The tool that makes a source of a text that the user has pasted, once a person has said so."""

from __future__ import annotations

from pydantic import Field

from agents.tools.ports import Ports
from agents.tools.show import answer
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult

SAVE_SOURCE = "save_source"


class SaveSource(ToolArguments):
    """``title``: what the text is called, such as `minutes of 2 May`. ``text``: the whole text, as
    the user gave it.
    """

    title: str = Field(default="", max_length=200)
    text: str = Field(min_length=1, max_length=100_000)


def source_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""

    async def save_source(context: ToolContext, wanted: SaveSource) -> ToolResult:
        kept = await ports.save_source(context, wanted.title, wanted.text)
        return answer([str(kept["told"])], kept)

    return [
        Tool(
            SAVE_SOURCE,
            "Make a source of a text or document that the user has pasted, so that the ledger holds"
            " what it says. The user is asked first.",
            SaveSource,
            save_source,
            space="search",
            mutating=True,
            confirm=True,
            role="member",
        )
    ]
