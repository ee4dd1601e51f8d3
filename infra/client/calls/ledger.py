# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Ledger."""

from __future__ import annotations

from typing import Literal

from infra.client import models
from infra.client.connection import Connection, Pages


class Ledger(Connection):
    def list_atoms(
        self,
        project: str,
        *,
        kind: str | None = None,
        status: Literal["draft", "active", "merged", "superseded", "obsolete", "dismissed"]
        | Literal["all"]
        | None = None,
        path: str | None = None,
        tag: str | None = None,
        min_confidence: float | None = None,
        order: Literal["worth", "age"] | None = None,
        updated_since: str | None = None,
        view: Literal["whole", "slim"] | None = None,
    ) -> Pages[models.ledger.Atom]:
        """Atoms with their evidence, most valuable first; live ones unless ``status`` is given.

        `status=all` with ``updated_since`` tells also what has gone. A slim one has no
        ``evidence``; ``evidence_count`` says how much there is.
        """
        return self._list(
            models.ledger.Atom,
            "/v1/projects/{project}/atoms",
            at={"project": project},
            query={
                "kind": kind,
                "status": status,
                "path": path,
                "tag": tag,
                "min_confidence": min_confidence,
                "order": order,
                "updated_since": updated_since,
                "view": view,
            },
        )

    def list_past_atoms(
        self,
        project: str,
        *,
        as_of_seq: int | None = None,
        as_of: str | None = None,
        kind: str | None = None,
        status: Literal["draft", "active", "merged", "superseded", "obsolete", "dismissed"]
        | Literal["all"]
        | None = None,
        tag: str | None = None,
        order: Literal["worth", "age"] | None = None,
    ) -> Pages[models.ledger.PastAtom]:
        """Atoms as they stood after change set ``as_of_seq``, or at ``as_of``; give one of both."""
        return self._list(
            models.ledger.PastAtom,
            "/v1/projects/{project}/ledger",
            at={"project": project},
            query={
                "as_of_seq": as_of_seq,
                "as_of": as_of,
                "kind": kind,
                "status": status,
                "tag": tag,
                "order": order,
            },
        )

    def search(
        self,
        project: str,
        *,
        q: str,
        kind: list[str] | None = None,
        area: list[str] | None = None,
        status: list[Literal["draft", "active", "merged", "superseded", "obsolete", "dismissed"]]
        | None = None,
        limit: int | None = None,
    ) -> models.ledger.Answer:
        """Passages and atoms that speak to a question, best first, each with its places."""
        return self._read(
            models.ledger.Answer,
            "/v1/projects/{project}/ledger/search",
            at={"project": project},
            query={"q": q, "kind": kind, "area": area, "status": status, "limit": limit},
        )

    def read_atom(self, project: str, atom_id: str) -> models.ledger.AtomDetail:
        """An atom with evidence, links and history."""
        return self._read(
            models.ledger.AtomDetail,
            "/v1/projects/{project}/atoms/{atom_id}",
            at={"project": project, "atom_id": atom_id},
        )

    def read_working_summary(self, project: str) -> models.ledger.WorkingSummary:
        """The digest of the ledger that readers of new chunks are given, with its gaps."""
        return self._read(
            models.ledger.WorkingSummary,
            "/v1/projects/{project}/working-summary",
            at={"project": project},
        )

    def list_links(self, project: str) -> Pages[models.ledger.Link]:
        """Links between atoms by id."""
        return self._list(
            models.ledger.Link, "/v1/projects/{project}/links", at={"project": project}
        )

    def list_contradictions(
        self,
        project: str,
        *,
        status: Literal["open", "escalated", "resolved", "dismissed", "all"] | None = None,
        updated_since: str | None = None,
        view: Literal["whole", "slim"] | None = None,
    ) -> Pages[models.ledger.ContradictionCard]:
        """Contradictions with both sides and what they affect, the gravest first.

        A slim one has neither quotes (``evidence``) nor ``affected_artifacts``.
        """
        return self._list(
            models.ledger.ContradictionCard,
            "/v1/projects/{project}/contradictions",
            at={"project": project},
            query={"status": status, "updated_since": updated_since, "view": view},
        )

    def list_past_contradictions(
        self,
        project: str,
        *,
        as_of: str | None = None,
        as_of_seq: int | None = None,
        status: Literal["open", "escalated", "resolved", "dismissed", "all"] | None = None,
    ) -> Pages[models.ledger.PastContradiction]:
        """Contradictions that had the status at ``as_of``, or after change set ``as_of_seq``, as
        they were, the gravest first; give one of both.
        """
        return self._list(
            models.ledger.PastContradiction,
            "/v1/projects/{project}/contradictions/past",
            at={"project": project},
            query={"as_of": as_of, "as_of_seq": as_of_seq, "status": status},
        )

    def list_merges(
        self,
        project: str,
        *,
        updated_since: str | None = None,
        view: Literal["whole", "slim"] | None = None,
    ) -> Pages[models.ledger.Merge]:
        """Merges in ledger order, then the pairs in review. A slim one has no bodies of
        statements.
        """
        return self._list(
            models.ledger.Merge,
            "/v1/projects/{project}/merge-candidates",
            at={"project": project},
            query={"updated_since": updated_since, "view": view},
        )

    def list_waiting(self, project: str) -> Pages[models.ledger.WaitingItem]:
        """What waits for a person's decision, and what it holds up."""
        return self._list(
            models.ledger.WaitingItem, "/v1/projects/{project}/waiting", at={"project": project}
        )

    def list_rejections(
        self,
        project: str,
        *,
        code: str | None = None,
        kind: str | None = None,
        path: str | None = None,
    ) -> Pages[models.ledger.Rejection]:
        """Refused candidates and refused rows of evidence, each with the rule that refused it."""
        return self._list(
            models.ledger.Rejection,
            "/v1/projects/{project}/rejections",
            at={"project": project},
            query={"code": code, "kind": kind, "path": path},
        )

    def trace(self, project: str, known_id: str) -> models.ledger.TraceNode:
        """From an id down to the evidence and the log, and up to the artifacts that cite it."""
        return self._read(
            models.ledger.TraceNode,
            "/v1/projects/{project}/trace/{known_id}",
            at={"project": project, "known_id": known_id},
        )

    def list_changes(
        self,
        project: str,
        *,
        since_seq: int | None = None,
        since: str | None = None,
        window: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> models.ledger.Changes:
        """What was added, removed, changed and decided after ``since_seq`` or ``since``, with
        the evidence; give one of both.

        Where ``next_cursor`` is there, more of the same answer follows. After it, and where
        ``to_seq`` is below ``head_seq``, ask again from there.
        """
        return self._read(
            models.ledger.Changes,
            "/v1/projects/{project}/changes",
            at={"project": project},
            query={
                "since_seq": since_seq,
                "since": since,
                "window": window,
                "cursor": cursor,
                "limit": limit,
            },
        )

    def read_position(self, project: str) -> models.ledger.LedgerPosition:
        """The last change set of the ledger, and when it was recorded."""
        return self._read(
            models.ledger.LedgerPosition, "/v1/projects/{project}/position", at={"project": project}
        )
