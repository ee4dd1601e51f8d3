"""Checks of what models write, by rules alone: drafts, test plans, specifications, plans, diffs.

Each takes any text and answers with problems by line; nothing here asks a model or reads a file.
"""

from agents.development.checks.completeness import check_completeness
from agents.development.checks.drafts import validate_draft
from agents.development.checks.elisions import Elision, find_elisions
from agents.development.checks.files_table import FileToChange, read_files_table
from agents.development.checks.plans import PlanTask, PlanValidationResult, validate_plan
from agents.development.checks.problems import Problem
from agents.development.checks.repairs import Repaired, repair_draft
from agents.development.checks.rules import (
    IMPLEMENTATION_SPEC,
    ISSUE_BRIEF,
    LOW_LEVEL_DESIGN,
    RULES,
    DraftRules,
    describe_rules,
)
from agents.development.checks.scenarios import Scenario, TestPlan, validate_test_plan

__all__ = [
    "IMPLEMENTATION_SPEC",
    "ISSUE_BRIEF",
    "LOW_LEVEL_DESIGN",
    "RULES",
    "DraftRules",
    "Elision",
    "FileToChange",
    "PlanTask",
    "PlanValidationResult",
    "Problem",
    "Repaired",
    "Scenario",
    "TestPlan",
    "check_completeness",
    "describe_rules",
    "find_elisions",
    "read_files_table",
    "repair_draft",
    "validate_draft",
    "validate_plan",
    "validate_test_plan",
]
