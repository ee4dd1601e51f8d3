"""What members propose: the queue of those who may decide it, and what became of it."""

from __future__ import annotations

from typing import cast

from starlette.responses import Response

from infra.http.access import DECIDERS, LEADERS, READERS
from infra.http.console.deciding import decide, decider, go_to_next
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.platform.errors import Invalid
from infra.service.deciding import decisions
from infra.service.deciding.decisions import Answer
from projections.read import belonging, proposals

pages = Pages()
SHOWN = 20
STATES = ("waiting", "accepted", "declined", "withdrawn", "all")
ANSWERS = {"accept": "Accepted.", "decline": "Declined."}


@pages.show("/projects/{project}/proposals", *READERS)
async def list_proposals(visit: PageContext) -> Response:
    """What waits, oldest first, or what was answered, newest first."""
    state = visit.asked_one_of("state", STATES) or "waiting"
    listed = await visit.ask(
        proposals.list_proposals,
        visit.project_id,
        state=None if state == "all" else state,
        newest_first=state != "waiting",
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return visit.show("proposals.html", listed=listed, state=state, states=STATES)


@pages.act("/projects/{project}/proposals/{proposal}/decide", *LEADERS, page=list_proposals)
async def decide_proposal(visit: PageContext) -> Response:
    """Accept or decline a proposal; then the next one is there."""
    proposal_id, verdict = visit.part("proposal"), visit.form.get("decision", "")
    await visit.ask(belonging.check_belongs, visit.project_id, proposal_id)
    if verdict not in ANSWERS:
        raise Invalid(f"Choose one of {', '.join(ANSWERS)}.", code="invalid_request")
    deciding = decisions.answer_proposal(
        visit.api.settings, proposal_id, decider(visit), cast(Answer, verdict)
    )
    told, undo = await decide(deciding, ANSWERS[verdict])
    return go_to_next(visit, "proposals", told, undo if verdict == "accept" else "")


@pages.act("/projects/{project}/proposals/{proposal}/withdraw", *DECIDERS, page=list_proposals)
async def withdraw_proposal(visit: PageContext) -> Response:
    """Take back what this person has proposed; then the next one is there."""
    proposal_id = visit.part("proposal")
    await visit.ask(belonging.check_belongs, visit.project_id, proposal_id)
    deciding = decisions.answer_proposal(
        visit.api.settings, proposal_id, decider(visit), "withdraw"
    )
    told, _ = await decide(deciding, "Withdrawn.")
    return go_to_next(visit, "proposals", told, "")
