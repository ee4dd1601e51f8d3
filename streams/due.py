"""Projects with something to decide: they take turns, so that none waits for another's backlog.

Only the order between projects depends on it, which means nothing: each has records of its own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable


class DueProjects:
    """The first project is next; one that had its turn goes to the end."""

    def __init__(self, projects: Iterable[str] = ()) -> None:
        self._waiting = OrderedDict.fromkeys(sorted(projects))

    def add(self, project: str) -> None:
        """One that waits already keeps its place."""
        self._waiting.setdefault(project)

    def first(self) -> str | None:
        return next(iter(self._waiting), None)

    def had_its_turn(self, project: str) -> None:
        """Its decision is folded; it waits again until `discard` says that nothing is left."""
        self.add(project)
        self._waiting.move_to_end(project)

    def discard(self, project: str) -> None:
        """It has nothing to decide until it is added again."""
        self._waiting.pop(project, None)
