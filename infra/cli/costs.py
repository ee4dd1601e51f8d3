"""`cairn costs`, `cairn budgets`: what models have cost a project, and what they may cost it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from infra.cli.calls import unchecked
from infra.cli.context import (
    JSON_OPTION,
    KEY_OPTION,
    PROJECT_OPTION,
    asking,
    connect,
    explain_wrong_use,
    say,
)
from infra.cli.output import as_lines, cell, table
from schemas.inflection import count
from schemas.model_reading import describe_owed

if TYPE_CHECKING:
    from infra.client.models.models import BudgetState, CallDetail
    from infra.client.models.models_parts import CostLine

GROUPS = "agent, stage, role, model, run, day (UTC) or call (the dearest)"
SCOPES = "project_day, project_month, run or agent"
SCOPE = typer.Option("project_month", "--scope", help=f"What it limits: {SCOPES}.")
AGENT = typer.Option("", "--agent", help="With scope agent: this one alone, instead of each.")

budgets = typer.Typer(no_args_is_help=True, help="Limit what models may cost a project.")


def register(app: typer.Typer) -> None:
    app.command()(costs)
    app.add_typer(budgets, name="budgets")


def costs(
    project: str = PROJECT_OPTION,
    by: str = typer.Option("agent", "--by", help=f"Sum up by {GROUPS}."),
    call: str | None = typer.Option(
        None, "--call", metavar="CALL_ID", help="Show one call: what was asked and answered."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Show what calls of language models have cost a project."""
    cairn = connect()
    if call is not None:
        _show_call(cairn.read_call(cairn.project_of(project), call), as_json=as_json)
        return
    with explain_wrong_use():
        found = cairn.read_costs(cairn.project_of(project), group_by=unchecked(by))
    if as_json:
        as_lines(line.model_dump() for line in (*found.lines, found.total))
        return
    columns = (by, "calls", "no answer", "refused", "input", "cached", "output", "US dollars")
    lines = [*found.lines, *([found.total] if found.lines else [])]
    table(columns, map(_row_of, lines), "No model has been asked yet.")
    _explain(found.total)
    if owed := describe_owed(found.by_rules):
        say(f"{owed}.")


@budgets.command("list")
def list_budgets(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
    """Show the budgets, and what of each is spent or set aside."""
    cairn = connect()
    _show(cairn.read_budgets(cairn.project_of(project)), as_json=as_json)


@budgets.command("set")
def set_budget(
    project: str = PROJECT_OPTION,
    scope: str = SCOPE,
    agent: str = AGENT,
    usd: float | None = typer.Option(None, "--usd", min=0, help="US dollars at most."),
    tokens: int | None = typer.Option(None, "--tokens", min=0, help="Tokens at most."),
    warn_at: float = typer.Option(0.8, "--warn-at", help="Warn at this share of it."),
    soft: bool = typer.Option(False, "--soft", help="Only warn; refuse no call."),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Set a budget. Days and months are of UTC; `run` is each run, `agent` each in a month."""
    if usd is None and tokens is None:
        raise typer.BadParameter("give --usd, --tokens or both; `budgets remove` lifts one")
    spec = {
        "scope": scope,
        "agent": agent,
        "limit_usd": usd,
        "limit_tokens": tokens,
        "warn_at": warn_at,
        "hard": not soft,
    }
    _set(project, spec, idempotency_key, as_json=as_json)


@budgets.command()
def remove(
    project: str = PROJECT_OPTION,
    scope: str = SCOPE,
    agent: str = AGENT,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Lift a budget."""
    _set(project, {"scope": scope, "agent": agent}, idempotency_key, as_json=as_json)


def _show_call(found: CallDetail, *, as_json: bool) -> None:
    if as_json:
        as_lines([found.model_dump()])
        return
    cost = "price unknown" if found.cost_usd is None else f"{_dollars(found.cost_usd)} US dollars"
    print(
        f"{found.provider}/{found.model} for {found.agent} ({found.stage}): {found.outcome},"
        f" {found.input_tokens:,} tokens in, {found.output_tokens:,} out, {cost}"
    )
    if found.prompt is None:
        print("Its texts are not kept (any more).")
        return
    print(f"\n--- asked\n{found.prompt}\n\n--- answered\n{found.response}")


def _set(project: str, spec: dict[str, Any], key: str | None, *, as_json: bool) -> None:
    from infra.client.models.models import BudgetRequest

    cairn, body = connect(), BudgetRequest.model_construct(**spec)
    with asking(key) as drawn:
        _show(cairn.set_budget(cairn.project_of(project), body, key=drawn), as_json=as_json)


def _row_of(line: CostLine) -> tuple[object, ...]:
    return (
        cell(line.key),
        line.calls,
        line.calls_without_answer,
        line.calls_refused,
        f"{line.input_tokens:,}",
        f"{line.cached_tokens:,}",
        f"{line.output_tokens:,}",
        _dollars(line.cost_usd) + ("+" if line.calls_without_price else ""),
    )


def _explain(total: CostLine) -> None:
    if total.calls_without_price:
        calls = count(total.calls_without_price, "call has", "calls have")
        say(f"Nobody knows what {calls} cost (+): add prices to the file of the models.")
    if total.calls_estimated:
        calls = count(total.calls_estimated, "call")
        say(f"Tokens of {calls} are estimates: no provider reported them.")


def _show(budgets: list[BudgetState], *, as_json: bool) -> None:
    if as_json:
        as_lines(one.model_dump() for one in budgets)
        return
    columns = ("scope", "agent", "US dollars", "spent", "tokens", "spent", "kind")
    table(columns, map(_budget_row, budgets), "No budget: models may cost what they cost.")


def _budget_row(one: BudgetState) -> tuple[object, ...]:
    each = "each" if one.scope == "agent" else None
    return (
        one.scope,
        one.agent or each,
        one.limit_usd is not None and _dollars(one.limit_usd) or None,
        None if one.spent_usd is None else _dollars(one.spent_usd),
        one.limit_tokens is not None and f"{one.limit_tokens:,}" or None,
        None if one.spent_tokens is None else f"{one.spent_tokens:,}",
        ("hard" if one.hard else "soft") + (", nearly spent" if one.is_near_limit else ""),
    )


def _dollars(amount: float) -> str:
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.4f}"
