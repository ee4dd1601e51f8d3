"""Verifies who sent a delivery: keyed hashes over the raw bytes, compared in constant time.

Four services, two forms. GitHub, Jira and Bitbucket sign the body (`sha256=<hex>`); Slack signs a
time with it, so that old deliveries can be refused. Sources: GitHub «Validating webhook
deliveries», Jira Cloud «Webhooks: secure admin webhooks», Bitbucket Cloud «Secure webhooks», Slack
«Verifying requests from Slack».
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from schemas.events.connector import ConnectorService

SLACK_WINDOW_S = 300  # Slack's own recommendation against replays
SIGNATURE_HEADERS: dict[ConnectorService, str] = {
    "github": "X-Hub-Signature-256",
    "jira": "X-Hub-Signature",
    "bitbucket": "X-Hub-Signature",
    "slack": "X-Slack-Signature",
}
SLACK_TIME_HEADER = "X-Slack-Request-Timestamp"
MAX_TIME_DIGITS = 12

Verdict = Literal["genuine", "unsigned", "forged", "stale"]


def verdict_on(
    service: ConnectorService,
    headers: Mapping[str, str],
    body: bytes,
    secrets: Sequence[bytes],
    now: datetime,
) -> Verdict:
    """Whether ``body`` was signed with one of ``secrets``; there are several during a rotation.

    A wrong signature is ``forged`` whatever its time, so that nobody learns the window from it.
    """
    given = headers.get(SIGNATURE_HEADERS[service], "")
    if not given:
        return "unsigned"
    stamp = headers.get(SLACK_TIME_HEADER, "") if service == "slack" else ""
    signed = f"v0:{stamp}:".encode("utf-8", "replace") + body if service == "slack" else body
    prefix = "v0=" if service == "slack" else "sha256="
    fits = False
    for secret in secrets:
        right = prefix + hmac.new(secret, signed, hashlib.sha256).hexdigest()
        fits |= hmac.compare_digest(right.encode(), given.encode("utf-8", "replace"))
    if not fits:
        return "forged"
    return "stale" if service == "slack" and not _recent(stamp, now) else "genuine"


def _recent(stamp: str, now: datetime) -> bool:
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) <= MAX_TIME_DIGITS):
        return False
    return abs(now.timestamp() - int(stamp)) <= SLACK_WINDOW_S
