"""The sources of a project, and the text of one with the quoted span marked."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import DECIDERS, OBSERVERS, READERS
from infra.http.console.deciding import decide, decider
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.rendering import address, counted
from infra.http.console.spans import ShownText, show_text
from infra.platform.errors import Invalid, NotFound
from infra.service.deciding.decisions import set_document_role
from infra.service.deciding.document_roles import set_document_roles
from projections.read import atom_detail, belonging, source_detail, source_list
from projections.read.search_passages import read_passages
from schemas.document_roles.public import DOCUMENT_ROLES, ROLE_NAMES, DocumentRole

pages = Pages()
SHOWN = 100
FILTER = ("path", "skipped", "role")


@pages.show("/projects/{project}/sources", *OBSERVERS)
async def list_sources(visit: PageContext) -> Response:
    """Sources by root and path, with why one is not read."""
    listed = await visit.ask(
        source_list.list_sources,
        visit.project_id,
        skipped=visit.asked("skipped") == "1",
        source=visit.asked("path"),
        role=visit.asked_one_of("role", DOCUMENT_ROLES),
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    asked = {name: visit.asked(name) for name in FILTER}
    return visit.show("sources.html", listed=listed, asked=asked, roles=ROLE_NAMES)


@pages.act("/projects/{project}/sources/{source}/role", *DECIDERS, page=list_sources)
async def decide_role(visit: PageContext) -> Response:
    """Say what a document is, or leave it to its names; then go on where the form stood."""
    source_id = visit.part("source")
    await visit.ask(belonging.check_belongs, visit.project_id, source_id)
    role = _read_role(visit.form.get("role", ""))
    setting = set_document_role(visit.api.settings, source_id, decider(visit), role)
    message, undo = await decide(setting, "Changed.")
    place = visit.form.get("back") or address("projects", visit.project_id, "sources")
    return visit.redirect_within(place, message, undo)


@pages.act("/projects/{project}/source-roles", *DECIDERS, page=list_sources)
async def decide_roles(visit: PageContext) -> Response:
    """Say what all documents at the paths of the list are; then show that list again."""
    path, role = visit.form.get("path", ""), _read_role(visit.form.get("role", ""))
    made = await set_document_roles(
        visit.api.settings, visit.project_id, path, decider(visit), role
    )
    refused = sum(bool(it.code) for it in made)
    message = f"{counted(len(made) - refused, 'document')} changed."
    if refused:
        message += f" {refused} had changed meanwhile and were left alone."
    return visit.redirect_within(
        address("projects", visit.project_id, "sources", path=path), message
    )


def _read_role(name: str) -> DocumentRole | None:
    """The role of that name, None where its names are to tell it. Raises Invalid."""
    if not name:
        return None
    for role in DOCUMENT_ROLES:
        if role == name:
            return role
    raise Invalid(f"Choose one of {', '.join(DOCUMENT_ROLES)}.", code="invalid_request")


@pages.show("/projects/{project}/sources/{source}", *READERS)
async def show_source(visit: PageContext) -> Response:
    """The sanitized text; with ``atom`` and ``evidence`` the quote is marked, with ``line`` a line.

    A quote that was taken from another revision of the text is told, and not marked.
    """
    source = await visit.ask(source_detail.read_source, visit.project_id, visit.part("source"))
    atom, quote = None, None
    if atom_id := visit.asked("atom"):
        atom = await visit.ask(atom_detail.read_atom, visit.project_id, atom_id)
        evidence_id = visit.asked("evidence")
        known = (
            it
            for it in atom.evidence
            if it.source_id == source.source_id and evidence_id in (None, it.evidence_id)
        )
        quote = next(known, None)
        if quote is None:
            raise NotFound(f"{atom_id} quotes no such place.", code="unknown_evidence")
    text = source.text or ""
    shown: ShownText
    if quote and quote.sanitized_hash == source.sanitized_hash:
        shown = show_text(text, (quote.char_start, quote.char_end), quote.snippet)
    else:
        shown = show_text(text, _span_of_line(text, visit.asked_number("line")))
    template = "source_beside.html" if visit.is_beside else "source.html"
    return visit.show(
        template, source=source, atom=atom, quote=quote, shown=shown, roles=ROLE_NAMES
    )


@pages.show("/projects/{project}/passages/{passage}", *READERS)
async def show_passage(visit: PageContext) -> Response:
    """The text of the source that a passage is of, at ``line`` or where the passage begins."""
    passage_id = visit.part("passage")
    passages = await visit.ask(read_passages, [passage_id])
    if passage_id not in passages:
        raise NotFound(
            f"{passage_id} is not there any more: its source has changed.", code="unknown_evidence"
        )
    passage = passages[passage_id]
    await visit.ask(belonging.check_belongs, visit.project_id, passage.source_id)
    line = visit.asked_number("line") or passage.line_start
    return visit.go("projects", visit.project_id, "sources", passage.source_id, line=line)


def _span_of_line(text: str, line: int | None) -> tuple[int, int] | None:
    """A line of the text by its number; None when it has no such line."""
    lines = text.split("\n")
    if line is None or not 1 <= line <= len(lines):
        return None
    start = sum(len(each) + 1 for each in lines[: line - 1])
    return start, start + len(lines[line - 1])
