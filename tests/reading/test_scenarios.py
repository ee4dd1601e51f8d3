"""Scenarios are one requirement each, with their condition and their outcome."""

import pytest

from tests.reading.documents import read

STEPS = (
    "Given a bridge that is up\nWhen a tram comes near\nThen the signal turns red in 2 seconds\n"
)


def _needs(text, **more):
    return [title for kind, title in read(text, **more) if kind == "requirement"]


@pytest.mark.parametrize(
    "text",
    [
        f"# Bridge\n\n{STEPS}",
        "# Bridge\n\nScenario: Tram\n" + STEPS.replace("\n", "\n\n"),
        f"# Bridge\n\n```gherkin\nFeature: Signals\n  Scenario: Tram\n{STEPS}```\n",
        "# Bridge\n\n" + "\n".join(f"- **{it.replace(' ', '** ', 1)}" for it in STEPS.splitlines()),
        "# Bridge\n\n" + "\n".join(f"1. {it}" for it in STEPS.splitlines()),
        f"# Bridge\n\nAC1\n{STEPS}",
        "# Bridge\n\n| | |\n|--|--|\n| Given | a bridge that is up |\n"
        "| **When** | a tram comes near |\n"
        "| Then | the signal turns red in 2 seconds |\n",
        "# Bridge\n\n| Given | When | Then |\n|--|--|--|\n"
        "| a bridge that is up | a tram comes near | the signal turns red in 2 seconds |\n",
        "# Bridge\n\n### Scenario: Tram\n\n" + STEPS.replace("\n", "\n\n"),
    ],
)
def test_the_steps_of_a_scenario_are_one_requirement(text):
    (need,) = _needs(text)
    assert "bridge that is up" in need and "tram comes near" in need and "2 seconds" in need


def test_each_scenario_is_a_requirement_of_its_own():
    second = STEPS.replace("up", "down").replace("red", "green")
    assert len(_needs(f"# Bridge\n\n{STEPS}\n{second}{STEPS.replace('tram', 'bus')}")) == 3


def test_files_of_features_are_read_with_background_and_rules():
    text = (
        "Feature: Signals\n\n  Background:\n    Given a bridge that is up\n\n  @slow\n"
        "  # trams must fly\n  Rule: Ships go before trams at any time\n\n"
        "  Scenario: Tram\n    When a tram comes near\n    Then the signal turns red\n"
        "    But the bell stays silent\n"
    )
    told = _needs(text, path="features/signals.feature")
    assert any("bridge that is up" in it and "bell stays silent" in it for it in told)
    assert not any("fly" in it or "slow" in it for it in told)


@pytest.mark.parametrize(
    "text",
    [
        "Given the traffic here, ships wait long.\nWhen they do, they honk.\nThen they sail on.",
        "When in doubt, look at the map.\n\nThen go back.",
        "Then the crew went home.\nAnd the bridge stayed up.",
        "Given enough wind, the bridge must stay down.",
    ],
)
def test_prose_that_begins_so_is_no_scenario(text):
    assert not [it for it in _needs(f"# Bridge\n\n{text}\n") if "then" in it.lower()]
