"""Comments on an issue, as a connector makes them of what a service says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from connectors.service_items import DeletedItem, Remark, ServiceItem

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ROOT = "github/acme/shop/comments"


def a_comment(
    number: int = 1,
    body: str = "We will use Redis.",
    minutes: int = 0,
    *,
    about: str | None = None,
) -> ServiceItem:
    at = NOON + timedelta(minutes=minutes)
    return ServiceItem(
        service="github",
        root=ROOT,
        path=f"12/comments/{number}",
        source_type="comment",
        title="Comment on #12",
        remarks=(Remark(str(number), "ada", "member", NOON, body),),
        changed_at=at,
        revision_ref=at.isoformat(),
        about=about,
    )


def gone(number: int = 1, minutes: int = 60) -> DeletedItem:
    return DeletedItem("github", ROOT, f"12/comments/{number}", NOON + timedelta(minutes=minutes))
