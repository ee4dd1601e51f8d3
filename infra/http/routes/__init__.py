"""The routes, one file an area."""

from __future__ import annotations

from fastapi import APIRouter

from infra.http.routes import (
    admin,
    artifacts,
    changes,
    chat,
    connectors,
    decisions,
    generation,
    ingestion,
    jobs,
    ledger,
    models,
    onboarding,
    operation,
    planning,
    projects,
    quality,
    runs,
    schedules,
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
    chat.router,
    planning.router,
    tasks.router,
    models.router,
    schedules.router,
    onboarding.router,
    admin.router,
    views.router,
    webhooks.router,
)
