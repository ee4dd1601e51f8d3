"""What this installation can do, taken from the parts that do it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import get_args

from infra.platform.settings import Settings
from infra.service.jobs.job_kinds import JOB_KINDS
from infra.service.models.engines import list_engines
from infra.service.models.models import find_first_model
from infra.store.tokens import ROLES
from projections.read.page import LARGEST_PAGE
from schemas.events.connector import ConnectorService
from schemas.source_kinds import MARKDOWN_SUFFIXES, RENDERED_SUFFIXES


@dataclass(frozen=True, slots=True)
class Limits:
    """``delivery_bytes`` are of a webhook, ``requests_per_s`` of one token."""

    body_bytes: int
    delivery_bytes: int
    page: int
    requests_per_s: float


@dataclass(frozen=True, slots=True)
class Capabilities:
    """``engines`` read and write. ``model`` is asked first; without one nothing leaves the machine
    for a model, and without ``encoder`` likeness is counted in words. ``formats`` are suffixes of
    documents that are read as prose, beside code and configuration. ``areas`` are those of this
    API.
    """

    version: str
    api: str
    engines: tuple[str, ...]
    model: str | None
    encoder: str | None
    connectors: tuple[str, ...]
    formats: tuple[str, ...]
    job_types: tuple[str, ...]
    roles: tuple[str, ...]
    areas: tuple[str, ...]
    limits: Limits


def list_capabilities(settings: Settings, areas: tuple[str, ...], body_bytes: int) -> Capabilities:
    """``areas`` and ``body_bytes`` are those of the server that asks."""
    from connectors.webhooks.payload import MAX_BODY_BYTES

    return Capabilities(
        version=version("cairn"),
        api="v1",
        engines=list_engines(settings),
        model=find_first_model(settings),
        encoder=None,
        connectors=get_args(ConnectorService),
        formats=tuple(sorted(MARKDOWN_SUFFIXES | RENDERED_SUFFIXES)),
        job_types=tuple(sorted(JOB_KINDS)),
        roles=ROLES,
        areas=areas,
        limits=Limits(body_bytes, MAX_BODY_BYTES, LARGEST_PAGE, settings.http_rate),
    )
