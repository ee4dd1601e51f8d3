"""The ledger: find statements, see what each rests on, and say what becomes of it."""

from __future__ import annotations

from typing import Any, get_args

from starlette.responses import Response

from infra.http.access import DECIDERS, READERS
from infra.http.console.deciding import Acts, decide_by_form
from infra.http.console.history import STATUSES, show_past_atom, show_past_ledger
from infra.http.console.pages import Pages, Visit
from infra.http.console.rendering import address
from infra.service import decisions
from infra.service import http_questions as ask
from infra.service.http_questions import Filters
from schemas.areas import AREAS
from schemas.events.atom import KINDS
from schemas.events.ledger import AtomStatus

pages = Pages()
ORDERS = ("worth", "age")
ATOM_ACTS: Acts = {
    "verify": (decisions.verify_atom, "Verified."),
    "unverify": (decisions.unverify_atom, "No longer verified."),
    "dismiss": (decisions.dismiss_atom, "Dismissed."),
    "reinclude": (decisions.reinclude_atom, "Included again."),
}
SHOWN = 50
FOUND = 50


@pages.show("/projects/{project}/ledger", *READERS)
async def list_ledger(visit: Visit) -> Response:
    """Atoms, most valuable first, or those that speak to ``q``, best first, from all sources."""
    kind, status = visit.asked_one_of("kind", KINDS), visit.asked_one_of("status", STATUSES)
    area, order = visit.asked_one_of("area", AREAS), visit.asked_one_of("order", ORDERS) or "worth"
    path, q = visit.asked("path"), visit.asked("q")
    asked: dict[str, Any] = {"kind": kind, "status": status, "path": path, "q": q, "area": area}
    if as_of := visit.asked("as_of"):
        return await show_past_ledger(visit, as_of, asked | {"order": order})
    listed, found = None, None
    if q:
        filters = Filters(
            kinds=(kind,) if kind else (),
            areas=(area,) if area else (),
            statuses=get_args(AtomStatus) if status == "all" else (status,) if status else (),
        )
        found = await visit.ask(ask.search_ledger, visit.project_id, q[:1_000], filters, FOUND)
    else:
        listed = await visit.ask(
            ask.list_atoms,
            visit.project_id,
            kind=kind,
            status=status,
            area=area,
            source=path,
            order=order,
            cursor=visit.asked("cursor"),
            limit=SHOWN,
        )
    return visit.show(
        "ledger.html",
        listed=listed,
        found=found,
        asked=asked | {"order": order},
        kinds=KINDS,
        statuses=STATUSES,
        areas=AREAS,
    )


@pages.show("/projects/{project}/atoms/{atom}", *READERS)
async def show_atom(visit: Visit) -> Response:
    """An atom with its evidence, links and history, and what may be done about it."""
    if as_of := visit.asked("as_of"):
        return await show_past_atom(visit, as_of)
    atom_id = visit.part("atom")
    atom = await visit.ask(ask.whole_atom, visit.project_id, atom_id)
    if visit.is_beside:
        return visit.show("atom_beside.html", atom=atom)
    decided = await visit.ask(
        ask.list_decisions, visit.project_id, target=atom_id, newest_first=True, limit=SHOWN
    )
    citing = await visit.ask(ask.list_citing, visit.project_id, atom_id, SHOWN)
    return visit.show(
        "atom.html", atom=atom, decided=decided.items, citing=citing, rows_shown=SHOWN
    )


@pages.act("/projects/{project}/atoms/{atom}/decide", *DECIDERS)
async def decide_atom(visit: Visit) -> Response:
    """Verify, unverify, dismiss or re-include an atom."""
    atom_id = visit.part("atom")
    told, undo = await decide_by_form(visit, atom_id, ATOM_ACTS)
    return visit.go_on(address("projects", visit.project_id, "atoms", atom_id), told, undo)
