"""What was refused and what was given up, and how much models may cost."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import LEADERS, OPERATORS, READERS
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.platform.errors import Invalid, NotFound
from infra.service.models import costs
from infra.service.upkeep.dead_letters import retry_dead_letter
from projections.read import dead_letters, rejections

pages = Pages()
SHOWN = 50


@pages.show("/projects/{project}/rejections", *READERS)
async def list_rejections(visit: PageContext) -> Response:
    """Claims that reflection refused, or that lost evidence, with the rules that did so."""
    asked = {"code": visit.asked("code"), "path": visit.asked("path")}
    listed = await visit.ask(
        rejections.list_rejections,
        visit.project_id,
        code=asked["code"],
        source=asked["path"],
        cursor=visit.asked("cursor"),
        limit=SHOWN,
    )
    return visit.show("rejections.html", listed=listed, asked=asked)


@pages.act("/projects/{project}/dead-letters/{letter}/retry", *OPERATORS)
async def retry_letter(visit: PageContext) -> Response:
    """Publish a record that was given up once more."""
    letter_id = visit.part("letter")
    letter = await visit.ask(dead_letters.find_dead_letter, letter_id)
    if letter is None or letter.project_id != visit.project_id:
        raise NotFound(f"There is no dead letter {letter_id}.", code="unknown_dead_letter")
    await retry_dead_letter(visit.api.settings, letter_id)
    return visit.go("projects", visit.project_id, "runs", told="The record is published again.")


@pages.act("/projects/{project}/budgets", *LEADERS)
async def set_budget(visit: PageContext) -> Response:
    """Set a budget; without a limit it is lifted."""
    spec = costs.BudgetSpec(
        scope=visit.form.get("scope", ""),
        agent=visit.form.get("agent", "").strip(),
        limit_usd=_dollars(visit.form.get("limit", "")),
        limit_tokens=visit.sent_number("tokens"),
        hard=visit.form.get("beyond") != "warn",
    )
    await costs.set_budget(
        visit.api.settings,
        visit.project_id,
        spec,
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    is_lifted = spec.limit_usd is None and spec.limit_tokens is None
    told = "The budget is removed." if is_lifted else "The budget is set."
    return visit.go("projects", visit.project_id, "costs", told=told)


def _dollars(text: str) -> float | None:
    """Such as ``12.50``; empty: None. Raises Invalid."""
    whole, _, part = text.strip().partition(".")
    if not whole and not part:
        return None
    digits = whole + part
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        raise Invalid("A limit is an amount of dollars, such as 12.50.", code="budget_invalid")
    return float(text)
