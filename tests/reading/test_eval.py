"""`cairn eval`: one answer for each row, in order, whatever stands beside it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from infra.cli import build
from infra.platform.errors import Refusal


def evaluated(folder: Path, task: str, lines: list[str], *more: str) -> list[dict[str, Any]]:
    given, out = folder / "in.jsonl", folder / "out.jsonl"
    given.write_text("\n".join(lines), encoding="utf-8")
    arguments = ["eval", task, "--in", str(given), "--out", str(out), *more]
    build()(args=arguments, standalone_mode=False)
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def a_document(text: str, path: str = "docs/notes.md") -> str:
    return json.dumps({"id": path, "path": path, "text": text})


def test_answers_keep_the_order_and_the_ids_of_the_rows(tmp_path):
    lines = [
        json.dumps({"id": f"r{n}", "text": "Which format do we need?"}) for n in range(9, 0, -1)
    ]
    answers = evaluated(tmp_path, "classify", lines)
    assert [answer["id"] for answer in answers] == [f"r{n}" for n in range(9, 0, -1)]


def test_a_row_may_carry_its_text_as_base64(tmp_path):
    text = "The export service must encrypt every file."
    plain = json.dumps({"id": 1, "text": text})
    hidden = json.dumps({"id": 1, "text_b64": base64.b64encode(text.encode()).decode()})
    first, second = evaluated(tmp_path, "classify", [plain, hidden])
    assert first == second
    assert first["label"] == "requirement"


def test_answers_of_before_stay_where_there_is_no_model_to_ask(tmp_path, monkeypatch):
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "home"))
    (tmp_path / "out.jsonl").write_text("of before\n")
    line = json.dumps({"id": 1, "text": "Which format do we need?"})
    with pytest.raises(Refusal):
        evaluated(tmp_path, "classify", [line], "--engine", "model")
    assert (tmp_path / "out.jsonl").read_text() == "of before\n"


def test_bad_rows_are_named_by_line_and_their_neighbours_answered(tmp_path, capsys):
    good = json.dumps({"id": "good", "text": "Which format do we need?"})
    lines = [good, "{", "[1]", '{"text": "x"}', '{"id": "a"}', '{"id": "b", "text_b64": "%"}', good]
    answers = evaluated(tmp_path, "classify", lines)
    assert [answer["id"] for answer in answers] == ["good", "good"]
    said = capsys.readouterr()
    assert said.out == ""
    assert [line.split(":")[0].rsplit(" ", 1)[1] for line in said.err.splitlines()] == list("23456")


def test_half_a_surrogate_pair_does_not_stop_the_file(tmp_path):
    answers = evaluated(tmp_path, "classify", ['{"id": 1, "text": "\\ud800 must stay"}'])
    assert len(answers) == 1


def test_evidence_stands_at_its_offsets_in_the_given_text(tmp_path):
    text = "# Use a log\r\n\r\n## Decision\r\n\r\nWe will store cafe\u0301 orders in a log.\r\n"
    (answer,) = evaluated(tmp_path, "extract", [a_document(text)])
    (atom,) = [atom for atom in answer["atoms"] if atom["kind"] == "decision"]
    (row,) = atom["evidence"]
    quoted = text[row["char_start"] : row["char_end"]]
    assert quoted == "We will store cafe\u0301 orders in a log."
    assert row["snippet"] == quoted.replace("e\u0301", "\u00e9")


def test_offsets_hold_behind_a_redacted_secret_and_the_secret_stays_hidden(tmp_path):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    need = "The Gateway must answer every request within 200 ms."
    text = f"Token {secret} is used. {need}\n"
    (answer,) = evaluated(tmp_path, "extract", [a_document(text)])
    assert secret not in json.dumps(answer)
    (atom,) = [atom for atom in answer["atoms"] if atom["kind"] == "requirement"]
    row = atom["evidence"][0]
    assert text[row["char_start"] : row["char_end"]] == need


def test_the_format_spans_gives_one_line_for_each_evidence_row(tmp_path):
    text = "## Open questions\n\n- Which retention period do auditors need?\n"
    (atom,) = evaluated(tmp_path, "extract", [a_document(text)])[0]["atoms"]
    (span,) = evaluated(tmp_path, "extract", [a_document(text)], "--format", "spans")
    row = atom["evidence"][0]
    assert span == {
        "doc_id": "docs/notes.md",
        "kind": "unknown",
        "char_start": row["char_start"],
        "char_end": row["char_end"],
        "confidence": atom["confidence"],
    }
