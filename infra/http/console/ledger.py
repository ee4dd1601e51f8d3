"""The ledger: find statements, see what each rests on, and say what becomes of it."""

from __future__ import annotations

from typing import Any, get_args

from starlette.responses import Response

from infra.http.access import DECIDERS, READERS
from infra.http.console.browser import is_part
from infra.http.console.deciding import Acts, decide_by_form, list_proposed
from infra.http.console.history import STATUSES, show_past_atom, show_past_ledger
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.rendering import address
from infra.service.deciding import decisions
from projections.read.artifact_list import list_citing_statements
from projections.read.atom_detail import read_atom
from projections.read.atom_neighbours import Neighbours, find_neighbours
from projections.read.atoms import list_atoms
from projections.read.contradictions import list_undecided_pairs
from projections.read.decision_list import list_decisions
from projections.read.search import Answer, Filters
from schemas.areas import AREAS
from schemas.events.atom import KINDS
from schemas.events.ledger import AtomStatus

pages = Pages()
ORDERS = ("worth", "age")
CONFIDENCES = ("0.5", "0.6", "0.7", "0.8", "0.9", "0.95")
FILTER = ("kind", "status", "area", "path", "min_confidence", "q", "order")
"""What the address of the ledger says, and that of an atom which was opened from it."""
ATOM_ACTS: Acts = {
    "verify": (decisions.verify_atom, "Verified."),
    "unverify": (decisions.unverify_atom, "No longer verified."),
    "dismiss": (decisions.dismiss_atom, "Dismissed."),
    "reinclude": (decisions.reinclude_atom, "Included again."),
}
SHOWN = 50
FOUND = 50


@pages.show("/projects/{project}/ledger", *READERS)
async def list_ledger(visit: PageContext) -> Response:
    """Atoms, most valuable first, or those that speak to ``q``, best first, from all sources."""
    asked = _read_filter(visit)
    if as_of := visit.asked("as_of"):
        return await show_past_ledger(visit, as_of, asked)
    listed, found = None, None
    if asked["q"]:
        found = await _search(visit, asked)
    else:
        listed = await visit.ask(
            list_atoms,
            visit.project_id,
            **_conditions(asked),
            cursor=visit.asked("cursor"),
            limit=SHOWN,
        )
    return visit.show(
        "ledger.html",
        listed=listed,
        found=found,
        asked=asked,
        kinds=KINDS,
        statuses=STATUSES,
        areas=AREAS,
        confidences=CONFIDENCES,
    )


@pages.show("/projects/{project}/atoms/{atom}", *READERS)
async def show_atom(visit: PageContext) -> Response:
    """An atom with its evidence, links and history, and what may be done about it.

    Opened from the ledger, its address has the filter of that list, and next and previous lead
    through it.
    """
    if as_of := visit.asked("as_of"):
        return await show_past_atom(visit, as_of)
    atom_id = visit.part("atom")
    atom = await visit.ask(read_atom, visit.project_id, atom_id)
    if visit.is_beside:
        return visit.show("atom_beside.html", atom=atom)
    decided = await visit.ask(
        list_decisions, visit.project_id, target=atom_id, newest_first=True, limit=SHOWN
    )
    citing = await visit.ask(list_citing_statements, visit.project_id, atom_id, SHOWN)
    asked = _read_filter(visit)
    is_of_list = visit.asked("order") is not None and not is_part(visit.request)
    return visit.show(
        "atom.html",
        atom=atom,
        decided=decided.items,
        proposed=await list_proposed(visit, atom_id),
        citing=citing,
        disputes=await visit.ask(list_undecided_pairs, visit.project_id, atom_id, SHOWN),
        rows_shown=SHOWN,
        asked=asked,
        beside_it=await _find_neighbours(visit, atom_id, asked) if is_of_list else None,
    )


@pages.act("/projects/{project}/atoms/{atom}/decide", *DECIDERS, page=show_atom)
async def decide_atom(visit: PageContext) -> Response:
    """Verify, unverify, dismiss or re-include an atom; then the next one of its list is there."""
    atom_id = visit.part("atom")
    told, undo = await decide_by_form(visit, atom_id, ATOM_ACTS)
    asked = {name: visit.form.get(name) for name in FILTER}
    if not asked["order"]:
        return visit.redirect_within(
            address("projects", visit.project_id, "atoms", atom_id), told, undo
        )
    if following := visit.form.get("next"):
        place = address("projects", visit.project_id, "atoms", following, **asked)
        return visit.redirect_within(place, told, undo)
    place = address("projects", visit.project_id, "ledger", **asked)
    return visit.redirect_within(place, f"{told} It was the last one of this list.", undo)


def _read_filter(visit: PageContext) -> dict[str, str | None]:
    """What the address says of `FILTER`, and the order in any case. Raises Invalid."""
    return {
        "kind": visit.asked_one_of("kind", KINDS),
        "status": visit.asked_one_of("status", STATUSES),
        "area": visit.asked_one_of("area", AREAS),
        "path": visit.asked("path"),
        "min_confidence": visit.asked_one_of("min_confidence", CONFIDENCES),
        "q": visit.asked("q"),
        "order": visit.asked_one_of("order", ORDERS) or "worth",
    }


def _conditions(asked: dict[str, str | None]) -> dict[str, Any]:
    least = asked["min_confidence"]
    return {
        "kind": asked["kind"],
        "status": asked["status"],
        "area": asked["area"],
        "source": asked["path"],
        "min_confidence": float(least) if least else None,
        "order": asked["order"],
    }


async def _search(visit: PageContext, asked: dict[str, str | None]) -> Answer:
    kind, area, status = asked["kind"], asked["area"], asked["status"]
    filters = Filters(
        kinds=(kind,) if kind else (),
        areas=(area,) if area else (),
        statuses=get_args(AtomStatus) if status == "all" else (status,) if status else (),
    )
    words = (asked["q"] or "")[:1_000]
    return await visit.api.tables.answer(visit.project_id, words, filters, FOUND)


async def _find_neighbours(
    visit: PageContext, atom_id: str, asked: dict[str, str | None]
) -> Neighbours:
    """What stands before and behind an atom in the list that it was opened from."""
    if not asked["q"]:
        found: Neighbours = await visit.ask(
            find_neighbours, visit.project_id, atom_id, **_conditions(asked)
        )
        return found
    ids = [hit.atom_id for hit in (await _search(visit, asked)).hits if hit.atom_id]
    if atom_id not in ids:
        return Neighbours(previous=None, following=None)
    at = ids.index(atom_id)
    return Neighbours(
        previous=ids[at - 1] if at else None,
        following=ids[at + 1] if at + 1 < len(ids) else None,
    )
