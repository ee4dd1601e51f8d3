"""The ledger's reasons against a decision as errors: the same before it is published and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infra.platform.errors import Conflict, Forbidden, Invalid, NotFound, Refusal
from projections.read.decision_words import REFUSALS

# What kind of error each of the ledger's reasons is.
KINDS: Mapping[str, type[Refusal]] = {
    "unknown_target": NotFound,
    "role_may_only_propose": Forbidden,
    "not_own_proposal": Forbidden,
    "rationale_too_short": Invalid,
    "rationale_missing": Invalid,
    "resolution_kind_missing": Invalid,
    "record_too_large": Invalid,
    "undecidable": Invalid,
}
# What is told besides about the target as it is now.
DETAILS: Mapping[str, str] = {
    "stale_revision": " (it is at revision {revision} now)",
    "not_live": " (it is {status})",
    "not_dismissed": " (it is {status})",
    "not_merged": " (it is {status})",
    "decided_since": "{later}",
}


def refusal_of(
    code: str,
    target_id: str,
    *,
    now: Mapping[str, Any],
    later: str,
    detail: Mapping[str, Any],
    is_proposal: bool = False,
) -> Refusal:
    """The error of a reason of the ledger; ``now`` is the target as far as it is known, ``later``
    names the last decision about it.
    """
    because = REFUSALS[code] + DETAILS.get(code, "").format_map(
        {"revision": "?", "status": "unknown"} | dict(now) | {"later": later}
    )
    if code == "stale_revision" and is_proposal:
        because = because.replace("looked at", "proposed")
    kind = KINDS.get(code, Conflict)
    return kind(f"{target_id} was not decided: {because}.", code=code, detail=detail)
