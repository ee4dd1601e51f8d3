"""A server that answers like Jira, and a program that answers like `gh`, with the same issues."""

from __future__ import annotations

import base64
import json
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

EMAIL, TOKEN = "ana@example.org", "jira-token-of-ana"
ADF = {
    "type": "doc",
    "version": 1,
    "content": [
        {"type": "heading", "attrs": {"level": 2}, "content": [{"type": "text", "text": "Why"}]},
        {
            "type": "paragraph",
            "content": [
                {"type": "text", "text": "Parcels are "},
                {"type": "text", "text": "late", "marks": [{"type": "strong"}]},
                {"type": "text", "text": "."},
            ],
        },
    ],
}


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: Any = None
    kind: str = "application/json"

    @property
    def bytes(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class JiraStandIn:
    """``answers`` by issue key; ``asked`` is what was asked for, with the fields."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    url: str = ""

    @property
    def environ(self) -> dict[str, str]:
        return {"JIRA_BASE_URL": self.url, "JIRA_EMAIL": EMAIL, "JIRA_API_TOKEN": TOKEN}

    def find(self, path: str, authorization: str) -> Answer:
        pair = base64.b64encode(f"{EMAIL}:{TOKEN}".encode()).decode()
        if authorization != f"Basic {pair}":
            return Answer(401, {"errorMessages": ["Client must be authenticated."]})
        if path == "/rest/api/2/myself":
            return Answer(body={"displayName": "Ana"})
        key = path.removeprefix("/rest/api/2/issue/")
        return self.answers.get(key, Answer(404, {"errorMessages": ["Issue does not exist"]}))


def jira_issue(key: str, **fields: Any) -> Answer:
    usual = {"summary": "Parcels are late", "labels": ["night"], "status": {"name": "To Do"}}
    return Answer(body={"key": key, "fields": usual | fields})


@contextmanager
def jira_stand_in() -> Iterator[JiraStandIn]:
    side = JiraStandIn()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            side.asked.append((place.path, parse_qs(place.query).get("fields", [""])[0]))
            answer = side.find(place.path, self.headers.get("Authorization", ""))
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(answer.bytes)))
            self.end_headers()
            self.wfile.write(answer.bytes)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    side.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield side
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# It knows the arguments of the real program that are used, and refuses all others.
GH = """\
#!{python}
import json, os, sys
from pathlib import Path

side = json.loads(Path({side!r}).read_text())
asked = sys.argv[1:]
Path({side!r}).with_name("asked.json").write_text(
    json.dumps({{"argv": asked, "cwd": os.getcwd(), "environ": dict(os.environ)}})
)
if not side["signed_in"]:
    print("To get started with GitHub CLI, please run:  gh auth login", file=sys.stderr)
    sys.exit(4)
if asked == ["auth", "status"]:
    sys.exit(0)
repository = next((a.partition("=")[2] for a in asked if a.startswith("--repo=")), "")
rest = [a for a in asked if not a.startswith("--repo=")]
if rest[:2] != ["issue", "view"] or rest[3:] != [
    "--json", "number,title,body,url,labels,state"
]:
    print(f"unknown command {{asked}}", file=sys.stderr)
    sys.exit(1)
if not repository and not Path(".git").exists():
    print("failed to run git: fatal: not a git repository", file=sys.stderr)
    sys.exit(1)
answer = side["answers"].get(f"{{repository}}#{{rest[2]}}")
if answer is None:
    print(
        "GraphQL: Could not resolve to an issue or pull request with the number of"
        f" {{rest[2]}}. (repository.issue)", file=sys.stderr
    )
    sys.exit(1)
sys.stdout.write(answer)
"""


@dataclass
class GhStandIn:
    """``answers`` is what is printed, by ``owner/name#7``, or ``#7`` for the checkout's own."""

    folder: Path

    def set(self, answers: dict[str, str], *, signed_in: bool = True) -> None:
        side = {"answers": answers, "signed_in": signed_in}
        self._side.write_text(json.dumps(side))

    @property
    def _side(self) -> Path:
        return self.folder / "side.json"

    @property
    def asked(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "asked.json").read_text()))

    @property
    def environ(self) -> dict[str, str]:
        return {"PATH": str(self.folder), "HOME": str(self.folder), "GH_TOKEN": "of ana"}

    def install(self) -> None:
        program = self.folder / "gh"
        program.write_text(GH.format(python=sys.executable, side=str(self._side)))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.set({})


def gh_issue(number: int = 7, **fields: Any) -> str:
    usual = {
        "number": number,
        "title": "Parcels are late",
        "body": "## Why\r\n\r\nParcels are **late**.",
        "url": f"https://github.com/acme/shop/issues/{number}",
        "labels": [{"id": "x", "name": "night", "color": "fff"}],
        "state": "OPEN",
    }
    return json.dumps(usual | fields)
