"""What the drivers that wrap a command-line program share: attempts, retries, costs, the last word.

A program that has printed its result has answered, however it ends then. One that ends without it
has failed, also with exit code 0: half a stream is no answer. Where a failed attempt had begun to
change files, the next one goes on in its session and does not begin anew.
"""

from __future__ import annotations

import abc
import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from agents.development.drivers.events import Draft, EventWriter
from agents.development.drivers.failures import (
    DriverFailed,
    Failure,
    classify_program,
    classify_status,
    classify_text,
)
from agents.development.drivers.pricing import Pricing
from agents.development.drivers.retrying import Retries, RetrySettings, Waiting
from agents.development.ports import DriverName, Reply, Spent, StreamEvent
from agents.models.prices import estimate_tokens
from agents.models.programs import (
    CEILING_S,
    IDLE_S,
    ProgramCall,
    ProgramFailed,
    Programs,
)
from agents.models.records import read_object

GO_ON = "The connection broke off. Go on with the task from where you stopped."
# What the program gives its model besides the prompt: its instructions and its tools.
HIDDEN_TOKENS = 15_000
SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
LONGEST_ERROR = 500


@dataclass(frozen=True, slots=True)
class ProgramSettings:
    """``directory``: the workspace. ``environ``: the program's whole environment, in which it
    finds who is signed in. ``allowlist``: commands that the model may start without a question.
    ``model`` None: the program's own choice.
    """

    binary: str
    model: str | None
    directory: str
    environ: Mapping[str, str]
    allowlist: tuple[str, ...] = ()
    idle_s: float = IDLE_S
    ceiling_s: float = CEILING_S


@dataclass(slots=True)
class Progress:
    """What one run of the program has printed so far."""

    session_id: str | None
    is_resumed: bool = False
    text: str = ""
    is_finished: bool = False
    error: str = ""
    status: int | None = None
    spent: Spent | None = None
    partly_spent: Spent | None = None  # as far as it has been reported, without a result
    rounds: int = 0
    read_tokens: int = 0
    written_tokens: int = 0
    seen_ids: set[str] = field(default_factory=set)

    def note(self, draft: Draft) -> None:
        """Count what an event stands for, in case that nobody says what the run has cost."""
        tokens = estimate_tokens(draft.content)
        if draft.type == "CLAUDE_TOOL_RESULT":
            self.read_tokens += tokens
            return
        if draft.type == "CLAUDE_TOOL_CALL":
            self.rounds += 1
            tokens += estimate_tokens(json.dumps(draft.tool_input))
        self.written_tokens += tokens


class ProgramDriver(abc.ABC):
    """A driver over a program; ``spent`` is what all its prompts have cost, also broken ones."""

    _name: ClassVar[DriverName]

    def __init__(
        self,
        programs: Programs,
        settings: ProgramSettings,
        events: EventWriter,
        pricing: Pricing,
        *,
        retry: RetrySettings | None = None,
        waiting: Waiting | None = None,
    ) -> None:
        self.spent = Spent()
        self._session_totals: dict[str, tuple[int, ...]] = {}  # where a program reports those
        self._programs = programs
        self._settings = settings
        self._events = events
        self._pricing = pricing
        self._retry = retry or RetrySettings()
        self._waiting = waiting or Waiting()

    @property
    def name(self) -> DriverName:
        return self._name

    async def prompt(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> Reply:
        async with aclosing(self._ask(prompt, system_prompt, session_id, agentic=False)) as parts:
            async for part in parts:
                if isinstance(part, Reply):
                    return part
        raise AssertionError("a reply is always last")

    async def prompt_agentic(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> AsyncGenerator[StreamEvent | Reply, None]:
        held: Draft | None = None  # a text is the last word only if nothing follows it
        async with aclosing(self._ask(prompt, system_prompt, session_id, agentic=True)) as parts:
            try:
                async for part in parts:
                    is_repeat = isinstance(part, Reply) and held and part.text == held.content
                    if held and not is_repeat:
                        yield self._events.write(replace(held, type="CLAUDE_THINKING"))
                    held = None
                    if isinstance(part, Reply):
                        yield self._events.write(Draft("AGENT_OUTPUT", part.text))
                        yield part
                    elif part.type == "AGENT_OUTPUT":
                        held = part
                    else:
                        yield self._events.write(part)
            except DriverFailed:
                if held:
                    yield self._events.write(replace(held, type="CLAUDE_THINKING"))
                raise

    @abc.abstractmethod
    def _list_arguments(
        self, system_prompt: str | None, session_id: str | None, *, agentic: bool
    ) -> tuple[str, ...]:
        """What follows the name of the program; the prompt itself is its standard input."""

    @abc.abstractmethod
    def _word_input(self, prompt: str, system_prompt: str | None) -> str: ...

    @abc.abstractmethod
    def _read(self, record: Mapping[str, Any], progress: Progress) -> list[Draft]:
        """The events of one line; what it says of the run as a whole goes into ``progress``."""

    async def _ask(
        self, prompt: str, system_prompt: str | None, session_id: str | None, *, agentic: bool
    ) -> AsyncGenerator[Draft | Reply, None]:
        retries, spent = Retries(self._retry, self._waiting), Spent()
        session_id = self._check_session(session_id)
        while True:
            progress = Progress(session_id, is_resumed=session_id is not None)
            call = self._make_call(prompt, system_prompt, session_id, agentic=agentic)
            failed = None
            try:
                async with aclosing(self._attempt(call, progress)) as drafts:
                    async for draft in drafts:
                        yield draft
            except DriverFailed as error:
                failed = error
            finally:  # also where the caller goes away
                cost = progress.spent or self._estimate(call, progress)
                spent, self.spent = spent + cost, self.spent + cost
            if failed is None:
                yield Reply(progress.text, progress.session_id, spent)
                return
            delay = retries.plan(failed)
            if delay is None:
                raise DriverFailed(
                    failed.failure, str(failed), spent=spent, session_id=progress.session_id
                ) from failed
            yield Draft("CLAUDE_THINKING", retries.describe(failed))
            await retries.wait(delay)
            if progress.rounds and progress.session_id:
                prompt, session_id = GO_ON, self._check_session(progress.session_id)

    async def _attempt(self, call: ProgramCall, progress: Progress) -> AsyncGenerator[Draft, None]:
        try:
            async with aclosing(self._programs.run(call)) as lines:
                async for line in lines:
                    for draft in self._read(read_object(line), progress):
                        progress.note(draft)
                        yield draft
        except ProgramFailed as failed:
            if not progress.is_finished:
                failure = classify_program(failed, progress.error)
                raise self._fail(failure, progress.error or _describe(failed)) from failed
        if progress.error:
            has_status = progress.status is not None
            raise self._fail(
                classify_status(progress.status or 0)
                if has_status
                else classify_text(progress.error),
                progress.error,
            )
        if not progress.is_finished:
            raise self._fail("transient", f"{self._settings.binary} ended without its result.")

    def _fail(self, failure: Failure, message: str) -> DriverFailed:
        return DriverFailed(failure, f"{self.name}: {message[:LONGEST_ERROR]}")

    def _make_call(
        self, prompt: str, system_prompt: str | None, session_id: str | None, *, agentic: bool
    ) -> ProgramCall:
        settings = self._settings
        arguments = self._list_arguments(system_prompt, session_id, agentic=agentic)
        return ProgramCall(
            argv=(settings.binary, *arguments),
            given=self._word_input(prompt, system_prompt),
            environ=settings.environ,
            directory=settings.directory,
            idle_s=settings.idle_s,
            ceiling_s=settings.ceiling_s,
        )

    def _estimate(self, call: ProgramCall, progress: Progress) -> Spent:
        """What a run has cost that did not say it; one that could not begin costs nothing."""
        if progress.partly_spent:
            return progress.partly_spent
        if not progress.written_tokens:
            return Spent()
        each_round = estimate_tokens(call.given) + HIDDEN_TOKENS
        input_tokens = each_round * (progress.rounds + 1) + progress.read_tokens
        return self._pricing.spend(
            self._settings.model or "", input_tokens, progress.written_tokens, is_estimated=True
        )

    def _check_session(self, session_id: str | None) -> str | None:
        """The id, unless it could be read as an option of the program."""
        if session_id is not None and not SESSION_ID.fullmatch(session_id):
            raise DriverFailed("permanent", f"{self.name}: {session_id[:80]!r} is no session id.")
        return session_id


def _describe(failed: ProgramFailed) -> str:
    return f"{failed}\n{failed.errors.strip()}" if failed.errors.strip() else str(failed)
