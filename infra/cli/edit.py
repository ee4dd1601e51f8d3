"""`cairn edit prd`: write a section of the PRD anew, or answer what is suggested for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from infra.cli.calls import told
from infra.cli.context import JSON_OPTION, KEY_OPTION, PROJECT_OPTION, asking, connect
from infra.cli.output import answer as standard_output
from infra.cli.output import as_lines
from infra.client.models.quality import SectionText

if TYPE_CHECKING:
    from infra.client.models.quality import Edit

FILE = typer.Option(
    None, "--file", help="The section: a statement a line, [[atm_…]] behind it; - reads input."
)


def register(app: typer.Typer) -> None:
    edits = typer.Typer(help="Edit a section of the PRD, or answer a suggestion for it.")
    app.add_typer(edits, name="edit")

    @edits.callback()
    def edit() -> None:
        """Edit a section of the PRD, or answer a suggestion for it."""

    @edits.command()
    def prd(
        project: str = PROJECT_OPTION,
        section: str = typer.Option(..., "--section", metavar="ID", help="Such as goals."),
        file: str | None = FILE,
        accept: bool = typer.Option(False, "--accept-suggestion", help="Take it over."),
        decline: bool = typer.Option(False, "--decline-suggestion", help="Keep what is there."),
        name: str | None = typer.Option(
            None, "--as", help="Edit on behalf of this person (owner's token)."
        ),
        expected_version: int | None = typer.Option(
            None, help="Version it is based on (default: the present one)."
        ),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Set the statements of a section; no later run overwrites what a person wrote.

        A line that is as before keeps its citations, and goes when its evidence is dismissed. What
        is new is read like a source, and cites the atoms that come out of it when the run that
        reads it has ended; until then, and where nothing comes out of it, it is shown as uncited.
        """
        action = _choose_action(file, accept, decline)
        cairn = connect(speaks_for=name)
        text = None if file is None else _read(file)
        body = SectionText.model_validate(
            told(text=text, action=action, expected_version=expected_version)
        )
        with asking(idempotency_key) as key:
            known = cairn.project_of(project)
            done = cairn.edit_prd_section(known, section, body, key=key)
        _show(done, as_json=as_json)


def _choose_action(file: str | None, accept: bool, decline: bool) -> str:
    if [file is not None, accept, decline].count(True) != 1:
        raise typer.BadParameter(
            "Give one of --file, --accept-suggestion and --decline-suggestion."
        )
    if file is not None:
        return "write"
    return "accept_suggestion" if accept else "decline_suggestion"


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} cannot be read as text.") from error


def _show(edit: Edit, *, as_json: bool) -> None:
    if as_json:
        as_lines([edit.model_dump()])
        return
    sections = ", ".join(edit.section_ids)
    answer = standard_output()
    answer.print(f"{sections} changed: version {edit.version}.", markup=False)
    for atom_id in edit.uncited_atom_ids:
        answer.print(
            f"The PRD no longer cites {atom_id}, which stays in the ledger:"
            f" `cairn dismiss {atom_id}` if it is wrong.",
            markup=False,
            soft_wrap=True,
        )
