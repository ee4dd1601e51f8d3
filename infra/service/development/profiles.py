"""Profiles of agents that write code: list them, add one, choose the one that is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from agents.development.ports import DriverName as DriverName
from agents.development.profiles import DEFAULT_NAME, Profile
from agents.development.profiles import MOST_ALLOWED as MOST_ALLOWED
from agents.development.profiles import SandboxName as SandboxName
from agents.development.profiles import TrackerName as TrackerName
from infra.platform.errors import Conflict, Invalid
from infra.platform.files import write_whole
from infra.platform.settings import Settings
from infra.service.development.profile_file import (
    Profiles,
    append_profile,
    code_of,
    explain,
    parse_profiles,
    read_text,
    write_use,
)
from projections.read.session import ReadModel


class ProfileState(ReadModel):
    """A profile; ``is_used``: it is taken where nobody names one. ``is_built_in``: it stands in no
    file, and one of the same name in the file takes its place.
    """

    profile: Profile
    is_used: bool
    is_built_in: bool


def read_profiles(settings: Settings) -> Profiles:
    """Raises Invalid, Forbidden for a file that is unfit."""
    path = settings.profiles_file
    return parse_profiles(path, read_text(path))


def find_profile(settings: Settings, name: str | None = None) -> Profile:
    """The profile of that name; None: the one that is used. Raises NotFound, Invalid, Forbidden."""
    return read_profiles(settings).find(name)


def list_profiles(settings: Settings) -> list[ProfileState]:
    """Raises Invalid, Forbidden for a file that is unfit."""
    profiles = read_profiles(settings)
    return [
        ProfileState(
            profile=profile,
            is_used=profile.name == profiles.used,
            is_built_in=profiles.has_built_in and profile.name == DEFAULT_NAME,
        )
        for profile in profiles.all
    ]


def build_profile(values: Mapping[str, Any]) -> Profile:
    """Raises Invalid, also for a driver that cannot work in the sandbox."""
    try:
        return Profile.model_validate(dict(values))
    except ValidationError as error:
        raise Invalid(
            f"The profile is not right: {explain(error)}.", code=code_of(error)
        ) from error


def add_profile(settings: Settings, profile: Profile) -> list[ProfileState]:
    """Add a profile to the file. Raises Conflict for a name that is taken, Invalid, Forbidden."""
    path = settings.profiles_file
    text = read_text(path)
    taken = {state.profile.name for state in list_profiles(settings) if not state.is_built_in}
    if profile.name in taken:
        raise Conflict(
            f"There is a profile {profile.name} already: edit it in profiles.toml of CAIRN_HOME.",
            code="profile_exists",
        )
    write_whole(path, append_profile(path, text, profile), mode=0o600)
    return list_profiles(settings)


def use_profile(settings: Settings, name: str) -> list[ProfileState]:
    """Have a profile taken where nobody names one. Raises NotFound, Invalid, Forbidden."""
    find_profile(settings, name)
    path = settings.profiles_file
    write_whole(path, write_use(path, read_text(path), name), mode=0o600)
    return list_profiles(settings)
