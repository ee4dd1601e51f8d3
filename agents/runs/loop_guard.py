"""What keeps a loop of tool calls sane: repeats and failures are told, and then they end it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

WARN_IDENTICAL, END_IDENTICAL = 2, 5
WARN_FAILURES, END_FAILURES = 3, 8  # of one tool; of all
# Errors of calls that were not made, through no fault of the model. Who asks again for what a
# person has declined gets another one.
DECLINED, PUT_OFF, DECLINED_BEFORE = "declined", "too_many_calls", "declined_before"
NOT_COUNTED = frozenset((DECLINED, PUT_OFF))


def name_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """The same call has the same name."""
    return f"{tool} {json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)}"


@dataclass(slots=True)
class LoopGuard:
    """Counts the calls of one turn."""

    calls: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)

    def take(self, call: str, tool: str, error: str | None) -> None:
        """A call and what came of it. ``error``: the code of its error; None: it went well."""
        if error in NOT_COUNTED:
            return
        self.calls[call] += 1
        if error is not None:
            self.failures[tool] += 1

    def ends(self) -> bool:
        most = max(self.calls.values(), default=0)
        return most >= END_IDENTICAL or self.failures.total() >= END_FAILURES

    def warn(self, call: str, tool: str) -> str:
        """What the model is told beside a result; empty as long as nothing repeats."""
        notes = []
        if self.calls[call] >= WARN_IDENTICAL:
            notes.append(f"You have made this call {self.calls[call]} times.")
        if self.failures[tool] >= WARN_FAILURES:
            notes.append(f"{tool} has failed {self.failures[tool]} times.")
        return " ".join([*notes, "Do something else, or answer."]) if notes else ""
