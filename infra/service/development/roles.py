"""Who drafts and who reviews: two models, of different families."""

from __future__ import annotations

from agents.development.errors import ConfigurationError
from agents.development.governed.coding import DRIVER_FAMILIES
from agents.development.profiles import Profile
from agents.models.call import ROLES
from agents.models.families import find_family
from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.service.models.file import read_models


def read_families(settings: Settings) -> tuple[str, str]:
    """The families of the models that draft and that review, first choices.

    Raises Conflict where no model has one of the roles, Invalid (`family_conflict` for one family
    in both) and Forbidden for a file that cannot be used.
    """
    configured = read_models(settings, with_keys=False)
    families = []
    for role in ROLES:
        names = configured.list_role(role)
        if not names:
            raise Conflict(
                f"No model is configured to {role}: name one in models.toml, in `tiers.{role}`.",
                code="role_missing",
                detail={"tier": role},
            )
        families.append(find_family(names[0]))
    drafter, reviewer = families
    return drafter, reviewer


def find_coder_family(profile: Profile, drafter_family: str) -> str:
    """The family of the model that writes code; without a name it is taken for the drafter's."""
    if profile.driver in DRIVER_FAMILIES:
        return DRIVER_FAMILIES[profile.driver]
    return find_family(profile.model) if profile.model else drafter_family


def check_coder(profile: Profile, drafter_family: str, reviewer_family: str) -> None:
    """Raises ConfigurationError where one family would write code and review it."""
    if find_coder_family(profile, drafter_family) == reviewer_family:
        raise ConfigurationError(
            f"family_conflict: profile {profile.name} writes code with a model of the family"
            f" {reviewer_family}, and that reviews it, too. Name another model in the profile, or"
            " for the tier review."
        )
