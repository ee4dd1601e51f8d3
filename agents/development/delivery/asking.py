"""How the nodes of a delivery ask: the driver, the reviewer's model, and people.

What is answered is recorded before it is used, an error, too. After an error the run halts: a
person says whether it goes on, and then the same is asked anew.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from agents.development.delivery.run import DeliveryRun
from agents.development.errors import DevelopmentError, DriverError
from agents.development.ports import Reply, Spent, StreamEvent
from agents.models.call import Message, ModelRequest
from agents.models.errors import UNUSABLE, ModelError
from agents.runs.confirmations import CallDeclined, approve
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects
from schemas.events.workflow import SecurityRefused, WorkflowHalted

HALT = "halt"
EMPTY_LINES = re.compile(r"\n{3,}")
LONGEST_CONTENT = 8_000  # characters of what an agent has done, in one event
LONGEST_KEPT, MOST_KEPT = 500, 60  # characters of a call in the state; calls of a prompt
LONGEST_TEXT = 40_000  # of an answer
REVIEW_TOKENS = 8_000


class GivenUp(Exception):
    """A person lets the run end at a halt; ``code`` is why it had halted."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@cache
def read_prompts() -> Mapping[str, Any]:
    text = (files(__package__) / "prompts.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def say(agent: str, name: str, **values: str) -> str:
    """A prompt with its values; empty ones leave no line behind."""
    text = Template(read_prompts()[agent][name]).substitute(values)
    return EMPTY_LINES.sub("\n\n", text).strip()


@dataclass(slots=True)
class At:
    """A node of a run in one of its iterations."""

    run: DeliveryRun
    node: str
    effects: RunEffects

    async def tell_halt(self, code: str, message: str, spent: Json) -> None:
        """The run stands still until a person lets it go on. Raises GivenUp."""
        await self.run.records.record(
            WorkflowHalted,
            reason=code,
            message=message,
            node=self.node,
            input_tokens=int(spent.get("input_tokens", 0)),
            output_tokens=int(spent.get("output_tokens", 0)),
            cost_usd=spent.get("cost_usd"),
            may_try=["Mend what the message names and approve: the same is asked again."]
            + ["Reject: the delivery ends here, its commits stay."],
            command=self.run.resume_command,
        )
        arguments = {"reason": code, "message": message}
        key = self.effects.next_key(HALT, arguments)
        try:
            approve(key, HALT, arguments, self.run.decisions)
        except CallDeclined as declined:
            raise GivenUp(code, declined.reason or message) from declined


async def drive_agent(
    at: At, agent: str, prompt: str, system: str, session: str | None, tree: str
) -> Json:
    """What the developer does: ``text``, ``session_id``, ``tree_id``, ``calls``, ``results``
    and what it cost. Each thing it does is in the log as it comes.

    It begins each time with the files as they are in ``tree``. Raises GivenUp.
    """
    run = at.run

    async def make() -> Json:
        await run.trees.restore(tree)
        return await _listen(run, prompt, system, session)

    while True:
        answer = await at.effects.run("model", {"agent": agent}, make)
        for refused in answer["refused"]:
            await run.records.record(SecurityRefused, **refused, agent=agent)
        if "error" not in answer:
            return answer
        await at.tell_halt(answer["error"], answer["message"], answer)


async def _listen(run: DeliveryRun, prompt: str, system: str, session: str | None) -> Json:
    calls: list[Json] = []
    results: list[Json] = []
    reply = Reply("", session, Spent())
    error: dict[str, Any] = {}
    try:
        async with aclosing(run.driver.prompt_agentic(prompt, system, session)) as parts:
            async for part in parts:
                if isinstance(part, Reply):
                    reply = part
                    continue
                await run.records.tell_agent_event(**_describe(part))
                if part.type == "CLAUDE_TOOL_CALL" and len(calls) < MOST_KEPT:
                    calls.append(_keep(part))
                elif part.type == "CLAUDE_TOOL_RESULT" and len(results) < MOST_KEPT:
                    results.append(_keep(part))
    except DevelopmentError as failed:
        error = {"error": failed.kind, "message": str(failed)}
    refused = [call.model_dump() for call in run.take_refused()]
    return {
        "text": reply.text[:LONGEST_TEXT],
        "session_id": reply.session_id,
        "tree_id": (await run.trees.snapshot()).tree_id,
        "refused": refused,
        "calls": calls,
        "results": results,
        **_spent(reply.spent),
        **error,
    }


def _keep(event: StreamEvent) -> Json:
    content = event.content if event.tool_input is None else json.dumps(event.tool_input)
    return {"id": event.id, "tool": event.tool_name, "content": content[:LONGEST_KEPT]}


def _spent(spent: Spent) -> dict[str, Any]:
    return {
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cost_usd": spent.cost_usd,
    }


def _describe(event: StreamEvent) -> dict[str, Any]:
    """The event as it is recorded; what is long is shortened, and says so."""
    given = None
    if event.tool_input is not None:
        given = _shorten(json.dumps(event.tool_input, ensure_ascii=False, sort_keys=True))
    return {
        "id": event.id,
        "event_type": event.type,
        "content": _shorten(event.content),
        "at": event.timestamp.isoformat(),
        "agent": event.agent,
        "tool_name": event.tool_name,
        "tool_input": given,
    }


def _shorten(text: str) -> str:
    if len(text) <= LONGEST_CONTENT:
        return text
    left = len(text) - LONGEST_CONTENT
    return f"{text[:LONGEST_CONTENT]}\n[{left} more characters]"


async def ask_driver(at: At, agent: str, prompt: str, system: str) -> Json:
    """One answer without tools: ``text`` and what it cost. Raises GivenUp."""
    run = at.run

    async def make() -> Json:
        try:
            reply = await run.driver.prompt(prompt, system)
        except DriverError as error:
            return {"error": error.kind, "message": str(error)}
        return {"text": reply.text, **_spent(reply.spent)}

    while True:
        answer = await at.effects.run("model", {"agent": agent}, make)
        if "error" not in answer:
            return answer
        await at.tell_halt(answer["error"], answer["message"], answer)


async def ask_reviewer(at: At, prompt: str, system: str, schema: dict[str, Any]) -> Json:
    """The reviewer's answer: ``text``, who gave it and what it cost; ``error`` and ``message``
    where there is none that can be used.
    """
    run = at.run
    effects = at.effects
    number = sum(effects.counts.values())
    request = ModelRequest(
        tier="review",
        prompt_version=str(read_prompts()["version"]),
        messages=(Message(role="system", content=system), Message(role="user", content=prompt)),
        answer_schema=schema,
        max_output_tokens=REVIEW_TOKENS,
        occurrence=f"{at.node}.{effects.iteration}.{number}",
        project_id=run.project_id,
        agent="reviewer",
        stage="development",
        run_id=run.run_id,
        workflow_id=run.run_id,
    )

    async def make() -> Json:
        try:
            answer = await run.reviewer.complete(request)
        except ModelError as error:
            is_unusable = error.code in {one.code for one in UNUSABLE.values()}
            code = "reviewer_unreadable" if is_unusable else "reviewer_unavailable"
            return {"error": code, "message": str(error)}
        return {
            "text": answer.text,
            "model": answer.model,
            "family": answer.family,
            "input_tokens": answer.usage.input_tokens,
            "output_tokens": answer.usage.output_tokens,
            "cost_usd": answer.cost_usd,
        }

    return await effects.run("model", {"agent": "reviewer"}, make)
