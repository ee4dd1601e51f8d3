"""The tool that asks the world outside: what it finds is no evidence of the project."""

from __future__ import annotations

from pydantic import Field

from agents.tools.ports import Json, Ports
from agents.tools.show import answer
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult

DEEP_RESEARCH = "deep_research"
OUTSIDE = "From outside; no evidence of the project:"


class ResearchArguments(ToolArguments):
    """``query``: the question in words."""

    query: str = Field(min_length=1, max_length=1_000)


def research_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""

    async def deep_research(context: ToolContext, wanted: ResearchArguments) -> ToolResult:
        research = await ports.research(context, wanted.query)
        return answer([OUTSIDE, *map(tell_finding, research["findings"])], research)

    return [
        Tool(
            DEEP_RESEARCH,
            "Have a service search the web for what others say on a question.",
            ResearchArguments,
            deep_research,
            space="research",
            confirm=True,
            role="member",
        )
    ]


def tell_finding(finding: Json) -> str:
    return f"- {finding['text']} ({finding['address']}, {finding['found_on']})"
