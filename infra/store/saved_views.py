"""Views of a project that somebody has saved under a name.

They are rows of whoever signed in, so that another browser has them too; what was last seen and the
theme are cookies, since a browser may lose those. Decided against: events. A view says nothing of
the project, and the log of a project is kept for ever and read by all of it.
"""

from __future__ import annotations

from psycopg.errors import UniqueViolation

from infra.platform.errors import Conflict, Invalid, NotFound
from projections.read.session import Conn, ReadModel, rows, select

MOST_VIEWS = 50
LONGEST_NAME, LONGEST_PLACE = 60, 2_000


class SavedView(ReadModel):
    """``place`` is the address below that of the project."""

    name: str
    place: str


def list_views(connection: Conn, project_id: str, token_id: str) -> list[SavedView]:
    """All of this person, by name."""
    return select(
        connection,
        SavedView,
        "SELECT name, place FROM saved_views WHERE project_id = %s AND token_id = %s"
        " ORDER BY lower(name), name",
        *(project_id, token_id),
    )


def save_view(connection: Conn, project_id: str, token_id: str, view: SavedView) -> None:
    """Keep a view; one of the same name is replaced. Raises Invalid, Conflict for one too many."""
    name = _check_name(view.name)
    if len(view.place) > LONGEST_PLACE:
        raise Invalid("This view has too many filters to be saved.", code="view_too_long")
    views = list_views(connection, project_id, token_id)
    if len(views) >= MOST_VIEWS and name not in {it.name for it in views}:
        raise Conflict(
            f"You have {MOST_VIEWS} views of this project: remove one first.",
            code="too_many_views",
        )
    rows(
        connection,
        "INSERT INTO saved_views (project_id, token_id, name, place) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (project_id, token_id, name)"
        " DO UPDATE SET place = excluded.place, saved_at = now() RETURNING name",
        *(project_id, token_id, name, view.place),
    )


def rename_view(connection: Conn, project_id: str, token_id: str, name: str, new: str) -> None:
    """Raises NotFound, Invalid, Conflict for a name that another view has."""
    try:
        found = rows(
            connection,
            "UPDATE saved_views SET name = %s WHERE project_id = %s AND token_id = %s AND name = %s"
            " RETURNING name",
            *(_check_name(new), project_id, token_id, name),
        )
    except UniqueViolation as error:
        raise Conflict(f"You have a view “{new.strip()}” already.", code="view_named_so") from error
    _check_found(found, name)


def remove_view(connection: Conn, project_id: str, token_id: str, name: str) -> None:
    """Raises NotFound."""
    found = rows(
        connection,
        "DELETE FROM saved_views WHERE project_id = %s AND token_id = %s AND name = %s"
        " RETURNING name",
        *(project_id, token_id, name),
    )
    _check_found(found, name)


def _check_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Invalid(
            f"A view needs a name of at most {LONGEST_NAME} characters.", code="no_name_of_view"
        )
    return name


def _check_found(found: list[dict[str, object]], name: str) -> None:
    if not found:
        raise NotFound(f"You have no view “{name}”.", code="unknown_view")
