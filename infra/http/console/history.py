"""What was, beside what is: two versions, two moments, and what is new since one last looked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from starlette.responses import Response

from infra.clock import SystemClock
from infra.errors import Invalid, NotFound
from infra.http.access import READERS
from infra.http.console.overview import find_prd
from infra.http.console.pages import Pages, Visit, set_cookie
from infra.http.console.rendering import address
from infra.http.moments import read_moment
from infra.service import http_questions as ask
from infra.service.comparing import compare_versions, what_stood

pages = Pages()
SEEN_COOKIE, SEEN_FOR_S = "cairn_seen", 400 * 86_400
SHOWN = 100  # of each kind of change
VERSIONS_SHOWN = 20


@pages.show("/projects/{project}/documents/{artifact}/compare", *READERS)
async def show_difference(visit: Visit) -> Response:
    """Two versions of a document, statement by statement; at first the last two."""
    artifact = await visit.ask(ask.whole_artifact, visit.project_id, visit.part("artifact"))
    after = visit.asked_number("to") or artifact.version
    before = visit.asked_number("from") or max(1, after - 1)
    compared = await visit.ask(
        compare_versions, visit.project_id, artifact.artifact_id, before, after
    )
    return visit.show("compare.html", artifact=artifact, compared=compared)


@pages.show("/projects/{project}/moments", *READERS)
async def show_moments(visit: Visit) -> Response:
    """The PRD and the open contradictions of two moments; without ``to`` the second is now."""
    asked = {"from": visit.asked("from"), "to": visit.asked("to")}
    then = now = None
    if asked["from"]:
        end = _moment(asked["to"]) if asked["to"] else SystemClock().now()
        then = await visit.ask(what_stood, visit.project_id, _moment(asked["from"]))
        now = await visit.ask(what_stood, visit.project_id, end)
    prd = await find_prd(visit)
    versions: list[ask.ArtifactVersion] = []
    if prd:
        page = await visit.ask(
            ask.list_versions,
            visit.project_id,
            prd.artifact_id,
            newest_first=True,
            limit=VERSIONS_SHOWN,
        )
        versions = page.items
    return visit.show(
        "moments.html",
        asked=asked,
        then=then,
        now=now,
        versions=[(each, _written(each.published_at)) for each in versions],
    )


@pages.show("/projects/{project}/changes", *READERS)
async def show_changes(visit: Visit) -> Response:
    """What is different since ``since``, or since this person has last looked here."""
    since = visit.asked_number("since")
    seen = _seen(visit) if since is None else None
    try:
        changes = await visit.ask(ask.changes_since, visit.project_id, since or seen or 0)
    except NotFound:
        if since is not None:
            raise
        seen = None  # the ledger has been made anew and is shorter
        changes = await visit.ask(ask.changes_since, visit.project_id, 0)
    is_first = since is None and seen is None
    return visit.show("changes.html", changes=changes, since=since, is_first=is_first, shown=SHOWN)


@pages.act("/projects/{project}/changes/seen", *READERS)
async def mark_seen(visit: Visit) -> Response:
    """From now on, what came later is new to this person in this browser."""
    seq = visit.sent_number("seq")
    if seq is None:
        raise Invalid("Say up to where it is seen.", code="invalid_request")
    response = visit.go("projects", visit.project_id, "changes", told="Seen.")
    path = address("projects", visit.project_id)
    set_cookie(visit.request, response, _cookie(visit), str(seq), SEEN_FOR_S, path)
    return response


def _cookie(visit: Visit) -> str:
    """One of each person, sent to the pages of one project alone."""
    return f"{SEEN_COOKIE}_{visit.caller.token_id}"


def _seen(visit: Visit) -> int | None:
    kept = visit.request.cookies.get(_cookie(visit), "")
    return int(kept) if kept.isascii() and kept.isdecimal() and len(kept) < 19 else None


def _moment(text: str) -> datetime:
    """A time of a form is in UTC, and so says nothing of it. Raises Invalid."""
    return read_moment(text if text.endswith("Z") or "+" in text else f"{text}Z")


def _written(at: datetime) -> str:
    """As a field of a form holds it; up to a millisecond later, so that ``at`` is in it."""
    later = at.astimezone(UTC) + timedelta(milliseconds=1)
    return later.replace(tzinfo=None).isoformat(timespec="milliseconds")
