"""What stands before and behind an atom in a list of atoms: where a review goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from projections.read.atoms import NOW, AtomFilter, Order, filter_atoms
from projections.read.page import cursors_of, page_of
from projections.read.session import Conn, ReadModel


class Neighbours(ReadModel):
    """Their ids; None at an end of the list."""

    previous: str | None
    following: str | None


def find_neighbours(
    connection: Conn,
    project_id: str,
    atom_id: str,
    *,
    order: Order = "worth",
    **only: Unpack[AtomFilter],
) -> Neighbours:
    """The two beside an atom in the list that `atoms` makes of the same filters.

    The atom itself need not meet them (any more): its place in the order counts. An atom that there
    is not has no neighbours.
    """
    listing = replace(NOW[order], columns="a.atom_id")
    here = [("a.project_id = %s", project_id), ("a.atom_id = %s", atom_id)]
    cursors = cursors_of(connection, listing, here)
    if cursors is None:
        return Neighbours(previous=None, following=None)
    conditions = filter_atoms(project_id, only)

    def find_beside(cursor: str, *, backwards: bool) -> str | None:
        records, _ = page_of(connection, listing, conditions, cursor, 1, backwards=backwards)
        return records[0]["atom_id"] if records else None

    before, behind = cursors
    return Neighbours(
        previous=find_beside(before, backwards=True),
        following=find_beside(behind, backwards=False),
    )
