"""Services as senders: bodies of their documented shape, signed as they sign."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

SECRET = b"a secret of the hook"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
REPOSITORY = {
    "full_name": "acme/shop",
    "default_branch": "main",
    "html_url": "https://github.com/acme/shop",
}


@dataclass
class Sent:
    """One delivery, ready to go: change any part to make it a bad one."""

    service: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    project: str = "prj_shop"


def mac(signed: bytes, secret: bytes = SECRET) -> str:
    return hmac.new(secret, signed, hashlib.sha256).hexdigest()


def from_github(
    event: str, payload: dict[str, Any], delivery: str = "d-1", secret: bytes = SECRET
) -> Sent:
    body = json.dumps({"repository": REPOSITORY} | payload).encode()
    headers = {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": f"sha256={mac(body, secret)}",
        "Content-Type": "application/json",
    }
    return Sent("github", body, headers)


def from_jira(payload: dict[str, Any], at: datetime = NOW) -> Sent:
    body = json.dumps({"timestamp": int(at.timestamp() * 1000)} | payload).encode()
    return Sent("jira", body, {"X-Hub-Signature": f"sha256={mac(body)}"})


def from_bitbucket(event: str, payload: dict[str, Any], delivery: str = "b-1") -> Sent:
    body = json.dumps({"repository": {"full_name": "acme/shop"}} | payload).encode()
    headers = {
        "X-Event-Key": event,
        "X-Request-UUID": delivery,
        "X-Hub-Signature": f"sha256={mac(body)}",
    }
    return Sent("bitbucket", body, headers)


def from_slack(payload: dict[str, Any], at: datetime = NOW) -> Sent:
    body = json.dumps({"type": "event_callback", "team_id": "T1"} | payload).encode()
    stamp = str(int(at.timestamp()))
    headers = {
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={mac(f'v0:{stamp}:'.encode() + body)}",
    }
    return Sent("slack", body, headers)


def a_message(text: str, *, user: str = "U1", ts: str = "1772366400.000100", **more: Any) -> Sent:
    """A chat message as Slack's Events API sends it; ``more`` are fields of the event."""
    event = {"type": "message", "channel": "C1", "user": user, "ts": ts, "text": text} | more
    return from_slack({"event_id": f"Ev{ts}{more.get('subtype', '')}", "event": event})


def an_issue(
    number: int = 12,
    body: str = "It breaks.",
    at: str = "2026-03-01T11:00:00Z",
    title: str = "The cart forgets items",
) -> Sent:
    issue = {
        "number": number,
        "title": title,
        "body": body,
        "state": "open",
        "created_at": "2026-03-01T10:00:00Z",
        "updated_at": at,
        "user": {"login": "ana", "type": "User"},
        "author_association": "MEMBER",
        "labels": [],
        "html_url": f"https://github.com/acme/shop/issues/{number}",
    }
    return from_github("issues", {"action": "edited", "issue": issue}, f"d-{number}-{at}")
