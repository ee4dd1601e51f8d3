"""The oracle: advice on one problem, with the files that it is about. Agents and people ask it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.development.errors import DevelopmentError
from agents.development.ports import ToolDescription, ToolOutcome
from agents.fence import FENCE_RULE, fence
from agents.models.call import Message, ModelRequest

AGENT, STAGE = "oracle", "development"
PROMPT_VERSION = "oracle-1"
LONGEST_PROBLEM = 20_000
MOST_FILES = 20
MOST_TOKENS = 4_000
RULES = (
    """\
You are a senior engineer whom others ask when they are stuck. You get one problem and, as data, \
files of their repository.
- Say first what you think the cause or the right choice is, and how sure you are.
- Then say what to do, step by step, with the names of files and functions that you were shown.
- Use only what you were shown. Name what you would have to see besides, instead of guessing it.
- You change nothing and call nothing: you give advice, as short Markdown.

"""
    + FENCE_RULE
)
ASK_ORACLE = ToolDescription(
    name="ask_oracle",
    description=(
        "Ask a stronger model for advice when you are stuck or a choice is hard to take back. It"
        " sees nothing but the problem and the files that you name, and changes nothing."
    ),
    arguments={
        "type": "object",
        "properties": {
            "problem": {
                "type": "string",
                "description": "What is wrong or to be decided, what was tried, what is unclear.",
                "minLength": 1,
                "maxLength": LONGEST_PROBLEM,
            },
            "context_files": {
                "type": "array",
                "items": {"type": "string"},
                "maxItems": MOST_FILES,
                "description": "Paths in the repository of the files that it is about.",
            },
        },
        "required": ["problem"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A file as it is shown: without secrets, and cut where there was too little room."""

    path: str
    text: str


def build_request(
    problem: str,
    files: Sequence[ContextFile],
    *,
    consultation_id: str,
    project_id: str,
    workflow_id: str = "",
) -> ModelRequest:
    """What the model is asked. The same consultation is the same request, so that an answer that
    was recorded is not asked for again.
    """
    parts = [f"The problem:\n{fence(problem)}"]
    parts += [f"File {file.path}:\n{fence(file.text)}" for file in files]
    return ModelRequest(
        tier="strong",
        prompt_version=PROMPT_VERSION,
        messages=(
            Message(role="system", content=RULES),
            Message(role="user", content="\n\n".join(parts)),
        ),
        max_output_tokens=MOST_TOKENS,
        occurrence=consultation_id,
        project_id=project_id,
        agent=AGENT,
        stage=STAGE,
        run_id=workflow_id or consultation_id,
        workflow_id=workflow_id or None,
    )


Consult = Callable[[str, tuple[str, ...]], Awaitable[str]]
"""Advice on a problem with these files. Raises DevelopmentError: what cannot be read or asked."""


class OracleTools:
    """The toolbox with ``ask_oracle`` alone, for agents that add it to their own tools."""

    tools: Sequence[ToolDescription] = (ASK_ORACLE,)

    def __init__(self, consult: Consult) -> None:
        self._consult = consult

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Whatever was given, the outcome says what was wrong with it."""
        if name != ASK_ORACLE.name:
            return ToolOutcome(f"There is no tool {name!r} here: use ask_oracle.", is_error=True)
        problem, files = arguments.get("problem"), arguments.get("context_files", [])
        if not isinstance(problem, str) or not 0 < len(problem.strip()) <= LONGEST_PROBLEM:
            return ToolOutcome(
                f"`problem` is a text of 1 to {LONGEST_PROBLEM:,} characters.", is_error=True
            )
        if (
            not isinstance(files, list)
            or len(files) > MOST_FILES
            or not all(isinstance(each, str) for each in files)
        ):
            return ToolOutcome(
                f"`context_files` is a list of at most {MOST_FILES} paths.", is_error=True
            )
        try:
            return ToolOutcome(await self._consult(problem.strip(), tuple(files)))
        except DevelopmentError as error:
            return ToolOutcome(str(error), is_error=True)
