"""A repository at GitHub as far as its lists show it, and the ways in which people change it.

Payloads have the documented fields, and no more than our connector may use. Time passes only when
told, so that many changes can share a second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Row = dict[str, Any]
START = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
WHO = ("ada", "ben", "cleo", "renovate[bot]")


def stamp(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def user(name: str) -> Row:
    return {"login": name, "type": "Bot" if name.endswith("[bot]") else "User"}


@dataclass
class Repository:
    """What stands in one repository now. ``changes`` counts every change: lists are cut by it."""

    name: str
    now: datetime = START
    changes: int = 0
    next_id: int = 1
    issues: dict[int, Row] = field(default_factory=dict)
    comments: dict[int, Row] = field(default_factory=dict)
    review_comments: dict[int, Row] = field(default_factory=dict)
    reviews: dict[int, Row] = field(default_factory=dict)
    releases: dict[int, Row] = field(default_factory=dict)
    runs: dict[int, Row] = field(default_factory=dict)
    discussions: dict[int, Row] = field(default_factory=dict)
    head: str = ""

    @property
    def address(self) -> str:
        return f"https://api.invalid/repos/{self.name}"

    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    def open_issue(self, title: str, body: str, who: str = "ada", *, pull: bool = False) -> int:
        number = self._id()
        row = self._said(number, body, who) | {
            "number": number,
            "title": title,
            "state": "open",
            "state_reason": None,
            "labels": [],
            "repository_url": self.address,
        }
        if pull:
            row |= {"pull_request": {"merged_at": None}, "draft": False}
        self.issues[number] = row
        return number

    def comment(self, number: int, body: str, who: str = "ben") -> int:
        each = self._id()
        self.comments[each] = self._said(each, body, who) | {
            "issue_url": f"{self.address}/issues/{number}"
        }
        self._touch(self.issues[number])
        return each

    def review(self, number: int, state: str, body: str, who: str = "cleo") -> int:
        each = self._id()
        self.reviews[each] = {
            "id": each,
            "number": number,
            "user": user(who),
            "author_association": "MEMBER",
            "state": state,
            "body": body,
            "submitted_at": stamp(self.now),
        }
        self._touch(self.issues[number])
        return each

    def review_comment(self, number: int, body: str, who: str = "cleo") -> int:
        each = self._id()
        self.review_comments[each] = self._said(each, body, who) | {
            "pull_request_url": f"{self.address}/pulls/{number}",
            "path": "src/app.py",
        }
        self._touch(self.issues[number])
        return each

    def release(self, tag: str, body: str) -> int:
        each = self._id()
        row = self._said(each, body, "ada")
        row |= {"tag_name": tag, "name": tag, "draft": False, "prerelease": False}
        row |= {"published_at": row["created_at"], "author": row.pop("user")}
        self.releases[each] = row
        return each

    def run(self, name: str, conclusion: str) -> int:
        each = self._id()
        times = dict.fromkeys(("created_at", "updated_at", "run_started_at"), stamp(self.now))
        self.runs[each] = {
            "id": each,
            "name": name,
            "status": "completed",
            "conclusion": conclusion,
            "run_number": each,
            "head_branch": "main",
            "actor": user("ada"),
            **times,
        }
        return each

    def discuss(self, title: str, body: str) -> int:
        number = self.open_issue(title, body)
        self.discussions[number] = self.issues.pop(number) | {"comments": []}
        return number

    def edit(self, row: Row, **changes: Any) -> None:
        row.update(changes)
        self._touch(row)

    def merge(self, number: int) -> None:
        row = self.issues[number]
        self.edit(row, state="closed", pull_request={"merged_at": stamp(self.now)})

    def delete_issue(self, number: int) -> None:
        del self.issues[number]
        for held in (self.comments, self.review_comments):
            for each in [key for key, row in held.items() if number_of(row) == number]:
                del held[each]
        for each in [key for key, row in self.reviews.items() if row["number"] == number]:
            del self.reviews[each]
        self.changes += 1

    def delete_comment(self, each: int) -> None:
        self.issues[number_of(self.comments.pop(each))]["updated_at"] = stamp(self.now)
        self.changes += 1

    def _said(self, each: int, body: str, who: str) -> Row:
        self.changes += 1
        at = stamp(self.now)
        return {
            "id": each,
            "user": user(who),
            "author_association": "MEMBER",
            "body": body,
            "created_at": at,
            "updated_at": at,
            "html_url": f"https://github.invalid/{self.name}/{each}",
        }

    def _touch(self, row: Row) -> None:
        row["updated_at"] = stamp(self.now)
        self.changes += 1

    def _id(self) -> int:
        self.next_id += 1
        return self.next_id - 1


def number_of(row: Row) -> int:
    """The issue or pull request that a comment belongs to."""
    url = row.get("issue_url") or row["pull_request_url"]
    return int(url.rpartition("/")[2])
