# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Models are made of."""

from __future__ import annotations

from infra.client.connection import Model


class CostLine(Model):
    """Sums over calls; ``key`` is what they share.

    ``cost_usd`` leaves out ``calls_without_price``. ``calls_refused`` did not fit into a budget and
    were not made. ``input_tokens`` includes ``cached_tokens``; tokens of ``calls_estimated`` are
    our own count.
    """

    key: str
    calls: int
    calls_without_answer: int
    calls_refused: int
    calls_without_price: int
    calls_estimated: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float
