"""The Codex CLI as a driver.

Its lines are those of ``codex exec --json`` (``codex-rs/exec/src/exec_events.rs`` of openai/codex).
It has no option for a system prompt, so that goes in front of the prompt. Its own sandbox confines
commands to the workspace; a prompt without tools may only read.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from agents.development.drivers.events import Draft
from agents.development.drivers.program import ProgramDriver, Progress
from agents.development.ports import DriverName
from agents.models.records import (
    get_count,
    get_list,
    get_object,
    get_text,
    join_texts,
)

COUNTS = ("input_tokens", "output_tokens", "cached_input_tokens")


class CodexDriver(ProgramDriver):
    """``codex exec``."""

    _name: ClassVar[DriverName] = "codex"

    def _list_arguments(
        self, system_prompt: str | None, session_id: str | None, *, agentic: bool
    ) -> tuple[str, ...]:
        sandbox = "workspace-write" if agentic else "read-only"
        arguments = ["exec", "--json", "--color=never", "--skip-git-repo-check"]
        arguments += [f"--sandbox={sandbox}", f"--cd={self._settings.directory}"]
        if self._settings.model:
            arguments.append(f"--model={self._settings.model}")
        return (*arguments, *(("resume", session_id) if session_id else ()), "-")

    def _word_input(self, prompt: str, system_prompt: str | None) -> str:
        if not system_prompt:
            return prompt
        return f"<instructions>\n{system_prompt}\n</instructions>\n\n{prompt}"

    def _read(self, record: Mapping[str, Any], progress: Progress) -> list[Draft]:
        match record.get("type"):
            case "thread.started":
                progress.session_id = get_text(record, "thread_id") or progress.session_id
            case "item.completed":
                item = get_object(record, "item")
                if item.get("type") == "agent_message":
                    progress.text = get_text(item, "text")
            case "turn.completed":
                progress.is_finished, progress.error = True, ""
                self._count(get_object(record, "usage"), progress)
            case "turn.failed":
                progress.error = get_text(get_object(record, "error"), "message") or "turn.failed"
            case "error":  # it may reconnect after one, so only the end of the turn decides
                progress.error = get_text(record, "message") or "error"
        drafts = convert_to_stream_event(record, progress.seen_ids)
        if record.get("type") == "item.started":
            progress.seen_ids.add(get_text(get_object(record, "item"), "id"))
        return drafts

    def _count(self, usage: Mapping[str, Any], progress: Progress) -> None:
        """The counts of a line are those of the session from its beginning."""
        if not usage:
            return
        total = tuple(get_count(usage, name) or 0 for name in COUNTS)
        session = progress.session_id or ""
        before = self._session_totals.get(session, (0,) * len(COUNTS))
        is_partly_old = progress.is_resumed and session not in self._session_totals
        self._session_totals[session] = total
        new = tuple(
            now - then if now >= then else now for now, then in zip(total, before, strict=True)
        )
        progress.spent = self._pricing.spend(
            self._settings.model or "", *new, is_estimated=is_partly_old
        )


def convert_to_stream_event(
    record: Mapping[str, Any], started: Collection[str] = ()
) -> list[Draft]:
    """The events of one line: none, one, or a call with its result.

    ``started``: ids of items that have been shown as calls; others are shown when they are done.
    """
    item, kind = get_object(record, "item"), record.get("type")
    if kind not in ("item.started", "item.completed"):
        return []
    if call := _convert_call(item):
        if kind == "item.started":
            return [call]
        result = Draft("CLAUDE_TOOL_RESULT", _word_result(item), call.tool_name)
        return [result] if get_text(item, "id") in started else [call, result]
    text = get_text(item, "text") or get_text(item, "message")
    if kind == "item.started" or not text:
        return []
    match item.get("type"):
        case "reasoning" | "plan" | "error":
            return [Draft("CLAUDE_THINKING", text)]
        case "agent_message":
            return [Draft("AGENT_OUTPUT", text)]
        case _:
            return []


def _convert_call(item: Mapping[str, Any]) -> Draft | None:
    name: str
    given: dict[str, Any]
    match item.get("type"):
        case "command_execution":
            name, given = "command", {"command": get_text(item, "command")}
        case "file_change":
            changes = [get_object(change) for change in get_list(item, "changes")]
            paths = [f"{get_text(it, 'kind')} {get_text(it, 'path')}".strip() for it in changes]
            name, given = "file_change", {"changes": paths}
        case "mcp_tool_call":
            name = f"{get_text(item, 'server')}.{get_text(item, 'tool')}"
            given = dict(get_object(item, "arguments"))
        case "collab_tool_call":
            name, given = get_text(item, "tool") or "agent", {"prompt": get_text(item, "prompt")}
        case "web_search":
            name, given = "web_search", {"query": get_text(item, "query")}
        case _:
            return None
    return Draft("CLAUDE_TOOL_CALL", f"{name} {json.dumps(given)[:200]}", name, given)


def _word_result(item: Mapping[str, Any]) -> str:
    status, code = get_text(item, "status"), item.get("exit_code")
    error = get_text(get_object(item, "error"), "message")
    text = get_text(item, "aggregated_output") or join_texts(
        get_list(get_object(item, "result"), "content") or None
    )
    if error or status in ("failed", "declined") or (code not in (None, 0)):
        code_text = f" (exit code {code})" if isinstance(code, int) else ""
        return f"Error{code_text}: {error or text or status}"
    return text or status
