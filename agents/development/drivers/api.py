"""Our own loop over a chat endpoint: ask, make the calls, give their results back, ask again.

It needs HTTP and tools and nothing else, so it is the one driver that can run in a sandbox. A
request is retried by itself: no call is made twice because a later answer did not come.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from agents.development.drivers.chat import (
    ChatAnswer,
    ToolCall,
    read_answer,
    word_answer,
    word_tools,
)
from agents.development.drivers.events import Draft, EventWriter, cut_text
from agents.development.drivers.failures import DriverFailed, Failure
from agents.development.drivers.posting import Http, HttpFailed
from agents.development.drivers.pricing import Pricing
from agents.development.drivers.retrying import Retries, RetrySettings, Waiting
from agents.development.drivers.sessions import MemorySessions, Sessions
from agents.development.ports import (
    DriverName,
    Reply,
    Spent,
    StreamEvent,
    Toolbox,
    ToolDescription,
    ToolOutcome,
)
from agents.models.patience import Clock, read_retry_after
from agents.runs.loop_guard import LoopGuard, name_call
from schemas.ids import derive_id

OPENROUTER = "https://openrouter.ai/api/v1"
MOST_ROUNDS = 60  # of one prompt


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """``base_url``: the root of the protocol, to which ``/chat/completions`` is added."""

    model: str
    key: str
    base_url: str = OPENROUTER
    max_output_tokens: int = 16_000
    max_rounds: int = MOST_ROUNDS
    headers: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"ApiSettings(model={self.model!r}, base_url={self.base_url!r})"


class ApiDriver:
    """A model behind a chat endpoint; ``spent`` is what all its prompts have cost."""

    def __init__(
        self,
        http: Http,
        settings: ApiSettings,
        events: EventWriter,
        pricing: Pricing,
        toolbox: Toolbox,
        *,
        sessions: Sessions | None = None,
        retry: RetrySettings | None = None,
        waiting: Waiting | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.spent = Spent()
        self._http = http
        self._settings = settings
        self._events = events
        self._pricing = pricing
        self._toolbox = toolbox
        self._sessions = sessions or MemorySessions()
        self._retry = retry or RetrySettings()
        self._waiting = waiting or Waiting()
        self._clock = clock or Clock()
        self._opened = 0

    @property
    def name(self) -> DriverName:
        return "api"

    async def prompt(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> Reply:
        session, messages = await self._open(prompt, system_prompt, session_id)
        round_ = _Round(session, Retries(self._retry, self._waiting))
        async with aclosing(self._ask(messages, (), round_)) as drafts:
            async for _ in drafts:
                pass
        return await self._close(session, messages, round_.get_answer().text, round_.spent)

    async def prompt_agentic(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> AsyncGenerator[StreamEvent | Reply, None]:
        session, messages = await self._open(prompt, system_prompt, session_id)
        spent, guard = Spent(), LoopGuard()
        for _ in range(self._settings.max_rounds):
            round_ = _Round(session, Retries(self._retry, self._waiting), spent)
            async with aclosing(self._ask(messages, self._toolbox.tools, round_)) as drafts:
                async for draft in drafts:
                    yield self._events.write(draft)
            spent, answer = round_.spent, round_.get_answer()
            if answer.thoughts.strip():
                yield self._events.write(Draft("CLAUDE_THINKING", answer.thoughts))
            if not answer.calls:
                yield self._events.write(Draft("AGENT_OUTPUT", answer.text))
                yield await self._close(session, messages, answer.text, spent)
                return
            if answer.text.strip():
                yield self._events.write(Draft("CLAUDE_THINKING", answer.text))
            async with aclosing(self._make_calls(answer, messages, guard)) as drafts:
                async for draft in drafts:
                    yield self._events.write(draft)
            await self._sessions.save(session, messages)
            if guard.ends():
                raise self._fail_loop("it repeats calls, or they fail", spent, session)
        raise self._fail_loop(f"{self._settings.max_rounds} rounds without an end", spent, session)

    async def _ask(
        self,
        messages: list[Mapping[str, Any]],
        tools: Sequence[ToolDescription],
        round_: _Round,
    ) -> AsyncGenerator[Draft, None]:
        """Get an answer into ``round_``; events are those of retries."""
        while True:
            try:
                round_.answer = await self._post(messages, tools)
                self._count(round_.answer.spent, round_)
                return
            except DriverFailed as failed:
                self._count(failed.spent, round_)
                delay = round_.retries.plan(failed)
                if delay is None:
                    raise DriverFailed(
                        failed.failure,
                        f"api: {failed}",
                        spent=round_.spent,
                        session_id=round_.session,
                    ) from failed
                yield Draft("CLAUDE_THINKING", round_.retries.describe(failed))
                await round_.retries.wait(delay)

    async def _post(
        self, messages: list[Mapping[str, Any]], tools: Sequence[ToolDescription]
    ) -> ChatAnswer:
        settings = self._settings
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": messages,
            "max_tokens": settings.max_output_tokens,
        }
        if tools:
            body["tools"] = word_tools(tools)
        headers = {"authorization": f"Bearer {settings.key}", **dict(settings.headers)}
        given = json.dumps(body)
        try:
            answer = await self._http.post(
                f"{settings.base_url.rstrip('/')}/chat/completions", headers, body
            )
        except asyncio.CancelledError:
            self.spent += self._pricing.estimate(settings.model, given, "")
            raise
        except HttpFailed as failed:
            is_cut = failed.kind == "cut"
            spent = self._pricing.estimate(settings.model, given, "") if is_cut else Spent()
            failure: Failure = "idle" if failed.kind == "timeout" else "transient"
            raise DriverFailed(failure, str(failed), spent=spent) from failed
        try:
            return read_answer(answer, model=settings.model, given=given, pricing=self._pricing)
        except DriverFailed as failed:
            failed.retry_after_s = read_retry_after(
                answer.headers.get("retry-after"), self._clock.now()
            )
            raise

    async def _make_calls(
        self, answer: ChatAnswer, messages: list[Mapping[str, Any]], guard: LoopGuard
    ) -> AsyncGenerator[Draft, None]:
        """Make the calls in their order. Each gets exactly one result, so the list stays valid."""
        results = {call.id: "The call was not made: the run was stopped." for call in answer.calls}
        try:
            for call in answer.calls:
                given = call.arguments if call.arguments is not None else {"_": call.written}
                label = f"{call.name} {json.dumps(given)[:200]}"
                yield Draft("CLAUDE_TOOL_CALL", label, call.name, given)
                outcome = await self._make_call(call)
                name = name_call(call.name, given)
                guard.take(name, call.name, "tool_failed" if outcome.is_error else None)
                text = f"Error: {outcome.text}" if outcome.is_error else outcome.text
                yield Draft("CLAUDE_TOOL_RESULT", text, call.name)
                results[call.id] = "\n".join(
                    filter(None, (cut_text(text), guard.warn(name, call.name)))
                )
        finally:
            messages.append(word_answer(answer))
            messages += [
                {"role": "tool", "tool_call_id": call.id, "content": results[call.id]}
                for call in answer.calls
            ]

    async def _make_call(self, call: ToolCall) -> ToolOutcome:
        names = [tool.name for tool in self._toolbox.tools]
        if call.name not in names:
            text = f"There is no tool {call.name!r}. There are: {', '.join(names)}."
            return ToolOutcome(text, is_error=True)
        if call.arguments is None:
            text = f"The arguments of {call.name} are not a JSON object: {call.written[:200]!r}."
            return ToolOutcome(text, is_error=True)
        return await self._toolbox.call(call.name, call.arguments)

    async def _open(
        self, prompt: str, system_prompt: str | None, session_id: str | None
    ) -> tuple[str, list[Mapping[str, Any]]]:
        """The session and its messages, with the prompt as the last. Raises DriverFailed."""
        system = [{"role": "system", "content": system_prompt}] if system_prompt else []
        question = {"role": "user", "content": prompt}
        if session_id is None:
            events = self._events
            self._opened += 1
            parts = (events.workflow_id, events.agent, events.next_number, self._opened)
            session = derive_id("dvs", *parts)
            return session, [*system, question]
        earlier = await self._sessions.load(session_id)
        if earlier is None:
            raise DriverFailed("permanent", f"api: there is no session {session_id[:80]!r}.")
        if system:
            earlier = [message for message in earlier if message.get("role") != "system"]
        return session_id, [*system, *earlier, question]

    async def _close(
        self, session: str, messages: list[Mapping[str, Any]], text: str, spent: Spent
    ) -> Reply:
        messages.append({"role": "assistant", "content": text})
        await self._sessions.save(session, messages)
        return Reply(text, session, spent)

    def _count(self, spent: Spent, round_: _Round) -> None:
        self.spent, round_.spent = self.spent + spent, round_.spent + spent

    def _fail_loop(self, reason: str, spent: Spent, session: str) -> DriverFailed:
        message = f"api: the model calls tools without coming to an end: {reason}."
        return DriverFailed("ceiling", message, spent=spent, session_id=session)


@dataclass(slots=True)
class _Round:
    """One answer, with the attempts behind it; ``spent`` is that of all rounds until then."""

    session: str
    retries: Retries
    spent: Spent = Spent()
    answer: ChatAnswer | None = None

    def get_answer(self) -> ChatAnswer:
        if self.answer is None:
            raise RuntimeError("there is no answer yet")
        return self.answer
