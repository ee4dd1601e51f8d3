"""Where the exit code of a test runner leads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

TestRoute = Literal["passed", "failed", "person", "rewrite"]

PYTEST: Mapping[int, TestRoute] = {
    0: "passed",
    1: "failed",
    2: "person",  # interrupted, also where a file of tests cannot be imported
    3: "person",  # an error within pytest
    4: "rewrite",  # called wrongly, for instance a file of tests that is not there
    5: "rewrite",  # no test was collected
}
RUNNERS: Mapping[str, Mapping[int, TestRoute]] = {
    "pytest": PYTEST,
    "unittest": {0: "passed", 1: "failed", 5: "rewrite"},
    "go": {0: "passed", 1: "failed"},
    "cargo": {0: "passed", 101: "failed"},
    "npm": {0: "passed", 1: "failed"},
    "make": {0: "passed", 2: "failed"},
}


def route_tests(runner: str, exit_code: int | None) -> TestRoute:
    """What follows a run of the tests. What nobody has foreseen is for a person."""
    if exit_code is None:
        return "person"
    return RUNNERS.get(runner, {0: "passed", 1: "failed"}).get(exit_code, "person")
