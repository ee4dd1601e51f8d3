"""Documents made from the ledger: read them, and ask of each statement why it is there."""

from __future__ import annotations

from itertools import groupby

from starlette.responses import Response

from infra.errors import NotFound
from infra.http.access import LEADERS, READERS
from infra.http.console.pages import Pages, Visit
from infra.service import http_questions as ask

pages = Pages()
ORDER = ("prd", "insight", "epic", "feature", "task", "sprint_plan", "report")
ATOMS_SHOWN = 50  # of one statement


@pages.show("/projects/{project}/documents", *READERS)
async def list_documents(visit: Visit) -> Response:
    """PRD, insights, epics, features, tasks, plans and reports, each with its state."""
    kind = visit.asked("type")
    listed = await visit.ask(
        ask.list_artifacts,
        visit.project_id,
        artifact_type=kind,
        cursor=visit.asked("cursor"),
        limit=ask.LARGEST_PAGE,
    )
    by_type = {
        name: list(many) for name, many in groupby(listed.items, lambda it: it.artifact_type)
    }
    rank = {name: place for place, name in enumerate(ORDER)}
    groups = sorted(by_type.items(), key=lambda it: rank.get(it[0], len(ORDER)))
    return visit.show("documents.html", groups=groups, listed=listed, kind=kind)


@pages.show("/projects/{project}/documents/{artifact}", *READERS)
async def show_document(visit: Visit) -> Response:
    """A document as it is now, or as its ``version`` was; every statement leads to its atoms."""
    artifact = await visit.ask(ask.whole_artifact, visit.project_id, visit.part("artifact"))
    versions = await visit.ask(ask.list_versions, visit.project_id, artifact.artifact_id)
    past, wanted = None, visit.asked_number("version")
    if wanted is not None and wanted != artifact.version:
        past = await visit.ask(ask.whole_version, visit.project_id, artifact.artifact_id, wanted)
    linked = [await _find(visit, each) for each in artifact.upstream_artifact_ids]
    return visit.show(
        "document.html",
        artifact=artifact,
        sections=past.sections if past else artifact.sections,
        past=past,
        versions=list(reversed(versions.items)),
        upstream=[each for each in linked if each],
        can_edit=artifact.artifact_type == "prd" and visit.caller.role in LEADERS,
    )


@pages.show("/projects/{project}/documents/{artifact}/why/{statement}", *READERS)
async def show_why(visit: Visit) -> Response:
    """A statement down to its atoms, their quotes in the sources, and who decided about them."""
    artifact = await visit.ask(ask.whole_artifact, visit.project_id, visit.part("artifact"))
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
    atoms = [await visit.ask(ask.whole_atom, visit.project_id, it.atom_id) for it in cited]
    decided = [
        row
        for atom in atoms
        for row in (
            await visit.ask(ask.list_decisions, visit.project_id, target=atom.atom_id, limit=10)
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


async def _find(visit: Visit, artifact_id: str) -> ask.WholeArtifact | None:
    try:
        found: ask.WholeArtifact = await visit.ask(
            ask.whole_artifact, visit.project_id, artifact_id
        )
    except NotFound:
        return None
    return found
