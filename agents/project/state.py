"""What the nodes of the project graph share in one turn of a conversation."""

from __future__ import annotations

import operator
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypedDict, get_args

from pydantic import BaseModel, ConfigDict

from schemas.events.agent import AgentEngine

Specialist = Literal["analyst", "planner", "assigner", "reporter", "assistant", "scheduler"]
SPECIALISTS: tuple[Specialist, ...] = get_args(Specialist)
SUPERVISOR = "supervisor"
END: Final = "end"  # nobody goes on: the supervisor answers itself
HANDED = "Here is a document."  # what is asked where only documents are sent
NextAgent = Literal[Specialist, "end"]
MAX_ITERATIONS = 10  # executions of the supervisor and of specialists in one turn


class Citation(BaseModel):
    """An atom or artifact that a sentence rests on, with the place of its first evidence."""

    model_config = ConfigDict(frozen=True)

    cited_id: str
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    snippet: str | None = None


class AgentThought(BaseModel):
    """``engine``: who had it, a model or the rules."""

    model_config = ConfigDict(frozen=True)

    agent: str
    thought: str
    at: datetime
    engine: AgentEngine = "rules"


class AgentResult(BaseModel):
    """What a specialist has done. ``output`` is one of the structured outputs, as JSON.

    ``engine``: ``model``, or ``rules`` where no model took part. ``response`` is the text for the
    user.
    """

    model_config = ConfigDict(frozen=True)

    agent: str
    result_type: str
    output: dict[str, Any] = {}
    response: str = ""
    requires_review: bool = False
    citations: tuple[Citation, ...] = ()
    engine: AgentEngine = "rules"
    error: str | None = None
    tokens: int = 0
    cost_usd: float = 0.0
    started_at: datetime
    finished_at: datetime


class ProjectState(BaseModel):
    """What the nodes know of the project before they ask."""

    model_config = ConfigDict(frozen=True)

    project_id: str
    name: str
    description: str = ""
    vision: str = ""
    counts_by_kind: dict[str, int] = {}


STATE_TYPES = (ProjectState, AgentResult, AgentThought, Citation)  # that a state holds


class AgentState(TypedDict):
    """The state of one turn; ``results`` and ``thoughts`` grow, all else is replaced."""

    request: str
    project: ProjectState
    current_agent: str
    next_agent: str
    message_to_agent: str
    iteration: int
    max_iterations: int
    results: Annotated[list[AgentResult], operator.add]
    thoughts: Annotated[list[AgentThought], operator.add]
    final_response: str
    should_end: bool
    limit_reached: bool
    chat_history: list[dict[str, str]]
