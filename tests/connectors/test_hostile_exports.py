"""Whatever an export does to its reader is a refusal that names the file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from connectors import sandbox
from connectors.connector import SourceRefused, SourceUnavailable
from connectors.jira import adf
from connectors.jira.export import records_in
from connectors.rendering import render
from connectors.service_items import TIME_OF_NONE
from connectors.slack import mrkdwn
from connectors.slack.export import SlackExport
from tests.connectors.hostile import ZIPS
from tests.connectors.slack_side import admits, pseudonym
from tests.connectors.test_exports import CHANNELS, DAYS, USERS, an_export, issues

DEEP = "[" * 100_000 + "]" * 100_000
LATE = "0001-01-01T00:00:00+23:59"  # in UTC it is of a year before the first
HEADS = "Summary,Issue key,Created,Updated,Description\n"


def an_issue(**changes: Any) -> str:
    """One sound issue with some of its fields changed, as JSON."""
    (issue, _) = issues()
    issue["fields"] |= changes
    return json.dumps([issue])


JIRA = {
    "nested deeply": DEEP,
    "nested deeply in an issue": an_issue(description="@").replace('"@"', DEEP),
    "nested a little too deeply": an_issue(description="@").replace('"@"', "[" * 70 + "]" * 70),
    "a number of digits only": an_issue(description="@").replace('"@"', "9" * 9_000),
    "no number": an_issue(description="@").replace('"@"', "NaN"),
    "an entry of twenty megabytes": an_issue(description="a" * 20_000_000),
    "a field of five megabytes": HEADS
    + 'A,SHOP-7,2026-11-01 09:14,2026-11-01 09:14,"'
    + "a" * 5_000_000,
    "a quote that is never closed": HEADS + '"' + "a,\n" * 99_000,
    "half of it": an_issue()[:200],
}


@pytest.mark.parametrize("name", list(JIRA))
def test_a_hostile_file_of_jira_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / "issues.export"
    path.write_text(JIRA[name])
    with pytest.raises((SourceRefused, SourceUnavailable), match=r"issues\.export"):
        records_in(path, "acme")


@pytest.mark.parametrize("at", [LATE, "9" * 300, "99/99/9999 99:99", "-1", "\0"])
def test_a_hostile_time_is_an_unknown_one(tmp_path: Path, at: str) -> None:
    path = tmp_path / "issues.json"
    path.write_text(an_issue(created=at, updated=at))
    read = records_in(path, "acme")
    assert (read.lost, read.items[0].changed_at) == (0, TIME_OF_NONE)


def test_hostile_records_are_refused_by_number_and_their_neighbours_are_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "issues.json"
    deep = '{"a": ' + "[" * 70 + "]" * 70 + "}"
    path.write_text(f'[{an_issue()[1:-1]}, null, {deep}, {{"a": NaN}}, {{"key": "MARK"}}]')
    read = records_in(path, "acme")
    assert [it.path for it in read.items][0] == "SHOP-1"
    assert [str(it) for it in read.notices] == [
        "record 2: it is no object",
        "record 3: it is nested deeper than 64 levels",
        "record 4: it holds a number that is none",
        "MARK: key is not an issue key",
    ]


def test_half_a_character_is_a_question_mark(tmp_path: Path) -> None:
    path = tmp_path / "issues.json"
    path.write_text(an_issue(summary="An emoji \ud83d"))
    (item,) = [it for it in records_in(path, "acme").items if it.source_type == "issue"]
    assert item.title.endswith("An emoji ?")
    export = an_export(
        tmp_path,
        **{
            "shop/2026-01-03.json": [
                DAYS["2026-01-01"][0] | {"text": "A \ud83d", "ts": "1767441600.000100"}
            ]
        },
    )
    opened = SlackExport(export)
    threads = opened.threads(opened.channels()[0], pseudonym, admits).items
    opened.close()
    assert any(b"A ?" in render(it) for it in threads)


SLACK: dict[str, dict[str, str]] = {
    "users that are nested deeply": {"users.json": DEEP},
    "a bomb": {"shop/2026-01-01.json": "[" + " " * 100_000_000 + "]"},
}


@pytest.mark.parametrize("name", list(SLACK))
def test_a_hostile_export_of_slack_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / "slack.export"
    sound = {"users.json": json.dumps(USERS), "channels.json": json.dumps(CHANNELS)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for file, content in (sound | SLACK[name]).items():
            out.writestr(file, content)
    with pytest.raises((SourceRefused, SourceUnavailable), match=r"slack\.export") as refused:
        read_all(path)
    assert "MARK" not in str(refused.value)


PARTS: dict[str, dict[str, str]] = {
    "a member without an id": {"users.json": '[{"team_id": "T1"}]'},
    "a member whose profile is none": {
        "users.json": '[{"team_id": "T1", "id": "U1", "profile": "MARK"}]'
    },
    "groups that are nested deeply": {"groups.json": DEEP},
    "messages that are nested deeply": {"shop/2026-01-03.json": f'[{{"a": {DEEP}}}]'},
    "messages that are no list": {"shop/2026-01-03.json": '{"a": 1}'},
    "messages that are none": {"shop/2026-01-03.json": "MARK"},
    "a message of twenty megabytes": {
        "shop/2026-01-03.json": json.dumps([{"ts": "1.1", "user": "U1", "text": "a" * 20_000_000}])
    },
    "a message nested too deeply": {
        "shop/2026-01-03.json": '[{"ts": "1.1", "a": ' + "[" * 70 + "]" * 70 + "}]"
    },
}


@pytest.mark.parametrize("name", list(PARTS))
def test_a_hostile_part_of_an_export_is_named_and_the_others_are_read(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "slack.export"
    sound = {"users.json": json.dumps(USERS), "channels.json": json.dumps(CHANNELS)}
    days = {f"shop/{day}.json": json.dumps(rows) for day, rows in DAYS.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for file, content in (sound | days | PARTS[name]).items():
            out.writestr(file, content)
    export, items = read_all(path)
    assert len(items) == 2
    assert export.read.lost == 1 and "MARK" not in str(export.read.notices)


@pytest.mark.parametrize("name", list(ZIPS))
def test_a_hostile_zip_is_no_export_of_slack(tmp_path: Path, name: str) -> None:
    path = tmp_path / "slack.export"
    path.write_bytes(ZIPS[name])
    with pytest.raises((SourceRefused, SourceUnavailable), match=r"slack\.export"):
        read_all(path)


def read_all(path: Path) -> tuple[SlackExport, list[object]]:
    export = SlackExport(path)
    try:
        items: list[object] = []
        for channel in export.channels():
            items += export.threads(channel, pseudonym, admits).items
    finally:
        export.close()
    return export, items


def test_the_memory_of_reading_an_export_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.jira.export.MEMORY_BYTES", 64 * sandbox.MIB)
    path = tmp_path / "issues.json"
    path.write_text("[" + "{}," * 3_000_000 + "{}]")
    with pytest.raises(SourceRefused, match=r"issues\.json.*MiB of memory"):
        records_in(path, "acme")


def test_headings_and_marks_of_a_document_are_bounded() -> None:
    marked = {"type": "text", "text": "a", "marks": [{"type": "em"}] * 300_000}
    heading = {"type": "heading", "attrs": {"level": 10**12}, "content": [marked]}
    assert len(adf.markdown({"content": [heading]})) < 100


def test_many_blanks_in_a_message_are_looked_at_once() -> None:
    """Each would begin a look at all that follow: of 400,000 that is hours."""
    text = "a" + " " * 400_000 + "b"
    assert mrkdwn.markdown(text, pseudonym) == text
