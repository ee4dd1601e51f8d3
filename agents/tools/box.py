"""How a tool is called: arguments are validated, roles are checked, and nothing is raised for what
a model can mend.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from agents.tools.ports import ToolRefused
from agents.tools.tool import Described, Tool, ToolArguments, ToolContext, ToolResult, ToolRole

LONGEST_CALL_S = 120.0
_HALF = re.compile("[\ud800-\udfff]")
RANKS: Mapping[ToolRole, int] = {"viewer": 0, "operator": 0, "member": 1, "pm": 2, "owner": 3}

Arguments = TypeVar("Arguments", bound=ToolArguments)
Call = Callable[[ToolContext, Arguments], Awaitable[ToolResult]]


class Tools:
    """The tools that are there, in their order."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def find(self, name: str) -> Tool | None:
        return self._tools.get(name)


def may_call(role: ToolRole, tool: Tool) -> bool:
    return RANKS[role] >= RANKS[tool.role]


def read_arguments(tool: Described, given: Any) -> ToolArguments | ToolResult:
    """The arguments as the tool takes them, or what is wrong with them."""
    if not _is_text(given):
        return refuse(
            f"The arguments of {tool.name} hold characters that no text has: leave them out.",
            "arguments_invalid",
        )
    try:
        return tool.arguments.model_validate(given)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'arguments'}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_input=False)
        )
        return refuse(f"The arguments of {tool.name} are wrong: {wrong}.", "arguments_invalid")


def _is_text(given: Any) -> bool:
    """Whether all strings in it can be stored: none has a NUL or half a character."""
    match given:
        case str():
            return "\0" not in given and not _HALF.search(given)
        case Mapping():
            return all(_is_text(key) and _is_text(item) for key, item in given.items())
        case list() | tuple():
            return all(map(_is_text, given))
        case _:
            return True


async def call_tool(tool: Tool, context: ToolContext, given: Any) -> ToolResult:
    """The tool's one result. What it has not answered in time may have happened all the same."""
    if not may_call(context.role, tool):
        return refuse(
            f"The role {context.role} may not use {tool.name}: it takes {tool.role}.", "forbidden"
        )
    arguments = read_arguments(tool, given)
    if isinstance(arguments, ToolResult):
        return arguments
    try:
        return await asyncio.wait_for(tool.call(context, arguments), LONGEST_CALL_S)
    except ToolRefused as refused:
        return refuse(str(refused), refused.code)
    except TimeoutError:
        return refuse(
            f"{tool.name} has not answered within {LONGEST_CALL_S:.0f} s: what it does may or may"
            " not have completed.",
            "tool_timeout",
        )


def refuse(text: str, code: str) -> ToolResult:
    """An error that the model reads."""
    return ToolResult(text=text, data={"error": code}, is_error=True)
