"""What calls of language models have cost, and in what."""

from __future__ import annotations

from typing import Literal, get_args

from projections.read.session import Conn, ReadModel, rows

CostGroup = Literal["agent", "stage", "model", "run", "day"]
COST_GROUPS: tuple[CostGroup, ...] = get_args(CostGroup)
KEYS: dict[CostGroup, str] = {
    "agent": "agent",
    "stage": "stage",
    "model": "provider || '/' || model",
    "run": "coalesce(run_id, '-')",
    "day": "to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
}
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
    """The dearest line first; days in their order."""

    group_by: CostGroup
    lines: list[CostLine]
    total: CostLine


def costs(connection: Conn, project_id: str, group_by: CostGroup) -> Costs:
    order = "key" if group_by == "day" else "cost_usd DESC, input_tokens DESC, key"
    lines = rows(
        connection,
        f"SELECT {KEYS[group_by]} AS key, {SUMS} FROM llm_calls WHERE project_id = %s"
        f" GROUP BY 1 ORDER BY {order}",
        project_id,
    )
    (total,) = rows(
        connection,
        f"SELECT 'total' AS key, {SUMS} FROM llm_calls WHERE project_id = %s",
        project_id,
    )
    return Costs(
        group_by=group_by, lines=[CostLine(**line) for line in lines], total=CostLine(**total)
    )
