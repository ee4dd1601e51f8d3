"""A stand-in for the Claude CLI: its options, its lines, its sessions, and no model."""

import re
import sys
import time
from pathlib import Path

from tests.development.stand_ins.behaviour import (
    History,
    begin,
    misbehave,
    say,
    say_garbage,
)
from tests.development.stand_ins.words import HUGE, word_reply

KNOWN = {
    *("-p", "--print", "--output-format", "--verbose", "--strict-mcp-config", "--mcp-config"),
    *("--setting-sources", "--model", "--resume", "--append-system-prompt", "--system-prompt"),
    *("--tools", "--permission-mode", "--allowedTools", "--disallowedTools", "--max-turns"),
}
USAGE = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 20,
    "cache_read_input_tokens": 70,
    "output_tokens": 25,
    "service_tier": "standard",
}


def value_of(options, name):
    for number, option in enumerate(options):
        if option == name:
            return options[number + 1]
        if option.startswith(f"{name}="):
            return option.partition("=")[2]
    return None


def main():
    options = sys.argv[1:]
    behaviour, given = begin([it for it in options if it], KNOWN)
    if "--verbose" not in options or value_of(options, "--output-format") != "stream-json":
        sys.exit("Error: When using --print, --output-format=stream-json requires --verbose")
    misbehave(behaviour)
    folder = re.sub(r"[^A-Za-z0-9]", "-", str(Path.cwd()))
    history = History(f".claude/projects/{folder}", value_of(options, "--resume"))
    if not history.is_there:
        sys.exit(f"No conversation found with session ID: {history.session}")
    earlier = history.add(given)
    run(behaviour, earlier, history.session, has_tools=value_of(options, "--tools") != "")


def run(behaviour, earlier, session, *, has_tools):
    def message(number, *blocks, kind="assistant"):
        body = {"role": kind, "content": list(blocks)}
        if kind == "assistant":
            body |= {"id": f"msg_{number}", "model": "claude-opus-4-7", "usage": USAGE}
        say({"type": kind, "message": body, "parent_tool_use_id": None, "session_id": session})

    if behaviour == "garbage":
        say_garbage()
    say({"type": "system", "subtype": "init", "session_id": session, "tools": ["Bash", "Edit"]})
    if behaviour == "drip":
        for _ in range(5):
            say({"type": "stream_event", "event": {"type": "ping"}, "session_id": session})
            time.sleep(0.3)
    message(1, {"type": "thinking", "thinking": "I look at the files.", "signature": "c2ln"})
    if has_tools:
        call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
        message(1, {"type": "text", "text": "First the files."})
        message(1, call)
        if behaviour == "cut_at_work":
            sys.exit("API Error: 503 Service Unavailable")
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "README.md"}
        message(2, result, kind="user")
    if behaviour == "cut":
        return
    text = "x" * HUGE if behaviour == "huge" else word_reply(earlier)
    message(3, {"type": "text", "text": text})
    failed = behaviour == "error_result"
    last: dict[str, object] = {
        "type": "result",
        "subtype": "error_during_execution" if failed else "success",
        "is_error": failed,
        "duration_ms": 900,
        "duration_api_ms": 800,
        "num_turns": 2,
        "session_id": session,
        "total_cost_usd": 0.0125,
        "usage": USAGE,
    }
    say(last | ({"errors": ["the tool crashed"]} if failed else {"result": text}))
    if behaviour == "code_1":
        sys.exit(1)


if __name__ == "__main__":
    main()
