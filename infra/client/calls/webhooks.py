"""The operations of the area Webhooks."""

from __future__ import annotations

from infra.client.connection import Connection, Pages
from infra.client.models.webhooks import (
    Delivery,
    NewWebhook,
    Webhook,
    WebhookRequest,
    WebhookUpdate,
)


class Webhooks(Connection):
    def list_webhooks(self, project: str) -> list[Webhook]:
        """Where news of the project is sent, oldest first, without secrets."""
        return self._read(list[Webhook], "/v1/projects/{project}/webhooks", at={"project": project})

    def add_webhook(
        self, project: str, body: WebhookRequest, *, key: str | None = None
    ) -> NewWebhook:
        """Have news sent to an address; the secret that signs it (``whsec_…``) is shown this
        once.

        A message is a POST of ``{"type", "timestamp", "data"}``; ``data`` has ids and the ``path``
        of this API that says more. It is signed as https://www.standardwebhooks.com says, whose
        libraries verify the body with its ``webhook-id``, ``webhook-timestamp`` and ``webhook-
        signature``. Answer 2xx within 10 seconds, or it comes again, for three days; drop what has
        a ``webhook-id`` that you know. A 410 disables the webhook.
        """
        return self._write(
            NewWebhook,
            "POST",
            "/v1/projects/{project}/webhooks",
            at={"project": project},
            key=key,
            body=body,
        )

    def read_webhook(self, project: str, webhook_id: str) -> Webhook:
        """A webhook without its secret."""
        return self._read(
            Webhook,
            "/v1/projects/{project}/webhooks/{webhook_id}",
            at={"project": project, "webhook_id": webhook_id},
        )

    def change_webhook(
        self, project: str, webhook_id: str, body: WebhookUpdate, *, key: str | None = None
    ) -> Webhook:
        """Change address or events, stop it, or start it again."""
        return self._write(
            Webhook,
            "PATCH",
            "/v1/projects/{project}/webhooks/{webhook_id}",
            at={"project": project, "webhook_id": webhook_id},
            key=key,
            body=body,
        )

    def remove_webhook(self, project: str, webhook_id: str, *, key: str | None = None) -> None:
        """Send nothing there any more; the log of its deliveries goes, too."""
        self._perform(
            "DELETE",
            "/v1/projects/{project}/webhooks/{webhook_id}",
            at={"project": project, "webhook_id": webhook_id},
            key=key,
        )

    def rotate_webhook_secret(
        self, project: str, webhook_id: str, *, key: str | None = None
    ) -> NewWebhook:
        """A new secret, shown this once; for 24 hours both sign."""
        return self._write(
            NewWebhook,
            "POST",
            "/v1/projects/{project}/webhooks/{webhook_id}/rotate-secret",
            at={"project": project, "webhook_id": webhook_id},
            key=key,
        )

    def send_test_message(
        self, project: str, webhook_id: str, *, key: str | None = None
    ) -> Delivery:
        """Send a message of the type `webhook.test`; the log of deliveries shows what came of
        it.
        """
        return self._write(
            Delivery,
            "POST",
            "/v1/projects/{project}/webhooks/{webhook_id}/test",
            at={"project": project, "webhook_id": webhook_id},
            key=key,
        )

    def list_deliveries(self, project: str, webhook_id: str) -> Pages[Delivery]:
        """What was sent in the last 30 days with each attempt, newest first."""
        return self._list(
            Delivery,
            "/v1/projects/{project}/webhooks/{webhook_id}/deliveries",
            at={"project": project, "webhook_id": webhook_id},
        )

    def replay_delivery(
        self, project: str, webhook_id: str, delivery_id: str, *, key: str | None = None
    ) -> Delivery:
        """Send a message once more, with the same `webhook-id`."""
        return self._write(
            Delivery,
            "POST",
            "/v1/projects/{project}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
            at={"project": project, "webhook_id": webhook_id, "delivery_id": delivery_id},
            key=key,
        )
