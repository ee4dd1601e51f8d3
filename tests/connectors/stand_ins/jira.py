"""A site of Jira over HTTP, Cloud or Data Center: search in both styles, issues, comments.

Time passes only when told, so that many changes share a millisecond. The server writes times in a
zone of its own. ``index_late`` holds the newest changes back from the search for a while.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from aiohttp import web

from tests.connectors.stand_ins.server import Asked, Server, reply

Row = dict[str, Any]
TOKEN = "Bearer jira-stand-in"
BASIC = "Basic YWRhQGFjbWUuaW52YWxpZDpzZWNyZXQ="
CLIENT = {"client_id": "app", "client_secret": "secret"}
START = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
ZONE = timezone(timedelta(hours=-7))
SINCE = re.compile(r"updated >= (\d+)")
IN_SEARCH = 2  # comments an issue of a search holds; more are asked for
COMMENTS_PAGE = 3


def stamp(at: datetime) -> str:
    return at.astimezone(ZONE).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}-0700"


def user(name: str) -> Row:
    return {"accountId": f"id-{name}", "displayName": name, "accountType": "atlassian"}


@dataclass
class JiraServer(Server):
    """One project. ``flavour``: which style of search is answered; the other is not found."""

    flavour: str = "cloud"
    project: str = "SHOP"
    now: datetime = START
    next_id: int = 1
    issues: dict[str, Row] = field(default_factory=dict)
    changed: dict[str, datetime] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    index_late: timedelta = timedelta()
    may_browse: bool = True
    fields: dict[str, str] | None = field(default_factory=dict)  # its own; None tells nobody
    tokens: int = 0

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def open_issue(self, summary: str, description: str, who: str = "ada") -> str:
        key = f"{self.project}-{self._id()}"
        self.issues[key] = {
            "id": key.partition("-")[2],
            "key": key,
            "self": f"https://jira.invalid/rest/api/2/issue/{key}",
            "fields": {
                "summary": summary,
                "description": description,
                "reporter": user(who),
                "created": stamp(self.now),
                "updated": stamp(self.now),
                "status": {"name": "To Do"},
                "labels": [],
                "comment": {"comments": []},
                "attachment": [],
            },
        }
        self._touch(key)
        return key

    def edit(self, key: str, **fields: Any) -> None:
        self.issues[key]["fields"].update(fields)
        self._touch(key)

    def comment(self, key: str, body: str, who: str = "ben") -> str:
        number = str(self._id())
        made = {"created": stamp(self.now), "updated": stamp(self.now)}
        self._comments(key).append({"id": number, "author": user(who), "body": body, **made})
        self._touch(key)
        return number

    def edit_comment(self, key: str, number: str, body: str) -> None:
        for row in self._comments(key):
            if row["id"] == number:
                row.update(body=body, updated=stamp(self.now))
        self._touch(key)

    def delete_comment(self, key: str, number: str) -> None:
        rows = self._comments(key)
        rows[:] = [row for row in rows if row["id"] != number]
        self._touch(key)

    def attach(self, key: str, name: str, content: bytes) -> str:
        number = str(self._id())
        self.files[number] = content
        self.issues[key]["fields"]["attachment"].append(
            {
                "id": number,
                "filename": name,
                "size": len(content),
                "author": user("ada"),
                "created": stamp(self.now),
                "content": f"{self.url}secure/attachment/{number}/{name}",
            }
        )
        self._touch(key)
        return number

    def delete_issue(self, key: str) -> None:
        del self.issues[key]
        del self.changed[key]

    def _comments(self, key: str) -> list[Row]:
        rows: list[Row] = self.issues[key]["fields"]["comment"]["comments"]
        return rows

    def _touch(self, key: str) -> None:
        self.issues[key]["fields"]["updated"] = stamp(self.now)
        self.changed[key] = self.now

    def _id(self) -> int:
        self.next_id += 1
        return self.next_id - 1

    async def route(self, asked: Asked, body: Row) -> web.Response:
        if asked.path == "/oauth/token":
            self.tokens += 1
            known = body == {"grant_type": "client_credentials", **CLIENT}
            told = {"access_token": TOKEN.removeprefix("Bearer "), "expires_in": 3600}
            return reply(told) if known else reply({}, 401)
        if asked.authorization not in (TOKEN, BASIC) or self.revoked:
            return reply({"errorMessages": ["not logged in"]}, 401)
        match asked.path.strip("/").split("/")[3:]:
            case ["mypermissions"]:
                granted = {"BROWSE_PROJECTS": {"havePermission": self.may_browse}}
                return reply({"permissions": granted})
            case ["field"] if self.fields is not None:
                text = {"custom": True, "schema": {"type": "string"}}
                own = [{"id": each, "name": name, **text} for each, name in self.fields.items()]
                return reply([{"id": "summary", "custom": False}, *own])
            case ["issue", *_] if not self.may_browse:
                return reply({"errorMessages": ["not found or not permitted"]}, 404)
            case ["search", "jql"] if self.flavour == "cloud":
                return self._search(body, int(body.get("nextPageToken", "0")))
            case ["search"] if self.flavour != "cloud":
                return self._search(body, body["startAt"])
            case ["issue", key] if key in self.issues:
                return reply(self._to_row(self.issues[key]))
            case ["issue", key, "comment"] if key in self.issues:
                start, rows = int(asked.query["startAt"]), self._comments(key)
                part = rows[start : start + COMMENTS_PAGE]
                return reply({"startAt": start, "total": len(rows), "comments": part})
            case ["issue", key, "comment", number] if key in self.issues:
                found = [row for row in self._comments(key) if row["id"] == number]
                return reply(found[0]) if found else reply({}, 404)
            case ["attachment", "content", number] if number in self.files:
                return web.Response(body=self.files[number])
            case _:
                if asked.path.startswith("/secure/attachment/"):
                    return web.Response(body=self.files[asked.path.split("/")[3]])
                return reply({"errorMessages": ["not found"]}, 404)

    def _search(self, body: Row, start: int) -> web.Response:
        if not self.may_browse:
            said = f"The value '{self.project}' does not exist for the field 'project'."
            return reply({"errorMessages": [said]}, 400)
        since = SINCE.search(body["jql"])
        shown = [key for key, at in self.changed.items() if at <= self.now - self.index_late]
        if since:
            floor = datetime.fromtimestamp(int(since[1]) / 1000, UTC)
            shown = [key for key in shown if self.changed[key] >= floor]
        if "ORDER BY updated" in body["jql"]:
            shown.sort(key=lambda key: (self.changed[key], key))
        size = min(int(body["maxResults"]), 50)
        rows = [self._to_row(self.issues[key]) for key in shown[start : start + size]]
        if self.flavour != "cloud":
            return reply({"startAt": start, "total": len(shown), "issues": rows})
        last = start + size >= len(shown)
        more: Row = {} if last else {"nextPageToken": str(start + size)}
        return reply({"issues": rows, "isLast": last, **more})

    def _to_row(self, issue: Row) -> Row:
        """As a search shows it: of many comments only some."""
        comments = issue["fields"]["comment"]["comments"]
        held = {"comments": comments[:IN_SEARCH], "total": len(comments)}
        return {**issue, "fields": {**issue["fields"], "comment": held}}
