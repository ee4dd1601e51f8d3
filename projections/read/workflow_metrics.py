"""How good the development agents are: effectiveness, efficiency, robustness and safety.

Counted from the events of runs and the calls of models, by the profile of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from psycopg.rows import dict_row

from projections.read.session import Conn, ReadModel, Row

CHOSEN = "(%(projects)s::text[] IS NULL OR w.project_id = ANY(%(projects)s))"
RUNS = f"""
    SELECT w.workflow_type, w.profile, count(*)::int AS runs,
        count(*) FILTER (WHERE w.status = 'completed')::int AS completed,
        count(*) FILTER (WHERE w.status = 'failed')::int AS failed,
        coalesce(sum(v.approved), 0)::int AS approvals,
        coalesce(sum(v.refused), 0)::int AS revisions,
        coalesce(sum(v.absent), 0)::int AS reviews_without_verdict,
        coalesce(sum(g.waived), 0)::int AS waivers,
        coalesce(sum(g.rejected), 0)::int AS human_rejections,
        coalesce(sum(t.committed), 0)::int AS tasks_committed,
        coalesce(sum(coalesce(w.total_tasks, t.begun)), 0)::int AS tasks_total,
        coalesce(sum(r.reviews), 0)::int AS task_reviews,
        coalesce(sum(s.steps), 0)::int AS steps,
        coalesce(sum(e.halts), 0)::int AS halts,
        coalesce(sum(j.resumed), 0)::int AS resumed
    FROM workflows w
    LEFT JOIN LATERAL (SELECT count(*) FILTER (WHERE verdict = 'APPROVE') AS approved,
        count(*) FILTER (WHERE verdict IN ('BLOCK', 'REVISE')) AS refused,
        count(*) FILTER (WHERE verdict IN ('UNAVAILABLE', 'UNREADABLE')) AS absent
        FROM workflow_verdicts x WHERE x.workflow_id = w.workflow_id) v ON true
    LEFT JOIN LATERAL (SELECT count(*) FILTER (WHERE decision = 'reject') AS rejected,
        count(*) FILTER (WHERE verdict_overridden IS NOT NULL) AS waived
        FROM workflow_gates x WHERE x.workflow_id = w.workflow_id) g ON true
    LEFT JOIN LATERAL (SELECT count(*) FILTER (WHERE sha IS NOT NULL) AS committed,
        nullif(count(*), 0) AS begun
        FROM delivery_tasks x WHERE x.workflow_id = w.workflow_id) t ON true
    LEFT JOIN LATERAL (SELECT count(*) AS reviews
        FROM delivery_reviews x WHERE x.workflow_id = w.workflow_id) r ON true
    LEFT JOIN LATERAL (SELECT count(*) AS steps
        FROM workflow_steps x WHERE x.workflow_id = w.workflow_id) s ON true
    LEFT JOIN LATERAL (SELECT count(*) AS halts FROM workflow_events x
        WHERE x.workflow_id = w.workflow_id AND x.event_type = 'workflow.halted') e ON true
    LEFT JOIN LATERAL (SELECT coalesce(sum(greatest(x.lease_epoch - 1, 0)), 0) AS resumed
        FROM orchestration_jobs x WHERE x.serial_key = w.workflow_id) j ON true
    WHERE {CHOSEN} GROUP BY w.workflow_type, w.profile ORDER BY w.workflow_type, w.profile
"""
CALLS = f"""
    SELECT c.agent, w.profile, count(*)::int AS calls,
        count(*) FILTER (WHERE c.outcome <> 'answered')::int AS failed_calls,
        count(*) FILTER (WHERE c.fallback_from IS NOT NULL)::int AS fallbacks,
        sum(c.input_tokens)::bigint AS input_tokens, sum(c.output_tokens)::bigint AS output_tokens,
        coalesce(sum(c.cost_usd), 0)::float AS cost_usd,
        coalesce(avg(c.latency_ms), 0)::float AS mean_latency_ms
    FROM llm_calls c JOIN workflows w USING (workflow_id)
    WHERE {CHOSEN} GROUP BY c.agent, w.profile
"""
DONE = f"""
    SELECT t.agent, w.profile, count(*)::int AS n FROM trajectory_events t
    JOIN workflows w USING (workflow_id)
    WHERE {CHOSEN} AND t.type = 'CLAUDE_TOOL_CALL' GROUP BY t.agent, w.profile
"""
REFUSED = f"""
    SELECT e.data ->> 'agent' AS agent, w.profile, e.data ->> 'layer' AS layer, count(*)::int AS n
    FROM workflow_events e JOIN workflows w USING (workflow_id)
    WHERE {CHOSEN} AND e.event_type = 'workflow.security_refused' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
ERRORS = f"""
    SELECT w.workflow_type, w.profile, x.code, count(*)::int AS n FROM workflows w
    JOIN LATERAL (
        SELECT w.error AS code WHERE w.error <> ''
        UNION ALL SELECT e.data ->> 'reason' FROM workflow_events e
        WHERE e.workflow_id = w.workflow_id
            AND e.event_type IN ('workflow.halted', 'workflow.task_failed')
    ) x ON true
    WHERE {CHOSEN} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""


class RunMetrics(ReadModel):
    """Runs of one type with one profile.

    ``resumed``: how often one was taken up again by another try. ``errors`` counts ends, halts and
    failed tasks by their code.
    """

    workflow_type: str
    profile: str
    runs: int
    completed: int
    failed: int
    approvals: int
    revisions: int
    reviews_without_verdict: int
    waivers: int
    human_rejections: int
    tasks_committed: int
    tasks_total: int
    task_reviews: int
    steps: int
    halts: int
    resumed: int
    errors: dict[str, int]


class AgentMetrics(ReadModel):
    """One agent with one profile. ``refusals`` counts refused calls by the layer that refused."""

    agent: str
    profile: str
    calls: int = 0
    failed_calls: int = 0
    fallbacks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    mean_latency_ms: float = 0.0
    tool_calls: int = 0
    refusals: dict[str, int] = {}


class DevelopmentMetrics(ReadModel):
    """Effectiveness and robustness by run, efficiency and safety by agent."""

    runs: list[RunMetrics]
    agents: list[AgentMetrics]


def read_development_metrics(
    connection: Conn, project_ids: Sequence[str] | None = None
) -> DevelopmentMetrics:
    """Of the runs of these projects, or of all."""
    given = {"projects": None if project_ids is None else list(project_ids)}

    def ask(query: str) -> list[Row]:
        return _rows(connection, query, given)

    errors: dict[tuple[str, str], dict[str, int]] = {}
    for row in ask(ERRORS):
        of_run = errors.setdefault((row["workflow_type"], row["profile"]), {})
        of_run[row["code"]] = row["n"]
    runs = [
        RunMetrics.model_validate(
            row | {"errors": errors.get((row["workflow_type"], row["profile"]), {})}
        )
        for row in ask(RUNS)
    ]
    return DevelopmentMetrics(runs=runs, agents=_count_agents(ask(CALLS), ask(DONE), ask(REFUSED)))


def _count_agents(calls: list[Row], done: list[Row], refused: list[Row]) -> list[AgentMetrics]:
    agents: dict[tuple[str, str], Row] = {}

    def of(row: Row) -> Row:
        place = (row["agent"], row["profile"])
        return agents.setdefault(place, {"agent": place[0], "profile": place[1]})

    for row in calls:
        of(row).update(row)
    for row in done:
        of(row)["tool_calls"] = row["n"]
    for row in refused:
        of(row).setdefault("refusals", {})[row["layer"]] = row["n"]
    return [AgentMetrics.model_validate(agents[place]) for place in sorted(agents)]


def _rows(connection: Conn, query: str, given: Mapping[str, object]) -> list[Row]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), given).fetchall()
