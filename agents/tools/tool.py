"""What a tool is: a name, a description and arguments for a model, and a function for us."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from agents.project.state import Citation

ToolRole = Literal["viewer", "member", "pm", "owner", "operator"]


class ToolArguments(BaseModel):
    """The arguments of a tool; unknown ones are refused.

    The docstring of a subclass is told to the model: it says of each argument what it holds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


class Paging(ToolArguments):
    """``limit``: how many at most, 1 to 100. ``offset``: how many to leave out at the start, for
    the rest of a long list.
    """

    limit: int = Field(default=25, ge=1, le=100)
    offset: int = Field(default=0, ge=0, le=100_000)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answers. ``text`` is for the model and the user, ``data`` the same as JSON."""

    text: str
    data: Mapping[str, Any]
    citations: tuple[Citation, ...] = ()
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ToolContext:
    """For whom a tool works. ``idempotency_key`` is the key of the effect: a change that was asked
    for with it once is not made twice.
    """

    project_id: str
    actor: str
    role: ToolRole
    idempotency_key: str


@dataclass(frozen=True, slots=True)
class Tool:
    """``mutating``: it changes something. ``confirm``: a person is asked before each call.
    ``once``: a call that was begun and not answered is never made again: nobody can tell whether it
    has happened.

    ``space`` groups tools for retrieval. ``call`` never raises for what the model can mend: it
    answers with an error text.
    """

    name: str
    description: str
    arguments: type[ToolArguments]
    call: Callable[[ToolContext, Any], Awaitable[ToolResult]]
    space: str = "project"
    mutating: bool = False
    confirm: bool = False
    once: bool = False
    role: ToolRole = "viewer"


class Described(Protocol):
    """What a model is told of a tool."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def arguments(self) -> type[ToolArguments]: ...


class ToolBox(Protocol):
    """The tools that are there, by name."""

    def names(self) -> tuple[str, ...]: ...

    def find(self, name: str) -> Tool | None: ...
