"""Models of two families, by script, at work on the tool shed: one drafts, one reviews, and one
writes code, behind a chat endpoint or as a program on PATH.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.end_to_end import tool_shed
from tests.http.test_workflows import MARK, approve
from tests.models.provider import Request, Step, scripted_provider, write_models

DRAFTER, REVIEWER, CODER = "claude-scripted", "gemini-scripted", "claude-coder"
ROOT = Path(__file__).parents[2]
PROFILES = f"""\
[[profiles]]
name = "api"
driver = "api"
model = "third/{CODER}"
validator = "python -m pytest -q -p no:cacheprovider"

[[profiles]]
name = "claude"
driver = "claude"
validator = "python -m pytest -q -p no:cacheprovider"

[[profiles]]
name = "kin"
driver = "api"
model = "third/gemini-coder"
"""
PROGRAM = """#!{python}
import json, pathlib, sys
sys.path.insert(0, {root!r})
from tests.end_to_end import tool_shed
given = sys.stdin.read()
options = [it for it in sys.argv if "system-prompt=" in it]
system = options[0].partition("=")[2] if options else ""
with open({calls!r}, "a") as calls:
    calls.write(json.dumps(given) + "\\n")
has_tools = "--tools" not in sys.argv
files = tool_shed.write(system, given) if has_tools else {{}}
tool_shed.write_files(pathlib.Path.cwd(), files)
session = "0c4b2f6a-5a76-4a86-8f29-3a3c06ad1c0e"
def say(**record):
    print(json.dumps(record | {{"session_id": session}}), flush=True)
say(type="system", subtype="init", tools=["Edit"])
for number, path in enumerate(files):
    named = {{"id": f"toolu_{{number}}", "name": "Write", "input": {{"file_path": path}}}}
    content = [named | {{"type": "tool_use"}}]
    say(type="assistant", message={{"id": f"msg_{{number}}", "content": content}})
    result = {{"type": "tool_result", "tool_use_id": named["id"], "content": "written"}}
    say(type="user", message={{"role": "user", "content": [result]}})
text = "It is done." if has_tools else tool_shed.answer(system)
say(type="result", subtype="success", is_error=False, result=text, total_cost_usd=0.01,
    usage={{"input_tokens": 10, "output_tokens": 5}})
"""


@dataclass
class Models:
    """What was asked of each; ``review`` answers reviews of tasks, ``before`` is called before an
    answer with who is asked and what.
    """

    drafts: list[str] = field(default_factory=list)
    reviews: list[str] = field(default_factory=list)
    coded: list[str] = field(default_factory=list)
    review: Callable[[str], Step] = lambda prompt: approves_task()
    before: Callable[[str, str], None] = lambda who, prompt: None

    def answer(self, request: Request) -> Step:
        if DRAFTER in request.model:
            self.drafts.append(request.text)
            self.before("drafter", request.text)
            return tool_shed.draft(request.text)
        if REVIEWER not in request.model:
            return "Hello."
        self.reviews.append(request.text)
        self.before("reviewer", request.text)
        mark = MARK.search(request.text)
        return approve(mark[1]) if mark else self.review(request.text)

    def forget(self) -> None:
        self.drafts, self.reviews, self.coded = [], [], []
        self.review, self.before = lambda prompt: approves_task(), lambda who, prompt: None


def approves_task() -> Step:
    return {"approved": True, "issues": [], "summary": "It does what the task says."}


def refuses_task(text: str) -> Step:
    issue = {"severity": "major", "file": "shed/loans.py", "line": 1, "description": text}
    return {"approved": False, "issues": [issue], "summary": "Not yet."}


@contextmanager
def open_models(models_file: Path) -> Iterator[Models]:
    """The models of the service that has this file, as long as the block lasts."""
    models = Models()
    server = _Coder(models)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        with scripted_provider(models.answer) as one, scripted_provider(models.answer) as other:
            write_models(
                models_file,
                {"draft": [f"first/{DRAFTER}"], "review": [f"second/{REVIEWER}"]},
                first=one_of(one.base_url, DRAFTER),
                second=one_of(other.base_url, REVIEWER),
                third=one_of(server.base_url, CODER, "gemini-coder"),
            )
            yield models
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def one_of(base_url: str, *models: str) -> dict[str, Any]:
    return {"base_url": base_url, "needs_key": False, "models": list(models)}


def write_program(folder: Path) -> Path:
    """A program ``claude`` in the folder; what it was given is in the file that is returned."""
    calls, program = folder / "calls.jsonl", folder / "claude"
    program.write_text(PROGRAM.format(python=sys.executable, root=str(ROOT), calls=str(calls)))
    program.chmod(0o755)
    calls.touch()
    return calls


class _Coder(ThreadingHTTPServer):
    """A coding model: it writes the files of its task, runs the tests, and is done."""

    daemon_threads = True

    def __init__(self, models: Models) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.models = models
        self.base_url = f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: _Coder

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages, models = body["messages"], self.server.models
        system = "\n".join(str(it["content"]) for it in messages if it["role"] == "system")
        prompts = [str(it["content"]) for it in messages if it["role"] == "user"]
        is_first = messages[-1]["role"] == "user"
        message: dict[str, Any] = {"role": "assistant", "content": "It is done."}
        if is_first:
            models.coded.append(prompts[-1])
        models.before("coder" if is_first else "coder, called", prompts[-1])
        if not body.get("tools"):
            message["content"] = tool_shed.answer(system)
        elif is_first:
            files = tool_shed.write(system, prompts[-1])
            calls = [("write_file", {"path": it, "content": text}) for it, text in files.items()]
            calls.append(("bash", {"command": "python -m pytest -q"}))
            message["tool_calls"] = [
                {
                    "id": f"call_{number}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(given)},
                }
                for number, (name, given) in enumerate(calls)
            ]
        finish = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        answer = {"id": "gen-1", "model": body["model"], "choices": [choice], "usage": usage}
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
