"""A coding model at work in the workspace: from one tree to another, as one recorded effect.

It begins at a named tree. A call that was broken off is made again from there, so half a change
never becomes part of another one.
"""

from __future__ import annotations

import json

from agents.development.governed.context import GovernedRun
from agents.development.governed.frozen_tests import list_refused, list_shared
from agents.development.governed.gates import persist
from agents.development.governed.node import AtNode, hash_text
from agents.development.governed.prompts import Prompt
from agents.development.governed.state import ImplementationState, TestRunState
from agents.development.ports import Reply, Spent, StreamEvent
from agents.development.workflow_ports import RefusedCall, TestRun, Value
from agents.models.call import Message
from schemas.events.workflow import SecurityRefused

DRIVER_FAMILIES = {"claude": "anthropic", "codex": "openai"}  # that of `api` is the drafter's
LONGEST_OUTPUT = 6_000  # characters of the end of what a test runner prints


class Work(Value):
    """What a coding model has made of a tree, and what it says of it.

    Trees are named as ids are wherever they are recorded: what looks drawn by lot and is not called
    an id is taken for a secret there.
    """

    tree_id: str
    text: str
    session_id: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    refused: tuple[RefusedCall, ...] = ()


class Paths(Value):
    paths: tuple[str, ...]


def find_coder_family(run: GovernedRun) -> str:
    """The family of the model that writes code."""
    implementer = run.ports.implementer
    name = implementer.name if implementer is not None else "api"
    return DRIVER_FAMILIES.get(name, run.drafter_family)


async def write_code(
    at: AtNode, state: ImplementationState, prompt: Prompt, request: Message
) -> Work:
    """What the coding model makes of the tree of the state."""
    trees, implementer = at.run.ports.trees, at.run.ports.implementer
    assert trees is not None and implementer is not None  # see NEEDED
    take_refused = at.run.ports.take_refused
    system, from_tree = prompt.with_rules().content, state["tree"]
    session = state.get("session") or None
    args = {
        "from_tree_id": from_tree,
        "prompt_version": prompt.version,
        "request_sha256": hash_text(request.content),
    }

    async def make(key: str) -> Work:
        await trees.restore(from_tree)
        reply = Reply("", session, Spent())
        async for part in implementer.prompt_agentic(request.content, system, session):
            if isinstance(part, Reply):
                reply = part
            else:
                await _tell(at, part)
        return Work(
            tree_id=(await trees.snapshot()).tree_id,
            text=reply.text,
            session_id=reply.session_id or "",
            input_tokens=reply.spent.input_tokens,
            output_tokens=reply.spent.output_tokens,
            cost_usd=reply.spent.cost_usd,
            refused=tuple(take_refused()) if take_refused else (),
        )

    work = await persist(at, lambda: at.call("write_code", args, Work, make))
    at.add_cost(work.input_tokens, work.output_tokens, work.cost_usd)
    for refused in work.refused:
        await at.record(SecurityRefused, **refused.model_dump(), agent="implementer")
    return work


async def list_changed(at: AtNode, before: str, after: str) -> list[str]:
    """The paths of the files that differ between two trees."""
    trees = at.run.ports.trees
    assert trees is not None  # see NEEDED

    async def make() -> Paths:
        return Paths(paths=tuple(it.path for it in await trees.list_changes(before, after)))

    given = {"changes_from": before, "changes_to": after}
    return list((await persist(at, lambda: at.read(Paths, given, make))).paths)


async def run_tests(at: AtNode, tree: str) -> TestRunState:
    """How the tests of a tree end, in the workspace as this very tree."""
    trees, tests = at.run.ports.trees, at.run.ports.tests
    assert trees is not None and tests is not None  # see NEEDED

    async def make(key: str) -> TestRun:
        await trees.restore(tree)
        return await tests.run()

    ended = await persist(at, lambda: at.call("run_tests", {"tree_id": tree}, TestRun, make))
    return {
        "tree": tree,
        "runner": ended.runner,
        "exit_code": ended.exit_code,
        "output": ended.output[-LONGEST_OUTPUT:],
        "commands": list(ended.commands),
    }


async def refuse_frozen(at: AtNode, before: str, after: str) -> list[str]:
    """The frozen files that a writer of code has changed; each refusal is recorded."""
    trees = at.run.ports.trees
    assert trees is not None  # see NEEDED

    async def make() -> Paths:
        files = await trees.list_changes(before, after)
        shared = list_shared(files)
        old, new = [await trees.read_files(tree, shared) for tree in (before, after)]
        return Paths(paths=tuple(list_refused(files, old, new)))

    given = {"refused_from": before, "refused_to": after}
    refused = (await persist(at, lambda: at.read(Paths, given, make))).paths
    for path in refused:
        await at.record(
            SecurityRefused,
            layer="frozen_tests",
            tool="write_code",
            argument=path,
            reason="Tests are frozen while code is written.",
            agent="implementer",
        )
    return list(refused)


async def _tell(at: AtNode, event: StreamEvent) -> None:
    given = event.tool_input
    await at.run.records.tell_agent_event(
        id=event.id,
        event_type=event.type,
        content=event.content,
        at=event.timestamp.isoformat(),
        agent=event.agent,
        tool_name=event.tool_name,
        tool_input=None if given is None else json.dumps(given, ensure_ascii=False, default=str),
    )
