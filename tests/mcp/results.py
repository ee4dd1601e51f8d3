"""What a tool has answered."""

from mcp_types import CallToolResult


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text
