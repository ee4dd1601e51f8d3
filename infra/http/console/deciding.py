"""What waits for a person: contradictions and merges, decided by keyboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast
from urllib.parse import quote

from starlette.responses import Response

from infra.http.access import DECIDERS, READERS
from infra.http.console.differing import mark_differences
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.http.console.rendering import address
from infra.http.console.spans import Piece
from infra.platform.errors import Invalid, NotFound, Unavailable
from infra.platform.settings import Settings
from infra.service.deciding import decisions
from infra.service.deciding.decisions import UNANSWERED, Decider, Resolution
from projections.read import belonging, contradictions, decision_list, merges, proposals
from projections.read.contradictions import ContradictionCard
from projections.read.decided import DecisionAnswer
from projections.read.merges import Merge
from projections.read.page import Page
from projections.read.proposals import Proposal
from schemas.events.hitl import SHORTEST_RATIONALE, Role

pages = Pages()
WAITS_S = 20.0
MOST_RATIONALE = 4_000
SHOWN = 20
STATUSES = ("open", "escalated", "resolved", "dismissed", "all")
MERGE_STATES = ("open", "done")
Act = Callable[[Settings, str, Decider], Awaitable[DecisionAnswer]]
Acts = Mapping[str, tuple[Act, str]]  # by what a form says: what is done, and what the page says
MERGE_ACTS: Acts = {
    "approve": (partial(decisions.review_merge, verdict="approve"), "Merged."),
    "reject": (partial(decisions.review_merge, verdict="reject"), "Kept separate."),
    "undo": (decisions.undo_merge, "Merge undone."),
}
Sides = tuple[list[Piece], list[Piece]]
RESOLUTIONS: tuple[Resolution, ...] = ("a_wins", "b_wins", "both_valid", "reworded")


@dataclass(frozen=True, slots=True)
class Compared:
    """A pair of atoms with what differs in them marked."""

    merge: Merge
    titles: Sides
    bodies: Sides | None


@pages.show("/projects/{project}/contradictions", *READERS)
async def list_contradictions(visit: PageContext) -> Response:
    """Cards with both sides, the gravest first."""
    status = visit.asked_one_of("status", STATUSES) or "open"
    listed = await visit.ask(
        contradictions.list_contradictions,
        visit.project_id,
        None if status == "all" else status,
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return await _show_cards(visit, listed, status)


@pages.show("/projects/{project}/contradictions/{contradiction}", *READERS)
async def show_contradiction(visit: PageContext) -> Response:
    """One card, wherever it stands in which list."""
    contradiction_id = visit.part("contradiction")
    listed = await visit.ask(
        contradictions.list_contradictions, visit.project_id, None, only=contradiction_id
    )
    if not listed.items:
        raise NotFound(
            f"There is no contradiction {contradiction_id}.", code="unknown_contradiction"
        )
    return await _show_cards(visit, listed, None)


@pages.act(
    "/projects/{project}/contradictions/{contradiction}/decide",
    *DECIDERS,
    page=show_contradiction,
)
async def decide_contradiction(visit: PageContext) -> Response:
    """Resolve a contradiction, hand it on, or close it as none; then the next card is there."""
    contradiction_id, settings = visit.part("contradiction"), visit.api.settings
    await visit.ask(belonging.check_belongs, visit.project_id, contradiction_id)
    by, said = decider(visit), visit.form.get("decision", "")
    if said == "dismiss":
        deciding = decisions.dismiss_contradiction(settings, contradiction_id, by)
    elif said == "escalate":
        to = visit.form.get("to", "").strip()[:200] or None
        deciding = decisions.escalate_contradiction(settings, contradiction_id, by, to)
    elif said in RESOLUTIONS:
        deciding = decisions.resolve_contradiction(settings, contradiction_id, by, said)
    else:
        raise Invalid("Choose how the contradiction is decided.", code="resolution_kind_missing")
    told, undo = await decide(deciding, "Decided.")
    return go_to_next(visit, "contradictions", told, undo, status=visit.form.get("status"))


@pages.show("/projects/{project}/merges", *READERS)
async def list_merges(visit: PageContext) -> Response:
    """Pairs in review, or the merges that were done, newest first."""
    state = visit.asked_one_of("state", MERGE_STATES) or "open"
    listed = await visit.ask(
        merges.list_merges,
        visit.project_id,
        state=state,
        newest_first=state == "done",
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return await _show_pairs(visit, listed, state)


@pages.show("/projects/{project}/merges/{merge}", *READERS)
async def show_merge(visit: PageContext) -> Response:
    """One pair, or one merge."""
    merge_id = visit.part("merge")
    listed = await visit.ask(merges.list_merges, visit.project_id, only=merge_id)
    if not listed.items:
        raise NotFound(f"There is no merge {merge_id}.", code="unknown_merge")
    return await _show_pairs(visit, listed, None)


@pages.act("/projects/{project}/merges/{merge}/decide", *DECIDERS, page=show_merge)
async def decide_merge(visit: PageContext) -> Response:
    """Say whether two atoms are one, or take a merge apart."""
    told, undo = await decide_by_form(visit, visit.part("merge"), MERGE_ACTS)
    if visit.form.get("decision") == "undo":  # what takes a merge apart is not taken back
        undo = ""
    return go_to_next(visit, "merges", told, undo, state=visit.form.get("state"))


@pages.act("/projects/{project}/decisions/{decision}/undo", *DECIDERS)
async def undo_decision(visit: PageContext) -> Response:
    """Take back the decision that the address names, and go on where one was."""
    decision_id = visit.part("decision")
    await visit.ask(belonging.check_belongs, visit.project_id, decision_id)
    undoing = decisions.undo_decision(visit.api.settings, decision_id, decider(visit))
    told, _ = await decide(undoing, "Decision undone.")
    return visit.redirect_within(visit.form.get("back", ""), told)


def go_to_next(
    visit: PageContext, page: str, told: str, undo: str, **filters: str | None
) -> Response:
    """Lead to the card behind the decided one, in the list that it stood in."""
    place = address("projects", visit.project_id, page, cursor=visit.form.get("cursor"), **filters)
    following = visit.form.get("next", "")
    return visit.redirect_within(f"{place}#{quote(following)}" if following else place, told, undo)


def decider(visit: PageContext) -> Decider:
    """Who decides: the person of the session, about the revision that the page has shown."""
    rationale = visit.form.get("rationale", "").strip()
    if len(rationale) > MOST_RATIONALE:
        raise Invalid(f"A rationale has at most {MOST_RATIONALE} characters.")
    return Decider(
        name=visit.caller.name,
        role=cast(Role, visit.caller.role),
        rationale=rationale,
        expected_revision=visit.sent_number("revision"),
        key=visit.form["key"],
        answer_within_s=WAITS_S,
    )


async def decide_by_form(visit: PageContext, target_id: str, acts: Acts) -> tuple[str, str]:
    """Do what the form says with an atom or a merge: as `decide`. Raises Refusal."""
    await visit.ask(belonging.check_belongs, visit.project_id, target_id)
    chosen = acts.get(visit.form.get("decision", ""))
    if chosen is None:
        raise Invalid(f"Choose one of {', '.join(acts)}.", code="invalid_request")
    act, told = chosen
    return await decide(act(visit.api.settings, target_id, decider(visit)), told)


async def decide(deciding: Awaitable[DecisionAnswer], told: str) -> tuple[str, str]:
    """What the page says once the ledger has answered, or that it has not yet; and the decision
    that can be taken back.
    """
    try:
        decision = await deciding
    except Unavailable as error:
        if error.code != UNANSWERED:
            raise
        return "Recorded; the ledger has not answered yet.", ""
    if decision.outcome == "proposed":
        return "Proposed; an owner or a product manager decides.", ""
    return f"{told} {decision.summary}", decision.hitl_event_id if decision.undoable else ""


async def _show_cards(
    visit: PageContext, listed: Page[ContradictionCard], status: str | None
) -> Response:
    """Cards of the list of a status; None: one of its own, which goes on in the list that its form
    came from.
    """
    return visit.show(
        "contradictions.html",
        listed=listed,
        status=status,
        statuses=STATUSES,
        cursor=visit.asked("cursor") or "",
        decided=await _decided_by_now(visit, "contradiction"),
        shortest=SHORTEST_RATIONALE,
        proposed=await list_proposed(visit),
    )


async def _show_pairs(visit: PageContext, listed: Page[Merge], state: str | None) -> Response:
    """Pairs, or merges that were done; as `_show_cards`."""
    return visit.show(
        "merges.html",
        shown=[_compare(it) for it in listed.items],
        listed=listed,
        state=state,
        states=MERGE_STATES,
        cursor=visit.asked("cursor") or "",
        decided=await _decided_by_now(visit, "merge"),
        proposed=await list_proposed(visit),
    )


async def list_proposed(visit: PageContext, target_id: str | None = None) -> list[Proposal]:
    """What members propose and nobody has answered, in the project or about a target."""
    found: Page[Proposal] = await visit.ask(
        proposals.list_proposals, visit.project_id, state="waiting", target=target_id
    )
    return found.items


async def _decided_by_now(visit: PageContext, name: str) -> list[DecisionAnswer]:
    """What was decided about the target of a form that was too late, newest first."""
    if not visit.problem or visit.problem.status != 409:
        return []
    found: Page[DecisionAnswer] = await visit.ask(
        decision_list.list_decisions, visit.project_id, target=visit.part(name), newest_first=True
    )
    return found.items


def _compare(merge: Merge) -> Compared:
    """A body that says what its title says is not shown again."""
    titles = (merge.title_a or "", merge.title_b or "")
    bodies = (merge.body_a or "", merge.body_b or "")
    return Compared(
        merge,
        mark_differences(*titles),
        None if bodies == titles else mark_differences(*bodies),
    )
