"""Reads from a delivery which commits of a default branch its files changed between."""

from __future__ import annotations

import re
from dataclasses import dataclass

from connectors.payloads import Payload, part, parts, text
from connectors.service_items import ServiceName

_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Delta:
    """The default branch moved from ``before`` to ``after``, by ``cause`` (``#12`` or ``push``).

    ``before`` is empty if it is unknown or the branch is new.
    """

    service: ServiceName
    repository: str
    before: str
    after: str
    cause: str

    @property
    def trigger_key(self) -> str:
        """The same change of a branch is the same trigger, however often it is delivered."""
        return f"delta|{self.service}/{self.repository}{self.cause}|{self.before}..{self.after}"


def delta_of(service: ServiceName, kind: str, payload: Payload) -> Delta | None:
    """The delta that a delivery triggers; None for almost all. Raises UnreadablePayload."""
    match service, kind:
        case "github", "pull_request.closed":
            return _from_merge(payload)
        case "github", "push":
            return _from_push(payload)
        case "bitbucket", "pullrequest:fulfilled":
            return _from_bitbucket_merge(payload)
        case "bitbucket", "repo:push":
            return _from_bitbucket_push(payload)
        case _:
            return None


def _from_merge(payload: Payload) -> Delta | None:
    """A pull request that was merged into the default branch.

    ``base.sha`` may be older than the branch's last commit. Then more files are looked at than
    changed, and unchanged ones are reported as unchanged.
    """
    pull, repository = part(payload, "pull_request"), part(payload, "repository")
    base = part(pull, "base")
    if pull.get("merged") is not True or text(base, "ref") != text(repository, "default_branch"):
        return None
    name = text(repository, "full_name")
    return _delta(
        "github", name, text(base, "sha"), text(pull, "merge_commit_sha"), f"#{pull.get('number')}"
    )


def _from_push(payload: Payload) -> Delta | None:
    repository = part(payload, "repository")
    if text(payload, "ref") != f"refs/heads/{text(repository, 'default_branch')}":
        return None
    name = text(repository, "full_name")
    return _delta("github", name, text(payload, "before"), text(payload, "after"), "@push")


def _from_bitbucket_merge(payload: Payload) -> Delta | None:
    pull = part(payload, "pullrequest")
    target = part(pull, "destination")
    branch = text(part(target, "branch"), "name")
    if not _is_main(part(payload, "repository"), branch):
        return None
    return _delta(
        "bitbucket",
        text(part(payload, "repository"), "full_name"),
        text(part(target, "commit"), "hash"),
        text(part(pull, "merge_commit"), "hash"),
        f"#{pull.get('id')}",
    )


def _from_bitbucket_push(payload: Payload) -> Delta | None:
    repository = part(payload, "repository")
    for change in parts(part(payload, "push"), "changes"):
        new, old = part(change, "new"), part(change, "old")
        if text(new, "type") == "branch" and _is_main(repository, text(new, "name")):
            return _delta(
                "bitbucket",
                text(repository, "full_name"),
                text(part(old, "target"), "hash"),
                text(part(new, "target"), "hash"),
                "@push",
            )
    return None


def _is_main(repository: Payload, branch: str) -> bool:
    """Bitbucket names the main branch in some payloads only; otherwise the usual names count."""
    main = text(part(repository, "mainbranch"), "name")
    return branch == main if main else branch in ("main", "master")


def _delta(
    service: ServiceName, repository: str, before: str, after: str, cause: str
) -> Delta | None:
    """None if the branch was deleted.

    Bitbucket gives short hashes for merges; git completes them.
    """
    if not _COMMIT.fullmatch(after) or not after.strip("0") or not repository:
        return None
    has_before = bool(_COMMIT.fullmatch(before)) and bool(before.strip("0"))
    return Delta(service, repository, before if has_before else "", after, cause)
