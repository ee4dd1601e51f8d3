"""Webhooks of a project: where its news is sent, signed as Standard Webhooks says.

A message is JSON: `type`, `timestamp`, and `data` with ids and the `path` where this API says more.
Its types: `contradiction.opened`, `decision.waiting` (a `kind` of `contradiction`, `merge`,
`proposal`, `onboarding` or `confirmation`), `prd.changed`, `run.ended`, `escalation` (what goes on
no further until a person acts: a `kind` of `contradiction`, `job`, `dead_letter`, `run`,
`onboarding`, `document`, `budget` or `webhook`), and `webhook.test`.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from infra.http.access import OWNERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project
from infra.service import outgoing_webhooks as service
from infra.service.http_questions import Page
from infra.service.outgoing_webhooks import (
    Delivery,
    NewWebhook,
    Webhook,
    WebhookChange,
    WebhookSpec,
)
from schemas.events.webhook import WebhookEvent

router = APIRouter(route_class=Guarded, tags=["Webhooks"])
ROOT = "/v1/projects/{project}/webhooks"
ONE = ROOT + "/{webhook_id}"
WebhookId = Annotated[str, Path(max_length=100)]
Events = Annotated[list[WebhookEvent], Field(max_length=20)]
Address = Annotated[
    str, Field(min_length=1, max_length=1_000, examples=["https://example.org/cairn"])
]


class WebhookRequest(BaseModel):
    """No `events`: all. `allow_private`: the host may be on a private network or this machine,
    which an owner of all projects alone may allow.
    """

    model_config = ConfigDict(extra="forbid")

    url: Address
    events: Events = []
    is_active: bool = True
    allow_private: bool = False


class WebhookUpdate(BaseModel):
    """What becomes different; what is left out stays. `is_active` true also ends a disablement."""

    model_config = ConfigDict(extra="forbid")

    url: Address | None = None
    events: Events | None = None
    is_active: bool | None = None
    allow_private: bool | None = None


@router.get(ROOT, responses=OF_ANY)
@allow(*OWNERS)
async def list_webhooks(api: ApiDep, project: Project) -> list[Webhook]:
    """Where news of the project is sent, oldest first, without secrets."""
    return await service.list_webhooks(api.settings, project)


@router.post(ROOT, status_code=201, responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def add_webhook(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    response: Response,
    project: Project,
    body: WebhookRequest,
) -> NewWebhook:
    """Have news sent to an address; the secret that signs it (``whsec_…``) is shown this once.

    A message is a POST of ``{"type", "timestamp", "data"}``; ``data`` has ids and the ``path`` of
    this API that says more. It is signed as https://www.standardwebhooks.com says, whose libraries
    verify the body with its ``webhook-id``, ``webhook-timestamp`` and ``webhook-signature``. Answer
    2xx within 10 seconds, or it comes again, for three days; drop what has a ``webhook-id`` that
    you know. A 410 disables the webhook.
    """
    response.headers["cache-control"] = "no-store"
    spec = WebhookSpec(body.url, body.events, body.is_active, body.allow_private)
    return await service.add_webhook(
        api.settings,
        project,
        spec,
        actor=caller.name,
        key=write.key,
        any_address=caller.projects is None,
    )


@router.get(ONE, responses=OF_ANY)
@allow(*OWNERS)
async def read_webhook(api: ApiDep, project: Project, webhook_id: WebhookId) -> Webhook:
    """A webhook without its secret."""
    return await service.read_webhook(api.settings, project, webhook_id)


@router.patch(ONE, responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def change_webhook(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    webhook_id: WebhookId,
    body: WebhookUpdate,
) -> Webhook:
    """Change address or events, stop it, or start it again."""
    told = WebhookChange(body.url, body.events, body.is_active, body.allow_private)
    return await service.change_webhook(
        api.settings,
        project,
        webhook_id,
        told,
        actor=caller.name,
        key=write.key,
        any_address=caller.projects is None,
    )


@router.delete(ONE, status_code=204, responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def remove_webhook(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, webhook_id: WebhookId
) -> None:
    """Send nothing there any more; the log of its deliveries goes, too."""
    await service.remove_webhook(
        api.settings, project, webhook_id, actor=caller.name, key=write.key
    )


@router.post(ONE + "/rotate-secret", responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def rotate_webhook_secret(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    response: Response,
    project: Project,
    webhook_id: WebhookId,
) -> NewWebhook:
    """A new secret, shown this once; for 24 hours both sign."""
    response.headers["cache-control"] = "no-store"
    return await service.rotate_webhook_secret(
        api.settings, project, webhook_id, actor=caller.name, key=write.key
    )


@router.post(ONE + "/test", status_code=202, responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def send_test_message(
    api: ApiDep, write: WriteDep, project: Project, webhook_id: WebhookId
) -> Delivery:
    """Send a message of the type `webhook.test`; the log of deliveries shows what came of it."""
    return await service.send_test_message(api.settings, project, webhook_id, key=write.key)


@router.get(ONE + "/deliveries", responses=OF_ANY)
@allow(*OWNERS)
async def list_deliveries(
    api: ApiDep,
    project: Project,
    webhook_id: WebhookId,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Delivery]:
    """What was sent in the last 30 days with each attempt, newest first."""
    return await service.list_deliveries(
        api.settings, project, webhook_id, cursor=cursor, limit=limit
    )


@router.post(ONE + "/deliveries/{delivery_id}/replay", status_code=202, responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def replay_delivery(
    api: ApiDep,
    project: Project,
    webhook_id: WebhookId,
    delivery_id: Annotated[str, Path(max_length=100)],
) -> Delivery:
    """Send a message once more, with the same `webhook-id`."""
    return await service.replay_delivery(api.settings, project, webhook_id, delivery_id)
