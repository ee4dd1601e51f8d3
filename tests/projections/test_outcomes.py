"""Each place of a text with the atom or the refusal that quotes it."""

from __future__ import annotations

import pytest

from infra.platform.errors import Conflict, NotFound
from projections.read.outcomes import list_chunks, list_quoted, read_source
from tests.projections.builders import PROJECT
from tests.projections.conftest import ReadModel
from tests.projections.log import README, a_whole_story, records_in
from tests.projections.test_folding import projected
from tests.whole.changing import Project
from tests.worlds import PROJECT as WHOLE


def test_a_source_has_its_text_its_chunks_and_what_quotes_them(model: ReadModel):
    model.fold(projected(a_whole_story()))
    source = read_source(model.connection, PROJECT, "README.md")
    assert (source.path, source.text, source.reason) == ("README.md", README, None)
    chunks = list_chunks(model.connection, source)
    assert all(chunk.place for chunk in chunks)
    assert [README[it.char_start : it.char_end].strip() for it in chunks] == README.strip().split(
        "\n\n"
    )
    by_title = {it.title: it for it in list_quoted(model.connection, source)}
    tokens = by_title["Auth uses JWT tokens"]
    assert (tokens.result, tokens.kind, tokens.status) == ("atom", "claim", "active")
    assert "JWT" in README[tokens.char_start : tokens.char_end]
    refused = by_title["Too short"]
    assert (refused.result, refused.because) == ("refused", "F1 too_short")


def test_a_path_that_is_none_names_those_that_are_alike(model: ReadModel):
    model.fold(projected(a_whole_story()))
    with pytest.raises(NotFound, match="no source at auth.md; alike are docs/auth.md"):
        read_source(model.connection, PROJECT, "auth.md")


def test_of_two_roots_with_the_path_one_must_be_named(model: ReadModel):
    model.fold(projected(a_whole_story()))
    model.connection.execute(
        "INSERT INTO sources (source_id, project_id, root, path)"
        " VALUES ('src_two', %s, 'other', 'README.md')",
        (PROJECT,),
    )
    with pytest.raises(Conflict, match="demo:README.md, other:README.md"):
        read_source(model.connection, PROJECT, "README.md")
    assert read_source(model.connection, PROJECT, "demo:README.md").root == "demo"


def test_what_was_merged_names_the_atom_that_took_it_in(model: ReadModel):
    said = (
        "The probe of the load balancer must give up after 90 seconds without an answer of the pod."
    )
    pages = {
        "docs/a.md": f"# Reports\n\n{said}\n".encode(),
        "docs/b.md": f"# Reports\n\n{said.replace('90 seconds', '90 s')}\n".encode(),
    }
    project = Project().ingest(pages)
    model.fold(records_in(project.driver))
    found = [
        quoted
        for path in pages
        for quoted in list_quoted(model.connection, read_source(model.connection, WHOLE, path))
        if quoted.kind == "requirement"
    ]
    assert sorted(it.result for it in found) == ["atom", "merged"]
    (merged,) = [it for it in found if it.result == "merged"]
    assert merged.because.endswith("was merged into it")
    assert len({it.about for it in found}) == 1
