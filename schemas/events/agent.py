"""What happens in a conversation with the agents of a project, turn by turn.

All are on ``agent.v1``, key ``conversation_id``. A turn is one question with all that its answer
took; ``ordinal`` counts its events from 0 without gaps, so that a turn that was broken off is gone
on with where its events end. Answers of models, tools and clocks are among them: a replay of the
turn asks nobody else.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from schemas.envelope import Event, Part

AgentEngine = Literal["model", "rules"]
EffectKind = Literal["model", "clock", "read"]
ConfirmationDecision = Literal["approve", "edit", "reject"]
NO_MODEL: AgentEngine = "rules"


class AgentCitation(Part):
    """What a sentence rests on, and the location of its first evidence."""

    cited_id: str
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    snippet: str | None = None


class AgentOutput(Part):
    """What a specialist has done. ``output`` is its structured answer, a JSON text."""

    agent: str
    result_type: str
    output: str
    response: str
    requires_review: bool = False
    citations: list[AgentCitation] = []
    engine: AgentEngine = NO_MODEL
    error: str | None = None
    tokens: int = 0
    cost_usd: float = 0.0
    started_at: datetime
    finished_at: datetime


class EffectPosition(Part):
    """Where an effect stands in its turn: ``number`` counts within the iteration of a node.

    ``input_hash`` is the hash of what the effect was given. ``effect_id`` follows from all.
    """

    effect_id: str
    node: str
    iteration: int
    number: int
    input_hash: str


class AgentEvent(Event):
    """An event of one turn, and its number in it."""

    topic: ClassVar[str] = "agent.v1"
    stable_key: ClassVar[bool] = True

    conversation_id: str
    turn_id: str
    ordinal: int

    @property
    def aggregate_id(self) -> str:
        return self.conversation_id

    @property
    def local_key(self) -> str:
        return f"{self.conversation_id}|{self.turn_id}|{self.ordinal}"


class RequestReceived(AgentEvent):
    """A person has asked something; the turn begins. ``role`` is that of who asks.

    ``forked_from`` is the turn that this one goes on from otherwise, with its events up to number
    ``forked_at``; empty for most. ``agent`` is who is asked, ``comms`` the assistant; empty: the
    agents of the project. A conversation with the assistant belongs to its ``owner``; the chosen
    ``project``, the ``workflow`` of theirs and their ``time_zone`` are those of this message.
    """

    type_name: ClassVar[str] = "agent.request_received"
    schema_version: ClassVar[int] = 2

    text: str
    role: str = ""
    forked_from: str = ""
    forked_at: int | None = None
    agent: str = ""
    owner: str = ""
    project: str = ""
    workflow: str = ""
    time_zone: str = ""


class Routed(AgentEvent):
    """The supervisor has decided who goes on; ``next_agent`` ``end``: the turn is answered."""

    type_name: ClassVar[str] = "agent.routed"

    agent: str
    iteration: int
    next_agent: str
    message_to_agent: str
    thought: str
    engine: AgentEngine = NO_MODEL


class ThoughtRecorded(AgentEvent):
    type_name: ClassVar[str] = "agent.thought_recorded"

    agent: str
    thought: str


class ToolCalled(AgentEvent):
    """A tool is about to be called. ``arguments`` is a JSON text."""

    type_name: ClassVar[str] = "agent.tool_called"

    position: EffectPosition
    tool: str
    arguments: str


class ToolReturned(AgentEvent):
    """What the tool has answered, as a JSON text."""

    type_name: ClassVar[str] = "agent.tool_returned"

    position: EffectPosition
    tool: str
    answer: str
    is_error: bool = False


class EffectRecorded(AgentEvent):
    """What a model, a clock or the tables have answered, as a JSON text."""

    type_name: ClassVar[str] = "agent.effect_recorded"

    position: EffectPosition
    kind: EffectKind
    answer: str


class ResultProduced(AgentEvent):
    type_name: ClassVar[str] = "agent.result_produced"

    iteration: int
    result: AgentOutput


class ReviewRequested(AgentEvent):
    """The supervisor is to look at the result of ``agent`` before the turn ends."""

    type_name: ClassVar[str] = "agent.review_requested"

    agent: str
    iteration: int


class LimitReached(AgentEvent):
    """The turn ends with the best result so far."""

    type_name: ClassVar[str] = "agent.limit_reached"

    iteration: int
    max_iterations: int


class ConfirmationRequested(AgentEvent):
    """A person has to say whether a tool may be called. ``arguments`` is a JSON text.

    ``more``: how many further calls of the same step are asked about after this one.
    """

    type_name: ClassVar[str] = "agent.confirmation_requested"
    schema_version: ClassVar[int] = 2

    confirmation_id: str
    tool: str
    arguments: str
    summary: str
    more: int = 0


class ConfirmationGiven(AgentEvent):
    """The answer; ``arguments`` is a JSON text where they were changed. It is final."""

    type_name: ClassVar[str] = "agent.confirmation_given"

    confirmation_id: str
    decision: ConfirmationDecision
    arguments: str | None = None
    reason: str = ""
    given_by: str = ""


class HandoffStarted(AgentEvent):
    """An agent hands ``task`` over to another one, which works until the event that finishes it.

    ``call_id`` is that of the call in the agent that hands over. The agent goes on with ``thread``,
    what it has done in this conversation before.
    """

    type_name: ClassVar[str] = "agent.handoff_started"

    call_id: str
    from_agent: str
    to_agent: str
    thread: str
    task: str


class HandoffFinished(AgentEvent):
    """What has come of it, in words; ``notes`` is what the thread goes on with, a JSON text."""

    type_name: ClassVar[str] = "agent.handoff_finished"

    call_id: str
    from_agent: str
    to_agent: str
    thread: str
    summary: str
    citations: list[AgentCitation] = []
    notes: str = "[]"
    is_error: bool = False


class FollowupsSuggested(AgentEvent):
    """What the user may want to ask next."""

    type_name: ClassVar[str] = "agent.followups_suggested"

    actions: list[str]


class Responded(AgentEvent):
    """The turn is over. ``error`` is the code of what went wrong, empty where nothing did."""

    type_name: ClassVar[str] = "agent.responded"

    text: str
    agent: str
    citations: list[AgentCitation] = []
    engine: AgentEngine = NO_MODEL
    error: str = ""


AGENT_EVENTS: tuple[type[AgentEvent], ...] = (
    RequestReceived,
    Routed,
    ThoughtRecorded,
    ToolCalled,
    ToolReturned,
    EffectRecorded,
    ResultProduced,
    ReviewRequested,
    LimitReached,
    ConfirmationRequested,
    ConfirmationGiven,
    HandoffStarted,
    HandoffFinished,
    FollowupsSuggested,
    Responded,
)
