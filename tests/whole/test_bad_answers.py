"""A provider that answers slightly wrong, over HTTP: everything is read in the end, at a like cost.

Each bad answer is played for every call, and all of them mixed into three calls of ten. Meanwhile
the rules read what the model did not; once it is well, the ledger is that of a model that always
was.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from schemas.events.atom import CandidatesExtracted
from streams.memory import Driver
from tests.extraction.asking import AnsweringModel, asking, read_plainly
from tests.models.asking import asking as serving
from tests.models.provider import Answer, Failure, Request, Step
from tests.models.worker import ModelWorker
from tests.synthesis.chat import ServedModel
from tests.whole.test_model import events, live_of
from tests.worlds import ingestion

NAMES = ["apron", "berth", "crane", "derrick", "ferry", "gantry", "hoist", "jetty", "keel", "lock"]
FILES = {
    f"docs/{name}.md": f"# {name}\n\nThe {name} must stop within {10 + at} seconds.\n\n"
    f"The {name} must tell its load to the harbour.\n".encode()
    for at, name in enumerate(NAMES)
}


def message(**fields: Any) -> Failure:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant"} | fields}
    head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m-1"}
    return Failure(200, body=json.dumps({**head, "choices": [choice]}).encode())


def change_atom(text: str, **fields: Any) -> str:
    data = json.loads(text)
    for chunk in data.get("chunks", ()):
        chunk["atoms"][0] |= fields
    return json.dumps(data)


# The answer by the good one, and the cause that is told where it is of no use.
BAD: dict[str, tuple[Callable[[str], Step], str]] = {
    "fence": (lambda good: f"```json\n{good}\n```", ""),
    "words": (lambda good: f"Here is the JSON:\n{good}\nAnything else?", ""),
    "thought": (lambda good: f"\ufeff<think>{{hm}}</think>{good}", ""),
    "one key more": (lambda good: change_atom(good, source="x"), ""),
    "number as text": (lambda good: change_atom(good, confidence="0.8"), ""),
    "no list": (lambda good: change_atom(good, tags=None), ""),
    "single quotes": (lambda good: str(json.loads(good)), ""),
    "usage below zero": (lambda good: Answer(good, (-500, -40, 0)), ""),
    "unknown kind": (lambda good: change_atom(good, kind="constraint"), "model_answer_malformed"),
    "cut": (lambda good: Answer(good[: len(good) // 3], finish="length"), "model_answer_cut"),
    "refusal": (lambda good: message(content=None, refusal="No."), "model_answer_declined"),
    "sorry": (lambda good: "I'm sorry, I can't help with that.", "model_answer_declined"),
    "null": (lambda good: message(content=None), "model_answer_empty"),
    "prose": (lambda good: "It says that cranes stop.", "model_answer_malformed"),
    "error of the server": (lambda good: Failure(500), "all_providers_failed"),
    "page": (lambda good: Failure(200, body=b"<html>"), "all_providers_failed"),
}  # fmt: skip


def good_answer(asked: Request) -> str:
    """What a careful model says, by the same words of the question."""
    schema = json.dumps(asked.body.get("response_format", {}))
    agent = "adjudicator" if '"verdicts"' in schema else "judge" if '"pairs"' in schema else ""
    shown = type("Asked", (), {"agent": agent, "messages": [_Said(it) for it in asked.messages]})
    return json.dumps(read_plainly(shown))  # type: ignore[arg-type]


class _Said:
    def __init__(self, message: dict[str, Any]) -> None:
        self.content = message["content"]


@cache
def good_run() -> tuple[frozenset[str], int]:
    """The live statements of a model that is well, and its calls."""
    model = AnsweringModel(read_plainly)
    driver = Driver(asking(model), partitions=3)
    driver.publish(ingestion(FILES, engine="model"))
    driver.run()
    return frozenset(live_of(driver)), len(model.requests)


def play(worker: ModelWorker, answer: Callable[[Request], Step]) -> tuple[int, set[str]]:
    """The calls of a first ingest with these answers, and the causes that its readings tell; then
    the model is well and the same files are ingested again.
    """
    answering = [answer]
    with serving(worker, own=lambda asked: answering[0](asked)) as run:
        driver = Driver(asking(ServedModel(run)), partitions=3)  # type: ignore[arg-type]
        driver.publish(ingestion(FILES, engine="model"))
        driver.run()
        calls = run.count("own")
        readings = [it.reading for it in events(driver, "atom.candidate.v1", CandidatesExtracted)]
        titles = {it.casefold().rstrip(".") for it in live_of(driver)}
        for name in NAMES:  # meanwhile rules have read what the model did not
            assert f"the {name} must tell its load to the harbour" in titles
        answering[0] = good_answer
        driver.publish(ingestion(FILES, key="k2", engine="model", unchanged=FILES))
        driver.run()
        assert live_of(driver) == good_run()[0]
    return calls, {it.error for it in readings if it.error}


@pytest.mark.parametrize("name", BAD)
def test_everything_is_read_whatever_is_answered(model_worker: ModelWorker, name: str):
    spoil, cause = BAD[name]
    calls, causes = play(model_worker, lambda asked: spoil(good_answer(asked)))
    assert causes == ({cause} if cause else set())
    assert calls <= good_run()[1] * (1 if not cause else 3)


def test_three_bad_answers_of_ten_cost_less_than_a_third_more(model_worker: ModelWorker):
    chance = random.Random(7)

    def answer(asked: Request) -> Step:
        good = good_answer(asked)
        if chance.random() >= 0.3:
            return good
        return BAD[chance.choice(sorted(BAD))][0](good)

    calls, _ = play(model_worker, answer)
    assert calls <= 1.3 * good_run()[1]
