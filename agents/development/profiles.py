"""Profiles: which model writes code, where its issues come from and in which walls it works.

Who drives a workflow names a profile; nothing else changes from one driver or tracker to another.
"""

from __future__ import annotations

import shlex
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from agents.development.ports import DriverName

TrackerName = Literal["jira", "github", "none"]
SandboxName = Literal["none", "process", "docker", "daytona"]

NOT_SANDBOXABLE = "driver_not_sandboxable"
DEFAULT_NAME = "default"
DEFAULT_ALLOWLIST = (
    *("git", "pytest", "python", "python3", "ls", "cat", "head", "tail", "wc", "grep", "find"),
    *("sed -n", "diff", "make", "npm test", "npm run", "node", "go test", "go build", "go vet"),
    *("cargo test", "cargo build", "cargo check", "ruff", "mypy", "tsc"),
)
MOST_ALLOWED = 100


def _check_command(text: str) -> str:
    """``text`` if it is the words of a command. Raises ValueError."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"it is no command ({error}): close the quotes") from error
    if not words or "\0" in text or "\n" in text:
        raise ValueError("it is no command: write a program and its arguments on one line")
    return text


Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
Command = Annotated[str, StringConstraints(max_length=500), AfterValidator(_check_command)]


class Profile(BaseModel):
    """How agents write code for one kind of work.

    ``model``: of the driver, for ``api`` as ``provider/model``; None: the driver's own choice.
    ``sandbox``: the container that the driver itself works in; the commands of the ``api`` driver
    run in the walls of the operating system with every value. ``allowlist``: the programs that may
    be started, each with the arguments it must begin with. ``validator``: a command that has to
    succeed in the walls after each task; None: there is none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    driver: DriverName = "api"
    model: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    tracker: TrackerName = "none"
    sandbox: SandboxName = "none"
    max_review_iterations: Annotated[int, Field(ge=1, le=20)] = 3
    max_review_passes: Annotated[int, Field(ge=1, le=5)] = 1
    allowlist: Annotated[tuple[Command, ...], Field(max_length=MOST_ALLOWED)] = DEFAULT_ALLOWLIST
    validator: Command | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.sandbox != "none" and self.driver != "api":
            raise PydanticCustomError(
                NOT_SANDBOXABLE,
                "driver {driver} cannot work in a sandbox, since it brings the sign-in of this"
                " machine: set sandbox = none, or driver = api",
                {"driver": self.driver},
            )
        return self

    @property
    def validator_argv(self) -> tuple[str, ...]:
        """The words of the validator; none where there is none."""
        return tuple(shlex.split(self.validator)) if self.validator else ()


DEFAULT_PROFILE = Profile(name=DEFAULT_NAME)
