"""Reads the data of a model's answer as a class of ours, or refuses it."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from agents.models.call import ModelAnswer
from agents.models.errors import AnswerMalformed

M = TypeVar("M", bound=BaseModel)


def read_answer(answer: ModelAnswer, kind: type[M]) -> M:
    """The data as a ``kind``. Raises AnswerMalformed."""
    try:
        return kind.model_validate(answer.data)
    except ValidationError as error:
        problem = f"{error.error_count()} fields of the answer do not fit"
        raise refuse_answer(answer, problem) from None


def refuse_answer(answer: ModelAnswer, problem: str) -> AnswerMalformed:
    """The error for an answer that cannot be used, with what it has cost."""
    error = AnswerMalformed(problem)
    error.usage, error.cost_usd = answer.usage, answer.cost_usd
    return error
