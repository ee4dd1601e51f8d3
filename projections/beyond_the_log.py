"""Every table that is no fold of the log, and what becomes of it when the database is lost.

`projections/tables.py` lists the others. A test compares both lists with the database, so a new
table cannot be forgotten; what a person has to do is told from here, once
(`infra/service/upkeep/lost_database.py`), by `cairn up`, `status` and `rebuild`.
"""

from __future__ import annotations

from dataclasses import dataclass

# What a new database gets back from the log, in the words of a user.
FROM_THE_LOG = (
    "projects, sources, the ledger with people's decisions, documents, team, schedules, budgets,"
    " costs of model calls, conversations, webhooks, data keys and the audit log"
)


@dataclass(frozen=True, slots=True)
class Unfolded:
    """Tables that are no fold. ``loss`` is empty where nothing is missed without them."""

    holds: str
    tables: tuple[str, ...]
    loss: str = ""


BEYOND_THE_LOG: tuple[Unfolded, ...] = (
    Unfolded(
        "tokens",
        ("api_tokens",),
        "no token of before opens anything, also none that was valid. CAIRN_HOME/token has a new"
        " one for the owner; make the others anew with POST /v1/tokens.",
    ),
    Unfolded(
        "sign-ins of the console",
        ("console_sessions", "console_links"),
        "everybody signs in again.",
    ),
    Unfolded("saved views of the console", ("saved_views",), "save them again."),
    Unfolded(
        "jobs that waited or ran",
        ("orchestration_jobs",),
        "start again what is missing. Schedules go on by themselves, and so do ingests.",
    ),
    Unfolded("onboardings that were under way", ("onboarding_pipelines",), "start them again."),
    Unfolded(
        "documents sent over HTTP that were not read yet",
        ("uploads",),
        "send again what `cairn sources` does not list.",
    ),
    Unfolded(
        "answers kept for idempotency keys, and addresses of decisions on their way",
        ("api_requests", "sent_decisions"),
        "a request that is sent again is done again, with the ids of the first time; `cairn"
        " decisions` lists what was decided.",
    ),
    Unfolded(
        "attempts to deliver to webhooks",
        ("webhook_deliveries", "webhook_messages_seen"),
        "their log begins anew. News of the last two weeks that was not delivered is sent again.",
    ),
    Unfolded(
        "what was set aside for model calls that ran",
        ("model_charges",),
        "these calls are in no cost and no budget: the bill of the provider has them.",
    ),
    Unfolded(
        "facts that were not on the log yet",
        ("outbox",),
        "the last second of the audit log, of jobs and of costs of models, or all since the broker"
        " did not answer.",
    ),
    Unfolded("data keys, which are told on vault.key.v1", ("vault_keys", "vault_restored")),
    Unfolded("states of runs of agents, which their logs hold", ("checkpoints",)),
    Unfolded("answers of models, which are told on llm.answer.v1", ("model_answers",)),
    Unfolded(
        "where folding has come to, and which database this is",
        ("projection_offsets", "migrations", "database_origin"),
    ),
)
