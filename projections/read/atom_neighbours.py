"""What stands before and behind an atom in a list of atoms: where a review goes on."""

from __future__ import annotations

from dataclasses import replace

from projections.read.atoms import NOW, Order, conditions_of
from projections.read.page import cursor_of, page_of
from projections.read.session import Conn, ReadModel


class Neighbours(ReadModel):
    """Their ids; None at an end of the list."""

    previous: str | None
    following: str | None


def neighbours(
    connection: Conn,
    project_id: str,
    atom_id: str,
    *,
    kind: str | None = None,
    status: str | None = None,
    source: str | None = None,
    area: str | None = None,
    min_confidence: float | None = None,
    order: Order = "worth",
) -> Neighbours:
    """The two beside an atom in the list that `atoms` makes of the same filters.

    The atom itself need not meet them (any more): its place in the order counts. An atom that there
    is not has no neighbours.
    """
    listing = replace(NOW[order], columns="a.atom_id")
    here = [("a.project_id = %s", project_id), ("a.atom_id = %s", atom_id)]
    conditions = conditions_of(
        project_id,
        kind=kind,
        status=status,
        source=source,
        area=area,
        min_confidence=min_confidence,
    )

    def beside(*, backwards: bool) -> str | None:
        cursor = cursor_of(connection, listing, here, backwards=backwards)
        if cursor is None:
            return None
        found, _ = page_of(connection, listing, conditions, cursor, 1, backwards=backwards)
        return str(found[0]["atom_id"]) if found else None

    return Neighbours(previous=beside(backwards=True), following=beside(backwards=False))
