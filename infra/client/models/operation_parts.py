# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Operation are made of."""

from __future__ import annotations

from infra.client.connection import Model


class Limits(Model):
    """``delivery_bytes`` are of a webhook, ``requests_per_s`` of one token."""

    body_bytes: int
    delivery_bytes: int
    page: int
    requests_per_s: float
