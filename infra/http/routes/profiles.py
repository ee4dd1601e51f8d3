"""Profiles of agents that write code: which model, which tracker, which walls."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import OWNERS, Guarded, allow
from infra.http.api import ApiDep, WriteDep
from infra.http.parameters import OF_ANY
from infra.service.development import profile_checks, profile_trials, profiles
from infra.service.development.profile_checks import ProfileCheck
from infra.service.development.profile_trials import ProfileTrial
from infra.service.development.profiles import (
    MOST_ALLOWED,
    DriverName,
    ProfileState,
    SandboxName,
    TrackerName,
)

router = APIRouter(route_class=Guarded, tags=["Development"])
ROOT = "/v1/dev/profiles"
ProfileName = Annotated[str, Path(max_length=100)]


class NewProfile(BaseModel):
    """A profile to add. What is not given is as in the built-in profile. ``allowlist``: the
    programs that agents may start, each with the arguments it has to begin with; ``validator``: a
    command that has to succeed after each task.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=100)
    driver: DriverName = "api"
    model: str | None = Field(None, max_length=200)
    tracker: TrackerName = "none"
    sandbox: SandboxName = "none"
    max_review_iterations: int = Field(3, ge=1, le=20)
    max_review_passes: int = Field(1, ge=1, le=5)
    allowlist: list[Annotated[str, Field(max_length=500)]] | None = Field(
        None, max_length=MOST_ALLOWED
    )
    validator: str | None = Field(None, max_length=500)


class ProfileTry(BaseModel):
    """What the driver of a profile is asked."""

    model_config = ConfigDict(extra="forbid")

    prompt: str = Field(min_length=1, max_length=20_000)


@router.get(ROOT, responses=OF_ANY)
@allow(*OWNERS, everywhere=True)
async def list_profiles(api: ApiDep) -> list[ProfileState]:
    """All profiles, the built-in one first unless the file has one of its name."""
    return profiles.list_profiles(api.settings)


@router.post(ROOT, status_code=201, responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def add_profile(api: ApiDep, body: NewProfile) -> list[ProfileState]:
    """Add a profile, and return all. A driver that cannot work in the sandbox is refused."""
    profile = profiles.build_profile(body.model_dump(exclude_none=True))
    return profiles.add_profile(api.settings, profile)


@router.post(ROOT + "/{profile}/use", responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def use_profile(api: ApiDep, profile: ProfileName) -> list[ProfileState]:
    """Have a profile taken where nobody names one, and return all."""
    return profiles.use_profile(api.settings, profile)


@router.post(ROOT + "/{profile}/check", responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def check_profile(api: ApiDep, profile: ProfileName) -> ProfileCheck:
    """Say of each part of a profile whether it works, and what to do where it does not. A model
    may be asked one tiny question.
    """
    return await profile_checks.check_profile(api.settings, api.environ, profile)


@router.post(ROOT + "/{profile}/try", responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def try_profile(
    api: ApiDep, write: WriteDep, profile: ProfileName, body: ProfileTry
) -> ProfileTrial:
    """Give the driver of a profile one prompt in an empty folder, and return all that it did. The
    model is paid; what it leaves in the folder is thrown away.
    """
    return await profile_trials.try_profile(
        api.settings, api.environ, profile, body.prompt, key=write.key
    )
