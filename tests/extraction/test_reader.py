"""What comes of asking about several chunks: each gets its result and pays for what it has used."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agents.extraction.results import Unread, note_unread
from agents.models.errors import (
    AllProvidersFailed,
    BudgetExceeded,
    FailedAttempt,
    ModelError,
    RequestRefused,
)
from schemas.events.atom import CandidatesExtracted
from streams.shell.reading import read_by_rules
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

FIVE = "\n\n".join(f"The {name} must keep all its keys at night." for name in "abcde")


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
    assert told(results) == ["extracted", "model_answer_malformed", "extracted"]
    assert [len(sentences_in(it)) for it in model.requests] == [3, 1, 2, 1, 1]
    assert [it.may_repair for it in model.requests] == [True] + [False] * 4
    assert tokens_of(results) == 5 * INPUT_TOKENS
    assert cost_of(results) == round(5 * COST_USD, 9)


def test_an_answer_that_names_no_chunk_of_the_question_is_malformed_and_counted():
    model = spoiling("gate", {"chunks": [{"chunk": 9, "atoms": [], "gaps": []}]})
    results = read_all(asked_about(TEXTS[0]), model)
    assert told(results) == ["model_answer_malformed"]
    assert tokens_of(results) == INPUT_TOKENS


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


def cut_after(atoms: int) -> AnsweringModel:
    """Every answer is cut within the statement behind so many."""

    def answer(request: Any) -> str:
        whole = json.dumps(read_plainly(request))
        found = [at for at in range(len(whole)) if whole.startswith('{"kind"', at)]
        return whole[: found[atoms] + 50] if len(found) > atoms else whole

    return AnsweringModel(answer)


def titles(result: CandidatesExtracted) -> list[str]:
    return [it.title for it in result.candidates]


def test_a_chunk_whose_answer_is_cut_is_asked_about_from_where_it_was():
    model = cut_after(2)
    (result,) = read_all(asked_about(FIVE), model)
    assert isinstance(result, CandidatesExtracted) and result.reading.error is None
    assert titles(result) == FIVE.split("\n\n")
    asked = [[number for number, _ in sentences_in(it)[0]] for it in model.requests]
    assert asked == [[1, 2, 3, 4, 5], [3, 4, 5], [5]]
    assert result.reading.input_tokens == 3 * INPUT_TOKENS


def test_a_chunk_whose_answers_are_always_cut_at_once_is_halved_and_then_left_to_the_rules():
    model = cut_after(0)
    (asked,) = asked_about(FIVE)
    (result,) = read_all([asked], model)
    assert isinstance(result, Unread) and result.error.code == "model_answer_cut"
    assert len({it.request_hash for it in model.requests}) == len(model.requests) <= 6


def test_a_pack_whose_answer_is_cut_keeps_its_whole_chunks_and_asks_about_the_others():
    model = cut_after(1)
    results = read_all(asked_about(*TEXTS), model)
    assert told(results) == ["extracted"] * 3
    assert [len(sentences_in(it)) for it in model.requests][0] == 3
    assert sum(len(it.candidates) for it in results if isinstance(it, CandidatesExtracted)) == 3


def test_what_an_answer_says_well_is_kept_and_rules_read_the_rest():
    def answer(request: Any) -> Any:
        data = read_plainly(request)
        data["chunks"][0]["atoms"][3]["kind"] = "constraint"
        return data

    (asked,) = asked_about(FIVE)
    (result,) = read_all([asked], AnsweringModel(answer))
    assert isinstance(result, Unread) and len(result.kept) == 4
    noted = note_unread(read_by_rules(asked.request, asked.chunk), asked, result)
    assert (noted.reading.engine, noted.reading.error) == ("model", "model_answer_malformed")
    assert [it.engine for it in noted.candidates] == ["", "", "", "", "heuristic"]
    assert {it.evidence[0].snippet for it in noted.candidates} == {*FIVE.split("\n\n")}


def test_a_declined_chunk_is_not_asked_about_again():
    model = spoiling("bell", "I'm sorry, but I cannot help with that.")
    results = read_all(asked_about(*TEXTS[1:2]), model)
    assert told(results) == ["model_answer_declined"]
    assert len(model.requests) == 1


@pytest.mark.parametrize("said", ["no JSON", "", "I cannot do that.", '{"chunks": [{"chunk"'])
def test_a_model_that_is_not_well_is_not_asked_about_every_chunk(said: str):
    texts = [f"The {name} must keep all its keys at night." for name in "abcdefgh"]
    model = AnsweringModel(lambda request: said)
    assert all(isinstance(it, Unread) for it in read_all(asked_about(*texts), model))
    assert len(model.requests) <= 3


def test_statements_are_moved_to_the_chunk_that_has_their_words():
    def exchange(request: Any) -> Any:
        data = read_plainly(request)
        first, second, *_ = data["chunks"]
        first["atoms"], second["atoms"] = second["atoms"], first["atoms"]
        return data

    model = AnsweringModel(exchange)
    results = read_all(asked_about(*TEXTS), model)
    found = [it.candidates[0].evidence[0].snippet for it in results if not isinstance(it, Unread)]
    assert found == TEXTS


def test_chunks_that_are_counted_from_0_are_counted_from_1():
    def shift(request: Any) -> Any:
        data = read_plainly(request)
        for each in data["chunks"]:
            each["chunk"] -= 1
        return data

    results = read_all(asked_about(*TEXTS), AnsweringModel(shift))
    found = [it.candidates[0].evidence[0].snippet for it in results if not isinstance(it, Unread)]
    assert found == TEXTS


def test_what_rests_on_the_chunk_alone_is_no_part_of_the_state_that_is_not_repeated():
    state = {
        "risks": [
            {"atom_id": "atm_a", "title": "Held by it alone", "only_source": "src_1"},
            {"atom_id": "atm_b", "title": "Held elsewhere", "only_source": ""},
        ]
    }
    (asked,) = asked_about(TEXTS[0])
    request = asked.request.model_copy(
        update={"project_state": json.dumps(state), "source_id": "src_1"}
    )
    model = AnsweringModel(read_plainly)
    read_all([replace(asked, request=request)], model)
    assert "Held elsewhere" in model.requests[0].messages[1].content
    assert "Held by it alone" not in model.requests[0].messages[1].content
