"""Answers of effects as the log of a run holds them: that a model did not answer is one, too."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agents.models.errors import (
    UNUSABLE,
    AllProvidersFailed,
    BudgetExceeded,
    ModelError,
    RequestRefused,
)
from agents.runs.effects import EffectKey, Json
from schemas.events.agent import EffectPosition

UNKNOWN = "outcome_unknown"
FAILED = "model_error"  # in the place of a model's answer
KINDS: tuple[type[ModelError], ...] = (AllProvidersFailed, RequestRefused, BudgetExceeded)
MODEL_ERRORS: Mapping[str, type[ModelError]] = {
    kind.code: kind for kind in (*KINDS, *UNUSABLE.values())
}


async def make_answer(kind: str, make: Callable[[], Awaitable[Json]]) -> Json:
    """The answer of an effect that is made now."""
    if kind != "model":
        return await make()
    try:
        return await make()
    except ModelError as error:
        return {FAILED: {"code": error.code, "message": str(error)}}


def tell_unknown(tool: str) -> Json:
    """The answer of a call that was begun before and is not made again."""
    return {
        "text": (
            f"{tool} was called before and has not answered: what it does may or may not have"
            " happened. Look whether it has before you try again."
        ),
        "is_error": True,
        "code": UNKNOWN,
        "data": {"error": UNKNOWN},
        "citations": [],
    }


def raise_for(answer: Json) -> Json:
    """The answer. Raises the ModelError that was recorded in its place."""
    failed = answer.get(FAILED)
    if failed is None:
        return answer
    raise MODEL_ERRORS.get(failed["code"], ModelError)(failed["message"])


def position_of(key: EffectKey) -> EffectPosition:
    return EffectPosition(
        effect_id=key.effect_id,
        node=key.node,
        iteration=key.iteration,
        number=key.ordinal,
        input_hash=key.input_hash,
    )


def as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
