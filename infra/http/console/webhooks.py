"""Where news of a project is sent: set up, tried, stopped, and the log of what was sent."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import OWNERS
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.service.notifying import outgoing_webhooks as service
from projections.read import webhooks
from schemas.events.webhook import WEBHOOK_EVENTS

pages = Pages()
PLACE = "/projects/{project}/webhooks"
ONE = PLACE + "/{webhook}"
SHOWN = 30


@pages.show(PLACE, *OWNERS)
async def list_webhooks(visit: PageContext) -> Response:
    """All webhooks of the project, and the form for another one."""
    return visit.show(
        "webhooks.html",
        listed=await visit.ask(webhooks.list_webhooks, visit.project_id),
        events=WEBHOOK_EVENTS,
        may_allow_private=visit.caller.projects is None,
    )


@pages.show(ONE, *OWNERS)
async def show_webhook(visit: PageContext) -> Response:
    """One webhook with what was sent there."""
    return await _show(visit)


@pages.act(PLACE + "/add", *OWNERS, page=list_webhooks)
async def add_webhook(visit: PageContext) -> Response:
    """Send news to another address; its secret is on the page that answers, and nowhere later."""
    spec = service.WebhookSpec(
        visit.form.get("url", "").strip(),
        [name for name in WEBHOOK_EVENTS if visit.form.get(name) == "on"],
        allow_private_address=visit.form.get("allow_private_address") == "on",
    )
    made = await service.add_webhook(
        visit.api.settings,
        visit.project_id,
        spec,
        actor=visit.caller.name,
        key=visit.form["key"],
        any_address=visit.caller.projects is None,
    )
    return await _show(visit, made)


@pages.act(ONE + "/rotate", *OWNERS, page=show_webhook)
async def rotate_webhook_secret(visit: PageContext) -> Response:
    """Make a new secret, which is on the page that answers, and nowhere later."""
    made = await service.rotate_webhook_secret(
        visit.api.settings,
        visit.project_id,
        visit.part("webhook"),
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    return await _show(visit, made)


@pages.act(ONE + "/test", *OWNERS, page=show_webhook)
async def send_test_message(visit: PageContext) -> Response:
    """Send a message that says no more than that it is a test."""
    webhook_id = visit.part("webhook")
    await service.send_test_message(
        visit.api.settings, visit.project_id, webhook_id, key=visit.form["key"]
    )
    return _go(visit, webhook_id, "The test message is sent: the log shows the response.")


@pages.act(ONE + "/switch", *OWNERS, page=show_webhook)
async def switch_webhook(visit: PageContext) -> Response:
    """Stop a webhook, or start it again."""
    webhook_id = visit.part("webhook")
    is_active = visit.form.get("active") == "on"
    await service.change_webhook(
        visit.api.settings,
        visit.project_id,
        webhook_id,
        service.WebhookChange(is_active=is_active),
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    return _go(
        visit,
        webhook_id,
        "Deliveries are switched on." if is_active else "Deliveries are switched off.",
    )


@pages.act(ONE + "/remove", *OWNERS, page=show_webhook)
async def remove_webhook(visit: PageContext) -> Response:
    """Remove a webhook with its log."""
    visit.sent_reason()
    removed = await service.remove_webhook(
        visit.api.settings,
        visit.project_id,
        visit.part("webhook"),
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    told = f"Nothing is sent to {removed.url} any more."
    return visit.go("projects", visit.project_id, "webhooks", told=told)


@pages.act(ONE + "/deliveries/{delivery}/replay", *OWNERS, page=show_webhook)
async def replay_delivery(visit: PageContext) -> Response:
    """Send a message once more."""
    webhook_id = visit.part("webhook")
    await service.replay_delivery(
        visit.api.settings, visit.project_id, webhook_id, visit.part("delivery")
    )
    return _go(visit, webhook_id, "The message is sent again.")


def _go(visit: PageContext, webhook_id: str, told: str) -> Response:
    return visit.go("projects", visit.project_id, "webhooks", webhook_id, told=told)


async def _show(visit: PageContext, made: service.NewWebhook | None = None) -> Response:
    """The page of a webhook; ``made``: with its secret, in the answer to a form."""
    webhook_id = made.webhook.webhook_id if made else visit.part("webhook")
    if made:
        await visit.look_around()
    cursor = visit.asked("cursor")
    return visit.show(
        "webhook.html",
        webhook=await visit.ask(webhooks.read_webhook, visit.project_id, webhook_id),
        deliveries=await visit.ask(
            webhooks.list_deliveries, visit.project_id, webhook_id, cursor=cursor, limit=SHOWN
        ),
        secret=made.secret if made else "",
    )
