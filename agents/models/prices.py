"""What a call costs, by the model that served it and the prices of that day; where that model has
no price, by the model that was asked for.

A price that nobody knows is None, never 0; only a server of one's own costs nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agents.models.call import Usage

MILLION = 1_000_000
# ...-20260416, ...-2026-04-16, ...@20260416, ...-04-17, ...-0309, ...-001, ...-latest
RELEASE = re.compile(r"[-@](20\d{2}-?\d{2}-?\d{2}|\d{2}-\d{2}|\d{3,4}|latest)$")


class Price(BaseModel):
    """US dollars for a million tokens from the day ``since`` on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: date = Field(default=date.min, alias="from")
    input: float = Field(default=0.0, ge=0)
    output: float = Field(default=0.0, ge=0)
    cached: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)
    unknown: bool = False

    @model_validator(mode="after")
    def _check_given(self) -> Price:
        if not self.unknown and not {"input", "output"} <= self.model_fields_set:
            raise ValueError("a price names input and output, or that it is unknown")
        return self

    def cost_of(self, usage: Usage) -> float:
        """``usage.input_tokens`` includes those of the cache, as providers count them."""
        fresh = max(usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens, 0)
        cached = self.input if self.cached is None else self.cached
        cache_write = self.input if self.cache_write is None else self.cache_write
        return (
            fresh * self.input
            + usage.cached_tokens * cached
            + usage.cache_write_tokens * cache_write
            + usage.output_tokens * self.output
        ) / MILLION


class PriceTable:
    """Prices by ``provider/model``, each oldest first; ``own`` prices come before Cairn's."""

    def __init__(
        self, prices: Mapping[str, tuple[Price, ...]], own: Mapping[str, Price] | None = None
    ) -> None:
        self._prices = {**prices, **{name: (price,) for name, price in (own or {}).items()}}

    def find(self, provider: str, model: str, day: date) -> Price | None:
        """The price of a model on ``day``; a release of a known model has its price."""
        for name in _list_names(model):
            if prices := self._prices.get(f"{provider}/{name}"):
                valid = [price for price in prices if price.since <= day]
                return valid[-1] if valid and not valid[-1].unknown else None
        return None

    def cost_of(
        self, provider: str, model: str, usage: Usage, day: date, *, asked_model: str | None = None
    ) -> float | None:
        """US dollars; None where the price is not known.

        A provider may serve under a name that has no price. Such a call costs what the model that
        was asked for costs: a budget that admitted the call by that price has to count it.
        """
        price = self.find(provider, model, day)
        if price is None and asked_model is not None:
            price = self.find(provider, asked_model, day)
        return price.cost_of(usage) if price else None


@cache
def read_prices() -> Mapping[str, tuple[Price, ...]]:
    """Cairn's own table."""
    written = resources.files("agents.models").joinpath("prices.toml").read_text("utf-8")
    return parse_prices(tomllib.loads(written))


def parse_prices(tables: Mapping[str, Any]) -> Mapping[str, tuple[Price, ...]]:
    return {
        name: tuple(
            sorted((Price.model_validate(entry) for entry in entries), key=lambda it: it.since)
        )
        for name, entries in tables.items()
    }


def estimate_tokens(text: str) -> int:
    """Tokens of ``text`` where nobody has counted them, rather too many than too few.

    English has four characters a token, code and most other languages fewer; three bytes of UTF-8
    a token are above what common tokenizers make of prose and code.
    """
    return -(-len(text.encode(errors="replace")) // 3)


def _list_names(model: str) -> list[str]:
    """``model`` as its provider may write it, without what only tells a release."""
    plain = model.removeprefix("models/")
    return list(dict.fromkeys((model, plain, RELEASE.sub("", plain))))
