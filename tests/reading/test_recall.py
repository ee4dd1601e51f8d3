"""Recall is measured right. What it is on projects nobody tuned on: tests/projections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from infra.cli import build
from infra.measure.gold import read_gold
from infra.measure.recall import measure
from infra.platform.errors import Refusal
from tests.reading.recall.measuring import LISTS, projects
from tests.reading.recall.sources import Source, Unfetched, fetch_documents

DEPOT = """\
# Depot

The Depot sorts parcels.

## Decision

We decided to store the labels of all parcels
in PostgreSQL. Nobody sings.

## Risks

- Labels of heavy parcels may be lost when the sorter of the depot restarts.
"""


def a_project(folder: Path, text: str = DEPOT) -> Path:
    path = folder / "project" / "docs" / "adr" / "0001-labels.md"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return folder / "project"


def lists(folder: Path, **rows: list[dict[str, Any]]) -> Path:
    gold = folder / "gold"
    gold.mkdir()
    for name, of_name in rows.items():
        given = [{"id": f"{name}-{n}", "path": PATH} | row for n, row in enumerate(of_name)]
        (gold / f"{name}.jsonl").write_text("\n".join(map(json.dumps, given)), encoding="utf-8")
    return gold


PATH = "docs/adr/0001-labels.md"
DECISION = {
    **{"line_start": 7, "line_end": 8, "column_start": 0, "column_end": 14},
    **{"kind": "decision", "importance": 3, "statement": "Labels are in PostgreSQL"},
}
SONG = {
    **{"line_start": 8, "line_end": 8, "column_start": 15, "column_end": 28},
    **{"kind": "scope", "importance": 1, "statement": "There is no singing"},
}


def test_a_statement_counts_as_found_where_an_atom_holds_most_of_its_words(tmp_path):
    found = measure(lists(tmp_path, statements=[DECISION, SONG]), a_project(tmp_path))
    assert (found.share("recall"), found.share("recall, importance 3")) == (0.5, 1.0)
    assert (found.share("recall, decision"), found.share("recall, scope")) == (1.0, 0.0)
    assert found.misses == [f"scope {PATH}:8 There is no singing"]


def test_a_quote_in_the_row_stands_for_the_words_of_the_place(tmp_path):
    place = {"line_start": 7, "line_end": 8, "kind": "decision"}
    quotes = ["labels stored in PostgreSQL", "nobody sings near the silent orchestra"]
    rows = [place | {"quote": quote} for quote in quotes]
    found = measure(lists(tmp_path, statements=rows), a_project(tmp_path))
    assert (found.found["recall"], found.wanted["recall"]) == (1, 2)


def test_another_kind_is_right_only_where_the_list_allows_it(tmp_path):
    strict = DECISION | {"kind": "risk"}
    fair = strict | {"alt_kinds": ["scope"]}
    found = measure(lists(tmp_path, statements=[strict, fair]), a_project(tmp_path))
    assert (found.share("recall"), found.share("recall, right kind")) == (1.0, 0.5)


def test_what_is_said_elsewhere_too_is_found_there(tmp_path):
    elsewhere = {"path": PATH} | {key: DECISION[key] for key in list(DECISION)[:4]}
    found = measure(lists(tmp_path, statements=[SONG | {"same": [elsewhere]}]), a_project(tmp_path))
    assert found.share("recall") == 1.0


def test_the_prd_and_the_features_are_measured_where_they_are_listed(tmp_path):
    prd = [DECISION | {"section": "architecture_decisions"}, DECISION | {"section": "risks"}]
    features = [{"name": "Choir of the singing postmen"}]
    gold = lists(tmp_path, statements=[DECISION], prd=prd, features=features)
    found = measure(gold, a_project(tmp_path))
    assert (found.share("PRD, cited"), found.share("PRD, cited in the right section")) == (1.0, 0.5)
    assert (found.wanted["features named"], found.found["features named"]) == (1, 0)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (DECISION | {"path": "docs/none.md"}, "cannot be read"),
        (DECISION | {"line_end": 99}, "has no lines 7 to 99"),
        ({"kind": "decision"}, "has no place"),
    ],
)
def test_a_row_without_a_place_in_the_project_is_refused(tmp_path, row, problem):
    with pytest.raises(Refusal, match=problem):
        read_gold(lists(tmp_path, statements=[row]), a_project(tmp_path))


def test_a_folder_without_lists_is_refused(tmp_path):
    with pytest.raises(Refusal, match="no list"):
        read_gold(tmp_path, a_project(tmp_path))


def test_the_command_prints_the_figures_and_on_request_the_misses(tmp_path, capsys):
    gold = lists(tmp_path, statements=[DECISION, SONG])
    arguments = ["eval", "recall", str(a_project(tmp_path)), "--gold", str(gold)]
    build()(args=arguments, standalone_mode=False)
    told = capsys.readouterr().out
    assert "| recall | 1 | 2 | 0.500 |" in told
    assert "singing" not in told
    build()(args=[*arguments, "--misses"], standalone_mode=False)
    assert f"- scope {PATH}:8 There is no singing" in capsys.readouterr().out


def test_the_lists_hold_what_readers_want_and_no_text_of_others():
    statements = [
        json.loads(line)
        for project in projects()
        for line in (project / "statements.jsonl").read_text().splitlines()
    ]
    assert len(projects()) >= 5
    assert len(statements) >= 150
    assert sum(row["announced"] for row in statements) <= len(statements) / 2
    assert not [path for path in LISTS.glob("*/*.jsonl") if '"quote"' in path.read_text()]


def test_a_source_that_cannot_be_fetched_fails_with_a_reason(tmp_path):
    source = Source("no-such-distribution", "1.0", "0" * 64, ["docs"])
    offline = [__file__]  # no program
    with pytest.raises(Unfetched, match="no-such-distribution==1.0 could not be fetched"):
        fetch_documents(source, tmp_path, offline)
    assert not list((tmp_path / "documents").iterdir())
