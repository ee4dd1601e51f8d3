"""The issue trackers as this installation reaches them: Jira over HTTP, GitHub over `gh`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from agents.development.github_tracker import GitHubTracker
from agents.development.profiles import Profile
from agents.development.trackers import BaseTracker, Issue, Trackers, create_tracker
from agents.models.programs import Programs
from infra.service.development.jira_tracker import open_jira
from infra.service.foundation.programs import MachinePrograms


def open_tracker(
    profile: Profile,
    environ: Mapping[str, str],
    *,
    checkout: Path | None = None,
    manual: Issue | None = None,
    programs: Programs | None = None,
) -> BaseTracker:
    """The tracker of a profile. ``checkout``: whose repository an issue of GitHub belongs to that
    names none; ``manual``: the issue where the profile has no tracker. Raises TrackerError.
    """
    github = GitHubTracker(
        programs or MachinePrograms(), environ, str(checkout) if checkout else None
    )
    return create_tracker(profile, Trackers(partial(open_jira, environ), lambda: github), manual)
