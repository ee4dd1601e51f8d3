"""From a folder to a cited PRD, as a user, an auditor and a downstream consumer see it."""

import io
import json
from pathlib import Path
from typing import Any

import fastavro
import psycopg
import pytest

import schemas
from projections.read import lineage, session
from projections.read.projects import find_project
from schemas.codec import decode, fingerprint
from schemas.events.hygiene import SourceSanitized
from schemas.events.ledger import AtomRecord
from schemas.ids import chunk_id
from schemas.worth import worth
from tests.end_to_end.looking import everything, records
from tests.service import COMMAND_PATIENCE_S

pytestmark = pytest.mark.broker


def prd_of(backbone):
    return json.loads(
        backbone.cairn.run("show", "prd", "--project", backbone.project, "--format", "json")
    )


def sanitized_texts(backbone):
    """Sanitized hash to text, from the topic."""
    parts: dict[str, dict[int, str]] = {}
    for _, value in records(backbone.cairn, "hygiene.v1"):
        event = decode(value).event
        if isinstance(event, SourceSanitized):
            parts.setdefault(event.sanitized_hash, {})[event.part_index] = event.text
    return {
        known: "".join(text for _, text in sorted(found.items())) for known, found in parts.items()
    }


def test_the_prd_has_at_least_eight_filled_sections(backbone):
    filled = [section for section in prd_of(backbone)["sections"] if section["statements"]]
    assert len(filled) >= 8


def test_every_statement_cites_live_atoms_whose_quotes_stand_at_their_offsets(backbone):
    texts = sanitized_texts(backbone)
    atoms = {a["atom_id"]: a for a in backbone.cairn.json("atoms", "--project", backbone.project)}
    statements = [s for section in prd_of(backbone)["sections"] for s in section["statements"]]
    assert statements
    for statement in statements:
        assert statement["citations"]
        for citation in statement["citations"]:
            atom = atoms[citation["atom_id"]]
            assert atom["status"] in ("active", "draft")
            assert atom["evidence"]
            for row in atom["evidence"]:
                text = texts[row["sanitized_hash"]]
                assert text[row["char_start"] : row["char_end"]] == row["snippet"]


def test_no_statement_stands_twice(backbone):
    texts = [s["text"] for section in prd_of(backbone)["sections"] for s in section["statements"]]
    assert len(texts) == len(set(texts))


def test_atoms_are_listed_the_best_first_or_the_oldest(backbone):
    def listed(*order: str) -> list[AtomRecord]:
        found = backbone.cairn.json("atoms", "--project", backbone.project, *order)
        return [
            AtomRecord.model_validate({name: atom[name] for name in AtomRecord.model_fields})
            for atom in found
        ]

    best, oldest = listed(), listed("--order", "age")
    assert best == sorted(oldest, key=lambda atom: -worth(atom))
    assert oldest == sorted(best, key=lambda atom: (atom.first_seq, atom.atom_id))
    assert best != oldest


def test_every_kind_of_atom_is_found(backbone):
    kinds = {a["kind"] for a in backbone.cairn.json("atoms", "--project", backbone.project)}
    assert kinds == {
        "claim",
        "decision",
        "requirement",
        "risk",
        "unknown",
        "entity",
        "action_item",
        "domain_signal",
    }


def test_the_run_record_is_complete(backbone):
    preview, deep = backbone.cairn.json("runs", "--project", backbone.project)
    assert (preview["lane"], preview["stop_reason"]) == ("preview", "mandatory_set_covered")
    assert (deep["lane"], deep["stop_reason"]) == ("deep", "exhausted")
    for run in (preview, deep):
        assert run["first_atom_ms"] >= 0
        assert run["prd_v0_ms"] >= 0
        assert run["features_v0_ms"] >= 0
        assert run["last_successful_chunk_id"].startswith("chk_")
        assert run["tokens"] > 0
        assert run["versions"]["fingerprint_version"] == "1"


def test_each_file_that_was_not_read_has_a_reason(backbone):
    with psycopg.connect(backbone.cairn.settings_now().conninfo) as connection:
        rows: dict[str, str] = dict(
            connection.execute(
                "SELECT path, skip_reason FROM cairn.sources"
                " JOIN cairn.projects p USING (project_id)"
                " WHERE skip_reason IS NOT NULL AND p.name = %s",
                (backbone.project,),
            ).fetchall()
        )
    assert rows["docs/logo.png"] == "binary"
    assert rows["yarn.lock"] == "lockfile"
    assert {rows.get("docs/glossary.rst"), rows.get("docs/glossary-copy.rst")} == {
        None,
        "duplicate_content",
    }


def test_planted_secrets_stand_in_no_topic_no_table_and_no_log(backbone):
    places = everything(backbone.cairn)
    assert places["topic hygiene.v1"]
    assert any(b"REDACTED" in held for held in places.values())
    for secret in backbone.secrets:
        assert [place for place, held in places.items() if secret.encode() in held] == []


def test_a_consumer_with_another_library_builds_the_same_prd_from_the_latest_topic(backbone):
    files = [json.loads(f.read_text()) for f in Path(schemas.__file__).parent.rglob("*.avsc")]
    known = {fingerprint(schema): schema for schema in files}
    latest: dict[bytes, Any] = {}
    for key, value in records(backbone.cairn, "artifact.latest.v1"):
        schema = known[value[2:10]]
        latest[key] = fastavro.schemaless_reader(io.BytesIO(value[10:]), schema, None)
    snapshots = [artifact["payload"]["snapshot"] for artifact in latest.values()]
    shown = prd_of(backbone)
    (snapshot,) = [one for one in snapshots if one["artifact_id"] == shown["artifact_id"]]
    assert snapshot["version"] == shown["version"]
    assert snapshot["content_hash"] == shown["content_hash"]
    assert [s["section_id"] for s in snapshot["sections"]] == [
        s["section_id"] for s in shown["sections"]
    ]


@pytest.mark.parametrize("kind", ["insights", "epics", "features"])
def test_every_statement_of_an_item_leads_to_live_atoms_and_their_places(backbone, kind):
    items = backbone.cairn.json("show", kind, "--project", backbone.project)
    live = {a["atom_id"] for a in backbone.cairn.json("atoms", "--project", backbone.project)}
    assert items
    said = [s for item in items for section in item["sections"] for s in section["statements"]]
    with session.reading(backbone.cairn.settings_now().conninfo) as tables:
        project_id = find_project(tables, backbone.project)
        for statement in said:
            assert {citation["atom_id"] for citation in statement["citations"]} <= live
            assert all(citation["places"] for citation in statement["citations"])
            # As `cairn trace` asks it, without the start of a process for each.
            node = lineage.trace(tables, project_id, statement["statement_id"])
            assert node.facts["text"] == statement["text"]


def test_trace_walks_from_a_statement_to_the_place_of_each_event_and_back_up(backbone):
    statement = next(s for section in prd_of(backbone)["sections"] for s in section["statements"])
    (down,) = backbone.cairn.json("trace", statement["statement_id"])
    assert {
        "artifact.version_published",
        "ledger.changed",
        "atom.reflected",
        "chunk.created",
        "source.sanitized",
        "source.revised",
        "ingestion.run_started",
    } <= {event["event_type"] for event in events_below(down)}
    for event in events_below(down):
        assert event["partition"] >= 0 and event["offset"] >= 0
    atom = statement["citations"][0]["atom_id"]
    (up,) = backbone.cairn.json("trace", atom)
    assert statement["statement_id"] in json.dumps(up)


def events_below(node):
    found = list(node["events"])
    for child in node["children"]:
        found += events_below(child)
    return found


def test_retrieval_says_how_it_found_what_it_found(backbone):
    def coverage(query):
        (answer,) = backbone.cairn.json("search", query, "--project", backbone.project)
        return answer["coverage"]

    assert coverage("Gateway") == "entity"
    assert coverage("forge a scan") == "fulltext"
    assert coverage("submarine warranty") == "none"


def test_every_sentence_of_a_document_says_what_became_of_it(backbone):
    told = backbone.cairn.json("explain", "README.md", "--project", backbone.project)
    atoms = {a["atom_id"]: a for a in backbone.cairn.json("atoms", "--project", backbone.project)}
    quoted = [one for one in told if one["result"] == "atom"]
    assert quoted and {one["about"] for one in quoted} <= set(atoms)
    left = [one for one in told if one["result"] == "left out"]
    assert left and all(one["because"] for one in left)
    line = quoted[0]["line_start"]
    at_line = backbone.cairn.json("explain", f"README.md:{line}", "--project", backbone.project)
    assert quoted[0] in at_line and len(at_line) < len(told)


def test_a_question_is_answered_with_the_lines_that_say_so(backbone):
    question = "Why do scanner reports from one depot come in order?"
    asked = ("search", question, "--project", backbone.project)
    (answer,) = backbone.cairn.json(*asked, "--limit", "3")
    texts = {path.name: path for path in Path(backbone.folder).rglob("*") if path.is_file()}
    for hit in answer["hits"]:
        assert (hit["atom_id"] is None) != (hit["passage_id"] is None)
        for place in hit["evidence"]:
            lines = texts[Path(place["path"]).name].read_text().splitlines()
            said = "\n".join(lines[place["line_start"] - 1 : place["line_end"]])
            assert " ".join(place["snippet"].split()) in " ".join(said.split())
    assert "the order within a depot matters" in json.dumps(answer["hits"])
    shown = backbone.cairn.run(*asked)
    first = answer["hits"][0]["evidence"][0]
    assert f"{first['path']}:{first['line_start']}" in shown


def test_the_same_folder_again_adds_nothing(backbone):
    before = backbone.cairn.checksums(backbone.project)
    backbone.cairn.ingest(backbone.folder, backbone.project, "first")
    assert backbone.cairn.checksums(backbone.project) == before


def test_a_second_run_reads_the_same_chunks_and_adds_no_row(backbone, tmp_path: Path):
    (tmp_path / "README.md").write_text(
        "# Ferry\n\n## Boats\n\nThe ferry must leave at six.\n\n## Tickets\n\nA ticket costs two.\n"
    )
    cairn, project = backbone.cairn, "Twice read"
    cairn.run("project", "create", project, "--idempotency-key", project)

    def chunks_after(key: str) -> list[tuple[Any, ...]]:
        cairn.ingest(tmp_path, project, key, name="ferry")
        with psycopg.connect(cairn.settings_now().conninfo) as connection:
            return connection.execute(
                "SELECT chunk_id, c.source_id, sanitized_hash, anchor_type, anchor_start,"
                " anchor_end, chunk_version FROM cairn.chunks c JOIN cairn.projects p"
                " USING (project_id) WHERE p.name = %s ORDER BY 1",
                (project,),
            ).fetchall()

    first, second = chunks_after("first"), chunks_after("second")
    assert len(first) >= 1 and second == first
    assert all(row[0] == chunk_id(*row[1:]) for row in second)
    assert len({row[1:] for row in second}) == len(second)
    runs = cairn.json("runs", "--project", project)
    assert len({run["trigger_key"] for run in runs}) == 2, runs


def test_each_atom_says_which_reading_of_which_chunk_it_is_from(backbone):
    atoms = backbone.cairn.json(
        *("atoms", "--project", backbone.project, "--status", "all", "--limit", "1000")
    )
    with psycopg.connect(backbone.cairn.settings_now().conninfo) as connection:
        known = {
            table: {row[0] for row in connection.execute(f"SELECT {table}_id FROM {name}".encode())}
            for table, name in (
                ("source", "cairn.sources"),
                ("chunk", "cairn.chunks"),
                ("run", "cairn.ingestion_runs"),
            )
        }
    assert len(atoms) > 20
    for atom in atoms:
        for told in (atom["first_provenance"], atom["latest_provenance"]):
            assert all(told[f"{what}_id"] in ids for what, ids in known.items()), atom
            assert told["lane"] in ("preview", "deep") and len(told["sanitized_hash"]) == 64
            assert told["engine"] == "heuristic" and told["extractor_version"]
            assert (told["provider"], told["model"], told["prompt_version"]) == (None, None, None)


def test_who_waits_is_told_once_when_first_results_are_there(backbone):
    again = ("ingest", str(backbone.folder), "--project", backbone.project, "--wait")
    process = backbone.cairn.start(*again, "--idempotency-key", "first")
    _, said = process.communicate(timeout=COMMAND_PATIENCE_S)
    assert process.returncode == 0
    for what, command in (("atom", "atoms"), ("PRD", "show prd"), ("features", "show features")):
        (line,) = [line for line in said.splitlines() if line.startswith(f"First {what} after")]
        assert f"`cairn {command} --project {backbone.project}`" in line


def test_the_tables_rebuilt_from_the_topics_are_equal(backbone):
    before = backbone.cairn.checksums(backbone.project)
    backbone.cairn.run("rebuild")
    assert backbone.cairn.checksums(backbone.project) == before


def test_the_log_is_sound(backbone):
    backbone.cairn.run("verify-log")


def test_an_unknown_project_is_refused_with_a_hint(backbone):
    process = backbone.cairn.start("atoms", "--project", "Nobody")
    out, err = process.communicate(timeout=COMMAND_PATIENCE_S)
    assert process.returncode == 1
    assert "project list" in err
    assert "Traceback" not in out + err


def test_sections_and_epics_were_written_while_the_project_was_being_read(backbone):
    preview, deep = backbone.cairn.json("runs", "--project", backbone.project)
    phases = {phase["phase"]: phase for phase in preview["phases"]}
    assert phases["prd_generation"]["started_at"] < deep["finished_at"]
    assert phases["epic_generation"]["started_at"] < phases["prd_generation"]["finished_at"]
    (prd,) = backbone.cairn.json("show", "prd", "--project", backbone.project)
    assert "speculative" not in prd
    told = backbone.cairn.run("runs", "report", deep["run_id"])
    assert "sections kept" in told
