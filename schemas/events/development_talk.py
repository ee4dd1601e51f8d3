"""Talk that leads to code: what the oracle was asked, and what became of ideas in brainstorms.

All are on ``workflow.v1``. The key is the consultation's or the session's own id, so each has its
order; they are no events of a run.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event

BrainstormRole = Literal["person", "brainstormer"]


class ConsultationCompleted(Event):
    """The oracle has given advice on a problem.

    ``asked_by`` is a person or an agent, ``workflow_id`` the run in which an agent has asked, empty
    where there is none. ``context_hash`` is the SHA-256 of the files as the model was shown them.
    ``cost_usd`` None: the price is not known.
    """

    type_name: ClassVar[str] = "consultation.completed"
    topic: ClassVar[str] = "workflow.v1"
    stable_key: ClassVar[bool] = True

    consultation_id: str
    asked_by: str
    workflow_id: str = ""
    problem: str
    context_files: list[str] = []
    context_hash: str = ""
    advice: str
    model: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None = None

    @property
    def aggregate_id(self) -> str:
        return self.consultation_id

    @property
    def local_key(self) -> str:
        return self.consultation_id


class _BrainstormEvent(Event):
    """What all facts of one session share. ``request_key``: of the request that has led to it."""

    topic: ClassVar[str] = "workflow.v1"
    stable_key: ClassVar[bool] = True

    brainstorm_id: str
    request_key: str

    @property
    def aggregate_id(self) -> str:
        return self.brainstorm_id

    @property
    def local_key(self) -> str:
        return f"{self.brainstorm_id}|{self.request_key}"


class BrainstormMessageAdded(_BrainstormEvent):
    """A person has written something, or the brainstormer has answered.

    ``number`` counts the questions that were answered; it begins with 1. A question whose answer
    has failed stands before the next one with the same number. ``title`` names a new session.
    """

    type_name: ClassVar[str] = "brainstorm.message_added"

    number: int
    role: BrainstormRole
    text: str
    title: str = ""
    author: str = ""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def local_key(self) -> str:
        return f"{self.brainstorm_id}|{self.request_key}|{self.role}"


class BrainstormDesignWritten(_BrainstormEvent):
    """The brainstormer has written the design document; the last one of a session counts.

    ``design_hash`` is the SHA-256 of ``markdown``.
    """

    type_name: ClassVar[str] = "brainstorm.design_written"

    number: int
    file_name: str
    markdown: str
    design_hash: str


class BrainstormHandedOff(_BrainstormEvent):
    """A person has handed the design on, to be built.

    ``workflow_id`` is the workflow or delivery that begins with it; empty: none was begun yet.
    """

    type_name: ClassVar[str] = "brainstorm.handed_off"

    idea: str
    file_name: str
    design: str
    design_hash: str
    workflow_id: str = ""


TALK_EVENTS: tuple[type[Event], ...] = (
    ConsultationCompleted,
    BrainstormMessageAdded,
    BrainstormDesignWritten,
    BrainstormHandedOff,
)
