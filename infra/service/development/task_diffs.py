"""What the commit of a task has changed, read from the repository of its run."""

from __future__ import annotations

from functools import partial

from infra.platform.errors import Invalid, NotFound
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.runtime.walls.git import GitFailed, run_git
from infra.runtime.walls.trees import diff_trees
from infra.service.development.repositories import find_git_dir
from infra.service.foundation.publishing import redactor_of
from projections.read.workflow_tasks import DeliveryTask
from projections.read.workflows import Workflow


async def read_task_diff(settings: Settings, run: Workflow, task: DeliveryTask) -> str:
    """The change from the tree before the task to its own, as a unified diff without secrets.

    Raises NotFound for a task without a commit, or whose commit is not there any more.
    """
    if task.sha is None:
        raise NotFound(
            f"Task {task.index + 1} of {run.workflow_id} has no commit.",
            code="unknown_commit",
            detail={"workflow_id": run.workflow_id, "task": task.index},
        )
    return redactor_of(settings).text(await in_thread(partial(_diff, run.repository, task.sha)))


def _diff(repository: str, sha: str) -> str:
    try:
        git_dir = find_git_dir(repository)
        before, after = (
            run_git(git_dir, "rev-parse", "--verify", "--quiet", place).strip()
            for place in (f"{sha}^1^{{tree}}", f"{sha}^{{tree}}")
        )
        diff = diff_trees(git_dir, before, after)
    except (GitFailed, Invalid, OSError) as error:
        raise NotFound(
            f"The commit {sha[:12]} is not in the repository of the workflow any more.",
            code="unknown_commit",
            detail={"sha": sha},
        ) from error
    return diff.encode(errors="surrogateescape").decode(errors="replace")
