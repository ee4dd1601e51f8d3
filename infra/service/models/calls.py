"""Sees every call of a model: budgets before it, its cost after it, its answer kept for replays."""

from __future__ import annotations

import secrets
from datetime import date

from agents.models.call import ModelAnswer, ModelRequest, Usage
from agents.models.errors import BudgetExceeded
from agents.models.prices import PriceTable
from agents.models.watch import Attempt, Outcome
from infra.platform.clock import SystemClock
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.service.foundation.connections import Tables
from infra.service.foundation.publishing import publish
from infra.store.model_answers import find_answer, keep_answer
from infra.store.model_charges import Finding, NewCharge, reserve, settle
from schemas.codec import utc_millis
from schemas.envelope import SYSTEM, outside_fact
from schemas.events.model_calls import (
    AnswerRecorded,
    CallOutcome,
    FallbackUsed,
    ModelCall,
    PayloadRecorded,
)

LOST: CallOutcome = "lost"  # until somebody says how a call has ended
NUL, REPLACEMENT = "\0", "\ufffd"  # the outbox is JSON of the database, which has no NUL

log = get("models")


class RecordedCalls:
    """The watch of all calls of this installation, see ``agents.models.watch``.

    All raise DatabaseUnavailable; ``record`` also BrokerUnavailable.
    """

    def __init__(self, settings: Settings, tables: Tables, prices: PriceTable) -> None:
        self._settings, self._tables, self._prices = settings, tables, prices

    async def find(self, request: ModelRequest) -> ModelAnswer | None:
        found = await self._tables.ask(find_answer, request.request_hash)
        return None if found is None else ModelAnswer.model_validate_json(found)

    async def reserve(self, attempt: Attempt, estimate: Usage) -> str:
        call_id = f"llm_{secrets.token_hex(16)}"
        usage = estimate.model_copy(update={"estimated": True})
        unknown = Outcome("cancelled", usage, attempt.model, 0)
        charge = self._build_charge(call_id, attempt, unknown, LOST)
        for finding in await self._tables.ask(reserve, charge):
            if finding.refuses:
                raise BudgetExceeded(_explain(finding, charge))
            log.warning(
                "budget.nearly_spent",
                project_id=charge.project_id,
                scope=finding.budget.scope,
                unit=finding.unit,
                limit=finding.limit,
                spent=finding.spent,
            )
        return call_id

    async def settle(self, call_id: str, attempt: Attempt, outcome: Outcome) -> float | None:
        charge = self._build_charge(call_id, attempt, outcome, outcome.result)
        payload = PayloadRecorded(
            call_id=call_id,
            prompt=_render(attempt).replace(NUL, REPLACEMENT),
            response=outcome.text.replace(NUL, REPLACEMENT),
        )
        try:
            await self._tables.ask(settle, charge, payload, _build_fallback(call_id, attempt))
        except Exception as error:
            log.error("models.not_settled", call_id=call_id, reason=str(error))
            raise
        return charge.cost_usd

    async def record(self, request: ModelRequest, answer: ModelAnswer) -> None:
        event = AnswerRecorded(request_hash=request.request_hash, answer=answer.model_dump_json())
        fact = outside_fact(
            event,
            project_id=request.project_id,
            occurred_at=utc_millis(SystemClock().now()),
            actor=SYSTEM,
            correlation_id=request.correlation_id or request.request_hash,
            run_id=request.run_id,
        )
        await publish(self._settings, [fact])
        await self._tables.ask(keep_answer, event)

    def _build_charge(
        self, call_id: str, attempt: Attempt, outcome: Outcome, ended: CallOutcome
    ) -> NewCharge:
        request, usage = attempt.request, outcome.usage
        model = outcome.served_model or attempt.model
        cost = self._cost_of(attempt, model, usage)
        call = ModelCall(
            call_id=call_id,
            agent=request.agent,
            stage=request.stage,
            run_id=request.run_id,
            workflow_id=request.workflow_id,
            provider=attempt.provider,
            model=model,
            asked_model=attempt.model,
            tier=request.tier,
            prompt_version=request.prompt_version,
            attempt=attempt.number,
            fallback_from=attempt.fallback_from,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.cached_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            usage_estimated=usage.estimated,
            cost_usd=cost,
            price_known=cost is not None,
            latency_ms=outcome.latency_ms,
            outcome=ended,
            error_class=outcome.error_class,
            status=outcome.status,
            request_hash=request.request_hash,
        )
        correlation_id = request.correlation_id or call_id
        tokens = usage.input_tokens + usage.output_tokens
        return NewCharge(request.project_id, correlation_id, call, cost, tokens)

    def _cost_of(self, attempt: Attempt, model: str, usage: Usage) -> float | None:
        """What nobody was asked for costs nothing, whatever its price."""
        if attempt.is_local or not (usage.input_tokens or usage.output_tokens):
            return 0.0
        return self._prices.cost_of(
            attempt.provider, model, usage, _today(), asked_model=attempt.model
        )


def _render(attempt: Attempt) -> str:
    messages = attempt.request.messages + attempt.repair
    return "\n\n".join(f"[{each.role}]\n{each.content}" for each in messages)


def _build_fallback(call_id: str, attempt: Attempt) -> FallbackUsed | None:
    if attempt.fallback_from is None:
        return None
    return FallbackUsed(
        call_id=call_id,
        request_hash=attempt.request.request_hash,
        agent=attempt.request.agent,
        from_model=attempt.fallback_from,
        to_model=f"{attempt.provider}/{attempt.model}",
        reason=attempt.fallback_reason,
    )


def _explain(finding: Finding, charge: NewCharge) -> str:
    whose = f" of {charge.call.agent}" if finding.budget.scope == "agent" else ""
    of = f"the {finding.budget.scope} budget{whose} of project {charge.project_id}"
    if finding.estimate is None:
        return (
            f"Nobody knows the price of {charge.call.provider}/{charge.call.asked_model}, so that"
            f" it cannot keep to {of}: add its price to the file of the models."
        )
    if finding.unit == "usd":
        return (
            f"A call of about ${finding.estimate:.4f} does not fit into {of}:"
            f" ${finding.spent:.4f} of ${finding.limit:.2f} are spent or set aside."
        )
    return (
        f"A call of about {finding.estimate:,.0f} tokens does not fit into {of}:"
        f" {finding.spent:,.0f} of {finding.limit:,.0f} are spent or set aside."
    )


def _today() -> date:
    return SystemClock().now().date()
