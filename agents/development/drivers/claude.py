"""The Claude CLI as a driver: it signs in, and keeps its policies, as on this machine.

Its lines are those of ``--output-format stream-json`` (Claude Code documentation, «Run Claude Code
programmatically»). Settings, hooks and servers that the workspace brings along are left out, since
they would run programs of strangers outside of all walls.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from agents.development.drivers.events import Draft
from agents.development.drivers.program import ProgramDriver, Progress
from agents.development.ports import DriverName, Spent
from agents.models.records import (
    get_cost,
    get_count,
    get_object,
    get_text,
    join_texts,
)

LONGEST_ARGUMENT = 100_000  # bytes; Linux refuses one of 131,072
INPUT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class ClaudeDriver(ProgramDriver):
    """``claude -p``."""

    _name: ClassVar[DriverName] = "claude"

    def _list_arguments(
        self, system_prompt: str | None, session_id: str | None, *, agentic: bool
    ) -> tuple[str, ...]:
        arguments = ["-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config"]
        arguments += ["--setting-sources", "user"]
        if self._settings.model:
            arguments.append(f"--model={self._settings.model}")
        if session_id:
            arguments.append(f"--resume={session_id}")
        if system_prompt and not _is_too_long(system_prompt):
            option = "--append-system-prompt" if agentic else "--system-prompt"
            arguments.append(f"{option}={system_prompt}")
        if not agentic:
            return (*arguments, "--tools", "")
        arguments += ["--permission-mode", "acceptEdits"]
        if self._settings.allowlist:
            rules = ",".join(f"Bash({it}:*)" for it in self._settings.allowlist if "," not in it)
            arguments += ["--allowedTools", rules]
        return tuple(arguments)

    def _word_input(self, prompt: str, system_prompt: str | None) -> str:
        if system_prompt and _is_too_long(system_prompt):
            return f"{system_prompt}\n\n{prompt}"
        return prompt

    def _read(self, record: Mapping[str, Any], progress: Progress) -> list[Draft]:
        progress.session_id = get_text(record, "session_id") or progress.session_id
        match record.get("type"):
            case "result":
                self._read_result(record, progress)
            case "assistant":
                self._count_message(get_object(record, "message"), progress)
        return convert_to_stream_event(record)

    def _read_result(self, record: Mapping[str, Any], progress: Progress) -> None:
        usage = get_object(record, "usage")
        progress.text = get_text(record, "result")
        progress.status = get_count(record, "api_error_status")
        if record.get("is_error") is True or get_text(record, "subtype").startswith("error"):
            errors = join_texts(record.get("errors"))
            progress.error = progress.text or errors or get_text(record, "subtype") or "failed"
        else:
            progress.is_finished, progress.error = True, ""
        if not usage:
            return
        counts = (_count_input(usage), get_count(usage, "output_tokens") or 0)
        cost = get_cost(record, "total_cost_usd")
        priced = self._pricing.spend(self._settings.model or "", *counts)
        progress.spent = priced if cost is None else Spent(*counts, cost)

    def _count_message(self, message: Mapping[str, Any], progress: Progress) -> None:
        """Each line of a message repeats its usage, so only the first of them counts."""
        message_id, usage = get_text(message, "id"), get_object(message, "usage")
        if not usage or message_id in progress.seen_ids:
            return
        progress.seen_ids.add(message_id)
        counts = _count_input(usage), get_count(usage, "output_tokens") or 0
        spent = self._pricing.spend(self._settings.model or "", *counts, is_estimated=True)
        progress.partly_spent = (progress.partly_spent or Spent()) + spent


def convert_to_stream_event(record: Mapping[str, Any]) -> list[Draft]:
    """The events of one line: none, or one for each block of its message."""
    if record.get("type") not in ("assistant", "user"):
        return []
    content = get_object(record, "message").get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    blocks = [get_object(block) for block in content] if isinstance(content, list) else []
    is_user = record["type"] == "user"
    drafts = (_convert_result(it) if is_user else _convert_block(it) for it in blocks)
    return [draft for draft in drafts if draft]


def _convert_block(block: Mapping[str, Any]) -> Draft | None:
    match block.get("type"):
        case "thinking" if text := get_text(block, "thinking"):
            return Draft("CLAUDE_THINKING", text)
        case "text" if text := get_text(block, "text"):
            return Draft("AGENT_OUTPUT", text)
        case "tool_use" | "server_tool_use":
            name, given = get_text(block, "name") or "unknown", get_object(block, "input")
            return Draft("CLAUDE_TOOL_CALL", f"{name} {json.dumps(given)[:200]}", name, given)
        case _:
            return None


def _convert_result(block: Mapping[str, Any]) -> Draft | None:
    if block.get("type") != "tool_result":
        return None
    text = join_texts(block.get("content"))
    return Draft("CLAUDE_TOOL_RESULT", f"Error: {text}" if block.get("is_error") is True else text)


def _count_input(usage: Mapping[str, Any]) -> int:
    return sum(get_count(usage, name) or 0 for name in INPUT_COUNTS)


def _is_too_long(system_prompt: str) -> bool:
    return len(system_prompt.encode("utf-8", "replace")) > LONGEST_ARGUMENT
