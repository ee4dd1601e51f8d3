"""Atoms as resources: `cairn://atom/{id}`."""

from __future__ import annotations

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from infra.mcp.pages import MOST_TOKENS, bad_cursor
from infra.mcp.text import CLOSE, OPEN, cut
from infra.mcp.tools import GetAtom, get_atom
from infra.platform.errors import NotFound
from infra.service.foundation.connections import ProjectTables
from projections.read.atoms import list_atoms

PREFIX = "cairn://atom/"
PLAIN = "text/plain"
LISTED, PAGES = 20, 5  # clients ask for all pages at once: the rest is found by `search`
NAME = 40  # tokens
TEMPLATES = ListResourceTemplatesResult(
    resource_templates=[
        ResourceTemplate(
            name="atom",
            uri_template=f"{PREFIX}{{id}}",
            description="A statement of the ledger with evidence, links and history.",
            mime_type=PLAIN,
        )
    ]
)


async def list_resources(tables: ProjectTables, cursor: str | None) -> ListResourcesResult:
    """A page of the most valuable live atoms. Raises Invalid for a bad cursor."""
    number, _, place = (cursor or "1.").partition(".")
    if number not in map(str, range(1, PAGES + 1)):
        raise bad_cursor()
    page = await tables.ask(list_atoms, cursor=place or None, limit=LISTED)
    is_last = page.next_cursor is None or int(number) == PAGES
    return ListResourcesResult(
        resources=[
            Resource(
                name=f"{atom.kind} {atom.atom_id}",
                title=f"{OPEN}{cut(atom.title, NAME)}{CLOSE}",  # in the words of others
                uri=PREFIX + atom.atom_id,
                mime_type=PLAIN,
            )
            for atom in page.items
        ],
        next_cursor=None if is_last else f"{int(number) + 1}.{page.next_cursor}",
    )


async def read_resource(tables: ProjectTables, uri: str) -> ReadResourceResult:
    """Raises NotFound for what is no atom of the project."""
    known_id = uri.removeprefix(PREFIX)
    if known_id == uri or not 0 < len(known_id) <= 200:
        raise NotFound(f"A resource of this server is called {PREFIX} and the id of an atom.")
    asked = GetAtom(atom_id=known_id, max_tokens=MOST_TOKENS)
    answered = await get_atom(tables, asked)
    return ReadResourceResult(
        contents=[TextResourceContents(uri=uri, mime_type=PLAIN, text=answered.text)]
    )
