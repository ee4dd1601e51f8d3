"""`ContainerDriver`: the `api` driver with its loop and tools in a container, its events here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.development.drivers.api import MOST_ROUNDS
from agents.development.drivers.events import EventWriter
from agents.development.drivers.failures import DriverFailed
from agents.development.drivers.posting import Http, HttpFailed
from agents.development.drivers.retrying import RetrySettings
from agents.development.drivers.sessions import MemorySessions, Sessions
from agents.development.ports import DriverName, Reply, Spent, StreamEvent
from agents.models.records import get_list, get_object, get_text, read_object
from infra.service.development.containers.lines import (
    Refusal,
    WorkerRequest,
    read_event,
    read_failure,
    read_refusal,
    read_reply,
    word_line,
)
from infra.service.development.containers.provider import Channel, ContainerProvider

IDLE_S = 900.0  # longer than a model may think and a command may take
CEILING_S = 3_600.0
MOST_POSTS = 4  # that are under way at once


@dataclass(frozen=True, slots=True)
class ContainerSettings:
    """``proxy_url`` is the model proxy of this host, ``token`` opens it for this workflow alone."""

    workspace: Path
    model: str
    proxy_url: str
    token: str
    allowlist: tuple[str, ...] = ()
    max_rounds: int = MOST_ROUNDS
    max_output_tokens: int = 16_000
    idle_s: float = IDLE_S
    ceiling_s: float = CEILING_S

    def __repr__(self) -> str:
        return f"ContainerSettings(workspace={self.workspace!r}, model={self.model!r})"


class ContainerDriver:
    """``spent`` is what the worker says of all its prompts; the proxy has counted them itself."""

    def __init__(
        self,
        provider: ContainerProvider,
        settings: ContainerSettings,
        events: EventWriter,
        http: Http,
        *,
        sessions: Sessions | None = None,
        retry: RetrySettings | None = None,
        record_refusal: Callable[[Refusal], Awaitable[None]] | None = None,
    ) -> None:
        self.spent = Spent()
        self._provider = provider
        self._settings = settings
        self._events = events
        self._http = http
        self._sessions = sessions or MemorySessions()
        self._retry = retry or RetrySettings()
        self._record_refusal = record_refusal

    @property
    def name(self) -> DriverName:
        return "api"

    async def prompt(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> Reply:
        parts = self._run(prompt, system_prompt, session_id, is_agentic=False)
        async with aclosing(parts):
            async for part in parts:
                if isinstance(part, Reply):
                    return part
        raise DriverFailed("transient", "api: the worker ended without its reply.")

    async def prompt_agentic(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> AsyncGenerator[StreamEvent | Reply, None]:
        parts = self._run(prompt, system_prompt, session_id, is_agentic=True)
        async with aclosing(parts):
            async for part in parts:
                yield part

    async def _run(
        self, prompt: str, system_prompt: str | None, session_id: str | None, *, is_agentic: bool
    ) -> AsyncGenerator[StreamEvent | Reply, None]:
        request = await self._word_request(prompt, session_id)
        request = request.model_copy(
            update={"system_prompt": system_prompt, "is_agentic": is_agentic}
        )
        workspace, workflow_id = self._settings.workspace, self._events.workflow_id
        outcome: Reply | DriverFailed | None = None
        async with self._provider.start(workspace, workflow_id) as channel:
            await channel.send(request.model_dump_json())
            relay = _Relay(channel, self._http, self._settings.proxy_url)
            try:
                async with aclosing(self._read(channel)) as records:
                    async for record in records:
                        if draft := read_event(record):
                            yield self._events.write(draft)
                        elif "post" in record:
                            relay.take(get_object(record, "post"))
                        elif (refusal := read_refusal(record)) and self._record_refusal:
                            await self._record_refusal(refusal)
                        elif outcome := read_reply(record) or read_failure(record):
                            await self._keep(outcome, record)
                            break
            finally:
                await relay.close()
        if isinstance(outcome, Reply):  # the container is gone, and the workspace as it has left it
            yield outcome
            return
        raise outcome or DriverFailed("transient", "api: the worker ended without its reply.")

    async def _read(self, channel: Channel) -> AsyncGenerator[Mapping[str, Any], None]:
        """The records of the worker, within the limits of time. Raises DriverFailed."""
        loop, settings = asyncio.get_running_loop(), self._settings
        ends_at = loop.time() + settings.ceiling_s
        async with aclosing(channel.lines()) as lines:
            while True:
                idle_at = loop.time() + settings.idle_s
                try:
                    async with asyncio.timeout_at(min(idle_at, ends_at)):
                        line = await anext(lines, None)
                except TimeoutError:
                    if idle_at < ends_at:
                        message = f"api: the worker was silent for {settings.idle_s:g} s."
                        raise DriverFailed("idle", message) from None
                    message = f"api: the worker took longer than {settings.ceiling_s:g} s."
                    raise DriverFailed("ceiling", message) from None
                if line is None:
                    return
                yield read_object(line)

    async def _word_request(self, prompt: str, session_id: str | None) -> WorkerRequest:
        settings = self._settings
        messages = await self._sessions.load(session_id) if session_id is not None else ()
        if messages is None:
            raise DriverFailed("permanent", f"api: there is no session {session_id!r:.80}.")
        return WorkerRequest(
            prompt=prompt,
            workspace=self._provider.workspace_inside(settings.workspace),
            workflow_id=self._events.workflow_id,
            agent=self._events.agent,
            first_number=self._events.next_number,
            session_id=session_id,
            messages=tuple(dict(message) for message in messages),
            proxy_url=settings.proxy_url,
            token=settings.token,
            is_tunnelled=self._provider.is_tunnelled,
            model=settings.model,
            allowlist=settings.allowlist,
            max_rounds=settings.max_rounds,
            max_output_tokens=settings.max_output_tokens,
            max_retries=self._retry.max_retries,
            base_delay_s=self._retry.base_delay_s,
            max_delay_s=self._retry.max_delay_s,
        )

    async def _keep(self, outcome: Reply | DriverFailed, record: Mapping[str, Any]) -> None:
        self.spent += outcome.spent
        messages = [get_object(message) for message in get_list(record, "messages")]
        if outcome.session_id is not None and messages:
            await self._sessions.save(outcome.session_id, messages)


class _Relay:
    """Asks the proxy for a worker without a network, and nobody else."""

    def __init__(self, channel: Channel, http: Http, proxy_url: str) -> None:
        self._channel, self._http = channel, http
        self._allowed = f"{proxy_url.rstrip('/')}/chat/completions"
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, post: Mapping[str, Any]) -> None:
        task = asyncio.create_task(self._answer(post))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _answer(self, post: Mapping[str, Any]) -> None:
        number, url = post.get("number"), get_text(post, "url")
        headers = {
            name: text
            for name, text in get_object(post, "headers").items()
            if name.lower() == "authorization" and isinstance(text, str)
        }
        try:
            if url != self._allowed or len(self._tasks) > MOST_POSTS:
                raise HttpFailed("connection", f"The host passes on requests to {self._allowed}.")
            answer = await self._http.post(url, headers, get_object(post, "body"))
        except HttpFailed as failed:
            record: dict[str, Any] = {"kind": failed.kind, "message": str(failed)}
        else:
            record = {"status": answer.status, "headers": dict(answer.headers), "body": answer.body}
        await self._channel.send(word_line({"answer": {"number": number, **record}}))
