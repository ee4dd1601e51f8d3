"""What calls of language models have cost, and in what."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from infra.platform.errors import NotFound
from projections.read.owed import count_owed_chunks
from projections.read.session import Conn, ReadModel, rows, select
from schemas.events.model_calls import CallOutcome

CostGroup = Literal["agent", "stage", "role", "model", "run", "day", "call"]
COST_GROUPS: tuple[CostGroup, ...] = get_args(CostGroup)
KEYS: dict[CostGroup, str] = {
    "agent": "agent",
    "stage": "stage",
    "role": "tier",  # draft, review, or the strength of model that was asked for
    "model": "provider || '/' || model",
    "run": "coalesce(run_id, '-')",
    "call": "call_id",
    "day": "to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
}
MOST_CALLS = 100  # calls are many: the dearest of them
SUMS = """
    count(*) FILTER (WHERE outcome <> 'budget_exceeded') AS calls,
    count(*) FILTER (WHERE outcome NOT IN ('answered', 'budget_exceeded')) AS calls_without_answer,
    count(*) FILTER (WHERE outcome = 'budget_exceeded') AS calls_refused,
    count(*) FILTER (WHERE NOT price_known AND outcome <> 'budget_exceeded') AS calls_without_price,
    count(*) FILTER (WHERE usage_estimated) AS calls_estimated,
    coalesce(sum(input_tokens), 0)::bigint AS input_tokens,
    coalesce(sum(cached_tokens), 0)::bigint AS cached_tokens,
    coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
    coalesce(sum(cost_usd), 0)::float8 AS cost_usd
"""


class CostLine(ReadModel):
    """Sums over calls; ``key`` is what they share.

    ``cost_usd`` leaves out ``calls_without_price``. ``calls_refused`` did not fit into a budget and
    were not made. ``input_tokens`` includes ``cached_tokens``; tokens of ``calls_estimated`` are
    our own count.
    """

    key: str
    calls: int
    calls_without_answer: int
    calls_refused: int
    calls_without_price: int
    calls_estimated: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float


class Costs(ReadModel):
    """The dearest line first; days in their order. Of calls the dearest 100. ``by_rules`` counts
    the chunks that rules have read in place of a model, by the cause.
    """

    group_by: CostGroup
    lines: list[CostLine]
    total: CostLine
    by_rules: dict[str, int] = {}


class CallDetail(ReadModel):
    """One call of a model, and its texts as they are kept: without the secrets in them.

    ``prompt`` and ``response`` are None once they are forgotten (``kept_until``), and where nobody
    was asked. Tokens and ``cost_usd`` as in `CostLine`; the latter None: its price is not known.
    """

    call_id: str
    occurred_at: datetime
    agent: str
    stage: str
    run_id: str | None
    provider: str
    model: str
    requested_model: str
    attempt: int
    outcome: CallOutcome
    error_class: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    usage_estimated: bool
    cost_usd: float | None
    latency_ms: int
    prompt: str | None
    response: str | None
    kept_until: datetime | None


def read_call(connection: Conn, project_id: str, call_id: str) -> CallDetail:
    """A call with its texts. Raises NotFound when the project has no such call."""
    items = select(
        connection,
        CallDetail,
        "SELECT c.call_id, c.occurred_at, c.agent, c.stage, c.run_id, c.provider, c.model,"
        " c.requested_model, c.attempt, c.outcome, c.error_class, c.input_tokens, c.cached_tokens,"
        " c.output_tokens, c.usage_estimated, c.cost_usd, c.latency_ms, t.prompt, t.response,"
        " t.expires_at AS kept_until"
        " FROM llm_calls c LEFT JOIN llm_call_payloads t USING (call_id, project_id)"
        " WHERE c.project_id = %s AND c.call_id = %s",
        *(project_id, call_id),
    )
    if not items:
        raise NotFound(f"There is no call {call_id}.", code="unknown_call")
    return items[0]


def read_costs(connection: Conn, project_id: str, group_by: CostGroup) -> Costs:
    order = "key" if group_by == "day" else "cost_usd DESC, input_tokens DESC, key"
    lines = rows(
        connection,
        f"SELECT {KEYS[group_by]} AS key, {SUMS} FROM llm_calls WHERE project_id = %s"
        f" GROUP BY 1 ORDER BY {order}{f' LIMIT {MOST_CALLS}' if group_by == 'call' else ''}",
        project_id,
    )
    (total,) = rows(
        connection,
        f"SELECT 'total' AS key, {SUMS} FROM llm_calls WHERE project_id = %s",
        project_id,
    )
    return Costs(
        group_by=group_by,
        lines=[CostLine(**line) for line in lines],
        total=CostLine(**total),
        by_rules=count_owed_chunks(connection, project_id),
    )
