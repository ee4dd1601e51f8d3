"""What was, beside what is: two versions, two moments, one moment alone, and what is new since one
last looked.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import get_args

from starlette.responses import Response

from infra.http.access import READERS
from infra.http.console.browser import set_cookie
from infra.http.console.overview import find_prd
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.rendering import address
from infra.http.moments import read_moment_or_sequence
from infra.platform.errors import Invalid, NotFound
from infra.service.reading.comparing import compare_versions, what_stood
from projections.read.artifact_list import ArtifactVersion, list_versions, read_artifact
from projections.read.atom_detail import read_past_atom
from projections.read.changes import read_changes
from projections.read.ledger_position import LedgerPosition, read_position, read_position_at
from projections.read.moments import compare_ledgers, list_committed_batches, snap_to_batch
from projections.read.past import list_past_atoms
from schemas.events.atom import KINDS
from schemas.events.ledger import AtomStatus

pages = Pages()
SEEN_COOKIE, SEEN_FOR_S = "cairn_seen", 400 * 86_400
SHOWN = 100  # of each kind of change
VERSIONS_SHOWN = 20
STATUSES: tuple[str, ...] = (*get_args(AtomStatus), "all")
BATCHES_SHOWN = 400  # marks of a slider


@pages.show("/projects/{project}/documents/{artifact}/compare", *READERS)
async def show_difference(visit: PageContext) -> Response:
    """Two versions of a document, statement by statement; at first the last two."""
    artifact = await visit.ask(read_artifact, visit.project_id, visit.part("artifact"))
    after = visit.asked_number("to") or artifact.version
    before = visit.asked_number("from") or max(1, after - 1)
    compared = await visit.ask(
        compare_versions, visit.project_id, artifact.artifact_id, before, after
    )
    return visit.show("compare.html", artifact=artifact, compared=compared)


@pages.show("/projects/{project}/compare", *READERS)
async def show_comparison(visit: PageContext) -> Response:
    """What two moments differ in: PRD, ledger, coverage and open contradictions.

    Its address names both, so that it shows the same whenever it is opened; what a slider stands on
    is snapped to the end of a batch first.
    """
    project = visit.project_id
    head = (await visit.ask(read_position, project)).ledger_seq
    snapped = {name: await _snap(visit, name) for name in ("from", "to")}
    asked = {name: visit.asked(name) or snapped[name] for name in snapped}
    if any(snapped.values()) or (asked["from"] and not asked["to"]):
        both = {"from": asked["from"], "to": asked["to"] or head}
        return visit.go("projects", project, "compare", told="", **both)
    then = now = ledger = None
    if asked["from"] and asked["to"]:
        places = [read_moment_or_sequence(asked[name] or "") for name in ("from", "to")]
        found = [(await visit.ask(read_position_at, project, place), place) for place in places]
        (start, since), (end, to) = sorted(found, key=lambda it: it[0].ledger_seq)
        then, now, ledger = await asyncio.gather(  # a second core answers as much again
            visit.ask(what_stood, project, since, start),
            visit.ask(what_stood, project, to, end),
            visit.ask(compare_ledgers, project, start.ledger_seq, end.ledger_seq, SHOWN),
        )
    prd = await find_prd(visit)
    versions: list[ArtifactVersion] = []
    if prd:
        page = await visit.ask(
            list_versions, project, prd.artifact_id, newest_first=True, limit=VERSIONS_SHOWN
        )
        versions = page.items
    return visit.show(
        "compare_times.html",
        asked=asked,
        then=then,
        now=now,
        ledger=ledger,
        head=head,
        batches=await visit.ask(list_committed_batches, project, BATCHES_SHOWN),
        versions=[(each, _written(each.published_at)) for each in versions],
    )


async def show_past_ledger(
    visit: PageContext, as_of: str, asked: dict[str, str | None]
) -> Response:
    """The atoms as they were; nothing on the page can be decided."""
    then = await _position(visit, as_of)
    listed = await visit.ask(
        list_past_atoms,
        visit.project_id,
        then.ledger_seq,
        kind=asked["kind"],
        status=asked["status"],
        order=asked["order"],
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return visit.show(
        "ledger_then.html",
        listed=listed,
        asked=asked,
        then=then,
        kinds=KINDS,
        statuses=STATUSES,
    )


async def show_past_atom(visit: PageContext, as_of: str) -> Response:
    """The record of an atom as it was; nothing on the page can be decided."""
    then = await _position(visit, as_of)
    atom = await visit.ask(read_past_atom, visit.project_id, visit.part("atom"), then.ledger_seq)
    return visit.show("atom_then.html", atom=atom, then=then)


async def _position(visit: PageContext, as_of: str) -> LedgerPosition:
    """Raises Refusal."""
    found: LedgerPosition = await visit.ask(
        read_position_at, visit.project_id, read_moment_or_sequence(as_of)
    )
    return found


async def _snap(visit: PageContext, name: str) -> str | None:
    """Where the slider ``name`` snaps to; None without it. Raises Invalid."""
    seq = visit.asked_number(f"{name}_near")
    if seq is None:
        return None
    return str(await visit.ask(snap_to_batch, visit.project_id, seq))


@pages.show("/projects/{project}/changes", *READERS)
async def show_changes(visit: PageContext) -> Response:
    """What is different since ``since``, or since this person has last looked here."""
    since = visit.asked_number("since")
    seen = _seen(visit) if since is None else None
    try:
        changes = await visit.ask(read_changes, visit.project_id, since or seen or 0)
    except NotFound:
        if since is not None:
            raise
        seen = None  # the ledger has been made anew and is shorter
        changes = await visit.ask(read_changes, visit.project_id, 0)
    is_first = since is None and seen is None
    return visit.show("changes.html", changes=changes, since=since, is_first=is_first, shown=SHOWN)


@pages.act("/projects/{project}/changes/seen", *READERS)
async def mark_seen(visit: PageContext) -> Response:
    """From now on, what came later is new to this person in this browser."""
    seq = visit.sent_number("seq")
    if seq is None:
        raise Invalid("Say up to where it is seen.", code="invalid_request")
    response = visit.go("projects", visit.project_id, "changes", told="Marked as seen.")
    path = address("projects", visit.project_id)
    set_cookie(visit.request, response, _cookie(visit), str(seq), SEEN_FOR_S, path)
    return response


def _cookie(visit: PageContext) -> str:
    """One of each person, sent to the pages of one project alone."""
    return f"{SEEN_COOKIE}_{visit.caller.token_id}"


def _seen(visit: PageContext) -> int | None:
    kept = visit.request.cookies.get(_cookie(visit), "")
    return int(kept) if kept.isascii() and kept.isdecimal() and len(kept) < 19 else None


def _written(at: datetime) -> str:
    """As a field of a form holds it; up to a millisecond later, so that ``at`` is in it."""
    later = at.astimezone(UTC) + timedelta(milliseconds=1)
    return later.replace(tzinfo=None).isoformat(timespec="milliseconds")
