"""The outside services that the assistant may use: from definition files to tools.

The accounts of providers are the installation's, so no tool of them is for viewers, also where it
only reads: a viewer sees what a project holds, not somebody's mail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from agents.assistant.providers import Provider
from agents.tools.box import refuse
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult
from connectors.providers.calling import Account, call_provider
from connectors.providers.definition import Argument, ProviderDefinition, ToolDefinition
from connectors.providers.files import FileProblem, read_providers
from infra.platform.settings import Settings
from infra.service.assistant.accounts import AccountMissing, Accounts, open_accounts

LONGEST_TEXT, LONGEST_ITEM, MOST_ITEMS = 50_000, 2_000, 100
LARGEST = 2**53  # beyond it JSON is not exact everywhere
UNCONFIGURED = "provider_unconfigured"

FindAccount = Callable[[ProviderDefinition], Account]
"""The account to ask a provider with now. Raises AccountMissing."""


@dataclass(frozen=True, slots=True)
class AssistantProviderTool:
    """A tool of a provider. ``confirm``: a person is asked before each call."""

    name: str
    description: str
    arguments: dict[str, Any]
    mutating: bool
    confirm: bool


@dataclass(frozen=True, slots=True)
class AssistantProvider:
    """A provider. ``missing`` says what it lacks and how to give it, empty where it can be used."""

    name: str
    title: str
    configured: bool
    missing: str
    tools: tuple[AssistantProviderTool, ...]


@dataclass(frozen=True, slots=True)
class ProviderList:
    """The providers of an installation. ``problems``: definition files that cannot be used."""

    providers: tuple[AssistantProvider, ...]
    problems: tuple[FileProblem, ...]


def declare_providers(settings: Settings) -> tuple[Provider, ...]:
    """The declared providers as they are described: no account is opened, and no tool asks one."""
    definitions = read_providers(settings.home).definitions
    return tuple(_build_provider(definition, "", _refuse_account) for definition in definitions)


def _refuse_account(definition: ProviderDefinition) -> Account:
    raise AccountMissing(f"{definition.title} is described here alone, and not asked.")


async def list_providers(
    settings: Settings, environ: Mapping[str, str], *, project_id: str | None = None
) -> tuple[Provider, ...]:
    """The declared providers, with the accounts that ``project_id`` may use, None for no project.

    Raises BrokerUnavailable where a project is given.
    """
    accounts = await open_accounts(settings, environ, project_id)
    definitions = read_providers(settings.home).definitions
    return tuple(
        _build_provider(definition, _tell_missing(definition, accounts), accounts.find)
        for definition in definitions
    )


def _tell_missing(definition: ProviderDefinition, accounts: Accounts) -> str:
    """What the provider lacks; empty where it can be asked."""
    try:
        accounts.find(definition)
    except AccountMissing as error:
        return str(error)
    return ""


async def describe_providers(
    settings: Settings, environ: Mapping[str, str], *, project_id: str | None = None
) -> ProviderList:
    """The declared providers and their tools as people see them. Raises as `list_providers`."""
    providers = await list_providers(settings, environ, project_id=project_id)
    states = tuple(
        AssistantProvider(
            each.name, each.title, each.is_configured, each.missing, tuple(map(_show, each.tools))
        )
        for each in providers
    )
    return ProviderList(states, read_providers(settings.home).problems)


def _show(tool: Tool) -> AssistantProviderTool:
    schema = tool.arguments.model_json_schema()
    return AssistantProviderTool(tool.name, tool.description, schema, tool.mutating, tool.confirm)


def _build_provider(
    definition: ProviderDefinition, missing: str, find_account: FindAccount
) -> Provider:
    tools = tuple(_build_tool(definition, tool, find_account) for tool in definition.tools)
    return Provider(definition.name, definition.title, definition.prompt, tools, missing)


def _build_tool(
    definition: ProviderDefinition, tool: ToolDefinition, find_account: FindAccount
) -> Tool:
    async def call(context: ToolContext, wanted: ToolArguments) -> ToolResult:
        """Looks for the account anew: a secret may have been taken away since the list was made."""
        try:
            account = find_account(definition)
        except AccountMissing as error:
            return refuse(str(error), UNCONFIGURED)
        outcome = await call_provider(
            definition, tool, account, wanted.model_dump(), context.idempotency_key
        )
        if outcome.error:
            return refuse(outcome.text, outcome.error)
        return ToolResult(outcome.text, outcome.data)

    return Tool(
        tool.name,
        tool.description,
        build_arguments(tool),
        call,
        space=definition.name,
        mutating=tool.is_mutating,
        confirm=tool.is_confirmed,
        role="member",
        once=tool.is_mutating,
    )


def build_arguments(tool: ToolDefinition) -> type[ToolArguments]:
    """The model of a tool's arguments; its docstring says of each what it holds."""
    return _make_arguments(tool.model_dump_json())


@lru_cache(maxsize=1024)  # a model takes 2 ms to make, and each turn needs those of all tools
def _make_arguments(written: str) -> type[ToolArguments]:
    tool = ToolDefinition.model_validate_json(written)
    fields: dict[str, Any] = {
        name: (_annotate(argument), ... if argument.required else argument.default)
        for name, argument in tool.arguments.items()
    }
    about = " ".join(f"``{name}``: {each.description}" for name, each in tool.arguments.items())
    return create_model(f"{tool.name}_arguments", __base__=ToolArguments, __doc__=about, **fields)


def _annotate(argument: Argument) -> Any:
    kind = _type_of(argument)
    is_optional = not argument.is_always_given
    about = Field(description=argument.description)
    return Annotated[kind | None if is_optional else kind, about]


def _type_of(argument: Argument) -> Any:
    low = -LARGEST if argument.minimum is None else argument.minimum
    high = LARGEST if argument.maximum is None else argument.maximum
    match argument.type:
        case "string" if argument.enum:
            return Literal[argument.enum]
        case "string":
            return Annotated[str, Field(max_length=argument.max_length or LONGEST_TEXT)]
        case "integer":
            return Annotated[int, Field(ge=low, le=high)]
        case "number":
            return Annotated[float, Field(ge=low, le=high, allow_inf_nan=False)]
        case "boolean":
            return bool
        case "list of strings":
            item = Annotated[str, Field(max_length=LONGEST_ITEM)]
            return Annotated[list[item], Field(max_length=argument.max_length or MOST_ITEMS)]
