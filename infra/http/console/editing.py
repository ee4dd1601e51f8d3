"""Sections of the PRD as people write them, and what later runs suggest for those."""

from __future__ import annotations

from typing import cast, get_args

from starlette.responses import Response

from infra.http.access import LEADERS
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.spans import visible
from infra.platform.errors import Invalid, NotFound, Unavailable
from infra.service.planning import section_edits as edits
from projections.read.artifact_list import ArtifactDetail, read_artifact
from projections.read.artifacts import CitingSection
from schemas.events.change import EditAction

pages = Pages()
PATH = "/projects/{project}/documents/{artifact}/sections/{section}"
TOLD: dict[EditAction, str] = {
    "write": "Written",
    "accept_suggestion": "The suggestion is taken over",
    "decline_suggestion": "The suggestion is dismissed",
}


@pages.show(PATH, *LEADERS)
async def show_editor(visit: PageContext) -> Response:
    """A section of the PRD to write anew, and the suggestion for it."""
    artifact, section = await _find(visit)
    return visit.show("edit.html", artifact=artifact, section=section, text=_lines(section))


@pages.act(PATH, *LEADERS, page=show_editor)
async def edit_section(visit: PageContext) -> Response:
    """Write a section, or answer its suggestion."""
    action = visit.form.get("action", "")
    if action not in get_args(EditAction):
        raise Invalid("Say what is to be done with the section.", code="invalid_request")
    artifact, section = await _find(visit)
    text = visit.form.get("text", "")
    edit = edits.PrdEdit(
        visit.project_id,
        section.section_id,
        _restore(text, section) if action == "write" else None,
        cast(EditAction, action),
        visit.sent_number("version"),
        visit.form["key"],
    )
    try:
        done = await edits.edit_prd_section(visit.api.settings, edit, editor=visit.caller.name)
        told = f"{TOLD[edit.action]}: version {done.version}."
    except Unavailable as error:
        if error.code != edits.UNANSWERED:
            raise
        told = "Recorded; the writer has not answered yet."
    return visit.go("projects", visit.project_id, "documents", artifact.artifact_id, told=told)


async def _find(visit: PageContext) -> tuple[ArtifactDetail, CitingSection]:
    """Raises NotFound for what is no section of the PRD."""
    artifact = await visit.ask(read_artifact, visit.project_id, visit.part("artifact"))
    for section in artifact.sections if artifact.artifact_type == "prd" else ():
        if section.section_id == visit.part("section"):
            return artifact, section
    raise NotFound("Sections of the PRD are edited, and this is none.", code="unknown_section")


def _lines(section: CitingSection) -> str:
    return "\n".join(f"- {visible(it.text)}" for it in section.statements)


def _restore(text: str, section: CitingSection) -> str:
    """Lines as they were shown become the statements again: an unchanged one keeps its atoms."""
    shown = {f"- {visible(it.text)}": f"- {it.text}" for it in section.statements}
    return "\n".join(shown.get(line.rstrip(), line) for line in text.split("\n"))
