"""What tokens cost where the other side does not say it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from agents.development.ports import Spent
from agents.models.call import Usage
from agents.models.prices import PriceTable, estimate_tokens


class Pricing:
    """Prices of one provider's models on the day of the call."""

    def __init__(self, table: PriceTable, provider: str, today: Callable[[], date]) -> None:
        self._table = table
        self._provider = provider
        self._today = today

    def spend(
        self,
        model: str,
        input_tokens: int,
        output_tokens: int,
        cached_tokens: int = 0,
        *,
        is_estimated: bool = False,
    ) -> Spent:
        """What a call has cost; a model that is served under ``provider/model`` has its price."""
        usage = Usage(
            input_tokens=input_tokens, output_tokens=output_tokens, cached_tokens=cached_tokens
        )
        return Spent(input_tokens, output_tokens, self._cost_of(model, usage), is_estimated)

    def estimate(self, model: str, given: str, received: str) -> Spent:
        """What a call has cost that broke off before anybody said it, rather too much."""
        tokens = estimate_tokens(given), estimate_tokens(received)
        return self.spend(model, *tokens, is_estimated=True)

    def _cost_of(self, model: str, usage: Usage) -> float | None:
        first, slash, rest = model.partition("/")
        names = [(self._provider, model)]
        if slash:  # routers write the version of a model with a dot
            names += [(first, rest), (first, rest.replace(".", "-"))]
        costs = (self._table.cost_of(*name, usage, self._today()) for name in names)
        return next((cost for cost in costs if cost is not None), None)
