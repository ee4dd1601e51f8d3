"""Documents made from the ledger: read them, and ask of each statement why it is there."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import READERS
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.platform.errors import NotFound
from projections.read.artifact_list import (
    ArtifactDetail,
    find_artifacts,
    list_artifacts,
    list_versions,
    read_artifact,
    read_version,
)
from projections.read.atom_detail import read_atom
from projections.read.decision_list import list_decisions
from projections.read.quality import list_removed_by_gate
from schemas.events.artifact_quality import RemovedStatement
from schemas.provisional import is_mostly_provisional

pages = Pages()
ORDER = ("prd", "insight", "epic", "feature", "task", "sprint_plan", "report")
OF_EACH_TYPE, OF_ONE_TYPE = 20, 100
ATOMS_SHOWN = 50  # of one statement
DECISIONS_SHOWN = 10  # about one atom
VERSIONS_SHOWN = 100


@pages.show("/projects/{project}/documents", *READERS)
async def list_documents(visit: PageContext) -> Response:
    """The first of each type, or those of one ``type``, each with its state."""
    kind = visit.asked_one_of("type", ORDER)
    groups = [
        (
            name,
            await visit.ask(
                list_artifacts,
                visit.project_id,
                artifact_type=name,
                cursor=visit.asked("cursor") if kind else None,
                limit=OF_ONE_TYPE if kind else OF_EACH_TYPE,
            ),
        )
        for name in ((kind,) if kind else ORDER)
    ]
    shown = [(name, listed) for name, listed in groups if listed.items]
    return visit.show("documents.html", groups=shown, kind=kind)


@pages.show("/projects/{project}/documents/{artifact}", *READERS)
async def show_document(visit: PageContext) -> Response:
    """A document as it is now, or as its ``version`` was; every statement leads to its atoms.

    Its state follows the project; the statements stay as they were when the page was opened, at the
    version ``read``, and the page says when there is another one.
    """
    artifact = await visit.ask(read_artifact, visit.project_id, visit.part("artifact"))
    versions = await visit.ask(
        list_versions,
        visit.project_id,
        artifact.artifact_id,
        newest_first=True,
        limit=VERSIONS_SHOWN,
    )
    past, wanted = None, visit.asked_number("version")
    if wanted is not None and wanted != artifact.version:
        past = await visit.ask(read_version, visit.project_id, artifact.artifact_id, wanted)
    sections = past.sections if past else artifact.sections
    statements = [statement for section in sections for statement in section.statements]
    return visit.show(
        "document.html",
        artifact=artifact,
        sections=sections,
        mostly_provisional=is_mostly_provisional(statements),
        past=past,
        read=visit.asked_number("read") or artifact.version,
        removed={} if past else await _find_removed(visit, artifact),
        versions=versions.items,
        upstream=await visit.ask(find_artifacts, visit.project_id, artifact.upstream_artifact_ids),
        can_edit=artifact.artifact_type == "prd" and visit.leads,
        can_change=_form_of(artifact, visit),
    )


async def _find_removed(
    visit: PageContext, artifact: ArtifactDetail
) -> dict[str, list[RemovedStatement]]:
    """What the quality gate has taken out of the sections and they still do not say, by section."""
    shown = {one.text for section in artifact.sections for one in section.statements}
    removed: dict[str, list[RemovedStatement]] = {}
    for one in await visit.ask(list_removed_by_gate, artifact.artifact_id):
        if one.text not in shown:
            removed.setdefault(one.section_id, []).append(one)
    return removed


def _form_of(artifact: ArtifactDetail, visit: PageContext) -> str:
    """Where they may change it; empty: nowhere."""
    forms = {"feature": "features", "sprint_plan": "sprints"} if visit.leads else {}
    forms |= {"task": "tasks"} if visit.writes else {}
    return forms.get(artifact.artifact_type, "") if artifact.number else ""


@pages.show("/projects/{project}/documents/{artifact}/why/{statement}", *READERS)
async def show_why(visit: PageContext) -> Response:
    """A statement down to its atoms, their quotes in the sources, and who decided about them."""
    artifact = await visit.ask(read_artifact, visit.project_id, visit.part("artifact"))
    found = [
        (section, each)
        for section in artifact.sections
        for each in section.statements
        if each.statement_id == visit.part("statement")
    ]
    if not found:
        raise NotFound(
            "This statement is not in the present version any more.", code="unknown_statement"
        )
    section, statement = found[0]
    cited = statement.citations[:ATOMS_SHOWN]
    atoms = [await visit.ask(read_atom, visit.project_id, it.atom_id) for it in cited]
    decided = [
        row
        for atom in atoms
        for row in (
            await visit.ask(
                list_decisions,
                visit.project_id,
                target=atom.atom_id,
                newest_first=True,
                limit=DECISIONS_SHOWN,
            )
        ).items
    ]
    template = "why_beside.html" if visit.is_beside else "why.html"
    return visit.show(
        template,
        artifact=artifact,
        section=section,
        statement=statement,
        atoms=atoms,
        decided=decided,
    )
