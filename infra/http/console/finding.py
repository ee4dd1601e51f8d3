"""Find a project, a document or a statement by words, and come back to views that were saved.

The palette asks for the same page, of which it is answered the list alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode

from starlette.responses import Response

from infra.http.access import EVERYONE
from infra.http.console.browser import own_place
from infra.http.console.page_context import PageContext, redirect
from infra.http.console.pages import Pages
from infra.http.console.rendering import address
from infra.platform.errors import Invalid
from infra.store.saved_views import SavedView, remove_view, rename_view, save_view
from projections.read.artifact_list import list_artifacts
from projections.read.projects import list_project_names
from projections.read.search import Answer, Hit, search_ledger

Found = list[tuple[str, str, str]]  # where it is, what it is called, its kind

pages = Pages()
FOUND = 8  # of each kind
PASSING = ("cursor",)  # where somebody was in a list is no part of the view


@pages.show("/search", *EVERYONE)
async def search(visit: PageContext) -> Response:
    """The projects whose names hold ``q``."""
    return _show_found(visit, [await _find_projects(visit, visit.asked("q"))])


@pages.show("/projects/{project}/search", *EVERYONE)
async def search_project(visit: PageContext) -> Response:
    """What speaks to ``q`` in this project, as the ledger finds it, its documents, and projects."""
    q = visit.asked("q")
    groups = [await _find_projects(visit, q)]
    answer = None
    if q and visit.reads:
        p = visit.project_id
        titled = await visit.ask(list_artifacts, p, titled=q, limit=FOUND)
        answer = await _find_statements(visit, q[:1_000])
        documents = [
            (address("projects", p, "documents", it.artifact_id), it.title, it.artifact_type)
            for it in titled.items
        ]
        statements = _name_hits(p, answer.hits)
        groups = [("Documents", documents), ("Statements", statements), *groups]
    return _show_found(visit, groups, answer)


@pages.act("/projects/{project}/views/save", *EVERYONE)
async def keep_view(visit: PageContext) -> Response:
    """Save the view that the form stands on under a name."""
    name, place = visit.form.get("name", ""), visit.form.get("place", "")
    home = address("projects", visit.project_id) + "/"
    if own_place(place) != place or not place.startswith(home):
        raise Invalid("A view is a page of this project.", code="invalid_request")
    below, _, query = place.removeprefix(home).partition("?")
    kept = urlencode([each for each in parse_qsl(query) if each[0] not in PASSING])
    view = SavedView(name=name, place=f"{below}?{kept}" if kept else below)
    await visit.ask(save_view, visit.project_id, visit.caller.token_id, view)
    return redirect(visit.request, home + view.place, "Saved.")


@pages.show("/projects/{project}/views", *EVERYONE)
async def list_saved(visit: PageContext) -> Response:
    """The views of this person, each with a new name and its end."""
    return visit.show("views.html")


@pages.act("/projects/{project}/views/change", *EVERYONE)
async def change_view(visit: PageContext) -> Response:
    """Give a view another name, or remove it."""
    p, who, name = visit.project_id, visit.caller.token_id, visit.form.get("name", "")
    if visit.form.get("act") == "remove":
        await visit.ask(remove_view, p, who, name)
        told = "Removed."
    else:
        await visit.ask(rename_view, p, who, name, visit.form.get("new", ""))
        told = "Renamed."
    return visit.go("projects", p, "views", told=told)


async def _find_projects(visit: PageContext, q: str | None) -> tuple[str, Found]:
    """By the tables: the menu of a page holds the first ones alone."""
    only = visit.caller.projects
    named = await visit.ask(list_project_names, only=only, named=q, limit=FOUND)
    return "Projects", [(address("projects", it.project_id), it.name, "project") for it in named]


async def _find_statements(visit: PageContext, q: str) -> Answer:
    """The palette asks with every letter: it has the order by words, and no sentence."""
    if visit.is_palette:
        answer: Answer = await visit.ask(search_ledger, visit.project_id, q, limit=FOUND)
        return answer
    return await visit.api.tables.answer(visit.project_id, q, limit=FOUND)


def _name_hits(project_id: str, hits: Sequence[Hit]) -> Found:
    return [(_place_of(project_id, it), it.title or it.body, it.kind) for it in hits]


def _place_of(project_id: str, hit: Hit) -> str:
    if hit.atom_id:
        return address("projects", project_id, "atoms", hit.atom_id)
    quote = hit.evidence[0]
    return address("projects", project_id, "sources", quote.source_id, line=quote.line_start)


def _show_found(
    visit: PageContext, groups: list[tuple[str, Found]], answer: Answer | None = None
) -> Response:
    """The palette lists names alone; the page shows what each hit of ``answer`` rests on."""
    shown = [(name, found) for name, found in groups if found]
    if visit.is_palette:
        return visit.show("found.html", groups=shown, hits=())
    return visit.show(
        "search.html",
        groups=shown,
        result=answer,
        hits=answer.hits if answer else (),
        q=visit.asked("q") or "",
    )
