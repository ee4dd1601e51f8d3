"""What the owner writes into a section is read line by line, each line for itself."""

from __future__ import annotations

import pytest

from agents.offline.reader import drafts_of
from schemas.edited_artifacts import render_sentences
from schemas.events.hygiene import ChunkCreated
from schemas.events.source import SourceInfo
from streams.hygiene.stage import clean

LABELS = "Labels are printed by the kiosk."
FLOOD = "A flood of the harbour destroys the paper labels."
STRIKE = "A strike of the drivers leaves parcels in the depot for weeks."


def chunk_of(title: str, *sentences: str, source_type: str = "edited_artifact") -> ChunkCreated:
    path = f"{title.lower().replace(' ', '_')}.md"
    source = SourceInfo.model_validate(
        {
            "source_id": "src_1",
            "connector": "artifact_edit",
            "root": "artifacts/prd",
            "external_ref": f"artifacts/prd@{path}",
            "path": path,
            "title": f"PRD: {title}",
            "source_type": source_type,
            "priority_tier": 1,
        }
    )
    (chunk,) = clean(source, render_sentences(title, sentences).encode()).chunks
    return chunk


def read(title: str, *sentences: str) -> list[tuple[str, str]]:
    return [(draft.kind, draft.title) for draft in drafts_of(chunk_of(title, *sentences))]


@pytest.mark.parametrize(
    ("title", "sentence", "kind"),
    [
        ("Risks", STRIKE, "claim"),
        ("Users", "Drivers scan parcels at the depot.", "claim"),
        ("Goals", "Every parcel is found within a second.", "requirement"),
        ("Solution overview", LABELS, "claim"),
        ("Success metrics", "Lost parcels fall by half within a year.", "claim"),
        ("Functional requirements", "The gateway must log every scan.", "requirement"),
        ("Architecture decisions", "We use Redis for sessions.", "decision"),
        ("Open questions", "Who pays for lost parcels?", "unknown"),
    ],
)
def test_a_single_sentence_is_read_and_the_title_of_its_section_is_not_its_subject(
    title, sentence, kind
):
    assert read(title, sentence) == [(kind, sentence.removesuffix("."))]


def test_a_further_line_changes_nothing_of_those_before_it():
    assert read("Risks", STRIKE, FLOOD) == [*read("Risks", STRIKE), *read("Risks", FLOOD)]


def test_every_draft_quotes_its_own_line():
    chunk = chunk_of("Solution overview", LABELS, STRIKE, FLOOD)
    quoted = [chunk.text_payload[slice(*draft.spans[0])] for draft in drafts_of(chunk)]
    assert quoted == [LABELS, STRIKE, FLOOD]


@pytest.mark.parametrize("said", ["See above.", "Fewer lost parcels.", "TODO"])
def test_what_states_nothing_is_left_alone(said):
    assert read("Goals", said) == []


def test_a_list_in_any_other_document_is_read_as_before():
    chunk = chunk_of("Risks", STRIKE, source_type="doc")
    assert drafts_of(chunk) == []
