"""The routes, one file an area."""

from __future__ import annotations

from fastapi import APIRouter

from infra.http.routes import (
    admin,
    artifacts,
    changes,
    connectors,
    decisions,
    generation,
    ingestion,
    jobs,
    ledger,
    onboarding,
    operation,
    planning,
    projects,
    quality,
    runs,
    sources,
    streams,
    tasks,
    tokens,
    views,
    webhooks,
)

AREAS: tuple[APIRouter, ...] = (
    operation.router,
    tokens.router,
    projects.router,
    sources.router,
    ingestion.router,
    runs.router,
    connectors.router,
    ledger.router,
    changes.router,
    artifacts.router,
    generation.router,
    decisions.router,
    streams.router,
    jobs.router,
    quality.router,
    planning.router,
    tasks.router,
    onboarding.router,
    admin.router,
    views.router,
    webhooks.router,
)
