"""Reads from a delivery which work it asks for; the table of rules is data (``work_items.toml``).

No words of the delivery travel: a work item names what it is about, and what is read under its
author's key stays there. Deliveries about the same occasion, as a merge and the push that it makes,
ask for one piece of work.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from connectors.intake.changes import delta_of
from connectors.payloads import Payload, part, parts, required_text, text
from schemas.events.connector import ConnectorService
from schemas.events.schedule import WorkItemFinished, WorkItemReceived
from schemas.ids import derive_id

RULES = Path(__file__).with_suffix(".toml")
FAILED = frozenset(("failure", "timed_out", "startup_failure", "FAILED"))
SPOKEN = frozenset(("message", "message.thread_broadcast", "message.file_share"))
WorkFact = WorkItemReceived | WorkItemFinished


@dataclass(frozen=True, slots=True)
class Arrived:
    """A delivery of a connected service."""

    project_id: str
    service: ConnectorService
    kind: str
    delivery_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class _Occasion:
    """What a rule is found for. ``about`` is the same for all deliveries about one piece of work;
    with ``again`` a further one asks for it anew. ``is_over``: nobody need do it any more.
    """

    rule: str
    subject: str
    about: tuple[str, ...]
    again: str = ""
    is_over: bool = False


def work_of(arrived: Arrived, payload: Payload) -> list[WorkFact]:
    """The work that a delivery asks for, or that is no longer needed. Raises UnreadablePayload."""
    return [_fact_of(arrived, occasion) for occasion in _occasions(arrived, payload)]


def _fact_of(arrived: Arrived, occasion: _Occasion) -> WorkFact:
    # A merge and its push are one piece of work, whichever is delivered first.
    family = "delta" if occasion.rule in ("merged", "pushed") else occasion.rule
    work_item_id = derive_id("wrk", arrived.project_id, arrived.service, family, *occasion.about)
    if occasion.is_over:
        return WorkItemFinished(
            work_item_id=work_item_id, due_at=arrived.at, outcome="answered", detail=""
        )
    rule, waits = _rules()[occasion.rule], timedelta(hours=_rules()["review_waits_h"])
    payload: dict[str, str] = rule.get("payload", {})
    return WorkItemReceived(
        work_item_id=work_item_id,
        rule=occasion.rule,
        occasion=occasion.again,
        title=rule["title"].format(subject=occasion.subject),
        agent=rule.get("agent", ""),
        job_type=rule.get("job_type"),
        payload=json.dumps(
            {name: text.format(subject=occasion.subject) for name, text in payload.items()},
            sort_keys=True,
        ),
        priority=rule["priority"],
        connector=arrived.service,
        done_by=rule.get("done_by", ""),
        not_before=arrived.at + waits if occasion.rule == "review_requested" else None,
    )


def _occasions(arrived: Arrived, payload: Payload) -> Iterator[_Occasion]:
    yield from _deltas(arrived, payload)
    yield from _by_kind(arrived, payload)
    match arrived.service:
        case "github":
            yield from _github_runs(arrived, payload)
            yield from _github_reviews(arrived, payload)
        case "bitbucket":
            yield from _bitbucket_runs(payload)
        case "slack":
            yield from _messages(arrived, payload)


def _deltas(arrived: Arrived, payload: Payload) -> Iterator[_Occasion]:
    if arrived.service not in ("github", "bitbucket"):
        return
    delta = delta_of(arrived.service, arrived.kind, payload)
    if delta is not None:
        rule = "pushed" if delta.cause == "@push" else "merged"
        subject = delta.repository + ("" if rule == "pushed" else delta.cause)
        yield _Occasion(rule, subject, (delta.repository.lower(), delta.after))


def _by_kind(arrived: Arrived, payload: Payload) -> Iterator[_Occasion]:
    for name, rule in _rules().items():
        if not isinstance(rule, dict):
            continue
        if arrived.kind in rule.get("kinds", {}).get(arrived.service, ()):
            if arrived.kind == "sprint_closed":
                sprint = part(payload, "sprint")
                number = required_text(sprint, "id")
                yield _Occasion(name, f"sprint {number}", (number,))
            else:
                subject = _issue_name(arrived, payload)
                yield _Occasion(name, subject, (subject.lower(),), again=arrived.delivery_id)


def _issue_name(arrived: Arrived, payload: Payload) -> str:
    issue = part(payload, "issue")
    if arrived.service == "jira":
        return required_text(issue, "key")
    return f"{_repository(payload)}#{required_text(issue, 'number')}"


def _github_runs(arrived: Arrived, payload: Payload) -> Iterator[_Occasion]:
    """A run that failed on the default branch; the runs of one commit are one occasion."""
    name = arrived.kind.removesuffix(".completed")
    if name not in ("workflow_run", "check_run") or name == arrived.kind:
        return
    run, repository = part(payload, name), part(payload, "repository")
    branch = text(run, "head_branch") or text(part(run, "check_suite"), "head_branch")
    home = text(part(run, "head_repository"), "full_name") or _repository(payload)
    is_ours = home.lower() == _repository(payload).lower()  # a fork may call its branch the same
    if (
        text(run, "conclusion") in FAILED
        and branch == text(repository, "default_branch")
        and is_ours
    ):
        commit = required_text(run, "head_sha")
        yield _Occasion(
            "ci_failed", f"{_repository(payload)}@{commit[:12]}", (home.lower(), commit)
        )


def _bitbucket_runs(payload: Payload) -> Iterator[_Occasion]:
    status, repository = part(payload, "commit_status"), part(payload, "repository")
    main = text(part(repository, "mainbranch"), "name") or "main"
    if text(status, "state") in FAILED and text(status, "refname") == main:
        commit = text(part(status, "commit"), "hash") or required_text(status, "key")
        name = _repository(payload)
        yield _Occasion("ci_failed", f"{name}@{commit[:12]}", (name.lower(), commit))


def _github_reviews(arrived: Arrived, payload: Payload) -> Iterator[_Occasion]:
    """A review that was asked for; answered by a review, or not needed any more."""
    pull = part(payload, "pull_request")
    match arrived.kind:
        case "pull_request.review_requested":
            asked, is_over = [_reviewer(payload)], False
        case "pull_request.review_request_removed":
            asked, is_over = [_reviewer(payload)], True
        case "pull_request_review.submitted":
            asked, is_over = [text(part(part(payload, "review"), "user"), "login")], True
        case "pull_request.closed":
            people = [text(each, "login") for each in parts(pull, "requested_reviewers")]
            asked = people + [text(each, "slug") for each in parts(pull, "requested_teams")]
            is_over = True
        case _:
            return
    number = required_text(pull, "number")
    for reviewer in filter(None, asked):
        subject = f"{_repository(payload)}#{number} by {reviewer}"
        about = (_repository(payload).lower(), number, reviewer.lower())
        yield _Occasion("review_requested", subject, about, arrived.delivery_id, is_over)


def _reviewer(payload: Payload) -> str:
    person = text(part(payload, "requested_reviewer"), "login")
    return person or text(part(payload, "requested_team"), "slug")


def _messages(arrived: Arrived, payload: Payload) -> Iterator[_Occasion]:
    """A message of a person that mentions this service is for the assistant. Of all others nothing
    is said here: the intake keeps them as testimony, under their authors' keys.
    """
    event = part(payload, "event")
    if arrived.kind not in SPOKEN or text(event, "bot_id"):
        return
    ours = [text(it, "user_id") for it in parts(payload, "authorizations") if it.get("is_bot")]
    message_text = text(event, "text")
    if any(f"<@{who}" in message_text for who in ours if who):
        yield _Occasion("mentioned", "", (arrived.delivery_id,))


def _repository(payload: Payload) -> str:
    return required_text(part(payload, "repository"), "full_name")


@cache
def _rules() -> dict[str, Any]:
    return tomllib.loads(RULES.read_text(encoding="utf-8"))
