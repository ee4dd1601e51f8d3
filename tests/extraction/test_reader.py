"""What comes of asking about several chunks: each gets its result and pays for what it has used."""

from typing import Any

import pytest

from agents.extraction.reader import Unread
from agents.models.errors import (
    AllProvidersFailed,
    BudgetExceeded,
    FailedAttempt,
    ModelError,
    RequestRefused,
)
from schemas.events.atom import CandidatesExtracted
from tests.extraction.asking import (
    COST_USD,
    INPUT_TOKENS,
    TEXTS,
    AnsweringModel,
    asked_about,
    read_all,
    read_plainly,
    sentences_in,
)


def spoiling(text: str, said: Any) -> AnsweringModel:
    """Says ``said`` about a call that has ``text`` in it, and raises it when it is an error."""

    def answer(request: Any) -> Any:
        if text not in request.messages[1].content:
            return read_plainly(request)
        if isinstance(said, ModelError):
            raise said
        return said

    return AnsweringModel(answer)


def told(results: list[CandidatesExtracted | Unread]) -> list[str]:
    return [it.error.code if isinstance(it, Unread) else it.reading.outcome for it in results]


def tokens_of(results: list[CandidatesExtracted | Unread]) -> int:
    return sum(
        it.spent.input_tokens if isinstance(it, Unread) else it.reading.input_tokens
        for it in results
    )


def cost_of(results: list[CandidatesExtracted | Unread]) -> float:
    costs = [it.spent.cost_usd if isinstance(it, Unread) else it.reading.cost_usd for it in results]
    return round(sum(costs), 9)


def test_what_malformed_answers_used_is_counted_with_the_chunks_that_were_asked_about():
    model = spoiling("bell", "no JSON")
    results = read_all(asked_about(*TEXTS), model)
    assert told(results) == ["extracted", "poison", "extracted"]
    assert len(model.requests) == 1 + 1 + 3 + 1  # together, then one by one with three tries
    assert tokens_of(results) == 6 * INPUT_TOKENS
    assert cost_of(results) == round(6 * COST_USD, 9)


def test_an_answer_that_names_no_chunk_of_the_question_is_malformed_and_counted():
    model = spoiling("gate", {"chunks": [{"chunk": 9, "atoms": [], "gaps": []}]})
    results = read_all(asked_about(TEXTS[0]), model)
    assert told(results) == ["poison"]
    assert tokens_of(results) == 3 * INPUT_TOKENS


def test_a_chunk_that_an_answer_leaves_out_is_asked_about_by_itself():
    def leave_out(request: Any) -> Any:
        answer = read_plainly(request)
        return {"chunks": answer["chunks"][:2]}

    model = AnsweringModel(leave_out)
    results = read_all(asked_about(*TEXTS), model)
    assert told(results) == ["extracted"] * 3
    assert [len(sentences_in(it)) for it in model.requests] == [3, 1]
    assert tokens_of(results) == 2 * INPUT_TOKENS


@pytest.mark.parametrize("status", [400, 403, 422, None])
def test_a_refused_chunk_stops_no_other(status: int | None):
    refused = RequestRefused("no", (FailedAttempt("p", "m", "refused", status),))
    results = read_all(asked_about(*TEXTS), spoiling("bell", refused))
    assert told(results) == ["extracted", "model_request_refused", "extracted"]


def test_a_provider_that_breaks_off_over_one_chunk_stops_no_other():
    broken = AllProvidersFailed("no", (FailedAttempt("p", "m", "half_stream"),))
    results = read_all(asked_about(*TEXTS), spoiling("bell", broken))
    assert told(results) == ["extracted", "all_providers_failed", "extracted"]


@pytest.mark.parametrize(
    "error",
    [
        BudgetExceeded("spent"),
        AllProvidersFailed("away", (FailedAttempt("p", "m", "timeout"),)),
        RequestRefused("no key", (FailedAttempt("p", "m", "refused", 401),)),
    ],
)
def test_where_nobody_can_be_asked_the_rest_is_not_tried(error: ModelError):
    model = spoiling("keeps", error)
    assert told(read_all(asked_about(*TEXTS), model)) == [error.code] * 3
    assert len(model.requests) == 1
