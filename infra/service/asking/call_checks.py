"""Whether a person may have a call made about which they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from infra.platform.errors import Conflict, Forbidden, Invalid

if TYPE_CHECKING:
    from agents.tools.tool import Tool, ToolRole


def check_call(tool: Tool | None, name: str, changed: Mapping[str, Any] | None, role: str) -> None:
    """Whether who has the role may make the call, with these arguments where they are changed.

    Raises Forbidden, Invalid, Conflict.
    """
    from agents.tools.box import may_call, read_arguments
    from agents.tools.tool import ToolResult

    if tool is None:
        raise Conflict(f"There is no tool {name} any more: ask again.", code="tool_gone")
    if not may_call(cast("ToolRole", role), tool):
        raise Forbidden(
            f"The role {role} may not use {name}, so it cannot approve it: it takes {tool.role}.",
            code="role_not_allowed",
        )
    if changed is not None and isinstance(wrong := read_arguments(tool, changed), ToolResult):
        raise Invalid(wrong.text, code="arguments_invalid")
