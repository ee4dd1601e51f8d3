"""Publish what a person wrote into the PRD as a source, so that it is read like any other.

Only sentences that an edit added or changed are sent: what was written from atoms is no evidence
for them. The same edit again publishes the same facts.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from infra.platform.clock import SystemClock
from infra.platform.errors import NotFound, Unavailable
from infra.platform.settings import Settings
from infra.service.foundation.database import wait_for
from infra.service.foundation.publishing import redactor_of
from infra.service.models.engines import choose_engine
from projections.read import sources
from projections.read.artifact_list import VersionDetail, read_version
from projections.read.artifacts import CitingSection, Edit
from projections.read.atoms import find_quotes_of_source_alone
from projections.read.session import Conn
from schemas.edited_artifacts import source_id_of_section
from schemas.ids import sha256_hex

if TYPE_CHECKING:
    from connectors.edited_artifact import EditedSection

SHOWN_WITHIN_S = 30.0


def trigger_key_of(edit: Edit) -> str:
    """The key of the ingestion that an edit of the PRD starts."""
    return f"edit|{edit.request_event_id}"


async def publish_edited_sources(settings: Settings, project_id: str, edit: Edit) -> None:
    """Send the sentences of the edited sections to be read, where they are others than before.

    Raises Unavailable; the same edit again continues.
    """
    from connectors.edited_artifact import list_sections
    from connectors.feeder import FeedOrder, InFlightWindow, feed
    from connectors.runner import open_publish
    from infra.platform.vault import vault_of
    from schemas.envelope import Actor

    def read(tables: Conn) -> list[EditedSection] | None:
        return read_changed_sections(tables, project_id, edit)

    changed = await wait_for(settings, read, timeout_s=SHOWN_WITHIN_S)
    if changed is None:
        raise Unavailable(
            "The PRD is changed, but its new version cannot be read yet: send the same edit with"
            " the same idempotency key again, or what was written is not read as a source.",
            code="edit_not_shown",
        )
    if not changed:
        return
    vault, editor = vault_of(settings), Actor(type="human", id=edit.editor)
    assert edit.answered_at
    order = FeedOrder(
        project_id,
        trigger_key_of(edit),
        editor,
        edit.answered_at,
        lanes=("deep",),
        trigger="edit",
        engine=choose_engine(settings),
    )
    async with open_publish(settings, SystemClock(), redactor_of(settings)) as publish:
        await feed(
            list_sections(changed),
            order,
            publish=publish,
            encrypt=lambda content, owner: vault.encrypt(project_id, content, owner),
            last_accepted={},
            window=InFlightWindow(),
            again=False,
        )


def read_changed_sections(tables: Conn, project_id: str, edit: Edit) -> list[EditedSection] | None:
    """The edited sections whose sentences have to be read; None while the version is not shown."""
    from connectors.edited_artifact import EditedSection

    with suppress(NotFound):
        now = read_version(tables, project_id, edit.artifact_id, edit.version)
        before = read_version(tables, project_id, edit.artifact_id, edit.expected_version)
        assert edit.answered_at
        found = []
        for section_id in edit.section_ids:
            section = _find(now, section_id)
            edited = EditedSection(
                section_id=section_id,
                title=section.title,
                sentences=_list_sentences(tables, project_id, section),
                artifact_id=edit.artifact_id,
                version=edit.version,
                edited_at=edit.answered_at,
            )
            if _is_news(tables, project_id, edited, _find(before, section_id)):
                found.append(edited)
        return found
    return None


def _find(version: VersionDetail, section_id: str) -> CitingSection:
    (found,) = [one for one in version.sections if one.section_id == section_id]
    return found


def _list_sentences(tables: Conn, project_id: str, section: CitingSection) -> tuple[str, ...]:
    """What people wrote, also where it stands there in the words of the atoms read out of it."""
    source_id = source_id_of_section(project_id, section.section_id)
    cited = [one.atom_id for said in section.statements for one in said.citations]
    quotes = find_quotes_of_source_alone(tables, project_id, source_id, cited)
    sentences: list[str] = []
    for statement in section.statements:
        if statement.written_by is not None:
            sentences.append(statement.text)
        else:
            atoms = [one.atom_id for one in statement.citations]
            sentences += [quote for one in atoms for quote in quotes.get(one, [])]
    return tuple(dict.fromkeys(sentences))


def _is_news(tables: Conn, project_id: str, edited: EditedSection, before: CitingSection) -> bool:
    """Whether what is stored, or was sent for the version before, says anything else."""
    source_id = source_id_of_section(project_id, edited.section_id)
    stored = {
        row["raw_sha256"] for row in sources.list_stored_sources(tables, project_id, [source_id])
    }
    same_as_before = _list_sentences(tables, project_id, before) == edited.sentences
    if not stored:
        return bool(edited.sentences) or not same_as_before
    return stored != {sha256_hex(edited.content)} or not same_as_before
