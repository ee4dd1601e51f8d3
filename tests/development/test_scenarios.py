"""Each requirement is named by a scenario, and each scenario names a requirement."""

import pytest

from agents.development.checks import validate_test_plan
from tests.development.drafts import DESIGN

HEAD = "## Requirements\n\n- REQ-1: a\n- REQ-2: b\n\n## Test plan\n\n"


def codes(text: str) -> list[str]:
    return [it.code for it in validate_test_plan(text).problems]


def test_a_plan_that_covers_all_has_no_problem():
    plan = validate_test_plan(DESIGN)
    assert plan.problems == ()
    assert (plan.covered, plan.uncovered) == (("REQ-1", "REQ-2"), ())
    assert [it.name for it in plan.scenarios] == ["11 MB are refused", "the answer has the limit"]


def test_an_uncovered_requirement_is_named_where_it_is_defined():
    plan = validate_test_plan(DESIGN.replace("| REQ-2 |", "| REQ-1 |"))
    assert plan.uncovered == ("REQ-2",)
    assert [(it.code, it.line) for it in plan.problems] == [("requirement_uncovered", 10)]


@pytest.mark.parametrize(
    "scenarios",
    [
        "- refuse, REQ-1\n- name it\n  (REQ-2)\n",
        "1. refuse `REQ-1`\n2. name it **req-2**\n",
        "### Scenario 1: refuse\n\nREQ-1\n\n### Scenario 2: name\n\n- a step\n- REQ-2\n",
        "#### TC-1 refuse (REQ-1)\n\n#### TC-2 name (REQ-2)\n",
        "```gherkin\n@REQ-1\nScenario: refuse\n  Given a\n\n"
        "@REQ-2\nScenario: name\n  Given b\n```\n",
        "|Scenario|Requirement|\n|-|-|\n|refuse|REQ-1|\n|name|REQ-2|\n",
    ],
)
def test_scenarios_have_several_forms(scenarios: str):
    plan = validate_test_plan(HEAD + scenarios)
    assert plan.problems == ()
    assert [it.requirements for it in plan.scenarios] == [("REQ-1",), ("REQ-2",)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["no_requirements", "no_scenarios"]),
        ("## Requirements\n\n- REQ-1: a\n", ["no_scenarios"]),
        (f"{HEAD}Text alone names REQ-1 and REQ-2.\n", ["no_scenarios"]),
        ("## Test plan\n\n- REQ-1\n", ["no_requirements", "scenario_without_requirement"]),
        (f"{HEAD}- REQ-1 and REQ-2\n- something else\n", ["scenario_without_requirement"]),
        (f"{HEAD}- REQ-1, REQ-2 and REQ-3\n", ["requirement_unknown"]),
        (f"{HEAD}- REQ-1 in UTF-8, SHA-256\n- REQ-2\n", []),
        (
            f"{HEAD}- REQ-12\n- REQ-1, REQ-2\n",
            ["requirement_unknown", "scenario_without_requirement"],
        ),
        (f"{HEAD}<!--\n- REQ-1\n- REQ-2\n-->\n", ["no_scenarios"]),
        (f"{HEAD}```\n- REQ-1\n- REQ-2\n```\n", ["no_scenarios"]),
    ],
)
def test_gaps_are_problems_and_nothing_examined_is_no_pass(text: str, expected: list[str]):
    assert sorted(codes(text)) == sorted(expected)
