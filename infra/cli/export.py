"""`cairn export`: a project as a folder of pages and JSON that opens without a server.

A folder is replaced as a whole: everything is written beside it first. Only a folder that is empty,
or that holds nothing but an earlier export of the same project, is replaced; a list of its files
(`cairn-export.json`) tells. Between the two renames a folder is away for a moment; whoever is
killed there finds the earlier one in a hidden folder beside it.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from infra.cli.context import PROJECT_OPTION, connect, explain_wrong_use
from infra.cli.output import answer
from infra.platform.errors import Conflict, Invalid

if TYPE_CHECKING:
    from infra.client.models.views import Export

MARKER = "cairn-export.json"
FORMAT = 1
MOST_NAMED = 3


def register(app: typer.Typer) -> None:
    @app.command()
    def export(
        project: str = PROJECT_OPTION,
        out: Path = typer.Option(
            ..., "--out", metavar="DIR", help="A new or empty folder, or an earlier export."
        ),
    ) -> None:
        """Write PRD, ledger and evidence of a project as pages that open without a server.

        The same ledger position gives the same bytes. `badge.svg` is for a README.
        """
        with explain_wrong_use():
            check_folder(out)
            cairn = connect()
            found = cairn.export_project(cairn.project_of(project))
            write_export(found, out)
        answer().print(f"{out / 'index.html'}", markup=False, soft_wrap=True)


def write_export(project: Export, out: Path) -> None:
    """Replace ``out`` by the export of a project. Raises Invalid for a folder of other things."""
    files = {name: content.encode() for name, content in project.files.items()}
    marker = {
        "cairn_export": FORMAT,
        "project_id": project.project_id,
        "ledger_seq": project.ledger_seq,
        "files": {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)},
    }
    text = json.dumps(marker, indent=1) + "\n"
    check_folder(out, project.project_id)
    _replace(out.resolve(), files | {MARKER: text.encode()})


def check_folder(out: Path, project_id: str | None = None) -> None:
    """Whether it may be replaced. Raises Invalid, also for the export of another project."""
    try:
        there = {path.name for path in out.iterdir()} if out.exists() else set()
    except OSError as error:
        raise Invalid(f"{out} is no folder that can be read.", code="folder_unusable") from error
    if not there:
        return
    marker = _read_marker(out)
    foreign = sorted(there - {MARKER, *marker.get("files", {})})
    if not marker or foreign:
        named = ", ".join(foreign[:MOST_NAMED])
        raise Invalid(
            f"{out} holds what is no export ({named}): name a new or empty folder.",
            code="folder_in_use",
        )
    if project_id not in (None, marker.get("project_id")):
        raise Invalid(
            f"{out} holds the export of another project: name another folder.",
            code="folder_in_use",
        )


def _read_marker(out: Path) -> dict[str, Any]:
    try:
        found = json.loads((out / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    is_ours = isinstance(found, dict) and found.get("cairn_export") == FORMAT
    return found if is_ours and isinstance(found.get("files"), dict) else {}


def _replace(out: Path, files: Mapping[str, bytes]) -> None:
    """Raises Conflict where the folder cannot be written."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as beside:
            new, earlier = Path(beside, "new"), Path(beside, "earlier")
            new.mkdir()
            for name, content in files.items():
                (new / name).write_bytes(content)
            if out.exists():
                out.rename(earlier)
            try:
                new.rename(out)
            except OSError:
                if earlier.exists():
                    earlier.rename(out)
                raise
    except OSError as error:
        raise Conflict(
            f"{out} cannot be written: {error.strerror}.", code="folder_unusable"
        ) from error
