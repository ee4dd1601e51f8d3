"""What the models of the area Administration are made of."""

from __future__ import annotations

from infra.client.connection import Model


class RunUsage(Model):
    """``tokens`` were read, by rules or by a model."""

    run_id: str
    lane: str
    engine: str
    tokens: int
    cost_usd: float
