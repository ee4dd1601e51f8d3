"""A program that speaks like the Claude command line, as well or as badly as it is told."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = """#!{python}
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "calls.jsonl"), "a") as file:
    call = {{"argv": sys.argv[1:], "given": sys.stdin.read(), "environ": dict(os.environ),
             "folder": os.getcwd(), "files": os.listdir()}}
    file.write(json.dumps(call) + "\\n")
number = sum(1 for _ in open(os.path.join(here, "calls.jsonl")))
steps = json.load(open(os.path.join(here, "steps.json")))
step = steps[min(number, len(steps)) - 1]
if step.get("forks"):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open(os.path.join(here, "pid"), "w").write(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    pid = os.path.join(here, "pid")
    while not os.path.exists(pid) or not open(pid).read():
        time.sleep(0.01)
for _ in range(step.get("tokens", 0)):
    print(".", end="", file=sys.stderr, flush=True)
    time.sleep(step["every_s"])
for name in step.get("writes", ()):
    open(name, "w").write("left behind")
sys.stdout.write(step.get("prints", ""))
sys.stdout.flush()
sys.stderr.write(step.get("errors", ""))
sys.stderr.flush()
if step.get("hangs"):
    time.sleep(600)
sys.exit(step.get("code", 0))
"""
USAGE = {
    "input_tokens": 3,
    "cache_creation_input_tokens": 40,
    "cache_read_input_tokens": 60,
    "output_tokens": 9,
}


def result(text: Any = "Blue.", **more: Any) -> str:
    """What the program prints in the end."""
    plain = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": 2_310,
        "duration_api_ms": 2_280,
        "num_turns": 1,
        "result": text,
        "stop_reason": "end_turn",
        "session_id": "6ed3dc5f-6f8a-4c8c-b1cf-2b8a0d8ff0a5",
        "total_cost_usd": 0.0421,
        "usage": USAGE,
        "modelUsage": {
            "claude-haiku-4-5-20251001": {"inputTokens": 90, "outputTokens": 4, "costUSD": 0.0001},
            "claude-opus-4-6": {"inputTokens": 3, "outputTokens": 9, "costUSD": 0.042},
        },
        "permission_denials": [],
        "uuid": "0c4b2f6a-5a76-4a86-8f29-3a3c06ad1c0e",
    }
    return json.dumps(plain | more) + "\n"


def error(text: str, **more: Any) -> dict[str, Any]:
    """A step that ends as the program does where the service refuses it."""
    printed = result(text, is_error=True, usage={}, modelUsage={}, total_cost_usd=0, **more)
    return {"prints": printed, "code": 1}


@dataclass(frozen=True)
class Claude:
    """``steps``: what each call does, the last one again and again."""

    folder: Path

    @property
    def program(self) -> str:
        return str(self.folder / "claude")

    @property
    def calls(self) -> list[dict[str, Any]]:
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def child(self) -> int:
        """The process that left its group and session."""
        return int((self.folder / "pid").read_text())


def write_claude(folder: Path, *steps: dict[str, Any]) -> Claude:
    folder.mkdir(exist_ok=True)
    (folder / "steps.json").write_text(json.dumps(steps))
    claude = Claude(folder)
    Path(claude.program).write_text(PROGRAM.format(python=sys.executable))
    Path(claude.program).chmod(0o755)
    return claude
