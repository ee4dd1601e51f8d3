"""Describes a verified delivery: its id, what happened, to what, and whose words it contains.

These are read from the signed body if the service puts them there, otherwise from headers, which
anybody on the way could change. So an id from a header only avoids repeated work; the effect of a
delivery is safe to repeat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from connectors.webhooks.payload import Malformed
from schemas.events.connector import ConnectorService
from schemas.ids import sha256_hex

MAX_NAME_CHARS = 200
MAX_REF_CHARS = 1000
LAST_STAMP_MS = 253402300800_000  # year 10000, beyond any datetime
# Sub-objects of a GitHub payload that a delivery can be about, the most specific first.
GITHUB_SUBJECTS = (
    ("issue", "number", "issues"),
    ("pull_request", "number", "pulls"),
    ("discussion", "number", "discussions"),
    ("release", "id", "releases"),
    ("workflow_run", "id", "runs"),
    ("check_run", "id", "runs"),
    ("check_suite", "id", "runs"),
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """``author`` is the chat user whose words it contains, otherwise empty; ``signed_at`` is the
    time in the signed body, if any. Deliveries without ``keep`` are answered and dropped: pings,
    Slack's ``challenge``, kinds without content for us.
    """

    kind: str
    delivery_id: str
    external_ref: str
    author: str = ""
    signed_at: datetime | None = None
    challenge: str | None = None
    keep: bool = True


def delivery_of(
    service: ConnectorService, headers: Mapping[str, str], payload: dict[str, Any]
) -> Delivery:
    """Describes ``payload`` as a delivery of ``service``. Raises Malformed."""
    match service:
        case "github":
            return _github(headers, payload)
        case "jira":
            return _jira(payload)
        case "slack":
            return _slack(payload)
        case "bitbucket":
            return _bitbucket(headers, payload)


def _github(headers: Mapping[str, str], payload: dict[str, Any]) -> Delivery:
    event = _name(headers.get("X-GitHub-Event"), "X-GitHub-Event")
    delivery_id = _name(headers.get("X-GitHub-Delivery"), "X-GitHub-Delivery")
    action = payload.get("action")
    kind = f"{event}.{_name(action, 'action')}" if action else event
    repository = _text(payload, "repository", "full_name") or _text(
        payload, "organization", "login"
    )
    about = "-"
    for name, key, area in GITHUB_SUBJECTS:
        value = _within(payload, name, key)
        if isinstance(value, int | str):
            about = f"{area}/{value}"
            break
    else:
        if ref := payload.get("ref"):
            about = f"refs/{_name(ref, 'ref', MAX_REF_CHARS)}"
    external_ref = f"{repository or '-'}/{about}"
    return Delivery(kind, delivery_id, external_ref, keep=event != "ping")


def _jira(payload: dict[str, Any]) -> Delivery:
    """The id is made of the signed body, because Jira sends none: what happened, to what, when."""
    kind = _name(payload.get("webhookEvent"), "webhookEvent")
    stamp = payload.get("timestamp")
    if isinstance(stamp, bool) or not isinstance(stamp, int) or not 0 <= stamp < LAST_STAMP_MS:
        raise Malformed("timestamp is missing or unusable")
    issue = _text(payload, "issue", "key")
    about = _text(payload, "issue", "id")
    part = _text(payload, "comment", "id") or _text(payload, "worklog", "id")
    other = "" if about or part else sha256_hex(repr(sorted(payload)))[:16]
    return Delivery(
        kind,
        "|".join((kind, about, part, other, str(stamp))),
        issue or about or part or "-",
        signed_at=datetime.fromtimestamp(stamp / 1000, UTC),
    )


def _slack(payload: dict[str, Any]) -> Delivery:
    kind = _name(payload.get("type"), "type")
    if kind == "url_verification":
        challenge = _name(payload.get("challenge"), "challenge", MAX_REF_CHARS)
        return Delivery(kind, "", "-", challenge=challenge, keep=False)
    if kind != "event_callback":
        return Delivery(kind, "", "-", keep=False)
    event = payload.get("event")
    if not isinstance(event, dict):
        raise Malformed("event is missing")
    inner = _name(event.get("type"), "event.type")
    subtype = event.get("subtype")
    named = f"{inner}.{_name(subtype, 'event.subtype')}" if subtype else inner
    delivery_id = _name(payload.get("event_id"), "event_id")
    if inner != "message":
        return Delivery(named, delivery_id, "-", keep=False)
    spoken = event.get("message") or event.get("previous_message") or event
    if not isinstance(spoken, dict):
        raise Malformed("event.message is no object")
    channel = _name(event.get("channel"), "event.channel")
    thread = _name(spoken.get("thread_ts") or spoken.get("ts") or event.get("ts"), "event.ts")
    author = spoken.get("user")
    return Delivery(
        named,
        delivery_id,
        f"{_name(payload.get('team_id'), 'team_id')}/{channel}/{thread}",
        author=_name(author, "event.user") if author else "",
    )


def _bitbucket(headers: Mapping[str, str], payload: dict[str, Any]) -> Delivery:
    kind = _name(headers.get("X-Event-Key"), "X-Event-Key")
    delivery_id = _name(headers.get("X-Request-UUID"), "X-Request-UUID")
    repository = _text(payload, "repository", "full_name") or "-"
    number = _text(payload, "pullrequest", "id")
    about = f"pullrequests/{number}" if number else "refs"
    return Delivery(kind, delivery_id, f"{repository}/{about}", keep=kind != "diagnostics:ping")


def _within(payload: Any, *path: str) -> Any:
    for key in path:
        payload = payload.get(key) if isinstance(payload, dict) else None
    return payload


def _text(payload: Any, *path: str) -> str:
    """The value at ``path`` as a printable word, or an empty string."""
    value = _within(payload, *path)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return _name(str(value), path[-1]) if value != "" else ""


def _name(value: Any, field: str, limit: int = MAX_NAME_CHARS) -> str:
    """Returns ``value`` if it fits into a key or an id. Raises Malformed with ``field`` only."""
    if not isinstance(value, str) or not 0 < len(value) <= limit or not value.isprintable():
        raise Malformed(f"{field} is missing or unusable")
    return value
