"""Workflows that a user has named: a prompt, and the tools that it may use.

A change raises Invalid for what cannot be saved, NotFound, Conflict, and Unavailable when broker,
database or projector do not answer. The same key again changes nothing and has the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from infra.platform.errors import Conflict, Invalid
from infra.platform.settings import Settings
from infra.service.assistant.memories import namespace_of
from infra.service.foundation.database import ask, wait_until_shown
from infra.service.foundation.publishing import make_request, publish, redactor_of
from infra.store.tokens import Caller
from projections.read import memories as read
from projections.read.memories import NamedWorkflow
from projections.read.positions import list_folded
from projections.read.session import Conn
from schemas.envelope import SERVICE_WIDE
from schemas.events.memory import WorkflowRemoved, WorkflowSaved

LONGEST_PROMPT = 4_000  # characters
MOST_TOOLS = 50  # of a workflow
MOST_WORKFLOWS = 100  # of a user
NAME = re.compile(r"[a-z0-9-]{1,40}")
TOOL = re.compile(r"[A-Za-z0-9_.:-]{1,100}")


async def save_workflow(
    settings: Settings, caller: Caller, name: str, prompt: str, tools: Sequence[str], *, key: str
) -> NamedWorkflow:
    """Keep a workflow under a name; one that has it is replaced."""
    owner = namespace_of(caller)
    fact = WorkflowSaved(
        owner=owner,
        name=_check_name(name),
        prompt=_check_prompt(settings, prompt),
        tools=_check_tools(settings, tools),
        request_key=key,
    )
    if await ask(settings, lambda tables: _is_one_too_many(tables, owner, name)):
        raise Conflict(
            f"You have {MOST_WORKFLOWS} workflows already: remove one first.",
            code="too_many_workflows",
        )
    request = make_request(fact, SERVICE_WIDE, caller.name)
    await publish(settings, [request])

    def shows(tables: Conn) -> NamedWorkflow | None:
        if not list_folded(tables, [request.event_id]):
            return None
        return read.read_workflow(tables, owner, name)

    return await wait_until_shown(settings, shows, "The workflow", name=name)


async def remove_workflow(settings: Settings, caller: Caller, name: str, *, key: str) -> None:
    """Keep a workflow no more. Raises NotFound."""
    owner = namespace_of(caller)
    fact = WorkflowRemoved(owner=owner, name=name, request_key=key)
    request = make_request(fact, SERVICE_WIDE, caller.name)

    def is_done(tables: Conn) -> bool | None:
        return bool(list_folded(tables, [request.event_id])) or None

    if await ask(settings, is_done):
        return
    await ask(settings, lambda tables: read.read_workflow(tables, owner, name))
    await publish(settings, [request])
    await wait_until_shown(settings, is_done, "The removal", name=name)


def _is_one_too_many(tables: Conn, owner: str, name: str) -> bool:
    if read.count_workflows(tables, owner) < MOST_WORKFLOWS:
        return False
    return name not in {each.name for each in read.list_workflows(tables, owner).items}


def _check_name(name: str) -> str:
    from streams.hygiene.redaction.strings import redact_text

    if not NAME.fullmatch(name) or redact_text(name) != name:
        raise Invalid(
            "The name of a workflow has 1 to 40 small letters, digits and hyphens, and is no"
            " secret.",
            code="workflow_name_invalid",
        )
    return name


def _check_prompt(settings: Settings, prompt: str) -> str:
    prompt = redactor_of(settings).text(prompt).strip()
    if not 0 < len(prompt) <= LONGEST_PROMPT:
        raise Invalid(
            f"The prompt of a workflow is a text of 1 to {LONGEST_PROMPT:,} characters.",
            code="workflow_prompt_invalid",
        )
    return prompt


def _check_tools(settings: Settings, tools: Sequence[str]) -> list[str]:
    redactor = redactor_of(settings)
    chosen = list(dict.fromkeys(tools))
    wrong = [tool for tool in chosen if not TOOL.fullmatch(tool) or redactor.text(tool) != tool]
    if wrong or len(chosen) > MOST_TOOLS:
        raise Invalid(
            f"A workflow has at most {MOST_TOOLS} tools, each by its name.",
            code="workflow_tools_invalid",
        )
    return chosen
