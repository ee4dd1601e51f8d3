"""A workspace of Slack over HTTP: one channel, its history newest first, threads, edits.

Errors come as 200 with ``ok: false``, as Slack's do. A thread's first message shows how many
replies there are and when the last came; it does not show that one was edited or is gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

from tests.connectors.stand_ins.server import Asked, Server, reply

Row = dict[str, Any]
TOKEN = "Bearer xoxb-stand-in"
START = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
MEMBERS: list[Row] = [
    {"id": "U1", "name": "ada", "profile": {"real_name": "Ada Byron", "display_name": "Ada"}},
    {"id": "U2", "name": "ben", "profile": {"real_name": "Ben Okri"}},
    {"id": "U9", "name": "deploys", "is_bot": True, "profile": {"real_name": "Deploys"}},
]


@dataclass
class SlackServer(Server):
    """One workspace with one channel; ``broken`` are errors by method."""

    team: str = "T1"
    channel: str = "C1"
    now: datetime = START
    ticks: int = 0
    messages: dict[str, Row] = field(default_factory=dict)
    broken: dict[str, Row] = field(default_factory=dict)
    hidden_before: str = ""  # what is older the plan of the workspace does not show

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def say(self, words: str, who: str = "U1", thread: str = "", **fields: Any) -> str:
        self.ticks += 1
        ts = f"{int(self.now.timestamp())}.{self.ticks:06d}"
        row = {"type": "message", "user": who, "text": words, "ts": ts, **fields}
        self.messages[ts] = row | ({"thread_ts": thread} if thread else {})
        return ts

    def edit(self, ts: str, words: str) -> None:
        self.ticks += 1
        stamp = f"{int(self.now.timestamp())}.{self.ticks:06d}"
        self.messages[ts].update(text=words, edited={"user": "U1", "ts": stamp})

    def delete(self, ts: str) -> None:
        """A first message with replies stays as a stone that says it is gone."""
        if self.replies(ts):
            self.messages[ts] = {
                "type": "message", "subtype": "tombstone", "user": "USLACKBOT",
                "text": "This message was deleted.", "ts": ts, "thread_ts": ts,
            }  # fmt: skip
            return
        row = self.messages.pop(ts)
        root = row.get("thread_ts", "")
        stone = self.messages.get(root, {}).get("subtype") == "tombstone"
        if stone and not self.replies(root):
            del self.messages[root]

    def replies(self, ts: str) -> list[Row]:
        rows = [row for row in self.messages.values() if row.get("thread_ts") == ts]
        return sorted((row for row in rows if row["ts"] != ts), key=lambda row: row["ts"])

    def roots(self) -> list[str]:
        return [ts for ts, row in self.messages.items() if row.get("thread_ts", ts) == ts]

    def thread(self, ts: str) -> list[Row]:
        return [self.messages[ts], *self.replies(ts)]

    async def route(self, asked: Asked, body: Row) -> web.Response:
        method, query = asked.path.strip("/"), asked.query
        if asked.authorization != TOKEN:
            return reply({"ok": False, "error": "invalid_auth"})
        if self.revoked:
            return reply({"ok": False, "error": "token_revoked"})
        if method in self.broken:
            return reply({"ok": False, **self.broken[method]})
        match method:
            case "auth.test":
                return reply({"ok": True, "team_id": self.team})
            case "conversations.info" if query["channel"] == self.channel:
                return reply({"ok": True, "channel": {"id": self.channel, "name": "shop"}})
            case "users.list":
                return self._page_of(MEMBERS, "members", query)
            case "conversations.history" if query["channel"] == self.channel:
                return self._history(query)
            case "conversations.replies" if query["channel"] == self.channel:
                if query["ts"] not in self.messages or query["ts"] < self.hidden_before:
                    return reply({"ok": False, "error": "thread_not_found"})
                return self._page_of(self.thread(query["ts"]), "messages", query)
            case _:
                return reply({"ok": False, "error": "channel_not_found"})

    def _history(self, query: dict[str, str]) -> web.Response:
        rows = [
            self._with_thread(row)
            for row in sorted(self.messages.values(), key=lambda row: row["ts"], reverse=True)
            if row.get("thread_ts", row["ts"]) == row["ts"]
            or row.get("subtype") == "thread_broadcast"
        ]
        rows = [row for row in rows if float(row["ts"]) > float(query.get("oldest", "0"))]
        all_there, rows = rows, [row for row in rows if row["ts"] >= self.hidden_before]
        limited = {"is_limited": True} if len(rows) < len(all_there) else {}
        if latest := query.get("latest"):
            rows = [row for row in rows if row["ts"] < latest]
        size = min(int(query["limit"]), 200)
        told = {"messages": rows[:size], "has_more": len(rows) > size}
        return reply({"ok": True, **told, **limited})

    def _with_thread(self, row: Row) -> Row:
        replies = self.replies(row["ts"])
        if not replies:
            return row
        told = {"reply_count": len(replies), "latest_reply": replies[-1]["ts"]}
        return {**row, "thread_ts": row["ts"], **told}

    def _page_of(self, rows: list[Row], name: str, query: dict[str, str]) -> web.Response:
        start, size = int(query.get("cursor", "0")), min(int(query["limit"]), 3)
        further = str(start + size) if start + size < len(rows) else ""
        part = rows[start : start + size]
        return reply({"ok": True, name: part, "response_metadata": {"next_cursor": further}})
