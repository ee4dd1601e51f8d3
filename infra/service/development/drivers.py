"""The driver of a profile: changed by the profile alone, and never outside of its sandbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from agents.development.drivers.api import ApiDriver, ApiSettings
from agents.development.drivers.claude import ClaudeDriver
from agents.development.drivers.codex import CodexDriver
from agents.development.drivers.events import EventWriter
from agents.development.drivers.pricing import Pricing
from agents.development.drivers.program import ProgramDriver, ProgramSettings
from agents.development.drivers.retrying import RetrySettings, Waiting
from agents.development.drivers.sessions import Sessions
from agents.development.errors import ConfigurationError
from agents.development.ports import Driver, Toolbox
from agents.development.profiles import NOT_SANDBOXABLE, Profile
from agents.models.prices import PriceTable
from agents.models.programs import CEILING_S, Programs
from infra.platform.addresses import is_loopback
from infra.platform.clock import SystemClock
from infra.runtime.walls.layout import Layout
from infra.service.development.api_models import ModelAccess
from infra.service.development.containers.daytona import ADDRESS, DaytonaProvider, DaytonaSettings
from infra.service.development.containers.docker import (
    IMAGE,
    DockerProvider,
    read_docker_settings,
)
from infra.service.development.containers.driver import ContainerDriver, ContainerSettings
from infra.service.development.containers.lines import Refusal
from infra.service.development.containers.process import ProcessProvider
from infra.service.development.containers.provider import ContainerProvider
from infra.service.development.posting import HttpClient
from infra.service.development.profile_checks import SIGN_IN


@dataclass(frozen=True, slots=True)
class DriverPlace:
    """For which agent of which workflow a driver works, and from which number its events go on."""

    workspace: Path
    workflow_id: str
    agent: str
    first_number: int = 1


def _now() -> datetime:
    return SystemClock().now()


@dataclass(frozen=True, slots=True)
class DriverParts:
    """What drivers are made of. ``access`` and ``toolbox`` are for ``api``; ``environ`` is that of
    this process, of which a program gets what it needs to find its sign-in.
    """

    prices: PriceTable
    programs: Programs
    layout: Layout
    environ: Mapping[str, str]
    access: ModelAccess | None = None
    toolbox: Toolbox | None = None
    sessions: Sessions | None = None
    record_refusal: Callable[[Refusal], Awaitable[None]] | None = None
    retry: RetrySettings = field(default_factory=RetrySettings)
    waiting: Waiting = field(default_factory=Waiting)
    now: Callable[[], datetime] = _now
    ceiling_s: float = CEILING_S


def make_driver(profile: Profile, place: DriverPlace, parts: DriverParts) -> Driver:
    """Raises ConfigurationError for a profile that does not fit, before anything is begun."""
    events = EventWriter(place.workflow_id, place.agent, parts.now, first_number=place.first_number)
    if profile.sandbox != "none":
        return _make_container_driver(profile, place, parts, events)
    if profile.driver == "api":
        return _make_api_driver(profile, parts, events)
    return _make_program_driver(profile, place, parts, events)


def _make_api_driver(profile: Profile, parts: DriverParts, events: EventWriter) -> Driver:
    access, model = _need_access(profile, parts)
    if parts.toolbox is None:
        raise ConfigurationError(f"Profile {profile.name}: the driver api needs tools.")
    return ApiDriver(
        HttpClient(socket_path=str(access.socket) if access.socket else None),
        ApiSettings(model, access.token, access.base_url),
        events,
        Pricing(parts.prices, "openrouter", lambda: parts.now().date()),
        parts.toolbox,
        sessions=parts.sessions,
        retry=parts.retry,
        waiting=parts.waiting,
    )


def _make_program_driver(
    profile: Profile, place: DriverPlace, parts: DriverParts, events: EventWriter
) -> Driver:
    kind: type[ProgramDriver] = ClaudeDriver if profile.driver == "claude" else CodexDriver
    provider = "anthropic" if profile.driver == "claude" else "openai"
    settings = ProgramSettings(
        binary=profile.driver,
        model=profile.model,
        directory=str(place.workspace),
        environ={name: parts.environ[name] for name in SIGN_IN if name in parts.environ},
        allowlist=profile.allowlist,
        ceiling_s=parts.ceiling_s,
    )
    pricing = Pricing(parts.prices, provider, lambda: parts.now().date())
    return kind(parts.programs, settings, events, pricing, retry=parts.retry, waiting=parts.waiting)


def _make_container_driver(
    profile: Profile, place: DriverPlace, parts: DriverParts, events: EventWriter
) -> Driver:
    if profile.driver != "api":
        raise ConfigurationError(
            f"{NOT_SANDBOXABLE}: profile {profile.name} puts {profile.driver} into a sandbox, and"
            " that needs the sign-in of this machine. Set driver = api, or sandbox = none."
        )
    access, model = _need_access(profile, parts)
    if not access.is_proxy:
        raise ConfigurationError(
            f"Profile {profile.name}: no key enters a sandbox, so its models are reached by the"
            " model proxy of a running service. Add a provider to its models."
        )
    provider, proxy_url = _make_provider(profile, access, parts)
    return ContainerDriver(
        provider,
        ContainerSettings(
            place.workspace,
            model,
            proxy_url,
            access.token,
            profile.allowlist,
            ceiling_s=parts.ceiling_s,
        ),
        events,
        HttpClient(socket_path=str(access.socket) if access.socket else None),
        sessions=parts.sessions,
        retry=parts.retry,
        record_refusal=parts.record_refusal,
    )


def _make_provider(
    profile: Profile, access: ModelAccess, parts: DriverParts
) -> tuple[ContainerProvider, str]:
    """The provider, and the proxy's address as its workers reach it."""
    environ = parts.environ
    if profile.sandbox == "process":
        return ProcessProvider(parts.layout), access.base_url
    if profile.sandbox == "docker":
        return DockerProvider(read_docker_settings(environ)), access.base_url
    key, public = environ.get("DAYTONA_API_KEY"), environ.get("DAYTONA_PROXY_URL")
    if not key or not public or is_loopback(public):
        raise ConfigurationError(
            "A sandbox of Daytona needs DAYTONA_API_KEY, and DAYTONA_PROXY_URL: the address at"
            " which the model proxy of this machine is reached from there."
        )
    address = environ.get("DAYTONA_API_URL") or ADDRESS
    snapshot = environ.get("SANDBOX_IMAGE") or IMAGE
    url = f"{public.rstrip('/')}{access.base_url[access.base_url.find('/', 8) :]}"
    return DaytonaProvider(DaytonaSettings(key, snapshot, url, address)), url


def _need_access(profile: Profile, parts: DriverParts) -> tuple[ModelAccess, str]:
    if not profile.model:
        raise ConfigurationError(
            f"Profile {profile.name} names no model, and no provider of the service has one that"
            " may write: add a provider of models, or set model = provider/model."
        )
    if parts.access is None:
        raise ConfigurationError(
            f"Profile {profile.name}: nobody serves {profile.model}. Add its provider"
            " to the models, or set OPENROUTER_API_KEY for the service."
        )
    return parts.access, profile.model
