"""GitHub's events give the items that the lists give, with the frame that comes around them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.github.deliveries import READERS, items_of_delivery
from connectors.payloads import UnreadablePayload
from connectors.service_items import DeletedItem, ServiceItem

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
TIMES = {"created_at": "2026-03-01T10:00:00Z", "updated_at": "2026-03-01T11:00:00Z"}
ANA = {"login": "ana", "type": "User"}
SAID = TIMES | {"user": ANA, "body": "We use Kafka.", "author_association": "OWNER", "labels": []}
ISSUE = SAID | {"number": 12, "title": "Cart", "state": "open"}
PULL = SAID | {"number": 4, "title": "Faster cart", "state": "open", "draft": False}
API = "https://api.github.com/repos/Acme/Shop"
PAYLOADS: dict[str, tuple[dict[str, Any], str, str]] = {
    "issues": ({"issue": ISSUE}, "issues", "12"),
    "pull_request": ({"pull_request": PULL}, "pulls", "4"),
    "pull_request_target": ({"pull_request": PULL}, "pulls", "4"),
    "issue_comment": (
        {"issue": ISSUE, "comment": SAID | {"id": 5, "issue_url": f"{API}/issues/12"}},
        "comments",
        "12/comments/5",
    ),
    "pull_request_review": (
        {
            "pull_request": PULL,
            "review": SAID | {"id": 6, "state": "approved", "submitted_at": TIMES["updated_at"]},
        },
        "reviews",
        "4/reviews/6",
    ),
    "pull_request_review_comment": (
        {
            "pull_request": PULL,
            "comment": SAID | {"id": 7, "path": "a.py", "pull_request_url": f"{API}/pulls/4"},
        },
        "review-comments",
        "4/review-comments/7",
    ),
    "release": (
        {
            "release": TIMES
            | {"id": 8, "tag_name": "v1", "body": "New.", "published_at": TIMES["created_at"]}
        },
        "releases",
        "8",
    ),
    "workflow_run": (
        {
            "workflow_run": TIMES
            | {"id": 9, "name": "CI", "status": "completed", "conclusion": "failure"}
        },
        "runs",
        "9",
    ),
    "discussion": ({"discussion": ISSUE | {"category": {"name": "Ideas"}}}, "discussions", "12"),
    "discussion_comment": (
        {"discussion": ISSUE, "comment": SAID | {"id": 10}},
        "discussions",
        "12/comments/10",
    ),
}


def read(kind, payload):
    return items_of_delivery(kind, {"repository": {"full_name": "Acme/Shop"}} | payload, AT)


def test_every_kind_that_is_read_has_its_payload_here():
    assert set(PAYLOADS) == set(READERS)


@pytest.mark.parametrize("event", PAYLOADS)
def test_an_event_gives_its_item_at_the_address_of_the_lists(event):
    payload, root, path = PAYLOADS[event]
    (item,) = read(f"{event}.created", payload)
    assert isinstance(item, ServiceItem)
    assert (item.root, item.path) == (f"github/acme/shop/{root}", path)


@pytest.mark.parametrize("event", PAYLOADS)
def test_a_deletion_gives_the_same_address_as_gone(event):
    payload, root, path = PAYLOADS[event]
    (gone,) = read(f"{event}.deleted", payload)
    assert isinstance(gone, DeletedItem)
    assert (gone.root, gone.path, gone.changed_at) == (f"github/acme/shop/{root}", path, AT)


def test_a_deletion_is_not_before_the_last_change():
    issue = ISSUE | {"updated_at": "2026-03-01T13:00:00Z"}
    (gone,) = read("issues.deleted", {"issue": issue})
    assert gone.changed_at == datetime(2026, 3, 1, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("workflow_run.requested", {"workflow_run": TIMES | {"id": 9, "status": "queued"}}),
        ("release.created", {"release": TIMES | {"id": 8, "tag_name": "v1", "draft": True}}),
    ],
)
def test_what_nobody_has_said_yet_is_no_item(kind, payload):
    assert read(kind, payload) == []


def test_a_kind_without_an_item_is_told_from_one_without_news():
    assert read("label.created", {}) is None


@pytest.mark.parametrize("event", PAYLOADS)
@pytest.mark.parametrize("broken", [5, None, [], "secret words"])
def test_a_payload_of_another_shape_is_refused_and_names_no_content(event, broken):
    payload = {name: broken for name in PAYLOADS[event][0]}
    with pytest.raises(UnreadablePayload) as caught:
        read(f"{event}.created", payload)
    assert "secret" not in str(caught.value)
