"""Which member of the team is meant."""

from __future__ import annotations

from collections.abc import Sequence

from agents.tools.ports import Json, ToolRefused


def find_member(members: Sequence[Json], name: str) -> Json:
    """The member with this id, or the only one with this name. Raises ToolRefused."""
    wanted = " ".join(name.lower().split())
    found = [one for one in members if wanted in (one["name"].lower(), one["member_id"].lower())]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{one['name']} [{one['member_id']}]" for one in found or members)
    if found:
        raise ToolRefused(
            f"{len(found)} members are called {name!r}: name one by id, {known}.", "unknown_member"
        )
    raise ToolRefused(
        f"There is no member {name!r}; there are: {known or 'none yet'}.", "unknown_member"
    )
