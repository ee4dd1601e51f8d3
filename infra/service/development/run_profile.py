"""The profile of a run as it was when the run began: a change of the file changes no run."""

from __future__ import annotations

from agents.development.profiles import Profile
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects
from infra.platform.settings import Settings
from infra.service.development.api_models import settle_model
from infra.service.development.profiles import find_profile
from infra.service.development.workflow_log import WorkflowLog, WorkflowPlace
from schemas.events.workflow import WorkflowStarted


async def read_run_profile(
    settings: Settings, log: WorkflowLog, run: WorkflowPlace, started: WorkflowStarted
) -> Profile:
    """The profile of a run, recorded. Raises NotFound, Invalid, Forbidden where it begins now."""

    async def make() -> Json:
        profile = find_profile(settings, started.profile or None)
        return settle_model(settings, profile).model_dump(mode="json")

    effects = RunEffects(log, run.workflow_id, run.project_id, "run", 0)
    return Profile.model_validate(await effects.run("read", {"what": "profile"}, make))
