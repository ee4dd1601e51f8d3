"""Issue trackers: where the work of a workflow or a delivery comes from.

A profile says which tracker is asked. How each one is reached is handed in: ``jira`` over HTTP and
``github`` over its command-line program by the application layer; ``none`` is the issue that
somebody has typed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from agents.development.errors import TrackerError
from agents.development.profiles import Profile

MOST_TITLE = 500
MOST_DESCRIPTION = 100_000
MOST_LABELS = 50


class Issue(BaseModel):
    """One issue. ``id`` is what the tracker calls it; ``url`` and ``status`` are empty where there
    is none. ``description`` is Markdown.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    description: str = ""
    url: str = ""
    labels: tuple[str, ...] = ()
    status: str = ""


class BaseTracker(Protocol):
    async def get_issue(self, issue_id: str) -> Issue:
        """The issue as it is now. Raises TrackerError, whose text says what to do."""
        ...


class ManualTracker:
    """Tracker ``none``: knows the one issue that it was given."""

    def __init__(self, issue: Issue | None) -> None:
        self._issue = issue

    async def get_issue(self, issue_id: str) -> Issue:
        if self._issue is None:
            raise TrackerError(
                "The profile has no tracker: give the title and the description of the issue, or"
                " use a profile whose tracker is jira or github."
            )
        if issue_id.strip() != self._issue.id:
            raise TrackerError(
                f"No issue {issue_id!r} was given, but {self._issue.id!r}: the profile has no"
                " tracker that could be asked for another."
            )
        return self._issue


@dataclass(frozen=True, slots=True)
class Trackers:
    """How the trackers are reached; each is built when a profile names it.

    Both may raise TrackerError: what they need is not configured.
    """

    jira: Callable[[], BaseTracker]
    github: Callable[[], BaseTracker]


def create_tracker(
    profile: Profile, trackers: Trackers, manual: Issue | None = None
) -> BaseTracker:
    """The tracker of ``profile``; where it has none, ``manual`` is the issue.

    Raises TrackerError.
    """
    match profile.tracker:
        case "jira":
            return trackers.jira()
        case "github":
            return trackers.github()
        case "none":
            return ManualTracker(manual)


def build_issue(
    issue_id: str,
    title: str,
    description: str,
    *,
    url: str = "",
    labels: tuple[str, ...] = (),
    status: str = "",
) -> Issue:
    """An issue of bounded size: a longer description ends with a line that says so."""
    if len(description) > MOST_DESCRIPTION:
        count = len(description)
        description = (
            f"{description[:MOST_DESCRIPTION]}\n\n"
            f"[The first {MOST_DESCRIPTION:,} of {count:,} characters.]"
        )
    return Issue(
        id=issue_id,
        title=" ".join(title.split())[:MOST_TITLE],
        description=description,
        url=url,
        labels=labels[:MOST_LABELS],
        status=status,
    )
