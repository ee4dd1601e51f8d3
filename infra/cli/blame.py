"""`cairn blame`: from a line of code back to the sentence that somebody wrote."""

from __future__ import annotations

from pathlib import Path

import typer

from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.output import as_lines
from infra.client.models.workflows import Blame, LineOfCode
from infra.platform.errors import Invalid


def register(app: typer.Typer) -> None:
    @app.command()
    def blame(
        line: str = typer.Argument(metavar="FILE:LINE", help="A line of code."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Show what a line of code rests on: commit, task, workflows, statements and sources."""
        path, number = _split(line)
        repository = _find_repository(path)
        relative = str(path.relative_to(repository))
        where = LineOfCode(repository=str(repository), path=relative, line=number)
        found = connect(start=False).blame(where)
        if as_json:
            as_lines([found.model_dump(mode="json")])
            return
        for said in _tell(found):
            say(said)


def _split(line: str) -> tuple[Path, int]:
    """Raises Invalid."""
    name, _, number = line.rpartition(":")
    if not name or not number.isdecimal() or int(number) < 1:
        raise Invalid(f"{line} is no FILE:LINE, such as src/app.py:12.", code="line_invalid")
    return Path(name).resolve(), int(number)


def _find_repository(path: Path) -> Path:
    """The folder of the repository that the file is in. Raises Invalid."""
    for folder in path.parents:
        if (folder / ".git").exists():
            return folder
    raise Invalid(f"{path} is in no Git repository: name a file of one.", code="repository_missing")


def _tell(found: Blame) -> list[str]:
    """From the line down to the sentences, a step a line."""
    lines = [f"{found.path}:{found.line}  {found.text.strip()}"]
    if found.commit.sha.strip("0"):
        lines.append(f"  commit {found.commit.sha[:12]}  {found.commit.subject}")
    if found.task is not None:
        of = "" if found.task.total is None else f" of {found.task.total}"
        lines.append(f"  task {found.task.index + 1}{of}  {found.task.title}")
    for run in found.runs:
        approved = f", approved by {run.approved_by or run.approval}" if run.approval else ""
        about = f"issue {run.issue_number}: {run.title}"
        lines.append(f"  {run.workflow_type} {run.workflow_id}  {about}{approved}")
    lines += [f"  {one.artifact_type} {one.number}  {one.title}" for one in found.items]
    for one in found.statements:
        mark = "" if one.status in ("active", "draft") else f" [{one.status}]"
        lines.append(f"  {one.kind} {one.atom_id}{mark}  {one.title}")
        if one.path is not None:
            quote = " ".join((one.snippet or "").split())
            lines.append(f"    {one.path}:{one.line_start}  “{quote}”")
    return [*lines, *([f"  {found.ends_at}"] if found.ends_at else [])]
