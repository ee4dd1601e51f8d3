"""One order worded by a model: a call, then one more with what was wrong, else the rules' words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.models.call import ChatModel, Message, ModelAnswer, ModelRequest, Tier
from agents.models.errors import AnswerMalformed
from agents.synthesis.answers import read_answer, schema_of
from agents.synthesis.order import Order
from agents.synthesis.prompts import PROMPT_VERSION, begin, go_on
from schemas.events.artifact_sections import ReviewFinding
from schemas.events.change import SectionEdit

AGENT = "synthesis"
MAX_TOKENS = 3_000
TRIES = 2
FindErrors = Callable[[Sequence[SectionEdit]], Sequence[ReviewFinding]]
"""What the writer of artifacts would object to."""


@dataclass(frozen=True, slots=True)
class Caller:
    """For whom a model is asked, and which one."""

    project_id: str
    agent: str = AGENT
    stage: str = "reduce"
    tier: Tier = "standard"
    correlation_id: str | None = None

    def request(
        self, messages: tuple[Message, ...], schema: dict[str, object], **more: object
    ) -> ModelRequest:
        """Without a run: equal material is asked about once, and then its record is the answer."""
        fields = {
            "tier": self.tier,
            "prompt_version": PROMPT_VERSION,
            "messages": messages,
            "answer_schema": schema,
            "max_output_tokens": MAX_TOKENS,
            "project_id": self.project_id,
            "agent": self.agent,
            "stage": self.stage,
            "correlation_id": self.correlation_id,
        }
        return ModelRequest.model_validate(fields | more)


@dataclass(frozen=True, slots=True)
class Worded:
    """What came of an order. ``sections`` are empty where the words of the rules stay;
    ``findings`` say why.
    """

    sections: tuple[SectionEdit, ...]
    findings: tuple[ReviewFinding, ...]
    answers: tuple[ModelAnswer, ...]

    @property
    def model(self) -> str | None:
        return self.answers[-1].model if self.answers else None

    @property
    def request_hash(self) -> str:
        """The name of the record of the last answer."""
        return self.answers[-1].request_hash if self.answers else ""


async def word(model: ChatModel, caller: Caller, order: Order, find_errors: FindErrors) -> Worded:
    """The sections of the order in the model's words, if nothing is wrong with them.

    What is wrong with the first answer goes back to the model once. Raises ModelError where there
    is no answer; a malformed one counts as a failure of this order alone.
    """
    messages, schema = begin(order), schema_of(order)
    answers: list[ModelAnswer] = []
    findings: list[ReviewFinding] = []
    for _ in range(TRIES):
        try:
            answer = await model.complete(caller.request(messages, schema))
        except AnswerMalformed:
            malformed = ReviewFinding(code="malformed_answer", section_id="", statement_id="")
            return Worded((), (malformed,), tuple(answers))
        answers.append(answer)
        edits, findings = read_answer(order, answer.data)
        findings += find_errors(edits) if not findings else ()
        if not findings:
            return Worded(tuple(edits), (), tuple(answers))
        messages = go_on(messages, answer.text, findings)
    return Worded((), tuple(findings), tuple(answers))
