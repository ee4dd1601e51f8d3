"""The tool that finds tools: what it names is bound for the next reply."""

from __future__ import annotations

from pydantic import Field

from agents.assistant.work import AtWork, LocalTool
from agents.project.assistant_prompt import describe_tool
from agents.runs.effects import Json
from agents.tools.box import may_call
from agents.tools.tool import ToolArguments, ToolResult


class RetrieveTools(ToolArguments):
    """``query``: what a tool has to do, in words. ``limit``: how many at most, 1 to 20."""

    query: str = Field(min_length=1, max_length=1_000)
    limit: int = Field(default=10, ge=1, le=20)


async def _retrieve(at_work: AtWork, call_id: str, wanted: RetrieveTools) -> ToolResult:
    async def look() -> Json:
        tools = at_work.agent.retrievable
        ranked = tools.search(wanted.query, len(tools.names()))
        matches = [tool for tool in ranked if may_call(at_work.run.role, tool)]
        return {tool.name: describe_tool(tool) for tool in matches[: wanted.limit]}

    matches = await at_work.effects_of(call_id).run("read", {"what": "tools"}, look)
    if not matches:
        return ToolResult("No tool does this.", {"bound": []})
    lines = ["You can call these now:", *matches.values()]
    return ToolResult("\n".join(lines), {"bound": [*matches]})


RETRIEVE_TOOLS = LocalTool(
    "retrieve_tools",
    "Find tools by what they do; those found can be called in your next reply.",
    RetrieveTools,
    _retrieve,
)
