"""Slack's Web API: answers with an ``ok`` field, and pages by cursor.

Errors arrive with status 200 and ``ok: false``; here they become our usual exceptions. Decided
against ``slack_sdk`` for reading: its retries know neither our budget nor our size limits, and one
transport for all services is easier to trust with secrets.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.payloads import Payload, rows
from connectors.transport import AccessLost, LostReason, Params, Transport

PUBLIC = "https://slack.com/api"
PAGE = 200
LOST: dict[str, LostReason] = {
    **dict.fromkeys(
        ("invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"),
        "unauthorised",
    ),
    **dict.fromkeys(
        ("missing_scope", "not_allowed_token_type", "no_permission", "not_in_channel",
         "ekm_access_denied", "access_denied", "org_login_required", "team_access_not_granted"),
        "forbidden",
    ),
    **dict.fromkeys(("channel_not_found", "team_not_found"), "not_found"),
}  # fmt: skip
PASSING = frozenset(
    ("ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout")
)
NOT_THERE = frozenset(("thread_not_found", "message_not_found"))


class Slack:
    """One workspace. Raises as ``Transport``; a missing scope is AccessLost and named."""

    def __init__(self, transport: Transport, page: int = PAGE) -> None:
        self.transport = transport
        self._page = page

    async def team(self) -> str:
        """The id of the token's workspace."""
        payload = await self._call("auth.test", {})
        if not isinstance(payload.get("team_id"), str):
            raise SourceUnavailable("Slack does not say which workspace this is.")
        return str(payload["team_id"])

    async def channel_name(self, channel_id: str) -> str:
        """A channel's present name."""
        payload = await self._call("conversations.info", {"channel": channel_id})
        channel = payload.get("channel")
        name = channel.get("name") if isinstance(channel, Mapping) else None
        return name if isinstance(name, str) else channel_id

    def members(self) -> AsyncIterator[Any]:
        return self._every("users.list", {}, "members")

    async def history(
        self, channel: str, *, oldest: str = "", latest: str = "", limit: int | None = None
    ) -> tuple[list[Any], bool, bool]:
        """Messages between two stamps, both exclusive, newest first.

        Also whether there are older ones, and whether the workspace's plan hides some.
        """
        asked: dict[str, str | int] = {"channel": channel, "limit": limit or self._page}
        asked |= {"oldest": oldest} if oldest else {}
        asked |= {"latest": latest} if latest else {}
        payload = await self._call("conversations.history", asked)
        return (
            rows(payload, "messages", "Slack"),
            bool(payload.get("has_more")),
            bool(payload.get("is_limited")),
        )

    async def thread(self, channel: str, thread_ts: str) -> list[Any]:
        """All messages of a thread, with its first one unless deleted; empty if it was deleted."""
        asked: Params = {"channel": channel, "ts": thread_ts}
        return [row async for row in self._every("conversations.replies", asked, "messages")]

    async def _every(self, method: str, asked: Params, name: str) -> AsyncIterator[Any]:
        cursor = ""
        while True:
            paged = {**asked, "limit": self._page, **({"cursor": cursor} if cursor else {})}
            payload = await self._call(method, paged)
            for row in rows(payload, name, "Slack"):
                yield row
            after = payload.get("response_metadata")
            further = after.get("next_cursor") if isinstance(after, Mapping) else None
            if not further:
                return
            if further == cursor:
                raise SourceUnavailable(f"Slack pages {method} endlessly.")
            cursor = str(further)

    async def _call(self, method: str, asked: Params) -> Payload:
        """The answer if it is ok; an empty one for a deleted thread."""
        payload = (await self.transport.get(method, asked, resource=method)).json()
        if not isinstance(payload, dict):
            raise SourceUnavailable(f"Slack answered {method} with something other than an object.")
        if payload.get("ok") is True:
            return payload
        error = payload.get("error")
        name = error if isinstance(error, str) and error.isidentifier() else "unknown"
        if name in NOT_THERE:
            return {}
        if name in LOST:
            needed = payload.get("needed")
            scope = f", it needs {needed}" if name == "missing_scope" and needed else ""
            status = self._status(LOST[name])
            raise AccessLost(
                f"Slack does not allow our credential to use {method}: {name}{scope}.",
                LOST[name],
                status,
            )
        if name in PASSING:
            raise SourceUnavailable(f"Slack cannot answer {method} now ({name}).")
        raise SourceRefused(f"Slack refuses {method}: {name}.")

    @staticmethod
    def _status(reason: LostReason) -> int:
        return {"unauthorised": 401, "forbidden": 403, "not_found": 404}[reason]
