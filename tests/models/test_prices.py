"""A call costs what the model that served it costs on that day; unknown is never 0."""

from datetime import date

import pytest

from agents.models.call import Usage
from agents.models.catalogue import CATALOGUE
from agents.models.prices import Price, PriceTable, estimate_tokens, parse_prices, read_prices

DAY = date(2026, 11, 26)
PRICES = PriceTable(read_prices())
MILLION = 1_000_000


def test_tokens_of_the_cache_have_prices_of_their_own():
    price = Price.model_validate({"input": 5, "cached": 0.5, "cache_write": 6.25, "output": 25})
    usage = Usage(
        input_tokens=3 * MILLION,
        cached_tokens=MILLION,
        cache_write_tokens=MILLION,
        output_tokens=MILLION,
    )
    assert price.cost_of(usage) == pytest.approx(5 + 0.5 + 6.25 + 25)


def test_without_a_price_of_the_cache_its_tokens_cost_as_others():
    price = Price.model_validate({"input": 2, "output": 4})
    usage = Usage(input_tokens=MILLION, cached_tokens=MILLION // 2)
    assert price.cost_of(usage) == pytest.approx(2)


@pytest.mark.parametrize(
    "served",
    [
        "claude-opus-4-7",
        "claude-opus-4-7-20260416",
        "claude-opus-4-7@20260416",
        "claude-opus-4-7-2026-04-16",
        "claude-opus-4-7-latest",
    ],
)
def test_a_release_of_a_model_has_its_price(served: str):
    known = PRICES.find("anthropic", "claude-opus-4-7", DAY)
    assert known is not None
    assert PRICES.find("anthropic", served, DAY) == known


def test_the_provider_is_a_part_of_the_name():
    usage = Usage(input_tokens=MILLION)
    groq = PRICES.cost_of("groq", "openai/gpt-oss-120b", usage, DAY)
    cerebras = PRICES.cost_of("cerebras", "gpt-oss-120b", usage, DAY)
    assert groq is not None and cerebras is not None and groq != cerebras


def test_an_unknown_model_or_provider_has_no_price():
    usage = Usage(input_tokens=1, output_tokens=1)
    assert PRICES.cost_of("openai", "gpt-99", usage, DAY) is None
    assert PRICES.cost_of("elsewhere", "claude-opus-4-7", usage, DAY) is None


def test_a_price_counts_from_its_day_on():
    dated = PriceTable(
        parse_prices(
            {
                "a/m": [
                    {"from": date(2026, 3, 1), "input": 2, "output": 2},
                    {"from": date(2026, 1, 1), "input": 1, "output": 1},
                    {"from": date(2026, 5, 1), "unknown": True},
                ]
            }
        )
    )
    usage = Usage(input_tokens=MILLION)
    costs = [dated.cost_of("a", "m", usage, date(2026, month, 1)) for month in (2, 3, 5)]
    assert costs == [1, 2, None]
    assert dated.cost_of("a", "m", usage, date(2025, 12, 31)) is None


def test_a_price_of_ones_own_comes_first():
    own = Price.model_validate({"input": 1, "output": 1})
    table = PriceTable(read_prices(), {"openai/gpt-5.5": own})
    assert table.find("openai", "gpt-5.5", DAY) == own


def test_each_model_of_the_catalogue_has_an_entry():
    named = {f"{known.name}/{model}" for known in CATALOGUE for model in known.models}
    assert named <= set(read_prices())


def test_an_entry_without_prices_is_refused():
    with pytest.raises(ValueError, match="input and output"):
        Price.model_validate({"input": 1})


@pytest.mark.parametrize("text", ["", "word " * 100, "日本語" * 10, "x = f(a, b)[0]\n" * 20])
def test_an_estimate_is_not_below_a_quarter_of_the_characters(text: str):
    assert estimate_tokens(text) >= len(text) / 4
