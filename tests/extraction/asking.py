"""A model for tests without a network, and the pipeline in memory that asks it.

Answers come from a function of the request and pass through the real check against the schema.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import Any

from agents.extraction.prompt import prepare
from agents.extraction.reader import read_together
from agents.extraction.results import Asked, Unread, note_unread
from agents.models.call import ModelAnswer, ModelRequest, Usage
from agents.models.errors import UNUSABLE, ModelError
from agents.models.receiving import receive
from schemas.events.atom import AtomReflected, CandidatesExtracted
from schemas.events.extract import ExtractRequested
from schemas.events.judgement import JudgementRequested, PairToJudge, StatementToJudge
from streams.ledger.judging import leave_to_rules
from streams.pipeline import Pipeline, pipeline
from streams.reflection.adjudication import answer_by_rule
from streams.reflection.sampling import may_ask
from streams.shell.reading import read_by_rules
from streams.shell.single_calls import ask_about_borderline, ask_judge
from tests.reading.documents import a_chunk
from tests.worlds import PROJECT

INPUT_TOKENS, OUTPUT_TOKENS, COST_USD = 1_001, 103, 0.0123  # of every call that gets an answer
TEXTS = [f"The {name} keeps all its keys at night." for name in ("gate", "bell", "door")]
Answering = Callable[[ModelRequest], Any]
FENCED = re.compile(r"=== DATA (\w+) ===\n(.*?)\n=== END \1 ===", re.DOTALL)


@dataclass
class AnsweringModel:
    """Answers by ``answering``: data, a text, what to await for it, or an error that it raises."""

    answering: Answering
    requests: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        said = self.answering(request)
        if isawaitable(said):
            said = await said
        text = said if isinstance(said, str) else json.dumps(said)
        received = receive(text, request.answer_schema or {})
        usage = Usage(input_tokens=INPUT_TOKENS, output_tokens=OUTPUT_TOKENS)
        if received.fault:
            error = UNUSABLE[received.fault]("; ".join(received.problems))
            error.usage, error.cost_usd, error.kept = usage, COST_USD, received.kept
            raise error
        return ModelAnswer(
            call_id="call",
            request_hash=request.request_hash,
            text=text,
            data=received.data,
            provider="openai",
            model="m-1",
            usage=usage,
            cost_usd=COST_USD,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
        answer = await self.complete(request)
        yield answer.text
        yield answer

    def asked_by(self, agent: str) -> list[ModelRequest]:
        return [it for it in self.requests if it.agent == agent]


def a_request(chunk, lane="deep", **fields) -> ExtractRequested:
    return ExtractRequested(
        run_id="run_1",
        batch_no=0,
        position=1,
        lane=lane,
        engine="model",
        chunk_id=chunk.chunk_id,
        source_id=chunk.source_id,
        **fields,
    )


def a_request_to_judge(run_id: str = "run_1") -> JudgementRequested:
    sides = [
        StatementToJudge(atom_id=f"atm_{name}", kind="claim", title=said, body=said)
        for name, said in (("a", "The gate opens at dawn."), ("b", "The gate opens late."))
    ]
    pair = PairToJudge(a=sides[0], b=sides[1])
    return JudgementRequested(run_id=run_id, batch_no=0, pairs=[pair])


def asked_about(*texts: str) -> list[Asked]:
    """A chunk of each text, as it waits for a call."""
    chunks = [
        a_chunk(text).model_copy(update={"chunk_id": f"chk_{at}"}) for at, text in enumerate(texts)
    ]
    return [Asked("prj_1", None, a_request(it), it, prepare(it)) for it in chunks]


def data_in(request: ModelRequest) -> list[list[str]]:
    """The lines of each fence of the question, in order."""
    return [found[1].split("\n") for found in FENCED.findall(request.messages[-1].content)]


def sentences_in(request: ModelRequest) -> list[list[tuple[int, str]]]:
    """The numbered sentences of each chunk of a question to the extractor."""
    return [list(_numbered(lines)) for lines in data_in(request)[1:]]


def _numbered(lines: list[str]) -> Iterator[tuple[int, str]]:
    for line in lines:
        if found := re.fullmatch(r"(\d+)!?\| (.*)", line):
            yield int(found[1]), found[2]


def an_atom(number: int, said: str, **fields: Any) -> dict[str, Any]:
    """A claim that says a sentence as it stands."""
    return {
        "kind": "claim",
        "title": said[:150],
        "body": said[:150],
        "evidence": [{"sentences": [number], "anchor": said}],
        "polarity": "affirm",
        "severity": None,
        "impact": None,
        "area": "scope",
        "confidence": 0.8,
        "tags": [],
        "entities": [],
        "attributes": [],
    } | fields


def read_plainly(request: ModelRequest) -> Any:
    """Every sentence of five words is a claim, one with «may» a doubtful one; verdicts accept, and
    nothing contradicts.
    """
    if request.agent == "adjudicator":
        numbers = sorted({int(it.split()[0]) for it in data_in(request)[-1]})
        return {"verdicts": [_accept(number) for number in numbers]}
    if request.agent == "judge":
        count = len(data_in(request))
        return {"pairs": [say_of_pair(number + 1, conflict=False) for number in range(count)]}
    return {
        "chunks": [
            {"chunk": number, "gaps": [], "atoms": [*_atoms(sentences)]}
            for number, sentences in enumerate(sentences_in(request), 1)
        ]
    }


def say_of_pair(number: int, *, conflict: bool, **fields: Any) -> dict[str, Any]:
    said = {"severity": "high", "explanation": "Both speak of the same gate."}
    return {"pair": number, "conflict": conflict} | said | fields


def _accept(number: int) -> dict[str, Any]:
    return {"statement": number, "verdict": "accept", "confidence": 0.9, "rationale": "It says so."}


def _atoms(sentences: list[tuple[int, str]]) -> Iterator[dict[str, Any]]:
    for number, said in sentences:
        if len(said.split()) >= 5:
            yield an_atom(number, said, confidence=0.55 if " may " in said else 0.8)


def read_all(asked: Sequence[Asked], model: AnsweringModel) -> list[CandidatesExtracted | Unread]:
    """The result of each chunk in order."""

    async def read() -> dict[int, CandidatesExtracted | Unread]:
        return {at: result async for at, result in read_together(asked, model)}

    found = asyncio.run(read())
    return [found[at] for at in range(len(asked))]


def asking(model: AnsweringModel) -> Pipeline:
    """The pipeline whose model runs ask ``model``, chunk by chunk, and rules where nobody can be
    asked.
    """

    def read(request, chunk) -> CandidatesExtracted:
        if request.engine == "model":
            asked = Asked(PROJECT, None, request, chunk, prepare(chunk))
            (result,) = read_all([asked], model)
            if not isinstance(result, Unread):
                return result
            return note_unread(read_by_rules(request, chunk), asked, result)
        return read_by_rules(request, chunk)

    def adjudicate(cause, chunk):
        reflected = cause.event
        if not isinstance(reflected, AtomReflected) or not reflected.adjudicate:
            return []
        if not may_ask(reflected.reading):
            return answer_by_rule(cause, chunk)
        return asyncio.run(ask_about_borderline(reflected, chunk, PROJECT, None, model))

    def judge(cause, chunk):
        requested = cause.event
        if not isinstance(requested, JudgementRequested):
            return []
        try:
            return asyncio.run(ask_judge(requested, PROJECT, None, model))
        except ModelError:
            return leave_to_rules(requested)

    plain = pipeline(read)
    asks: dict[str, dict[str, Any]] = {
        "adjudicate": {"handle": adjudicate, "with_chunk": True},
        "judge": {"handle": judge},
    }
    steps = [replace(step, **asks.get(step.name, {})) for step in plain.steps]
    return replace(plain, steps=tuple(steps))
