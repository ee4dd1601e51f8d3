"""What calls of models cost and may cost: reservations and budgets, arbitrated by the database.

One caller of a project at a time adds up what was spent and sets its estimate aside, under a lock
of the project; so that any number of calls at once stays below a hard limit. What was spent is what
the tables show, plus the charges whose fact they do not show yet.

A reservation of a process that was killed cannot be freed: the provider may have answered, and will
want its money. When it has expired it becomes a call of outcome `lost` that counts as what was set
aside for it. So the limit holds, and nothing stays set aside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from psycopg.types.json import Jsonb

from infra.platform import postgres
from infra.store.jobs.outbox import add_fact
from projections.read.session import Conn, rows
from schemas.envelope import SYSTEM
from schemas.events.model_calls import (
    CallCompleted,
    CallFailed,
    CallOverBudget,
    FallbackUsed,
    ModelCall,
    PayloadRecorded,
)
from schemas.events.project import BudgetScope
from schemas.ids import sha256_hex

EXPIRES_AFTER = "30 minutes"  # far beyond the time limit of any call
SINCE: dict[BudgetScope, str] = {
    "project_day": "date_trunc('day', now())",
    "project_month": "date_trunc('month', now())",
    "agent": "date_trunc('month', now())",
    "run": "'-infinity'",
}
Unit = Literal["usd", "tokens"]


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit that a call has to keep to. ``agent``: of one agent alone."""

    scope: BudgetScope
    agent: str
    limit_usd: float | None
    limit_tokens: int | None
    warn_at: float
    hard: bool


@dataclass(frozen=True, slots=True)
class Spent:
    cost_usd: float
    tokens: int


@dataclass(frozen=True, slots=True)
class NewCharge:
    """A call that is to be made. ``cost_usd`` None: its price is not known."""

    project_id: str
    correlation_id: str
    call: ModelCall
    cost_usd: float | None
    tokens: int

    @property
    def run_key(self) -> str | None:
        """The run whose budget the call shares: that of the workflow which started its own."""
        return self.call.workflow_id or self.call.run_id


@dataclass(frozen=True, slots=True)
class Finding:
    """A limit that a call would pass, or of which it would reach the share to warn at."""

    budget: Budget
    unit: Unit
    limit: float
    spent: float
    estimate: float | None
    exceeds: bool

    @property
    def refuses(self) -> bool:
        return self.exceeds and self.budget.hard


def reserve(connection: Conn, charge: NewCharge) -> list[Finding]:
    """Set the estimate of a call aside, unless one of the findings refuses it."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_lock_of(charge.project_id),))
        _close_expired(connection, charge.project_id)
        findings = list(_compare(connection, charge))
        refused = next((finding for finding in findings if finding.refuses), None)
        if refused:
            _record_refusal(connection, charge, refused)
        else:
            _insert(connection, charge)
    return findings


def settle(
    connection: Conn,
    charge: NewCharge,
    payload: PayloadRecorded | None,
    fallback: FallbackUsed | None,
) -> None:
    """What a call has cost replaces what was set aside, and its facts go to the log; once."""
    call = charge.call
    kind = CallCompleted if call.outcome in ("answered", "malformed") else CallFailed
    with connection.transaction():
        found = connection.execute(
            "UPDATE model_charges SET is_settled = true, cost_usd = %s, tokens = %s"
            " WHERE call_id = %s AND NOT is_settled RETURNING reserved_at",
            (charge.cost_usd or 0.0, charge.tokens, call.call_id),
        ).fetchone()
        if found is None:
            return
        for event in (kind(call=call), payload, fallback):
            if event is not None:
                add_fact(
                    connection,
                    event,
                    project_id=charge.project_id,
                    occurred_at=found[0],
                    actor=SYSTEM,
                    correlation_id=charge.correlation_id,
                )
        _forget_shown(connection, charge.project_id)


def list_budgets(connection: Conn, project_id: str) -> list[Budget]:
    """The budgets of a project that have a limit."""
    found = rows(
        connection,
        "SELECT scope, agent, limit_usd, limit_tokens, warn_at, hard FROM budgets"
        " WHERE project_id = %s AND (limit_usd IS NOT NULL OR limit_tokens IS NOT NULL)"
        " ORDER BY scope, agent",
        project_id,
    )
    return [Budget(**row) for row in found]


def sum_spent(
    connection: Conn, project_id: str, scope: BudgetScope, *, agent: str = "", run_key: str = ""
) -> Spent:
    """What was spent or is set aside in the present day or month, in a run or by an agent."""
    ((cost_usd, tokens),) = connection.execute(
        f"""
        WITH charged AS (
            SELECT agent, coalesce(workflow_id, run_id) AS run_key, occurred_at AS at, cost_usd,
                   input_tokens + output_tokens AS tokens
            FROM llm_calls WHERE project_id = %(project)s
            UNION ALL
            SELECT agent, run_key, reserved_at, cost_usd, tokens FROM model_charges c
            WHERE project_id = %(project)s
              AND NOT EXISTS (SELECT 1 FROM llm_calls l WHERE l.call_id = c.call_id)
        )
        SELECT coalesce(sum(cost_usd), 0), coalesce(sum(tokens), 0)::bigint FROM charged
        WHERE at >= {SINCE[scope]}
          AND (%(agent)s = '' OR agent = %(agent)s) AND (%(run)s = '' OR run_key = %(run)s)
        """.encode(),
        {
            "project": project_id,
            "agent": agent if scope == "agent" else "",
            "run": run_key if scope == "run" else "",
        },
    ).fetchall()
    return Spent(cost_usd, tokens)


def _compare(connection: Conn, charge: NewCharge) -> Iterator[Finding]:
    for budget in _list_applicable(list_budgets(connection, charge.project_id), charge):
        spent = sum_spent(
            connection,
            charge.project_id,
            budget.scope,
            agent=charge.call.agent,
            run_key=charge.run_key or "",
        )
        if budget.limit_usd is not None:
            yield from _judge(budget, "usd", budget.limit_usd, spent.cost_usd, charge.cost_usd)
        if budget.limit_tokens is not None:
            yield from _judge(budget, "tokens", budget.limit_tokens, spent.tokens, charge.tokens)


def _list_applicable(budgets: list[Budget], charge: NewCharge) -> Iterator[Budget]:
    """A budget of one agent takes the place of that of each agent."""
    of_agents = {budget.agent: budget for budget in budgets if budget.scope == "agent"}
    for budget in budgets:
        match budget.scope:
            case "agent":
                continue
            case "run" if charge.run_key is None:
                continue
            case _:
                yield budget
    if budget_of_agent := of_agents.get(charge.call.agent) or of_agents.get(""):
        yield budget_of_agent


def _judge(
    budget: Budget, unit: Unit, limit: float, spent: float, estimate: float | None
) -> Iterator[Finding]:
    """A call whose price nobody knows cannot be shown to keep a limit in money: it exceeds it."""
    exceeds = estimate is None or spent + estimate > limit
    if exceeds or spent + (estimate or 0) >= limit * budget.warn_at:
        yield Finding(budget, unit, limit, spent, estimate, exceeds)


def _insert(connection: Conn, charge: NewCharge) -> None:
    connection.execute(
        "INSERT INTO model_charges (call_id, project_id, agent, run_key, reserved_at, expires_at,"
        f" cost_usd, tokens, call, correlation_id) VALUES (%s, %s, %s, %s, now(),"
        f" now() + interval '{EXPIRES_AFTER}', %s, %s, %s, %s) ON CONFLICT (call_id) DO NOTHING",
        (
            *(charge.call.call_id, charge.project_id, charge.call.agent, charge.run_key),
            *(charge.cost_usd or 0.0, charge.tokens),
            *(Jsonb(charge.call.model_dump(mode="json")), charge.correlation_id),
        ),
    )


def _record_refusal(connection: Conn, charge: NewCharge, finding: Finding) -> None:
    call = charge.call.model_copy(
        update={
            "outcome": "budget_exceeded",
            "input_tokens": 0,
            "output_tokens": 0,
            "usage_estimated": False,
            "cost_usd": 0.0,
        }
    )
    now = postgres.read_time(connection)
    add_fact(
        connection,
        CallOverBudget(
            call=call,
            scope=finding.budget.scope,
            unit=finding.unit,
            limit=finding.limit,
            spent=finding.spent,
            estimate=finding.estimate,
        ),
        project_id=charge.project_id,
        occurred_at=now,
        actor=SYSTEM,
        correlation_id=charge.correlation_id,
    )


def _close_expired(connection: Conn, project_id: str) -> None:
    """Calls of processes that were killed count as what was set aside for them."""
    lost = connection.execute(
        "UPDATE model_charges SET is_settled = true WHERE project_id = %s AND NOT is_settled"
        " AND expires_at < now() RETURNING call, reserved_at, correlation_id",
        (project_id,),
    ).fetchall()
    for call, reserved_at, correlation_id in lost:
        add_fact(
            connection,
            CallFailed(call=ModelCall.model_validate(call)),
            project_id=project_id,
            occurred_at=reserved_at,
            actor=SYSTEM,
            correlation_id=correlation_id,
        )


def _forget_shown(connection: Conn, project_id: str) -> None:
    connection.execute(
        "DELETE FROM model_charges c WHERE project_id = %s AND is_settled"
        " AND EXISTS (SELECT 1 FROM llm_calls l WHERE l.call_id = c.call_id)",
        (project_id,),
    )


def _lock_of(project_id: str) -> int:
    return int(sha256_hex(f"model charges\n{project_id}")[:15], 16)
