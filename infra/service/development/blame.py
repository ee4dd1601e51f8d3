"""From a line of code back to the sentence that somebody wrote.

The commit names its run and task in trailers; the run names the runs whose artifacts it has taken,
and what of the ledger it started from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agents.development.trailers import TASK, WORKFLOW
from infra.platform.errors import Forbidden, Invalid, NotFound
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.runtime.walls.git import GitFailed, call_git, find_git_dir, overrule_filters
from infra.service.foundation.database import ask
from projections.read import workflow_blame as read
from projections.read.session import Conn, ReadModel
from projections.read.workflow_blame import (
    BlamedItem,
    BlamedRun,
    BlamedStatement,
    BlamedTask,
)

UNCOMMITTED = "0" * 40
LONGEST_INDEX = 6  # digits of the number of a task
_TRAILER = re.compile(r"^(Cairn-[A-Za-z-]+): (.+)$", re.MULTILINE)


class BlamedCommit(ReadModel):
    """The commit that has last changed a line."""

    sha: str
    author: str
    subject: str


class Blame(ReadModel):
    """A line and what it rests on, from the commit to the sources.

    ``runs`` begin with the one that has made the commit; ``statements`` are those that it rests on.
    ``ends_at`` says where the way back ends before a sentence of a source; empty: it does not.
    """

    path: str
    line: int
    text: str
    commit: BlamedCommit
    task: BlamedTask | None = None
    runs: list[BlamedRun] = []
    items: list[BlamedItem] = []
    statements: list[BlamedStatement] = []
    ends_at: str = ""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """``repository`` is a folder of this machine, ``path`` of a file in it, ``line`` from 1."""

    repository: str
    path: str
    line: int


async def blame_line(settings: Settings, where: CodeLine, projects: list[str] | None) -> Blame:
    """What a line rests on, as far as runs of these ``projects`` have led to it; None: of all.

    Raises Forbidden for a repository that no such run has worked on, Invalid, NotFound.
    """
    repository = str(Path(where.repository).resolve()) if "\0" not in where.repository else ""
    known = await ask(settings, partial(read.list_repositories, projects=projects))
    if repository not in known:
        raise Forbidden(
            "No workflow that you may see has worked on this repository.",
            code="repository_unknown",
        )
    text, commit, trailers = await in_thread(partial(_ask_git, repository, where))
    blame = Blame(path=where.path, line=where.line, text=text, commit=commit)
    if commit.sha == UNCOMMITTED:
        return blame.model_copy(update={"ends_at": "The line is in no commit yet."})
    run_id = trailers.get(WORKFLOW)
    if run_id is None:
        said = "No workflow has made this commit: its message names none."
        return blame.model_copy(update={"ends_at": said})
    index = trailers.get(TASK, "")
    is_index = index.isdecimal() and len(index) <= LONGEST_INDEX
    go_back = partial(_go_back, blame, run_id, int(index) if is_index else None, projects)
    return await ask(settings, go_back)


def _go_back(
    blame: Blame, run_id: str, index: int | None, projects: list[str] | None, tables: Conn
) -> Blame:
    runs = read.list_blamed_runs(tables, run_id)
    if not runs or (projects is not None and runs[0].project_id not in projects):
        said = f"The commit names workflow {run_id}, which is not here."
        return blame.model_copy(update={"ends_at": said})
    project_id = runs[0].project_id
    named = list(dict.fromkeys(i for run in runs for i in (run.task_id, run.feature_id) if i))
    atoms = list(dict.fromkeys(atom for run in runs for atom in run.atom_ids))
    statements = read.list_blamed_statements(tables, project_id, atoms)
    task = None if index is None else read.find_blamed_task(tables, run_id, index)
    ends_at = ""
    if not statements:
        ends_at = f"The workflow started from an issue of {runs[-1].started_by} alone."
    return blame.model_copy(
        update={
            "task": task,
            "runs": runs,
            "items": read.list_blamed_items(tables, project_id, named),
            "statements": statements,
            "ends_at": ends_at,
        }
    )


def _ask_git(repository: str, where: CodeLine) -> tuple[str, BlamedCommit, Mapping[str, str]]:
    """The line, its commit, and the trailers of that. Raises Invalid, NotFound."""
    if where.path.startswith("-") or "\0" in where.path:
        raise Invalid("The path is no path of a file.", code="path_invalid")
    span = f"-L{where.line},{where.line}"
    arguments = ("--work-tree=.", "blame", "--no-textconv", "--porcelain", span, "--", where.path)
    try:
        folder = Path(repository)
        git_dir = find_git_dir(folder)
        git = partial(call_git, git_dir, more=overrule_filters(git_dir), directory=folder)
        lines = git(arguments).decode(errors="replace").rstrip("\n").split("\n")
        sha = lines[0].split(" ")[0]
        fields = dict(line.partition(" ")[::2] for line in lines[1:-1])
        message = ""
        if sha != UNCOMMITTED:
            message = git(("show", "-s", "--format=%B", sha)).decode(errors="replace")
    except (GitFailed, OSError) as error:
        raise NotFound(
            f"There is no line {where.line} of {where.path} in this repository.",
            code="line_unknown",
        ) from error
    commit = BlamedCommit(
        sha=sha, author=fields.get("author", ""), subject=fields.get("summary", "")
    )
    return lines[-1].removeprefix("\t"), commit, _read_trailers(message)


def _read_trailers(message: str) -> Mapping[str, str]:
    """Those of the last paragraph: what stands above it is prose, whoever wrote it."""
    *_, last = message.strip().split("\n\n")
    return dict(_TRAILER.findall(last))
