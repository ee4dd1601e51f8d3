"""What models have cost a project, and what they may cost it.

Raises NotFound for an unknown project, Invalid for a budget that is none, and Unavailable when
broker, database or projector do not answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from pydantic import ValidationError

from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_until_shown
from infra.service.foundation.publishing import make_request, publish
from infra.store.model_charges import Budget, list_budgets, sum_spent
from projections.read import costs as read
from projections.read.costs import CallDetail as CallDetail
from projections.read.costs import CostGroup as CostGroup
from projections.read.costs import Costs as Costs
from projections.read.projects import find_project
from projections.read.session import Conn, ReadModel
from schemas.events.project import BUDGET_SCOPES, BudgetScope, BudgetSet

LONGEST_AGENT = 100


@dataclass(frozen=True, slots=True)
class BudgetSpec:
    """A budget as somebody wants it; without a limit it is lifted. ``agent`` only for that scope,
    empty: each agent by itself.
    """

    scope: str
    agent: str = ""
    limit_usd: float | None = None
    limit_tokens: int | None = None
    warn_at: float = 0.8
    hard: bool = True


class BudgetState(ReadModel):
    """A budget, and what of it is spent or set aside in the present day or month (UTC).

    None where it counts for each run or agent by itself. ``is_near_limit``: the share to warn at.
    """

    scope: BudgetScope
    agent: str
    limit_usd: float | None
    limit_tokens: int | None
    warn_at: float
    hard: bool
    spent_usd: float | None
    spent_tokens: int | None
    is_near_limit: bool

    @property
    def is_used_up(self) -> bool:
        used = ((self.limit_usd, self.spent_usd), (self.limit_tokens, self.spent_tokens))
        return any(
            limit is not None and spent is not None and spent >= limit for limit, spent in used
        )


def check_group(group_by: str) -> CostGroup:
    """Raises Invalid unless costs are grouped like that."""
    for known in read.COST_GROUPS:
        if known == group_by:
            return known
    raise Invalid(
        f"Costs are not grouped by {group_by!r}: use one of {', '.join(read.COST_GROUPS)}.",
        code="cost_group_unknown",
    )


async def set_budget(
    settings: Settings, project: str, spec: BudgetSpec, *, actor: str, key: str
) -> list[BudgetState]:
    """Set or lift a budget of a project given by name or id; returns all budgets."""
    project_id = await ask(settings, partial(find_project, name_or_id=project))
    event = _check(spec)
    await publish(settings, [make_request(event, project_id, actor, key)])
    wanted = None if _is_lifted(event) else Budget(**event.model_dump())

    def shows(tables: Conn) -> list[BudgetState] | None:
        known = {(one.scope, one.agent): one for one in list_budgets(tables, project_id)}
        is_shown = known.get((event.scope, event.agent)) == wanted
        return list_budget_states(tables, project_id) if is_shown else None

    return await wait_until_shown(settings, shows, "The budget")


def list_budget_states(connection: Conn, project_id: str) -> list[BudgetState]:
    return [
        _build_state(connection, project_id, one) for one in list_budgets(connection, project_id)
    ]


def _build_state(connection: Conn, project_id: str, budget: Budget) -> BudgetState:
    fields = {name: getattr(budget, name) for name in Budget.__slots__}
    if budget.scope == "run" or (budget.scope == "agent" and not budget.agent):
        return BudgetState(**fields, spent_usd=None, spent_tokens=None, is_near_limit=False)
    spent = sum_spent(connection, project_id, budget.scope, agent=budget.agent)
    return BudgetState(
        **fields,
        spent_usd=spent.cost_usd,
        spent_tokens=spent.tokens,
        is_near_limit=any(
            limit is not None and used >= limit * budget.warn_at
            for limit, used in (
                (budget.limit_usd, spent.cost_usd),
                (budget.limit_tokens, spent.tokens),
            )
        ),
    )


def _check(spec: BudgetSpec) -> BudgetSet:
    if spec.scope not in BUDGET_SCOPES:
        raise Invalid(
            f"There is no scope {spec.scope!r}: use one of {', '.join(BUDGET_SCOPES)}.",
            code="budget_invalid",
        )
    if spec.agent and spec.scope != "agent":
        raise Invalid(
            f"A budget of scope {spec.scope} is for all agents: leave the agent out, or use the"
            " scope agent.",
            code="budget_invalid",
        )
    if len(spec.agent) > LONGEST_AGENT or not (spec.agent or "-").isprintable():
        raise Invalid(
            f"An agent's name has at most {LONGEST_AGENT} printable characters.",
            code="budget_invalid",
        )
    try:
        return BudgetSet.model_validate({name: getattr(spec, name) for name in spec.__slots__})
    except ValidationError as error:
        first = error.errors()[0]
        raise Invalid(
            f"{'.'.join(map(str, first['loc']))}: {first['msg'][0].lower()}{first['msg'][1:]}.",
            code="budget_invalid",
        ) from error


def _is_lifted(event: BudgetSet) -> bool:
    return event.limit_usd is None and event.limit_tokens is None
