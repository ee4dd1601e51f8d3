"""Record how work should lie on a team instead. Nothing moves by it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_until_shown
from infra.service.foundation.publishing import make_request, publish
from projections.read import rebalances as read
from projections.read.projects import find_project
from projections.read.rebalances import Rebalance as Rebalance
from schemas.events.team import RebalanceMove, RebalanceProposed
from schemas.ids import derive_id


async def propose_rebalance(
    settings: Settings,
    project: str,
    *,
    sprint_id: str,
    imbalance: float,
    moves: Sequence[RebalanceMove],
    actor: str,
    key: str,
) -> Rebalance:
    """The record of a proposal, as soon as the tables show it; the same key again is the same one.

    Raises NotFound for what is no project, and Unavailable.
    """
    project_id = await ask(settings, lambda tables: find_project(tables, project))
    fact = RebalanceProposed(
        rebalance_id=derive_id("reb", project_id, key),
        sprint_id=sprint_id,
        imbalance_before=imbalance,
        moves=list(moves),
    )
    await publish(settings, [make_request(fact, project_id, actor, key)])
    shows = partial(read.find_rebalance, project_id=project_id, rebalance_id=fact.rebalance_id)
    return await wait_until_shown(settings, shows, "The proposal")
