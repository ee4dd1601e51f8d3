"""Checks drafts and plans, and reads of a repository what their writers need to know."""

from __future__ import annotations

from functools import partial
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agents.development import checks, codebase
from infra.platform.errors import Invalid
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.service.development.code_files import open_code

DraftKind = Literal["issue", "design", "specification"]
LEAST_BUDGET = 1_000


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, from_attributes=True)


class DraftProblem(_Answer):
    """``code`` is for programs; ``line`` begins at 1, 0: the draft as a whole."""

    code: str
    line: int
    message: str


class DraftCheck(_Answer):
    """``repaired`` is the draft with its form mended, ``problems`` are those of that text.

    ``covered`` and ``uncovered``: ids of requirements that a scenario names, or none does; of a
    draft that holds a test plan.
    """

    problems: list[DraftProblem]
    repairs: list[str]
    repaired: str
    covered: list[str]
    uncovered: list[str]


class CheckedTask(_Answer):
    """``text`` holds all that whoever does the task needs of the plan."""

    number: str
    title: str
    text: str
    line: int


class PlanCheck(_Answer):
    """``total_tasks`` is null where the plan names no tasks: it is one unit then."""

    valid: bool
    goal: str
    key_files: list[str]
    total_tasks: int | None
    problems: list[DraftProblem]
    tasks: list[CheckedTask]


class FileOfContext(_Answer):
    """A file of the draft's table, and what became of it."""

    path: str
    change: str
    state: str


class SimilarCode(_Answer):
    """``score`` is 0 to 1 and orders; ``shared``: the rarest features of both files."""

    path: str
    score: float
    like: str
    shared: list[str]


class LeftOutOfContext(_Answer):
    """A file, or a section of the context, that is not in it or not whole."""

    name: str
    reason: str


class CodeContext(_Answer):
    """The same repository and the same draft have the same ``text``, of which ``sha256`` is the
    hash.
    """

    text: str
    sha256: str
    files: list[FileOfContext]
    similar: list[SimilarCode]
    left_out: list[LeftOutOfContext]


async def read_code_context(settings: Settings, path: str, draft: str, budget: int) -> CodeContext:
    """What a folder of this machine holds that the draft is about.

    Raises UnknownSource, SourceRefused, SourceUnavailable, Forbidden.
    """
    return await in_thread(partial(_read_context, settings, path, draft, budget))


async def check_draft(
    settings: Settings, kind: DraftKind, text: str, repository: str | None
) -> DraftCheck:
    """The problems of a draft whose form was mended first. Without a repository nobody says which
    files exist. Raises as `read_code_context`.
    """
    return await in_thread(partial(_check_draft, settings, kind, text, repository))


def check_plan(text: str) -> PlanCheck:
    return PlanCheck.model_validate(checks.validate_plan(text))


def _read_context(settings: Settings, path: str, draft: str, budget: int) -> CodeContext:
    if budget < LEAST_BUDGET:
        raise Invalid(f"A budget is at least {LEAST_BUDGET} bytes.", code="budget_too_small")
    with open_code(path, settings.home) as files:
        context = codebase.read_codebase(files, draft, budget=budget)
    return CodeContext.model_validate(context)


def _check_draft(
    settings: Settings, kind: DraftKind, text: str, repository: str | None
) -> DraftCheck:
    rules = checks.RULES[kind]
    repaired = checks.repair_draft(text, rules)
    paths: tuple[str, ...] | None = None
    if repository is not None:
        with open_code(repository, settings.home) as files:
            paths = tuple(files.list_paths())
    problems = [*checks.validate_draft(repaired.text, rules, paths)]
    plan = checks.validate_test_plan(repaired.text) if kind == "design" else None
    if plan is not None:
        problems += plan.problems
    elif kind == "specification":
        problems += checks.check_completeness(repaired.text, paths)
    unique = sorted(dict.fromkeys(problems), key=lambda it: (it.line, it.code))
    return DraftCheck(
        problems=[DraftProblem.model_validate(it) for it in unique],
        repairs=list(repaired.repairs),
        repaired=repaired.text,
        covered=list(plan.covered) if plan else [],
        uncovered=list(plan.uncovered) if plan else [],
    )
