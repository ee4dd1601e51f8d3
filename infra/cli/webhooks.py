"""`cairn webhooks`: where news of a project is sent, signed, and the log of what was sent."""

from __future__ import annotations

import typer

from infra.cli.calls import told
from infra.cli.context import (
    JSON_OPTION,
    KEY_OPTION,
    PROJECT_OPTION,
    asking,
    connect,
    explain_wrong_use,
    say,
)
from infra.cli.output import as_lines, cell, table
from infra.client.models.webhooks import (
    Delivery,
    NewWebhook,
    Webhook,
    WebhookRequest,
    WebhookUpdate,
)

ID = typer.Argument(metavar="ID", help="Id of the webhook.")
EVENT = typer.Option(
    None,
    "--event",
    help="contradiction.opened, decision.waiting, prd.changed or run.ended; again for more.",
)
PRIVATE = typer.Option(
    None, "--allow-private/--public-only", help="The host may be on a private network or here."
)

webhooks = typer.Typer(
    no_args_is_help=True, help="Send news of a project to other systems, signed."
)


def register(app: typer.Typer) -> None:
    app.add_typer(webhooks, name="webhooks")


@webhooks.command()
def add(
    url: str = typer.Argument(metavar="URL", help="https address that takes messages."),
    project: str = PROJECT_OPTION,
    event: list[str] | None = EVENT,
    allow_private_address: bool | None = PRIVATE,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Send news to URL; all events unless --event is given. Prints id and secret, once."""
    body = WebhookRequest.model_construct(
        url=url, events=event or [], allow_private_address=bool(allow_private_address)
    )
    cairn = connect()
    with asking(idempotency_key) as key:
        added = cairn.add_webhook(cairn.project_of(project), body, key=key)
    _show_secret(added, as_json=as_json)


@webhooks.command()
def update(
    webhook_id: str = ID,
    project: str = PROJECT_OPTION,
    url: str | None = typer.Option(None, "--url", help="Another address."),
    event: list[str] | None = EVENT,
    active: bool | None = typer.Option(
        None, "--start/--stop", help="Start again, also after Cairn has disabled it, or stop."
    ),
    allow_private_address: bool | None = PRIVATE,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Change a webhook; what is left out stays."""
    body = WebhookUpdate.model_construct(
        **told(
            url=url,
            events=event or None,
            is_active=active,
            allow_private_address=allow_private_address,
        )
    )
    cairn = connect()
    with asking(idempotency_key) as key:
        changed = cairn.change_webhook(cairn.project_of(project), webhook_id, body, key=key)
    if as_json:
        as_lines([changed.model_dump()])
    else:
        say(f"News is {'sent' if changed.is_active else 'not sent'} to {changed.url}.")


@webhooks.command()
def remove(
    webhook_id: str = ID,
    project: str = PROJECT_OPTION,
    idempotency_key: str | None = KEY_OPTION,
) -> None:
    """Send nothing there any more; its log goes, too."""
    cairn = connect()
    with asking(idempotency_key) as key:
        known = cairn.project_of(project)
        gone = cairn.read_webhook(known, webhook_id)
        cairn.remove_webhook(known, webhook_id, key=key)
    say(f"Nothing is sent to {gone.url} any more.")


@webhooks.command("rotate-secret")
def rotate_secret(
    webhook_id: str = ID,
    project: str = PROJECT_OPTION,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Make a new secret and print it, once; for 24 hours the old one signs, too."""
    cairn = connect()
    with asking(idempotency_key) as key:
        made = cairn.rotate_webhook_secret(cairn.project_of(project), webhook_id, key=key)
    _show_secret(made, as_json=as_json)


@webhooks.command("list")
def list_(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
    """List webhooks, oldest first."""
    cairn = connect()
    found = cairn.list_webhooks(cairn.project_of(project))
    if as_json:
        as_lines(each.model_dump() for each in found)
        return
    columns = ("address", "events", "state", "waiting", "id")
    table(columns, map(_row_of, found), "News of the project is sent nowhere.")


@webhooks.command()
def test(
    webhook_id: str = ID,
    project: str = PROJECT_OPTION,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Send a message of the type webhook.test; `cairn webhooks deliveries` shows the answer."""
    cairn = connect()
    with asking(idempotency_key) as key:
        sent = cairn.send_test_message(cairn.project_of(project), webhook_id, key=key)
    _show_delivery(sent, as_json=as_json)


@webhooks.command()
def deliveries(
    webhook_id: str = ID,
    project: str = PROJECT_OPTION,
    limit: int = typer.Option(100, min=1, max=1_000, help="How many at most."),
    as_json: bool = JSON_OPTION,
) -> None:
    """List what was sent in the last 30 days, newest first."""
    cairn = connect()
    found = cairn.list_deliveries(cairn.project_of(project), webhook_id).take(limit)
    if as_json:
        as_lines(each.model_dump() for each in found)
        return
    columns = ("event", "status", "attempts", "last answer", "made (UTC)", "next (UTC)", "id")
    table(columns, map(_delivery_row, found), "Nothing was sent.")


@webhooks.command()
def replay(
    webhook_id: str = ID,
    delivery_id: str = typer.Argument(metavar="DELIVERY", help="Id of the delivery."),
    project: str = PROJECT_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Send a message once more, with the same webhook-id."""
    cairn = connect()
    with explain_wrong_use():
        sent = cairn.replay_delivery(cairn.project_of(project), webhook_id, delivery_id)
    _show_delivery(sent, as_json=as_json)


def _show_secret(made: NewWebhook, *, as_json: bool) -> None:
    if as_json:
        as_lines([made.webhook.model_dump() | {"secret": made.secret}])
        return
    say(f"News is sent to {made.webhook.url}. This secret signs it, and is shown this once:")
    print(made.webhook.webhook_id, made.secret)


def _show_delivery(sent: Delivery, *, as_json: bool) -> None:
    if as_json:
        as_lines([sent.model_dump()])
    else:
        print(sent.delivery_id)


def _row_of(webhook: Webhook) -> tuple[object, ...]:
    state = "active" if webhook.is_active else "stopped"
    if webhook.disabled_reason:
        state = f"disabled: {webhook.disabled_reason}"
    known = (cell(webhook.url), ", ".join(webhook.events), state)
    return (*known, webhook.waiting, webhook.webhook_id)


def _delivery_row(sent: Delivery) -> tuple[object, ...]:
    last = sent.attempts[-1] if sent.attempts else None
    return (
        sent.event_type,
        sent.status,
        sent.attempt_count,
        cell(str(last.status or last.error)) if last else None,
        f"{sent.created_at:%Y-%m-%d %H:%M:%S}",
        f"{sent.next_attempt_at:%Y-%m-%d %H:%M:%S}" if sent.next_attempt_at else None,
        sent.delivery_id,
    )
