"""The tools of the assistant: those of the chosen project, and those of providers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agents.assistant.providers import LEDGER, NO_PROJECT, PROJECT, Provider
from agents.tools.registry import build_tools
from agents.tools.retrieval import ToolRegistry
from agents.tools.tool import Tool
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import AgentTool, ServicePorts, describe_tool
from infra.service.assistant.providers import declare_providers
from infra.service.models.models import has_research

OF_LEDGER = ("ledger", "search", "status", "artifacts")  # spaces of the project's tools
LEDGER_PROMPT = (
    "You know the ledger of a software project: its statements with their evidence, contradictions,"
    " open questions and documents. Search with other words where the first ones find nothing, and"
    " cite the ids of what you found."
)
PROJECT_PROMPT = "The agents of the project: analyst, planner, assigner, reporter and scheduler."


def declare_tools(settings: Settings, project: str) -> ToolRegistry:
    """The tools that the assistant has where this project is chosen, or none is, as they are
    described: no account is opened.
    """
    ports = ServicePorts(settings, can_research=has_research(settings))
    offered = list_offered(project, declare_providers(settings))
    return register_tools(ports, offered, has_project=bool(project))


def find_agent_tool(settings: Settings, project: str, name: str) -> AgentTool | None:
    """A tool of the assistant as people see it; None where it has none of this name."""
    tool = declare_tools(settings, project).find(name)
    return describe_tool(tool) if tool else None


def list_offered(project: str, outside: Iterable[Provider]) -> dict[str, Provider]:
    """The providers by name: the project's own two, and the ``outside`` services."""
    missing = "" if project else NO_PROJECT
    own = (
        Provider(LEDGER, "the ledger of the chosen project", LEDGER_PROMPT, (), missing),
        Provider(PROJECT, "the agents of the chosen project", PROJECT_PROMPT, (), missing),
    )
    return {one.name: one for one in (*own, *outside)}


def register_tools(
    ports: ServicePorts, providers: Mapping[str, Provider], *, has_project: bool
) -> ToolRegistry:
    """All tools of a run by space: the project's where one is chosen, and those of providers."""
    spaces: dict[str, list[Tool]] = {}
    if has_project:
        tools = build_tools(ports)
        for tool in filter(None, map(tools.find, tools.names())):
            spaces.setdefault(tool.space, []).append(tool)
            if tool.space in OF_LEDGER and not tool.mutating and tool.space != LEDGER:
                spaces.setdefault(LEDGER, []).append(tool)
    for provider in providers.values():
        if provider.tools:
            spaces.setdefault(provider.name, []).extend(provider.tools)
    return ToolRegistry(spaces)
