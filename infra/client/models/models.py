# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Models are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from infra.client.connection import Model
from infra.client.models.models_parts import CostLine


class Trial(Model):
    """What came of one call. ``keeps_form``: it answered by the schema it was given, else rules
    would read most of what it is asked about. Costs are US dollars, None where nobody knows the
    price: ``usual_call_usd`` of a call that reads some chunks, ``million_characters_usd`` of
    reading that much text.
    """

    provider: str
    requested_model: str
    served_model: str
    keeps_form: bool
    latency_ms: int
    cost_usd: float | None
    usual_call_usd: float | None
    million_characters_usd: float | None


class AddedProvider(Model):
    """``trial``: what came of the call, where one was made."""

    trial: Trial | None


class BudgetRequest(Model):
    """Without a limit the budget is lifted. ``agent`` only for that scope; empty: each agent."""

    scope: Literal["project_day", "project_month", "run", "agent"]
    agent: str = ""
    limit_usd: float | None = None
    limit_tokens: int | None = None
    warn_at: float = 0.8
    hard: bool = True


class BudgetState(Model):
    """A budget, and what of it is spent or set aside in the present day or month (UTC).

    None where it counts for each run or agent by itself. ``is_near_limit``: the share to warn at.
    """

    scope: str
    agent: str
    limit_usd: float | None
    limit_tokens: int | None
    warn_at: float
    hard: bool
    spent_usd: float | None
    spent_tokens: int | None
    is_near_limit: bool


class CallDetail(Model):
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
    outcome: str
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


class Costs(Model):
    """The dearest line first; days in their order. Of calls the dearest 100. ``by_rules`` counts
    the chunks that rules have read in place of a model, by the cause.
    """

    group_by: str
    lines: list[CostLine]
    total: CostLine
    by_rules: dict[str, int] = {}


class Provider(Model):
    """``api_key`` is kept in the file of the models; ``api_key_env`` names a variable of the
    service in its place. None: as Cairn knows it by its name. ``try_it``: only once it answers.
    """

    name: str
    base_url: str | None = None
    api_key: str | None = None
    api_key_env: str | None = None
    needs_key: bool | None = None
    models: list[str] = []
    try_it: bool = True


class ProviderState(Model):
    """A provider and whether it is asked; ``models`` in the order in which they are.

    ``state``: ready, no_key (it is named, but its key is missing), unconfigured (nobody has named
    it) or unreachable (its models are found at run time, and there are none).
    """

    name: str
    state: str
    models: list[str]
    is_local: bool
