"""A coding model on loopback, by script: it calls the tools that it is told to, then it is done."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, dict[str, Any]]


@dataclass
class Coder:
    """``calls`` are those for a prompt, given its whole text; ``prompts`` are those that came."""

    calls: Callable[[str], list[Call]]
    prompts: list[str] = field(default_factory=list)
    base_url: str = ""


@contextmanager
def open_coder(calls: Callable[[str], list[Call]]) -> Iterator[Coder]:
    """The coding model, as long as the block lasts."""
    server = _Server(Coder(calls))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.coder
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, coder: Coder) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.coder = coder
        coder.base_url = f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages, coder = body["messages"], self.server.coder
        message: dict[str, Any] = {"role": "assistant", "content": "It is done."}
        finish = "stop"
        if messages[-1]["role"] != "tool" and body.get("tools"):
            prompt = "\n".join(str(each["content"]) for each in messages)
            coder.prompts.append(prompt)
            calls = [
                {
                    "id": f"call_{number}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments)},
                }
                for number, (name, arguments) in enumerate(coder.calls(prompt))
            ]
            message |= {"tool_calls": calls}
            finish = "tool_calls"
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
