"""Deliveries in a few words: who drives and reviews by a script, real files, and the run's log."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from agents.development.delivery.graph import run_delivery
from agents.development.delivery.run import DeliveryRun
from agents.development.errors import DriverError
from agents.development.ports import DriverName, Reply, Spent, StreamEvent
from agents.development.workflow_ports import CodebaseContext, RefusedCall, TestRun, WorkflowEnd
from agents.models.call import ModelAnswer, ModelRequest, Usage
from infra.service.development.run_trees import RunTrees
from infra.service.development.workflow_log import WorkflowLog, WorkflowPlace
from infra.service.runs.driving import Paused, drive
from infra.service.runs.family import RunEvent
from schemas.envelope import Envelope, Event
from schemas.events.workflow import WorkflowEvent, WorkflowIssue, WorkflowOrigin, WorkflowStarted
from streams.hygiene.redaction.strings import StageRedactor
from tests.agents.talks import Killed

PLACE = WorkflowPlace("prj_1", "wfl_1", "ana")
NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
PROFILE = {"model": "drafter-1", "max_review_iterations": 3, "max_review_passes": 1}
ISSUE = {"id": "7", "title": "Say hello", "description": "The program greets by name."}
PLAN = """**Goal:** The program greets by name.

**Key files:**
- `hello.py` (new)
- `test_hello.py` (new)

## Phase 1: Greeting

### Task 1: Greet by name
1. Write the test.
2. Write the function.

### Task 2: Greet nobody
1. An empty name is greeted as nobody.
"""
APPROVED = '{"approved": true, "issues": [], "summary": "It greets."}'
Edits = Mapping[str, str]


def refuses(*descriptions: str, file: str = "hello.py", severity: str = "major") -> str:
    """The answer of a reviewer that names these issues."""
    issues = [
        {"severity": severity, "file": file, "line": 1, "description": one} for one in descriptions
    ]
    return json.dumps({"approved": False, "issues": issues, "summary": "Not yet."})


def decides(*decisions: str) -> str:
    """The answer of an evaluator, a decision for each issue."""
    items = [
        {"issue": number, "decision": one, "reason": f"Because of {number}."}
        for number, one in enumerate(decisions, start=1)
    ]
    return json.dumps({"items": items})


@dataclass
class ScriptedDriver:
    """Writes files by a script: each piece of work is the texts of files, or an error.

    ``plans`` answer the architect, ``evaluations`` the evaluator; the last of each is repeated.
    """

    folder: Path
    work: list[Edits | Exception]
    plans: list[str | Exception] = field(default_factory=lambda: [PLAN])
    evaluations: list[str] = field(default_factory=lambda: [decides("IMPLEMENT")])
    prompts: list[str] = field(default_factory=list)
    sessions: list[str | None] = field(default_factory=list)
    name: DriverName = "api"

    async def prompt(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> Reply:
        self.prompts.append(prompt)
        answers: list[Any] = self.plans if "You plan" in (system_prompt or "") else self.evaluations
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, None, Spent(100, 20, 0.01))

    async def prompt_agentic(
        self, prompt: str, system_prompt: str | None = None, session_id: str | None = None
    ) -> AsyncGenerator[StreamEvent | Reply, None]:
        self.prompts.append(prompt)
        self.sessions.append(session_id)
        number = len(self.sessions)
        yield self._event(f"{number}.1", "CLAUDE_THINKING", "I look at the task.")
        work = self.work.pop(0)
        if isinstance(work, Exception):
            (self.folder / "half.py").write_text("half =")
            raise work
        for path, text in work.items():
            yield self._event(f"{number}.{path}", "CLAUDE_TOOL_CALL", path, "write_file")
            (self.folder / path).write_text(text)
            yield self._event(f"{number}.{path}.2", "CLAUDE_TOOL_RESULT", "written", "write_file")
        yield self._event(f"{number}.9", "AGENT_OUTPUT", "It is done.")
        yield Reply("It is done.", "session-1", Spent(1_000, 200, 0.02))

    def _event(self, name: str, kind: Any, content: str, tool: str | None = None) -> StreamEvent:
        return StreamEvent(
            id=name,
            type=kind,
            content=content,
            timestamp=NOW,
            agent="developer",
            workflow_id=PLACE.workflow_id,
            tool_name=tool,
            tool_input={"path": content} if tool else None,
        )


@dataclass
class ScriptedReviewer:
    """Answers by a script; the last answer is repeated."""

    answers: list[str | Exception]
    requests: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return ModelAnswer(
            call_id="cal_1",
            request_hash=request.request_hash,
            text=answer,
            provider="other",
            model="critic-1",
            usage=Usage(input_tokens=500, output_tokens=50),
            cost_usd=0.03,
        )

    def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
        raise AssertionError("a review is not streamed")

    @property
    def prompts(self) -> list[str]:
        return [request.messages[-1].content for request in self.requests]


class Code:
    """A code base of one file."""

    async def read_context(self, document: str) -> CodebaseContext:
        return CodebaseContext(sha256="0" * 64, text="hello.py is missing", files=())

    async def list_files(self) -> Sequence[str]:
        return ["README.md"]


@dataclass
class Checks:
    """Checks that end as they are told to, one after the other."""

    __test__: ClassVar[bool] = False

    runs: list[TestRun]

    async def run(self) -> TestRun:
        return self.runs.pop(0)


@dataclass
class Delivery:
    """One delivery over its log; ``kill_after``: the process ends when so many events are there."""

    driver: ScriptedDriver
    reviewer: ScriptedReviewer
    trees: RunTrees
    profile: Mapping[str, Any] = field(default_factory=lambda: PROFILE)
    plan: str = ""
    checks: list[TestRun] = field(default_factory=list)
    refused: list[RefusedCall] = field(default_factory=list)
    events: list[RunEvent] = field(default_factory=list)
    follow_ups: list[tuple[str, str]] = field(default_factory=list)
    coder_family: str = "first"
    kill_after: int | None = None
    end: WorkflowEnd = field(default_factory=lambda: WorkflowEnd("failed"))

    async def go_on(self) -> WorkflowEnd | Paused:
        """Up to the end, or up to questions that wait."""
        log = WorkflowLog(PLACE, list(self.events), StageRedactor(), self._publish)
        done = await drive(log, lambda: self._program(log))
        if isinstance(done, WorkflowEnd):
            self.end = done
        return done

    async def decide(self, kind: Any, **given: Any) -> Any:
        """The first open question is decided, and the delivery goes on."""
        log = WorkflowLog(PLACE, list(self.events), StageRedactor(), self._publish)
        (first, *_) = log.list_open_questions()
        await log.take_decision(first, decision=kind, given_by="ana", **given)
        return await self.go_on()

    def list_told(self, kind: type[WorkflowEvent]) -> list[Any]:
        return [one.event for one in self.events if isinstance(one.event, kind)]

    async def _program(self, log: WorkflowLog) -> Any:
        issue = WorkflowIssue(number=7, title=ISSUE["title"], text=ISSUE["description"])
        asked = WorkflowStarted(
            workflow_id=PLACE.workflow_id,
            ordinal=0,
            workflow_type="delivery",
            thread_id="issue-7",
            issue=issue,
        )
        await log.begin(asked)
        return await run_delivery(
            DeliveryRun(
                run_id=PLACE.workflow_id,
                project_id=PLACE.project_id,
                issue=ISSUE,
                profile=self.profile,
                plan=self.plan,
                design="",
                driver=self.driver,
                reviewer=self.reviewer,
                trees=self.trees,
                codebase=Code(),
                check=Checks(self.checks) if self.checks else None,
                follow_up=self._follow_up,
                take_refused=self._take_refused,
                effects=log,
                records=log,
                save=lambda run_id: None,
                resume_command="cairn deliver resume wfl_1",
                coder_family=self.coder_family,
                origin=WorkflowOrigin(feature_id="art_1", atom_ids=["atm_1", "atm_2"]),
                decisions=log.list_decisions(),
            )
        )

    async def _publish(self, facts: Any) -> None:
        for fact in facts:
            assert isinstance(fact, Envelope)
            if isinstance(fact.event, WorkflowEvent):
                self._keep(fact.event, fact.occurred_at)

    def _keep(self, event: Event, at: datetime) -> None:
        if self.kill_after is not None and len(self.events) >= self.kill_after:
            raise Killed
        assert isinstance(event, WorkflowEvent)
        self.events.append(RunEvent(event.ordinal, event, at))

    async def _follow_up(self, title: str, reason: str, key: str) -> None:
        self.follow_ups.append((title, reason))

    def _take_refused(self) -> list[RefusedCall]:
        taken, self.refused = self.refused, []
        return taken


def fails(message: str = "The model is away.") -> DriverError:
    return DriverError(message, is_retriable=True)


MakeDelivery = Callable[..., Delivery]
