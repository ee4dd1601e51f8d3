"""GitHub's payloads as items. Polls and webhooks use the same functions, so the bytes are equal.

An object of the REST lists and the one in a delivery have the same relevant fields. An object
without a statement (an empty review, a draft release, a run in progress) is no item: None. A time
that cannot be read makes no text unreadable: the item has a flaw, and no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from connectors.payloads import UnreadablePayload, required_text
from connectors.service_items import TIME_OF_NONE, DeletedItem, Remark, ServiceItem

Payload = Mapping[str, Any]
SAID_BY_STATE = frozenset(("approved", "changes_requested", "dismissed"))
# Roots whose items are deleted, or moved to another repository, with one of these.
TAKEN_WITH = {
    "issues": ("comments",),
    "pulls": ("comments", "reviews", "review-comments"),
    "discussions": ("discussions",),
}
GHOST = "ghost"  # GitHub's own name for a deleted account


def root_of(repository: str, kind: str) -> str:
    """``github/<owner>/<repo>/<kind>``; GitHub's names are not case-sensitive."""
    return f"github/{repository.lower()}/{kind}"


def moment(text: str) -> datetime:
    """A time of GitHub's, aware, in UTC."""
    at = datetime.fromisoformat(text)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)


def _time(payload: Payload, name: str, flaws: list[str]) -> datetime | None:
    """The time under ``name``; None with a flaw where none can be read."""
    value = payload.get(name)
    with suppress(ValueError, OverflowError):
        if isinstance(value, str):
            return moment(value)
    flaws.append(f"{name} is {'missing' if value in (None, '') else 'no time'}")
    return None


def _text(payload: Payload, name: str) -> str:
    """The text under ``name``, empty for none. Raises TypeError for anything else."""
    value = payload.get(name)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} is no text")
    return value or ""


def issue_item(repository: str, issue: Payload) -> ServiceItem:
    """An issue, or a pull request (GitHub's lists of issues contain both)."""
    pull = issue.get("pull_request")
    if pull is not None:
        return pull_item(repository, {**issue, "merged_at": pull.get("merged_at")})
    state = issue.get("state") or "open"
    reason = (issue.get("state_reason") or "").replace("_", " ")
    if state == "closed" and reason:
        state = f"closed as {reason}"
    return _numbered_item(repository, "issues", "issue", issue, state)


def pull_item(repository: str, pull: Payload) -> ServiceItem:
    state = pull.get("state") or "open"
    if pull.get("merged_at"):
        state = "merged"
    elif state == "open" and pull.get("draft"):
        state = "draft"
    return _numbered_item(repository, "pulls", "pull_request", pull, state)


def comment_item(repository: str, comment: Payload, about: str | None) -> ServiceItem:
    """A comment on an issue or pull request, whose title is ``about``."""
    number = _last_part(comment["issue_url"])
    path = comment_path(number, comment["id"])
    return _comment(repository, "comments", path, comment, about, f"Comment on #{number}")


def review_item(
    repository: str, number: int, review: Payload, about: str | None
) -> ServiceItem | None:
    state = str(review.get("state") or "").lower()
    submitted = review.get("submitted_at")
    body = _text(review, "body")
    if not submitted or not (body.strip() or state in SAID_BY_STATE):
        return None
    flaws: list[str] = []
    at = _time(review, "submitted_at", flaws)
    changed = (_time(review, "updated_at", []) if review.get("updated_at") else at) or at
    return ServiceItem(
        service="github",
        root=root_of(repository, "reviews"),
        path=f"{number}/reviews/{review['id']}",
        source_type="review_comment",
        title=f"Review of #{number}",
        remarks=(_remark(str(review["id"]), review, at, None),),
        changed_at=changed or TIME_OF_NONE,
        revision_ref=f"{submitted} {state}",
        about=about,
        state=state.replace("_", " ") if state in SAID_BY_STATE else None,
        url=review.get("html_url"),
        flaws=tuple(flaws),
    )


def review_comment_item(repository: str, comment: Payload, about: str | None) -> ServiceItem:
    number = _last_part(comment["pull_request_url"])
    path = f"{number}/review-comments/{comment['id']}"
    title = f"Review comment on {comment.get('path') or f'#{number}'}"
    return _comment(repository, "review-comments", path, comment, about, title, "review_comment")


def release_item(repository: str, release: Payload) -> ServiceItem | None:
    published = release.get("published_at")
    if release.get("draft") or not published:
        return None
    flaws: list[str] = []
    at = _time(release, "published_at", flaws)
    changed = (_time(release, "updated_at", []) if release.get("updated_at") else at) or at
    return ServiceItem(
        service="github",
        root=root_of(repository, "releases"),
        path=str(release["id"]),
        source_type="doc",
        title=f"Release {release.get('name') or release['tag_name']}",
        remarks=(_remark(release["tag_name"], release, at, None, key="author"),),
        changed_at=changed or TIME_OF_NONE,
        revision_ref=release.get("updated_at") or published,
        state="prerelease" if release.get("prerelease") else None,
        url=release.get("html_url"),
        flaws=tuple(flaws),
    )


def run_item(repository: str, run: Payload) -> ServiceItem | None:
    """The result of a workflow run; None while it runs."""
    if run.get("status") != "completed" or not run.get("conclusion"):
        return None
    flaws: list[str] = []
    at = _time(run, "run_started_at", []) or _time(run, "created_at", flaws)
    changed = _time(run, "updated_at", flaws) or at or TIME_OF_NONE
    name = run.get("name") or "Workflow"
    result = f"{name} on {run.get('head_branch') or 'no branch'}: {run['conclusion']}."
    return ServiceItem(
        service="github",
        root=root_of(repository, "runs"),
        path=str(run["id"]),
        source_type="other",
        title=f"{name} run {run.get('run_number') or run['id']}",
        remarks=(Remark(str(run["id"]), _login(run.get("actor")), "bot", at, result),),
        changed_at=changed,
        revision_ref=f"{run.get('updated_at')} {run.get('run_attempt') or 1}",
        about=run.get("display_title"),
        state=run["conclusion"],
        url=run.get("html_url"),
        flaws=tuple(flaws),
    )


def discussion_item(repository: str, discussion: Payload) -> ServiceItem:
    """A discussion's own text. Its state includes its category and whether it is answered."""
    category = (discussion.get("category") or {}).get("name")
    answered = "answered" if discussion.get("answer_html_url") else None
    item = _numbered_item(
        repository, "discussions", "issue", discussion, discussion.get("state") or "open"
    )
    named = ", ".join(word for word in (category, item.state, answered) if word)
    return ServiceItem(
        service=item.service,
        root=item.root,
        path=item.path,
        source_type=item.source_type,
        title=item.title,
        remarks=item.remarks,
        changed_at=item.changed_at,
        revision_ref=item.revision_ref,
        state=named,
        labels=item.labels,
        url=item.url,
        flaws=item.flaws,
    )


def discussion_comment_item(
    repository: str, number: int, comment: Payload, about: str | None
) -> ServiceItem:
    path = comment_path(str(number), comment["id"])
    title = f"Comment on discussion #{number}"
    return _comment(repository, "discussions", path, comment, about, title)


def deleted_item(item: ServiceItem, at: datetime) -> DeletedItem:
    """The item as deleted, with everything said about it; not before its last change."""
    repository, _, kind = item.root.rpartition("/")
    kinds = () if "/" in item.path else TAKEN_WITH.get(kind, ())
    taking = tuple(f"{repository}/{each}" for each in kinds)
    return DeletedItem(item.service, item.root, item.path, max(at, item.changed_at), taking)


def comment_path(number: str, comment_id: int) -> str:
    return f"{number}/comments/{comment_id}"


def _numbered_item(
    repository: str, kind: str, source_type: Any, payload: Payload, state: str
) -> ServiceItem:
    flaws: list[str] = []
    created = _time(payload, "created_at", flaws)
    changed = _time(payload, "updated_at", flaws) or created or TIME_OF_NONE
    number, title = required_text(payload, "number"), _text(payload, "title")
    if not number.isdecimal():
        raise UnreadablePayload("number is none")
    if changed == TIME_OF_NONE and not title and not payload.get("body"):
        raise UnreadablePayload("it has neither text nor time")
    return ServiceItem(
        service="github",
        root=root_of(repository, kind),
        path=number,
        source_type=source_type,
        title=title or f"#{number}",
        remarks=(_remark(number, payload, created, None),),
        changed_at=changed,
        revision_ref=changed.isoformat() if flaws else payload["updated_at"],
        state=state,
        labels=tuple(sorted(_labels(payload.get("labels") or ()))),
        url=payload.get("html_url"),
        flaws=tuple(flaws),
    )


def _labels(labels: Iterable[Any]) -> list[str]:
    """The names of labels; one that was deleted meanwhile is null."""
    named = [each.get("name") if isinstance(each, Mapping) else each for each in labels]
    return [name for name in named if isinstance(name, str) and name]


def _comment(
    repository: str,
    kind: str,
    path: str,
    comment: Payload,
    about: str | None,
    title: str,
    source_type: Any = "comment",
) -> ServiceItem:
    flaws: list[str] = []
    created, updated = _time(comment, "created_at", flaws), _time(comment, "updated_at", flaws)
    edited = updated if created and updated and updated > created else None
    changed = updated or created or TIME_OF_NONE
    return ServiceItem(
        service="github",
        root=root_of(repository, kind),
        path=path,
        source_type=source_type,
        title=title,
        remarks=(_remark(str(comment["id"]), comment, created or updated, edited),),
        changed_at=changed,
        revision_ref=changed.isoformat() if flaws else comment["updated_at"],
        about=about,
        url=comment.get("html_url"),
        flaws=tuple(flaws),
    )


def _remark(
    ref: str,
    payload: Payload,
    at: datetime | None,
    edited_at: datetime | None,
    key: str = "user",
) -> Remark:
    user = payload.get(key)
    return Remark(
        ref=ref,
        author=_login(user),
        role=_role(user, payload.get("author_association")),
        at=at,
        body=_text(payload, "body"),
        edited_at=edited_at,
    )


def _login(user: Payload | None) -> str:
    return str((user or {}).get("login") or GHOST)


def _role(user: Payload | None, association: str | None) -> str | None:
    kind = (user or {}).get("type")
    if kind == "Bot" or _login(user).endswith("[bot]"):
        return "bot"
    role = (association or "").lower().replace("_", " ")
    return role if role not in ("", "none", "mannequin") else None


def _last_part(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2]
