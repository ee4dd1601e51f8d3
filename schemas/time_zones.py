"""Which names of time zones there are."""

from __future__ import annotations

from zoneinfo import ZoneInfo, available_timezones


def is_time_zone(name: str) -> bool:
    """Whether times can be told by it: a name of the IANA database, such as ``Europe/Berlin``.

    The list alone does not say so: it holds what stands in a folder of zones, whatever that is.
    """
    if name not in available_timezones():
        return False
    try:
        ZoneInfo(name)
    except (OSError, ValueError):
        return False
    return True
