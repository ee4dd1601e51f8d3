"""What tools need of the rest of Cairn: the same functions that the API and the command line call.

Answers are plain JSON. A port refuses with ToolRefused, whose message the model and the user read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from agents.tools.tool import ToolContext

Json = Mapping[str, Any]


class ToolRefused(Exception):
    """What was asked cannot be done as asked; ``code`` is for programs."""

    def __init__(self, message: str, code: str = "refused") -> None:
        super().__init__(message)
        self.code = code


class LedgerPort(Protocol):
    async def search_ledger(
        self,
        project: str,
        query: str,
        *,
        kinds: Sequence[str],
        areas: Sequence[str],
        statuses: Sequence[str],
        limit: int,
    ) -> Json: ...

    async def read_atom(self, project: str, atom_id: str) -> Json: ...

    async def list_atoms(self, project: str, kind: str, limit: int) -> Sequence[Json]: ...

    async def list_contradictions(self, project: str) -> Sequence[Json]:
        """The open ones, the gravest first."""
        ...

    async def list_sources(self, project: str) -> Sequence[Json]: ...

    async def read_gaps(self, project: str) -> Json:
        """``areas`` of which the ledger holds too little, and ``sections`` of the PRD, each with
        ``title`` and ``gap``.
        """
        ...


class WorkPort(Protocol):
    async def list_items(self, project: str, artifact_type: str) -> Sequence[Json]:
        """The present artifacts of a type by number, with their sections; ``names`` are what
        people call the ids that stand in their plan.
        """
        ...

    async def search_items(
        self, project: str, types: Sequence[str], words: Sequence[str], *, offset: int, limit: int
    ) -> Json:
        """``items`` of these types that hold most of the words, each as ``item`` with its
        ``artifact_type``; ``total`` is how many hold one.
        """
        ...

    async def read_prd(self, project: str) -> Json: ...

    async def read_artifact(self, project: str, artifact_id: str) -> Json: ...

    async def list_members(self, project: str) -> Sequence[Json]: ...

    async def rank_members(self, project: str) -> Sequence[Json]:
        """For each task that is to be done, who can do it, the best first."""
        ...

    async def read_status(self, project: str) -> Json: ...

    async def read_costs(self, project: str) -> Json: ...

    async def list_jobs(self, project: str, status: str | None, limit: int) -> Sequence[Json]: ...


class ChangePort(Protocol):
    """What changes something: each request carries the idempotency key of its context."""

    async def request_report(
        self, context: ToolContext, report_type: str, as_of: str | None
    ) -> Json: ...

    async def request_generation(self, context: ToolContext, phase: str) -> Json: ...

    async def run_quality(self, context: ToolContext, artifact: str) -> Json: ...

    async def propose_rebalance(self, context: ToolContext, proposal: Json) -> Json:
        """``sprint_id``, ``imbalance`` and ``moves``; the answer is the record. Nothing moves."""
        ...

    async def schedule_work(self, context: ToolContext, request: str) -> Json:
        """``request`` names work and its times in words; ``items`` are the schedules that it takes,
        one where one can hold it.
        """
        ...

    async def save_source(self, context: ToolContext, title: str, text: str) -> Json:
        """Make a source of a text; ``path`` is its path, ``told`` says what becomes of it."""
        ...

    async def change_item(self, context: ToolContext, kind: str, change: Json) -> Json:
        """``kind``: task, feature or sprint_plan. ``op`` is create, update or delete, the last two
        of ``item_id``; the answer is the item as the tables show it, or ``accepted`` where they do
        not show it in time.
        """
        ...


class ResearchPort(Protocol):
    @property
    def can_research(self) -> bool:
        """Whether a service that searches the web is configured."""
        ...

    async def research(self, context: ToolContext, query: str) -> Json:
        """``findings``, each with ``text``, ``address`` and the day on which it was found."""
        ...


class Ports(LedgerPort, WorkPort, ChangePort, ResearchPort, Protocol):
    """All of them."""
