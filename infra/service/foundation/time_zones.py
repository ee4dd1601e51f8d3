"""Names of time zones that people give: one check and one error for all of them."""

from __future__ import annotations

from infra.platform.errors import Invalid
from schemas.time_zones import is_time_zone


def check_time_zone(name: str) -> None:
    """Raises Invalid for what is no name of a time zone."""
    if not is_time_zone(name):
        raise Invalid(
            f"There is no time zone {name!r}: name one like Europe/Berlin or UTC.",
            code="timezone_unknown",
        )
