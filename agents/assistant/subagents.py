"""Specialists, one for each provider: an agent with that provider's tools and words alone."""

from __future__ import annotations

from agents.assistant.end_hooks import MEMORY_LEARNING
from agents.assistant.hooks import PRE_MODEL_HOOKS
from agents.assistant.memory_tools import SEARCH_MEMORY
from agents.assistant.providers import Provider
from agents.assistant.retrieve import RETRIEVE_TOOLS
from agents.assistant.work import Agent, AnyTool
from agents.tools.retrieval import ToolRegistry

GENERAL = "general"
MOST_DIRECT = 12  # tools that are bound at once; of more they are searched
WORK = (
    "You get a task that another agent hands over, with the user's own words. Do it with your"
    " tools, and answer with what came of it: what you did, what you found with its ids, and what"
    " you could not do."
)


def create_provider_subagent(
    provider: Provider,
    name: str,
    registry: ToolRegistry,
    *,
    tool_space: str = GENERAL,
    use_direct_tools: bool = False,
    disable_retrieve_tools: bool = False,
) -> Agent:
    """The agent of a provider, for `create_agent`; made once and used for each task.

    Its tools are those of ``tool_space`` in the registry, and `search_memory`. They are bound from
    the beginning with ``use_direct_tools``, else once `retrieve_tools` has found them; that is
    left out with ``disable_retrieve_tools``.
    """
    scoped = registry.within((tool_space,))
    tools = (scoped.find(each) for each in scoped.names())
    direct: tuple[AnyTool, ...] = tuple(filter(None, tools)) if use_direct_tools else ()
    search: tuple[AnyTool, ...] = () if disable_retrieve_tools else (RETRIEVE_TOOLS,)
    return Agent(
        name=name,
        prompt=f"{provider.prompt}\n\n{WORK}",
        tools=(*direct, SEARCH_MEMORY, *search),
        retrievable=scoped,
        pre_model_hooks=PRE_MODEL_HOOKS,
        end_hooks=(MEMORY_LEARNING,),
    )


def subagent_of(provider: Provider, registry: ToolRegistry) -> Agent:
    """The agent of a provider as it is handed tasks: few tools are bound, many are searched."""
    is_small = len(provider.tools) <= MOST_DIRECT
    return create_provider_subagent(
        provider,
        provider.name,
        registry,
        tool_space=provider.name,
        use_direct_tools=is_small,
        disable_retrieve_tools=is_small,
    )
