"""GitHub over HTTP: lists with paging, order and ``since``; ETags, limits, faults, an App."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from aiohttp import web

from tests.connectors.stand_ins.github_world import START, Repository, Row, number_of, stamp
from tests.connectors.stand_ins.server import Asked, Server

TOKEN = "stand-in-token"
APP_TOKEN = "stand-in-installation"
LIMIT = 5_000


@dataclass
class GitHubServer(Server):
    """One server for many repositories."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    denied: dict[str, int] = field(default_factory=dict)  # a part of the path -> status
    discussions_enabled: bool = True
    issues_enabled: bool = True
    pulls_enabled: bool = True
    branch_hidden: bool = False  # a default branch without a commit is not found, not a conflict
    spoil: Callable[[Row], Any] = lambda answer: answer  # what GraphQL answers in truth
    remaining: int = LIMIT
    most_rows: int = 100  # of a page, however many are asked for
    skew: timedelta = timedelta()
    tokens: int = 0
    _orders: dict[tuple[Any, ...], tuple[int, list[str], list[Row]]] = field(default_factory=dict)

    def add(self, name: str) -> Repository:
        self.repositories[name] = Repository(name)
        return self.repositories[name]

    @property
    def date(self) -> datetime:
        clocks = [each.now for each in self.repositories.values()]
        return max(clocks, default=START) + self.skew

    async def route(self, asked: Asked, body: Row) -> web.Response:
        if asked.path.startswith("/app/") or asked.path.endswith("/installation"):
            return self._app(asked)
        if asked.token not in (TOKEN, APP_TOKEN):
            return self._reply({"message": "Bad credentials"}, status=401)
        for part, status in self.denied.items():
            if part in asked.path:
                return self._reply({"message": "Resource not accessible"}, status=status)
        if asked.path == "/graphql":
            return self._reply(self.spoil(self._graphql(body)), counts=True)
        _, _, owner, name, *rest = asked.path.split("/")
        repository = self.repositories.get(f"{owner}/{name}")
        if repository is None:
            return self._reply({"message": "Not Found"}, status=404)
        if rest == ["commits", "main"] and not repository.head and self.branch_hidden:
            return self._reply({"message": "Not Found"}, status=404)
        if rest[:1] == ["commits"] and not repository.head:
            return self._reply({"message": "Git Repository is empty."}, status=409)
        if not self.issues_enabled and self._needs_issues(repository, rest):
            told = {"message": "Issues has been disabled in this repository."}
            return self._reply(told, status=410)
        if not self.pulls_enabled and rest[:1] == ["pulls"]:
            return self._reply({"message": "Not Found"}, status=404)
        found = self._find(repository, rest, asked.query)
        if found is None:
            return self._reply({"message": "Not Found"}, status=404)
        if isinstance(found, list):
            return self._page(asked, found, "workflow_runs" if rest[0] == "actions" else "")
        return self._reply(found, asked)

    def _needs_issues(self, at: Repository, rest: list[str]) -> bool:
        """Whether it is refused with issues switched off: their lists, and issues themselves."""
        match rest:
            case ["issues"] | ["issues", "comments", *_]:
                return True
            case ["issues", _]:
                return True
            case ["issues", number, *_]:
                return not at.issues.get(int(number), {}).get("pull_request")
        return False

    def _find(
        self, at: Repository, rest: list[str], query: dict[str, str]
    ) -> list[Row] | Row | None:
        match rest:
            case []:
                off = {} if self.pulls_enabled else {"has_pull_requests": False}
                return {"full_name": at.name, "private": True, "default_branch": "main"} | off
            case ["issues"]:
                return self._sort(at, "issues", at.issues.values(), query)
            case ["issues", "comments"]:
                return self._sort(at, "comments", at.comments.values(), query)
            case ["pulls", "comments"]:
                return self._sort(at, "review", at.review_comments.values(), query)
            case ["issues", "comments", each]:
                return at.comments.get(int(each))
            case ["pulls", "comments", each]:
                return at.review_comments.get(int(each))
            case ["issues", number]:
                return at.issues.get(int(number))
            case ["issues", number, "comments"]:
                return [row for row in at.comments.values() if number_of(row) == int(number)]
            case ["pulls"]:
                pulls = [row for row in at.issues.values() if row.get("pull_request")]
                pulls = [{**row, **row["pull_request"], "pull_request": None} for row in pulls]
                if query.get("sort") == "updated":
                    pulls.sort(key=lambda row: row["updated_at"], reverse=True)
                return pulls
            case ["pulls", number]:
                return at.issues.get(int(number))
            case ["pulls", number, "reviews"]:
                return [row for row in at.reviews.values() if row["number"] == int(number)]
            case ["pulls", number, "comments"]:
                return [row for row in at.review_comments.values() if number_of(row) == int(number)]
            case ["commits"]:
                return [{"sha": at.head}]
            case ["commits", "main"] if at.head:
                return {"sha": at.head}
            case ["releases"]:
                return sorted(at.releases.values(), key=lambda row: -row["id"])
            case ["releases", each]:
                return at.releases.get(int(each))
            case ["actions", "runs"]:
                return sorted(at.runs.values(), key=lambda row: -row["id"])
            case ["actions", "runs", each]:
                return at.runs.get(int(each))
            case _:
                return None

    def _sort(
        self, at: Repository, kind: str, rows: Iterable[Row], query: dict[str, str]
    ) -> list[Row]:
        field_name = f"{query.get('sort', 'created')}_at"
        key = (at.name, kind, field_name)
        known = self._orders.get(key)
        if known is None or known[0] != at.changes:
            ordered = sorted(rows, key=lambda row: (row.get(field_name, ""), row["id"]))
            known = (at.changes, [row.get(field_name, "") for row in ordered], ordered)
            self._orders[key] = known
        _, times, ordered = known
        if "since" not in query:
            return ordered
        if field_name == "updated_at":
            return ordered[bisect_left(times, query["since"]) :]
        return [row for row in ordered if row["updated_at"] >= query["since"]]

    def _page(self, asked: Asked, rows: list[Row], wrapped: str) -> web.Response:
        size = min(int(asked.query.get("per_page", "30")), self.most_rows)
        page = int(asked.query.get("page", "1"))
        part = rows[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(rows):
            further = asked.url.update_query({"page": str(page + 1)})
            headers["Link"] = f'<{further}>; rel="next"'
        told: Any = {"total_count": len(rows), wrapped: part} if wrapped else part
        return self._reply(told, asked, headers)

    def _reply(
        self,
        told: Any,
        asked: Asked | None = None,
        more: dict[str, str] | None = None,
        *,
        status: int = 200,
        counts: bool = False,
    ) -> web.Response:
        body = json.dumps(told).encode()
        digest = hashlib.sha256(body + str(more).encode()).hexdigest()[:32]
        etag = f'W/"{digest}"'
        unchanged = asked is not None and asked.etag == etag
        if status == 200 and not unchanged:
            self.remaining -= 1
        headers = {
            "Date": format_datetime(self.date, usegmt=True),
            "ETag": etag,
            "X-RateLimit-Limit": str(LIMIT),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(int((self.date + timedelta(hours=1)).timestamp())),
            "X-RateLimit-Resource": "graphql" if counts else "core",
            **(more or {}),
        }
        if unchanged:
            return web.Response(status=304, headers=headers)
        return web.Response(
            status=status, body=body, headers=headers, content_type="application/json"
        )

    def _app(self, asked: Asked) -> web.Response:
        if asked.token.count(".") != 2:
            return self._reply({"message": "A JSON web token could not be decoded"}, status=401)
        if asked.path.endswith("/installation"):
            return self._reply({"id": 77})
        self.tokens += 1
        until = datetime.now(UTC) + timedelta(hours=1)
        return self._reply({"token": APP_TOKEN, "expires_at": stamp(until)}, status=201)

    def _graphql(self, asked: Row) -> Row:
        variables = asked["variables"]
        at = self.repositories[f"{variables['owner']}/{variables['name']}"]
        enabled = {"hasDiscussionsEnabled": self.discussions_enabled}
        if "number" in variables:
            found = at.discussions.get(variables["number"])
            if found and self.discussions_enabled:
                return {"data": {"repository": {**enabled, "discussion": _node(found)}}}
            missing = {"type": "NOT_FOUND", "path": ["repository", "discussion"]}
            return {
                "data": {"repository": {**enabled, "discussion": None}},
                "errors": [missing | {"message": "Could not resolve to a Discussion."}],
            }
        rows = sorted(at.discussions.values(), key=lambda row: row["updated_at"], reverse=True)
        start, size = int(variables.get("after") or 0), variables.get("size", 1)
        info = {"hasNextPage": start + size < len(rows), "endCursor": str(start + size)}
        nodes = [_node(row) for row in rows[start : start + size]]
        listed = {"pageInfo": info, "nodes": nodes if self.discussions_enabled else []}
        return {"data": {"repository": {**enabled, "discussions": listed}}}


def _node(row: Row) -> Row:
    comments = [_node(each) for each in row.get("comments", [])]
    return {
        "databaseId": row["id"],
        "number": row.get("number"),
        "title": row.get("title"),
        "body": row["body"],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
        "url": row["html_url"],
        "closed": row.get("state") == "closed",
        "authorAssociation": row["author_association"],
        "author": {"login": row["user"]["login"], "__typename": row["user"]["type"]},
        "category": {"name": "Ideas"},
        "answer": None,
        "labels": {"nodes": []},
        "comments": {"pageInfo": {"hasNextPage": False, "endCursor": ""}, "nodes": comments},
        "replies": {"nodes": []},
    }
