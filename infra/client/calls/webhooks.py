# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Webhooks."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection, Pages


class Webhooks(Connection):
    def list_webhooks(self, project: str) -> list[models.webhooks.Webhook]:
        """Where news of the project is sent, oldest first, without secrets."""
        return self._read(
            list[models.webhooks.Webhook],
            "/v1/projects/{project}/webhooks",
            at={"project": project},
        )

    def add_webhook(
        self, project: str, body: models.webhooks.WebhookRequest, *, key: str | None = None
    ) -> models.webhooks.NewWebhook:
        """Have news sent to an address; the secret that signs it (``whsec_…``) is shown this
        once.

        A message is a POST of ``{"type", "timestamp", "data"}``; ``data`` has ids and the ``path``
        of this API that says more. It is signed as https://www.standardwebhooks.com says, whose
        libraries verify the body with its ``webhook-id``, ``webhook-timestamp`` and ``webhook-
        signature``. Answer 2xx within 10 seconds, or it comes again, for three days; drop what has
        a ``webhook-id`` that you know. A 410 disables the webhook.
        """
        return self._write(
            models.webhooks.NewWebhook,
            "POST",
            "/v1/projects/{project}/webhooks",
            at={"project": project},
            key=key,
            body=body,
        )

    def read_webhook(self, project: str, webhook_id: str) -> models.webhooks.Webhook:
        """A webhook without its secret."""
        return self._read(
            models.webhooks.Webhook,
            "/v1/projects/{project}/webhooks/{webhook_id}",
            at={"project": project, "webhook_id": webhook_id},
        )

    def change_webhook(
        self,
        project: str,
        webhook_id: str,
        body: models.webhooks.WebhookUpdate,
        *,
        key: str | None = None,
    ) -> models.webhooks.Webhook:
        """Change address or events, stop it, or start it again."""
        return self._write(
            models.webhooks.Webhook,
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
    ) -> models.webhooks.NewWebhook:
        """A new secret, shown this once; for 24 hours both sign."""
        return self._write(
            models.webhooks.NewWebhook,
            "POST",
            "/v1/projects/{project}/webhooks/{webhook_id}/rotate-secret",
            at={"project": project, "webhook_id": webhook_id},
            key=key,
        )

    def send_test_message(
        self, project: str, webhook_id: str, *, key: str | None = None
    ) -> models.webhooks.Delivery:
        """Send a message of the type `webhook.test`; the log of deliveries shows what came of
        it.
        """
        return self._write(
            models.webhooks.Delivery,
            "POST",
            "/v1/projects/{project}/webhooks/{webhook_id}/test",
            at={"project": project, "webhook_id": webhook_id},
            key=key,
        )

    def list_deliveries(self, project: str, webhook_id: str) -> Pages[models.webhooks.Delivery]:
        """What was sent in the last 30 days with each attempt, newest first."""
        return self._list(
            models.webhooks.Delivery,
            "/v1/projects/{project}/webhooks/{webhook_id}/deliveries",
            at={"project": project, "webhook_id": webhook_id},
        )

    def replay_delivery(
        self, project: str, webhook_id: str, delivery_id: str, *, key: str | None = None
    ) -> models.webhooks.Delivery:
        """Send a message once more, with the same `webhook-id`."""
        return self._write(
            models.webhooks.Delivery,
            "POST",
            "/v1/projects/{project}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
            at={"project": project, "webhook_id": webhook_id, "delivery_id": delivery_id},
            key=key,
        )
