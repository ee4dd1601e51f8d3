"""A stand-in for a chat endpoint on loopback, in the protocol of OpenAI and OpenRouter.

It works off a script, a behaviour for each prompt: to look at the files by a tool, then to answer.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.development.stand_ins.words import HUGE, word_reply

USAGE = {"prompt_tokens": 100, "completion_tokens": 25, "cost": 0.0125}
# Prints all of this machine that a program of its user can find a key in.
SPY = """
import glob, os
for name in [*glob.glob("/proc/[0-9]*/environ"), *glob.glob("/proc/[0-9]*/cmdline"),
             *glob.glob("/proc/[0-9]*/fd/*"), *glob.glob("/root/.*"), *glob.glob("/tmp/*")]:
    try:
        file = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
        print(name, os.read(file, 2000).decode(errors="replace").replace(chr(0), " "))
    except OSError as error:
        print(name, error.strerror)
print("the spy is done")
"""
PROBLEMS: dict[str, tuple[int, dict[str, str]]] = {
    "overloaded": (529, {}),
    "rate_limited": (429, {"Retry-After": "7"}),
    "long_wait": (429, {"Retry-After": "3600"}),
    "broken": (500, {}),
    "signed_out": (401, {}),
}


class ChatServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: list[str]) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.released = threading.Event()
        self._taken = 0
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def take(self, request: dict[str, Any]) -> str:
        """The behaviour for a request: one that brings results goes on with that of its prompt."""
        with self._lock:
            self.requests.append(request)
            goes_on = request["body"]["messages"][-1]["role"] == "tool"
            if not goes_on or self._taken == 0:
                self._taken += 1
            return self.script[min(self._taken, len(self.script)) - 1]


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): it for name, it in self.headers.items()}
        behaviour = self.server.take({"path": self.path, "headers": headers, "body": body})
        if behaviour == "silent":
            self.server.released.wait(600)
        elif behaviour in PROBLEMS:
            status, headers = PROBLEMS[behaviour]
            self._send(status, json.dumps({"error": {"message": behaviour}}), headers)
        elif behaviour == "garbage_body":
            self._send(200, "<html>Bad gateway</html>", {})
        elif behaviour == "error_inside":
            self._send(200, json.dumps({"error": {"code": 502, "message": "upstream"}}), {})
        else:
            answer = json.dumps(answer_to(behaviour, body))
            self._send(200, answer, {}, is_cut=behaviour == "cut")

    def _send(self, status: int, body: str, headers: dict[str, str], is_cut: bool = False) -> None:
        content = body.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if is_cut else content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def answer_to(behaviour: str, body: dict[str, Any]) -> dict[str, Any]:
    messages = body["messages"]
    has_results = messages[-1]["role"] == "tool"
    message: dict[str, Any] = {"role": "assistant", "reasoning": "I look at the files."}
    finish = "stop"
    if behaviour == "refusal":
        message |= {"content": None, "refusal": "I will not do that."}
    elif behaviour == "empty":
        message["content"] = ""
    elif body.get("tools") and (behaviour in ("endless", "stubborn") or not has_results):
        message |= {"content": "First the files.", "tool_calls": calls_of(behaviour, len(messages))}
        finish = "tool_calls"
    else:
        asked = [it["content"] for it in messages if it["role"] == "user"]
        message["content"] = "x" * HUGE if behaviour == "huge" else word_reply(asked[:-1])
        if has_results:
            del message["reasoning"]
    if behaviour == "too_long":
        finish = "length"
    usage = (
        {"prompt_tokens": -5, "completion_tokens": "many"} if behaviour == "miscounts" else USAGE
    )
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "gen-1", "model": body["model"], "choices": [choice], "usage": usage}


def calls_of(behaviour: str, number: int) -> list[dict[str, Any]]:
    def call(call_id: str | None, name: str, arguments: Any) -> dict[str, Any]:
        function = {"name": name, "arguments": arguments}
        return {"id": call_id, "type": "function", "function": function}

    listing = json.dumps({"path": "."})
    match behaviour:
        case "parallel":
            return [call("a", "list_files", listing), call("b", "list_files", '{"path": "src"}')]
        case "same_ids":
            return [call("a", "list_files", listing), call("a", "list_files", '{"path": "src"}')]
        case "no_ids":
            return [call(None, "list_files", {"path": "."})]
        case "twice_encoded":
            return [call("a", "list_files", json.dumps(listing))]
        case "bad_arguments":
            return [call("a", "list_files", '{"path": "."')]
        case "unknown_tool" | "stubborn":
            return [call(f"c{number}", "launch_rocket", listing)]
        case "endless":
            return [call(f"c{number}", "list_files", json.dumps({"path": str(number)}))]
        case "spy":
            return [
                call("a", "write_file", json.dumps({"path": "spy.py", "content": SPY})),
                call("b", "bash", json.dumps({"command": "python3 spy.py"})),
            ]
        case "developer":
            written = json.dumps({"path": "a.txt", "content": "by a tool"})
            return [
                call("a", "write_file", written),
                call("b", "bash", json.dumps({"command": "ls"})),
                call("c", "bash", json.dumps({"command": "ls; cat /etc/shadow"})),
            ]
        case "write" | "look" | "die":
            return [call("a", "list_files", json.dumps({"path": behaviour}))]
        case _:
            return [call("a", "list_files", listing)]


@contextmanager
def chat_server(*script: str) -> Iterator[ChatServer]:
    server = ChatServer(list(script) or ["good"])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
