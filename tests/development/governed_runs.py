"""A governed workflow in a test: its log on a topic in memory that may die, models of two families
by script, and ports that keep what they are given and count their calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.development.governed.run import STATE_TYPES, GovernedRun, run_workflow
from agents.development.workflow_ports import (
    CodebaseContext,
    Contradiction,
    EarlierFindings,
    FiledIssue,
    OutsideFinding,
    WorkflowEnd,
    WorkflowPorts,
    WrittenArtifact,
)
from agents.models.call import ModelAnswer, ModelRequest, Usage
from agents.models.errors import ModelError
from agents.runs.saver import KeptState, RunSaver
from infra.service.development.workflow_log import WorkflowLog, WorkflowPlace
from infra.service.runs.driving import Paused, drive
from infra.service.runs.family import RunEvent
from schemas.envelope import Envelope
from schemas.events.workflow import (
    WorkflowEvent,
    WorkflowInput,
    WorkflowIssue,
    WorkflowOrigin,
    WorkflowSettings,
    WorkflowStarted,
)
from schemas.ids import sha256_hex
from streams.hygiene.redaction.strings import StageRedactor
from tests.agents.talks import Killed

PLACE = WorkflowPlace("prj_1", "wfl_1", "ana")
ISSUE_TEXT = "R-1: Exports must be signed.\nR-2: An export must name its author."

BRIEF = """\
## Summary

Exports carry a signature.

## Problem

Nobody can tell who made an export.

## Requirements

- R-1: Exports are signed.
- R-2: An export names its author.

## Acceptance criteria

- An export without a signature is refused.

## Out of scope

- Imports.
"""
DESIGN = """\
## Context

Exports have to be signed.

## Requirements

- R-1: Exports are signed.
- R-2: An export names its author.

## Design

The function `export` signs what it writes.

## Files to change

| File | Change | Purpose |
|---|---|---|
| app/export.py | modify | sign |

## Test plan

- A signed export is accepted (R-1).
- The author is in the export (R-2).

## Risks

- Keys can be lost.
"""
SPECIFICATION = """\
## Overview

Exports are signed (R-1, R-2).

## Files to change

| File | Change | Purpose |
|---|---|---|
| app/export.py | modify | sign |

## Instructions

### app/export.py

Location: line 1, the function `export`.

Current:

```python
def export(rows):
    return rows
```

Target signature:

```python
def export(rows, author):
```

Tests: `tests/test_export.py::test_signed`

## Tests

- `test_signed` shows R-1 and R-2.

## Risks

- None is left.
"""
PATHS = ("app/export.py", "tests/test_export.py")
MARK = re.compile(r"The mark of the draft: ([0-9a-f]+)")
Script = str | dict[str, Any] | ModelError


@dataclass
class Models:
    """Both families by script: each request has the next answer, the last one again and again, and
    the same request has the same answer.
    """

    drafts: list[Script] = field(default_factory=list)
    reviews: list[Script] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)
    drafter: str = "claude-opus-4-6"
    reviewer: str = "gemini-3.1-pro-preview"

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        earlier = dict.fromkeys(
            one.request_hash for one in self.requests if one.tier == request.tier
        )
        number = [*earlier, request.request_hash].index(request.request_hash)
        self.requests.append(request)
        script = self.drafts if request.tier == "draft" else self.reviews
        given = script[min(number, len(script) - 1)]
        if isinstance(given, ModelError):
            raise given
        text = given if isinstance(given, str) else _write(given, request)
        return ModelAnswer(
            call_id=f"cal_{len(self.requests)}",
            request_hash=request.request_hash,
            text=text,
            data=json.loads(text) if request.answer_schema else None,
            provider="scripted",
            model=self.drafter if request.tier == "draft" else self.reviewer,
            usage=Usage(input_tokens=100, output_tokens=20),
            cost_usd=0.01,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
        yield await self.complete(request)

    def count(self, tier: str) -> int:
        return sum(request.tier == tier for request in self.requests)

    def prompts(self, tier: str) -> list[str]:
        """What was asked, request by request."""
        return [
            "\n".join(message.content for message in request.messages)
            for request in self.requests
            if request.tier == tier
        ]


def _write(given: dict[str, Any], request: ModelRequest) -> str:
    mark = MARK.search(request.messages[-1].content)
    begin: dict[str, Any] = {"artifact": mark[1], "findings": [], "resolved": []} if mark else {}
    return json.dumps(begin | given)


def approves(**more: Any) -> dict[str, Any]:
    return {"verdict": "APPROVE", "summary": "It is sound."} | more


def blocks(*quotes: str, verdict: str = "BLOCK", **more: Any) -> dict[str, Any]:
    findings = [finding(quote) for quote in quotes]
    return {"verdict": verdict, "summary": "It is not sound.", "findings": findings} | more


def finding(quote: str, severity: str = "major", text: str = "This is wrong.") -> dict[str, Any]:
    return {"severity": severity, "section": "Design", "quote": quote, "text": text}


@dataclass
class Outside:
    """All ports but those of code; ``calls`` are those that were made, in their order."""

    calls: list[str] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = PATHS
    earlier: list[EarlierFindings] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    findings: dict[str, list[OutsideFinding]] = field(default_factory=dict)
    spoils: bool = False
    after_call: Callable[[str], None] = lambda name: None

    async def read_context(self, document: str) -> CodebaseContext:
        self._count("read_context")
        text = "def export(rows): ..."
        return CodebaseContext(sha256=sha256_hex(text), text=text, files=self.files)

    async def list_files(self) -> Sequence[str]:
        return self.files

    async def list_blocked(self) -> Sequence[EarlierFindings]:
        self._count("list_blocked")
        return self.earlier

    async def find_contradictions(self, requirements: Sequence[str]) -> Sequence[Contradiction]:
        self._count("find_contradictions")
        return self.contradictions

    async def file_issue(self, title: str, body: str, key: str) -> FiledIssue:
        self._keep("file_issue", key, body)
        return FiledIssue(number=7, address="issues/7.md")

    async def write(self, artifact_type: str, text: str, key: str) -> WrittenArtifact:
        written = f"{text} " if self.spoils else text
        self._keep("write", key, written)
        return WrittenArtifact(path=f"{artifact_type}.md", sha256=sha256_hex(written))

    async def search(self, query: str) -> Sequence[OutsideFinding]:
        self._count(f"search {query}")
        return self.findings.get(query, [])

    def _keep(self, name: str, key: str, text: str) -> None:
        """A second call with a key is the first one."""
        if key not in self.keys:
            self.keys[key] = text
            self._count(name)
            self.kept[name] = text

    def _count(self, name: str) -> None:
        self.calls.append(name)
        self.after_call(name)


@dataclass
class States:
    """The saver's rows."""

    rows: dict[str, KeptState] = field(default_factory=dict)

    async def read(self, run_id: str) -> KeptState | None:
        return self.rows.get(run_id)

    async def keep(self, run_id: str, kept: KeptState) -> None:
        self.rows[run_id] = kept


@dataclass
class World:
    """One run. It takes no more than ``room`` facts, then its process is gone."""

    workflow_type: Any = "requirements"
    models: Models = field(default_factory=Models)
    outside: Outside = field(default_factory=Outside)
    settings: dict[str, Any] = field(default_factory=dict)
    issue: str = ISSUE_TEXT
    given: WorkflowInput = field(default_factory=WorkflowInput)
    ports: dict[str, Any] = field(default_factory=dict)
    reviewer_family: str = "google"
    facts: list[Envelope] = field(default_factory=list)
    states: States = field(default_factory=States)
    keeps_states: bool = True
    room: int | None = None

    async def publish(self, facts: Sequence[Envelope]) -> None:
        for fact in facts:
            if self.room is not None and len(self.facts) >= self.room:
                raise Killed
            self.facts.append(fact)

    @property
    def events(self) -> list[WorkflowEvent]:
        first = {fact.event_id: fact.event for fact in reversed(self.facts)}
        events = [event for event in first.values() if isinstance(event, WorkflowEvent)]
        return sorted(events, key=lambda event: event.ordinal)

    def all(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def visits(self) -> list[str]:
        """The nodes in the order in which they were entered."""
        return [
            event.node  # type: ignore[attr-defined]
            for event in self.events
            if event.type_name == "workflow.node_entered"
        ]

    def open_log(self, *, replays: bool = False) -> WorkflowLog:
        known = {
            fact.event.ordinal: RunEvent(fact.event.ordinal, fact.event, fact.occurred_at)
            for fact in reversed(self.facts)
            if isinstance(fact.event, WorkflowEvent)
        }
        publish = None if replays else self.publish
        return WorkflowLog(PLACE, list(known.values()), StageRedactor(), publish, "1")

    async def attempt(self, *, replays: bool = False) -> WorkflowEnd | Paused:
        """One job of the run: up to its end, or up to a gate."""
        log = self.open_log(replays=replays)

        async def program() -> WorkflowEnd:
            await log.begin(self._started())
            return await run_workflow(self.run(log))

        return await program() if replays else await drive(log, program)

    async def decide(self, decision: str, reason: str = "", *, waived: bool = False) -> None:
        """What a person says to the one question that is open."""
        log = self.open_log()
        (open_one,) = log.list_open_questions()
        arguments = {"waived": True} if waived else None
        await log.take_decision(
            open_one, arguments, decision=decision, reason=reason, given_by="orla"
        )

    def run(self, log: WorkflowLog) -> GovernedRun:
        def save(run_id: str) -> RunSaver | None:
            if not self.keeps_states:
                return None
            return RunSaver(run_id, log, self.states, sha256_hex, "program", STATE_TYPES)

        begun = self._started()
        return GovernedRun(
            run_id=PLACE.workflow_id,
            project_id=PLACE.project_id,
            workflow_type=begun.workflow_type,
            issue=begun.issue,
            settings=begun.settings,
            model=self.models,
            drafter_family="anthropic",
            reviewer_family=self.reviewer_family,
            effects=log,
            records=log,
            ports=WorkflowPorts(**(self._ports() | self.ports)),
            save=save,
            decisions=log.list_decisions(),
            input=self.given,
            origin=WorkflowOrigin(atom_ids=["atm_1"]),
            resume_command="cairn workflow resume wfl_1",
        )

    def _ports(self) -> dict[str, Any]:
        names = ("codebase", "history", "ledger", "issues", "artifacts", "research")
        return dict.fromkeys(names, self.outside)

    def _started(self) -> WorkflowStarted:
        return WorkflowStarted(
            workflow_id=PLACE.workflow_id,
            ordinal=0,
            workflow_type=self.workflow_type,
            thread_id="issue-7",
            issue=WorkflowIssue(number=7, title="Sign exports", text=self.issue),
            settings=WorkflowSettings(**self.settings),
            input=self.given,
        )
