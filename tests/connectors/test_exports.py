"""Export files of Slack and Jira give the items that a pull would give."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.jira.export import records_in
from connectors.jira.items import items_of
from connectors.rendering import render
from connectors.slack.export import SlackExport
from tests.connectors.slack_side import admits, pseudonym
from tests.connectors.stand_ins.jira import JiraServer

USERS: list[dict[str, Any]] = [
    {"id": "U1", "team_id": "T1", "name": "ada", "profile": {"real_name": "Ada Byron"}},
    {"id": "U2", "team_id": "T1", "name": "ben", "profile": {"real_name": "Ben Okri"}},
]
CHANNELS = [{"id": "C2", "name": "ops"}, {"id": "C1", "name": "shop"}]
ROOT = "1767268800.000100"
DAYS = {
    "2026-01-01": [
        {"type": "message", "user": "U1", "text": "Should exports be resumable?", "ts": ROOT},
        {"type": "message", "user": "U2", "text": "Alone.", "ts": "1767268900.000200"},
        {"type": "message", "subtype": "channel_join", "user": "U2", "ts": "1767268901.000300"},
    ],
    "2026-01-02": [
        {"type": "message", "user": "U2", "text": "Yes, says Ada Byron.", "ts": "1767355200.000400",
         "thread_ts": ROOT},
        {"type": "message", "user": "U2", "text": "Ada is lazy.", "ts": "1767355201.000500"},
    ],
}  # fmt: skip


def an_export(folder: Path, **files: Any) -> Path:
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        given = {"users.json": USERS, "channels.json": CHANNELS} | files
        for name, rows in given.items():
            archive.writestr(name, json.dumps(rows))
        for day, rows in DAYS.items():
            archive.writestr(f"shop/{day}.json", json.dumps(rows))
    return path


def test_threads_of_an_export_run_over_days_and_name_nobody(tmp_path: Path):
    export = SlackExport(an_export(tmp_path))
    assert [(it.root, it.name) for it in export.channels()] == [
        ("slack/T1/C1", "shop"), ("slack/T1/C2", "ops"),
    ]  # fmt: skip
    thread, alone = export.threads(export.channels()[0], pseudonym, admits).items
    assert (thread.path, [it.author for it in thread.remarks]) == (ROOT, ["p_u1", "p_u2"])
    assert b"says [PERSON:p_u1]." in render(thread) and b"Ada" not in render(thread)
    assert alone.remarks[0].body == "Alone."
    assert thread.changed_at.isoformat() == "2026-01-02T12:00:00.000400+00:00"


@pytest.mark.parametrize("bad", [{"users.json": {}}, {"users.json": [{"id": "U1"}]}])
def test_an_archive_that_is_no_export_is_refused(tmp_path: Path, bad: dict[str, Any]):
    with pytest.raises((SourceRefused, SourceUnavailable)):
        SlackExport(an_export(tmp_path, **bad))


def test_what_is_no_archive_is_told_without_its_words(tmp_path: Path):
    path = tmp_path / "a.zip"
    path.write_bytes(b"MARK")
    with pytest.raises(SourceUnavailable) as refused:
        SlackExport(path)
    assert "MARK" not in str(refused.value)


def issues() -> list[dict[str, Any]]:
    server = JiraServer()
    key = server.open_issue("Exports", "The export *must* be resumable.")
    server.comment(key, "We will use a queue.")
    server.open_issue("Imports", "Imports, too.")
    return list(server.issues.values())


@pytest.mark.parametrize("form", ["search", "list", "lines"])
def test_issues_as_json_are_those_of_a_pull(tmp_path: Path, form: str):
    path, rows = tmp_path / "issues.json", issues()
    written = {
        "search": json.dumps({"issues": rows, "total": 2}),
        "list": json.dumps(rows),
        "lines": "\n".join(map(json.dumps, rows)),
    }
    path.write_text(written[form])
    assert records_in(path, "acme").items == [
        item for row in rows for item in items_of("acme", row)
    ]


def test_an_issue_of_a_table_holds_its_comments(tmp_path: Path):
    path = tmp_path / "issues.csv"
    path.write_text(
        "\ufeffSummary,Issue key,Status,Resolution,Reporter,Created,Updated,Labels,Labels,"
        "Description,Comment,Comment\n"
        'Exports,SHOP-7,Done,Fixed,ada,01/Nov/26 9:14 AM,02/Nov/26 10:00 PM,bug,export,'
        '"h2. Why\n*Large* ones time out.",02/Nov/26 9:00 AM;ben;We will use a queue.,see above\n',
        encoding="utf-8",
    )  # fmt: skip
    (item,) = records_in(path, "acme").items
    assert render(item).decode() == (
        "# SHOP-7: Exports\n\nState: Done (Fixed). Labels: bug, export.\n"
        "\n## ada (reporter), 2026-11-01T09:14:00Z\n\n## Why\n**Large** ones time out.\n"
        "\n## ben, 2026-11-02T09:00:00Z\n\nWe will use a queue.\n"
        "\n## unknown, time unknown\n\nsee above\n"
    )


@pytest.mark.parametrize(
    "content", ["a,b\nMARK,2\n", "{MARK", '{"issues": ["MARK"]}', '[{"a": "MARK"}]', "\0MARK"]
)
def test_a_file_that_is_no_export_is_refused_without_its_words(tmp_path: Path, content: str):
    path = tmp_path / "issues"
    path.write_text(content)
    with pytest.raises((SourceRefused, SourceUnavailable)) as refused:
        records_in(path, "acme")
    assert "MARK" not in str(refused.value)
