"""The pseudonym of a person: the same everywhere in a project, and nowhere else.

It is also the subject of the person's data key. So key, testimony and sources from project channels
end together when the person is erased, and no table names the person.
"""

from __future__ import annotations

from collections.abc import Callable

PSEUDONYM_DIGITS = 16

# project id, text -> a keyed hash (`infra.platform.vault.Vault.mark`)
Mark = Callable[[str, str], str]


def pseudonym_of(mark: Mark, project_id: str, service: str, member_id: str) -> str:
    """``p_`` and 16 hex digits. Raises what ``mark`` raises."""
    return f"p_{mark(project_id, f'member|{service}|{member_id}')[:PSEUDONYM_DIGITS]}"
