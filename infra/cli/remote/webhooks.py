"""Webhooks of a project over HTTP."""

from __future__ import annotations

from infra.cli.remote.asking import adopt, adopt_all, ask_of
from infra.client.client import Client
from infra.client.models.webhooks import WebhookRequest, WebhookUpdate
from infra.platform.settings import Settings
from infra.service.notifying.outgoing_webhooks import (
    Delivery,
    NewWebhook,
    Webhook,
    WebhookChange,
    WebhookSpec,
)
from projections.read.page import PAGE, Page


async def add_webhook(
    settings: Settings,
    project: str,
    spec: WebhookSpec,
    *,
    actor: str,
    key: str,
    any_address: bool = True,
) -> NewWebhook:
    body = WebhookRequest.model_validate(
        {
            "url": spec.url,
            "events": list(spec.events),
            "is_active": spec.is_active,
            "allow_private": spec.allow_private,
        }
    )
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt(NewWebhook, client.add_webhook(known, body, key=key)),
    )


async def list_webhooks(settings: Settings, project: str) -> list[Webhook]:
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt_all(Webhook, client.list_webhooks(known)),
    )


async def read_webhook(settings: Settings, project: str, webhook_id: str) -> Webhook:
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt(Webhook, client.read_webhook(known, webhook_id)),
    )


async def change_webhook(
    settings: Settings,
    project: str,
    webhook_id: str,
    told: WebhookChange,
    *,
    actor: str,
    key: str,
    any_address: bool = True,
) -> Webhook:
    body = WebhookUpdate.model_validate(
        {
            "url": told.url,
            "events": None if told.events is None else list(told.events),
            "is_active": told.is_active,
            "allow_private": told.allow_private,
        }
    )

    def change(client: Client, project_id: str) -> Webhook:
        return adopt(Webhook, client.change_webhook(project_id, webhook_id, body, key=key))

    return await ask_of(settings, project, change)


async def remove_webhook(
    settings: Settings, project: str, webhook_id: str, *, actor: str, key: str
) -> Webhook:
    def remove(client: Client, project_id: str) -> Webhook:
        known = adopt(Webhook, client.read_webhook(project_id, webhook_id))
        client.remove_webhook(project_id, webhook_id, key=key)
        return known

    return await ask_of(settings, project, remove)


async def rotate_webhook_secret(
    settings: Settings, project: str, webhook_id: str, *, actor: str, key: str
) -> NewWebhook:
    def rotate(client: Client, project_id: str) -> NewWebhook:
        made = client.rotate_webhook_secret(project_id, webhook_id, key=key)
        return adopt(NewWebhook, made)

    return await ask_of(settings, project, rotate)


async def send_test_message(
    settings: Settings, project: str, webhook_id: str, *, key: str
) -> Delivery:
    def send(client: Client, project_id: str) -> Delivery:
        return adopt(Delivery, client.send_test_message(project_id, webhook_id, key=key))

    return await ask_of(settings, project, send)


async def list_deliveries(
    settings: Settings,
    project: str,
    webhook_id: str,
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Delivery]:
    """There is no page behind it."""

    def question(client: Client, project_id: str) -> list[Delivery]:
        found = client.list_deliveries(project_id, webhook_id)
        return adopt_all(Delivery, found.take(limit))

    return Page(items=await ask_of(settings, project, question))


async def replay_delivery(
    settings: Settings, project: str, webhook_id: str, delivery_id: str
) -> Delivery:
    def replay(client: Client, project_id: str) -> Delivery:
        return adopt(Delivery, client.replay_delivery(project_id, webhook_id, delivery_id))

    return await ask_of(settings, project, replay)
