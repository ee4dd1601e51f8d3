"""The comms agent: talks with a person, remembers, and has the executor do what is to be done."""

from __future__ import annotations

from pydantic import Field

from agents.assistant.create import run_agent
from agents.assistant.end_hooks import FOLLOW_UPS
from agents.assistant.executor import make_executor
from agents.assistant.handing_over import Task, hand_over
from agents.assistant.hooks import PRE_MODEL_HOOKS
from agents.assistant.memory_tools import ADD_MEMORY, SEARCH_MEMORY
from agents.assistant.run import AssistantRun
from agents.assistant.state import AssistantState
from agents.assistant.work import Agent, AtWork, LocalTool
from agents.tools.retrieval import ToolRegistry
from agents.tools.tool import ToolArguments, ToolResult

COMMS = "comms"
PROMPT = """\
You are Cairn's assistant. You talk with one person: plainly, shortly, in their language.
- What needs a tool, a source, the project or another service you give to call_executor, with all
  that it has to know. You know nothing of the project yourself; do not guess.
- When the person tells a lasting fact or wish of their own, add_memory keeps it for later.
- When they refer to something that you were told earlier, search_memory finds it.
- Answer greetings and what this conversation already holds yourself."""


class CallExecutor(ToolArguments):
    """``task``: what to do, with all that has to be known. ``acceptance``: how one sees that it is
    done.
    """

    task: str = Field(min_length=1, max_length=8_000)
    acceptance: str = Field(default="", max_length=2_000)


async def _call_executor(at_work: AtWork, call_id: str, wanted: CallExecutor) -> ToolResult:
    task = Task(wanted.task, wanted.acceptance)
    return await hand_over(at_work, call_id, make_executor(at_work.run), task)


CALL_EXECUTOR = LocalTool(
    "call_executor",
    "Have a task done, with any tool or service; what came of it comes back.",
    CallExecutor,
    _call_executor,
    mutating=True,
)
COMMS_AGENT = Agent(
    name=COMMS,
    prompt=PROMPT,
    tools=(CALL_EXECUTOR, ADD_MEMORY, SEARCH_MEMORY),
    retrievable=ToolRegistry({}),
    pre_model_hooks=PRE_MODEL_HOOKS,
    end_hooks=(FOLLOW_UPS,),
    tells_tokens=True,
    has_rules=True,
)


async def run_comms(run: AssistantRun, begin: AssistantState) -> AssistantState:
    """The whole answer to a message. Raises WaitsForConfirmation."""
    run.answer_stream.is_open = run.records.is_resumed
    return await run_agent(run, COMMS_AGENT, run.run_id, begin)
