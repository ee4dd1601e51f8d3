"""A stand-in for the Codex CLI: its options, its lines, its sessions, and no model."""

import sys
import time

from tests.development.stand_ins.behaviour import (
    History,
    begin,
    misbehave,
    say,
    say_garbage,
)
from tests.development.stand_ins.words import HUGE, word_reply

KNOWN = {
    *("--json", "--color", "--skip-git-repo-check", "--sandbox", "--cd", "--model", "--config"),
    *("--output-last-message", "--output-schema", "--ephemeral"),
}
USAGE = {"input_tokens": 100, "cached_input_tokens": 70, "output_tokens": 25}


def main():
    options = sys.argv[1:]
    behaviour, given = begin(options, KNOWN)
    if options[:2] != ["exec", "--json"] or options[-1] != "-":
        sys.exit("error: the stand-in is run as codex exec --json … -")
    misbehave(behaviour)
    session = options[options.index("resume") + 1] if "resume" in options else None
    history = History(".codex/sessions", session)
    if not history.is_there:
        sys.exit(f"Error: No conversation found with id {session}")
    earlier = history.add(given)
    run(behaviour, earlier, history.session, may_write="--sandbox=workspace-write" in options)


def run(behaviour, earlier, session, *, may_write):
    def item(kind, number, **fields):
        say({"type": f"item.{kind}", "item": {"id": f"item_{number}", **fields}})

    if behaviour == "garbage":
        say_garbage()
    say({"type": "thread.started", "thread_id": session})
    say({"type": "turn.started"})
    if behaviour == "drip":
        for number in range(5):
            item("updated", 9, type="todo_list", items=[{"text": str(number), "completed": False}])
            time.sleep(0.3)
    item("completed", 0, type="reasoning", text="I look at the files.")
    if may_write:
        command = {"type": "command_execution", "command": "ls", "aggregated_output": ""}
        item("completed", 1, type="agent_message", text="First the files.")
        item("started", 2, **command, exit_code=None, status="in_progress")
        if behaviour == "cut_at_work":
            sys.exit("stream disconnected before completion: 503 Service Unavailable")
        done = command | {"aggregated_output": "README.md", "exit_code": 0, "status": "completed"}
        item("completed", 2, **done)
    if behaviour == "cut":
        return
    text = "x" * HUGE if behaviour == "huge" else word_reply(earlier)
    item("completed", 3, type="agent_message", text=text)
    if behaviour == "error_result":
        say({"type": "turn.failed", "error": {"message": "the tool crashed"}})
        sys.exit(1)
    turns = len(earlier) + 1  # the counts are those of the session from its beginning
    say({"type": "turn.completed", "usage": {name: it * turns for name, it in USAGE.items()}})
    if behaviour == "code_1":
        sys.exit(1)


if __name__ == "__main__":
    main()
