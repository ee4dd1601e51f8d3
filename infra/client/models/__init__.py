# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The models by area; an area is loaded when one of its models is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infra.client.models import administration as administration
    from infra.client.models import artifacts as artifacts
    from infra.client.models import chat as chat
    from infra.client.models import chat_parts as chat_parts
    from infra.client.models import connectors as connectors
    from infra.client.models import connectors_parts as connectors_parts
    from infra.client.models import decisions as decisions
    from infra.client.models import features as features
    from infra.client.models import ingestion as ingestion
    from infra.client.models import ingestion_parts as ingestion_parts
    from infra.client.models import ledger as ledger
    from infra.client.models import ledger_parts as ledger_parts
    from infra.client.models import models as models
    from infra.client.models import models_parts as models_parts
    from infra.client.models import onboarding as onboarding
    from infra.client.models import onboarding_parts as onboarding_parts
    from infra.client.models import operation as operation
    from infra.client.models import operation_parts as operation_parts
    from infra.client.models import planning as planning
    from infra.client.models import planning_parts as planning_parts
    from infra.client.models import projects as projects
    from infra.client.models import quality as quality
    from infra.client.models import quality_parts as quality_parts
    from infra.client.models import runs as runs
    from infra.client.models import runs_parts as runs_parts
    from infra.client.models import schedules as schedules
    from infra.client.models import schedules_parts as schedules_parts
    from infra.client.models import shared as shared
    from infra.client.models import sources as sources
    from infra.client.models import sources_parts as sources_parts
    from infra.client.models import sprints as sprints
    from infra.client.models import streams as streams
    from infra.client.models import tasks as tasks
    from infra.client.models import tokens as tokens
    from infra.client.models import views as views
    from infra.client.models import views_parts as views_parts
    from infra.client.models import webhooks as webhooks
    from infra.client.models import webhooks_parts as webhooks_parts


def __getattr__(area: str) -> Any:
    try:
        return import_module(f"{__name__}.{area}")
    except ModuleNotFoundError as error:
        raise AttributeError(area) from error
