"""What a person wrote into an artifact, as sources that are published like those of a service.

A revision is ordered by the time at which the edit was accepted, so that of two edits at once the
later one stays, whoever publishes first. A section without a person's words is sent empty: stage 0
skips it, and what rested on it is settled as for any source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from connectors.connector import Item, Listing
from connectors.publishing import mark_of
from schemas.edited_artifacts import CONNECTOR, ROOT, path_of_section, render_sentences


@dataclass(frozen=True, slots=True)
class EditedSection:
    """The sentences of a section that people wrote, as of a version of its artifact."""

    section_id: str
    title: str
    sentences: tuple[str, ...]
    artifact_id: str
    version: int
    edited_at: datetime

    @property
    def content(self) -> bytes:
        return render_sentences(self.title, self.sentences).encode()


def list_sections(edited: Sequence[EditedSection]) -> Listing:
    """The sections as a listing for the feeder. Its revisions name artifact and version."""
    return Listing(
        root=ROOT,
        complete=False,
        items=tuple(_item(edited_section) for edited_section in edited),
        connector=CONNECTOR,
    )


def _item(edited: EditedSection) -> Item:
    content = edited.content
    return Item(
        path=path_of_section(edited.section_id),
        size_bytes=len(content),
        fetch=lambda: content,
        source_time=edited.edited_at,
        revision_ref=(
            f"{mark_of(edited.edited_at)} {edited.artifact_id} version {edited.version}"
            f" section {edited.section_id}"
        ),
        source_type="edited_artifact",
        title=f"PRD: {edited.title}",
    )
