"""The executor: does what comms hands over, with any tool, or through a provider's specialist."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from agents.assistant.handing_over import Done, Task, begin, finish, hand_over
from agents.assistant.hooks import PRE_MODEL_HOOKS
from agents.assistant.providers import PROJECT, Provider
from agents.assistant.retrieve import RETRIEVE_TOOLS
from agents.assistant.run import AssistantRun
from agents.assistant.subagents import subagent_of
from agents.assistant.work import Agent, AtWork, LocalTool
from agents.tools.box import may_call, refuse
from agents.tools.retrieval import ToolRegistry
from agents.tools.tool import ToolArguments, ToolResult, ToolRole

EXECUTOR = "executor"
PROMPT = """\
You are the executor: you get a task with the user's own words, and do it.
- Call a tool yourself where one does it; retrieve_tools finds tools by what they do.
- Hand over to a provider's specialist what takes several steps there, or what you know too little
  of. Say in the task all that the specialist has to know.
- Answer with what came of it: what was done, what was found with its ids, what was not and why.

Providers:
"""
UNKNOWN = "There is no provider {name!r}. There are: {known}."


class Handoff(ToolArguments):
    """``provider``: a name of the list. ``task``: what to do, with all that has to be known.
    ``acceptance``: how one sees that it is done.
    """

    provider: str = Field(min_length=1, max_length=100)
    task: str = Field(min_length=1, max_length=8_000)
    acceptance: str = Field(default="", max_length=2_000)


async def _hand_off(at_work: AtWork, call_id: str, wanted: Handoff) -> ToolResult:
    run = at_work.run
    provider = run.providers.get(wanted.provider)
    if provider is None:
        names = ", ".join(sorted(run.providers))
        return refuse(UNKNOWN.format(name=wanted.provider, known=names), "unknown_provider")
    if provider.missing:
        return refuse(provider.missing, "unconfigured")
    task = Task(wanted.task, wanted.acceptance)
    if provider.name == PROJECT:
        return await _ask_project(at_work, call_id, task)
    return await hand_over(at_work, call_id, subagent_of(provider, run.tools), task)


async def _ask_project(at_work: AtWork, call_id: str, task: Task) -> ToolResult:
    """The agents of the project answer in the place of a specialist."""
    await begin(at_work, call_id, PROJECT, task)
    answered = await at_work.run.ports.ask_project(task.text, call_id)
    done = Done(answered.text, answered.citations, is_error=answered.is_error)
    return await finish(at_work, call_id, PROJECT, done)


HANDOFF = LocalTool(
    "handoff",
    "Have a provider's specialist do a task; its summary comes back.",
    Handoff,
    _hand_off,
    mutating=True,
)


def make_executor(run: AssistantRun) -> Agent:
    """The executor of a run, which knows of the providers that it has."""
    providers = [one for one in run.providers.values() if _may_ask(one, run.role)]
    return describe_executor(run.tools, providers)


def _may_ask(provider: Provider, role: ToolRole) -> bool:
    """Whether the role may call any of its tools; those of the project come with it."""
    return not provider.tools or any(may_call(role, tool) for tool in provider.tools)


def describe_executor(tools: ToolRegistry, providers: Iterable[Provider]) -> Agent:
    lines = [_describe(provider) for provider in providers]
    return Agent(
        name=EXECUTOR,
        prompt=PROMPT + "\n".join(lines),
        tools=(RETRIEVE_TOOLS, HANDOFF),
        retrievable=tools,
        pre_model_hooks=PRE_MODEL_HOOKS,
        calls_any=True,
        has_rules=True,
    )


def _describe(provider: Provider) -> str:
    state = " (unconfigured)" if provider.missing else ""
    return f"- {provider.name}: {provider.title}{state}"
