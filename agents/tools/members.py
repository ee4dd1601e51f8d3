"""Which member of the team is meant."""

from __future__ import annotations

from collections.abc import Sequence

from agents.tools.ports import Json, ToolRefused


def find_member(members: Sequence[Json], name: str) -> Json:
    """The member with this id, or the only one with this name. Raises ToolRefused."""
    wanted = " ".join(name.lower().split())
    matches = [
        member
        for member in members
        if wanted in (member["name"].lower(), member["member_id"].lower())
    ]
    if len(matches) == 1:
        return matches[0]
    names = ", ".join(f"{match['name']} [{match['member_id']}]" for match in matches or members)
    if matches:
        raise ToolRefused(
            f"{len(matches)} members are called {name!r}: name one by id, {names}.",
            "unknown_member",
        )
    raise ToolRefused(
        f"There is no member {name!r}; there are: {names or 'none yet'}.", "unknown_member"
    )
