"""Exports of Slack as people have them: packed again, of an organisation, with gaps in them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from connectors.connector import SourceRefused, UnknownSource
from connectors.rendering import render
from connectors.slack.export import SlackExport
from connectors.slack.items import Channel
from infra.service.ingesting.imports import find_channels
from tests.connectors.slack_side import admits, pseudonym
from tests.connectors.test_exports import CHANNELS, DAYS, ROOT, USERS

Row = dict[str, Any]
DAY = "shop/2026-01-03.json"
AT = "1767441600.000100"


def a_zip(folder: Path, files: dict[str, Any]) -> Path:
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return path


def sound(**more: Any) -> dict[str, Any]:
    days = {f"shop/{day}.json": rows for day, rows in DAYS.items()}
    return {"users.json": USERS, "channels.json": CHANNELS, **days, **more}


def texts_of(path: Path, name: str = "shop", team: str = "") -> tuple[list[str], list[str]]:
    """The texts of a channel's threads, and what is told of the export."""
    export = SlackExport(path, team)
    try:
        channel = next(it for it in export.channels() if it.name == name)
        read = export.threads(channel, pseudonym, admits)
        return [render(it).decode() for it in read.items], [str(it) for it in export.read.notices]
    finally:
        export.close()


def said(*rows: Any, path: Path) -> tuple[str, list[str]]:
    """What is read of a day with these rows, beside two sound ones."""
    texts, told = texts_of(a_zip(path, sound(**{DAY: list(rows)})))
    return "".join(texts[2:]), told


def a_message(text: str = "", **fields: Any) -> Row:
    return {"type": "message", "user": "U1", "text": text, "ts": AT, **fields}


@pytest.mark.parametrize("around", ["Acme Slack export/", "a/b/", "./", "Acme\\"])
def test_folders_around_an_export_change_nothing(tmp_path: Path, around: str):
    files = {f"{around}{name}": rows for name, rows in sound().items()}
    if around.endswith("\\"):
        files = {name.replace("/", "\\"): rows for name, rows in files.items()}
    junk = {"__MACOSX/Acme/._users.json": "MARK", f"{around}.DS_Store": "MARK"}
    assert texts_of(a_zip(tmp_path, files | junk)) == texts_of(a_zip(tmp_path, sound()))


def test_an_organisation_names_its_people_in_a_file_of_its_own(tmp_path: Path):
    files = sound()
    files["org_users.json"] = files.pop("users.json")
    assert texts_of(a_zip(tmp_path, files)) == texts_of(a_zip(tmp_path, sound()))


def test_workspaces_of_an_organisation_are_folders_and_their_names_do_not_mix(tmp_path: Path):
    mine = {f"teams/mine/{name}": rows for name, rows in sound().items() if name != "users.json"}
    theirs = {
        "teams/theirs/channels.json": [{"id": "C7", "name": "shop"}],
        "teams/theirs/shop/2026-01-01.json": [a_message("Of the others.")],
    }
    files = {"org_users.json": USERS, "channels.json": [], **mine, **theirs}
    export = SlackExport(a_zip(tmp_path, files))
    found = {it.channel_id: export.threads(it, pseudonym, admits) for it in export.channels()}
    export.close()
    assert {name: len(read.items) for name, read in found.items()} == {"C1": 2, "C2": 0, "C7": 1}


def test_a_private_channel_lies_in_a_folder_of_its_name_or_id(tmp_path: Path):
    groups = {"groups.json": [{"id": "G1", "name": "plans"}, {"id": "G2"}]}
    days = {"G1/2026-01-03.json": [a_message("One.")], "G2/2026-01-03.json": [a_message("Two.")]}
    path = a_zip(tmp_path, sound(**groups, **days))
    assert "One." in texts_of(path, "plans")[0][0] and "Two." in texts_of(path, "G2")[0][0]


def test_a_row_or_file_that_is_none_is_named_and_its_neighbours_are_read(tmp_path: Path):
    rows = [None, "MARK", 7, a_message(ts="soon"), a_message() | {"text": 5}]
    files = {
        DAY: [*rows, a_message("It must log.")],
        "shop/2026-01-04.json": '[{"type": "mess',
        "shop/canvas_in_the_conversation.json": {"a": 1},
        "channels.json": [*CHANNELS, None, {"name": "no id"}],
        "users.json": [*USERS, None, {"name": "no id"}],
    }
    texts, told = texts_of(a_zip(tmp_path, sound(**files)))
    assert len(texts) == 3 and "It must log." in texts[-1]
    assert told == [
        "channels.json: id of a channel is missing",
        *(f"{DAY} message {number}: it is no object" for number in (1, 2, 3)),
        f"{DAY} soon: ts is not a time stamp",
        f"{DAY} {AT}: text is no text",
        "shop/2026-01-04.json: the file cannot be read",
        "2 of the users: they have no id or no names",
    ]


def test_a_message_without_a_time_has_the_one_of_its_day(tmp_path: Path):
    row = a_message("It must log.")
    del row["ts"]
    text, told = said(row, path=tmp_path)
    assert "2026-01-03T00:00:00Z" in text and "It must log." in text
    assert told == [f"{DAY} message 1: ts is missing, its day stands for it"]


def test_an_export_without_its_people_knows_those_who_wrote(tmp_path: Path):
    files = sound()
    del files["users.json"]
    profile = {"real_name": "Cy Twombly", "display_name": "Cy", "name": "cy", "team": "T1"}
    files[DAY] = [
        a_message("It must log.", user="U3", team="T1", user_profile=profile),
        a_message("Cy Twombly decided it.", ts="1767441601.000100"),
    ]
    texts, told = texts_of(a_zip(tmp_path, files))
    assert "[PERSON:p_u3] decided it." in "".join(texts) and "Twombly" not in "".join(texts)
    assert told == ["users.json: it is missing: only who wrote is known"]


def test_an_export_that_does_not_tell_its_workspace_needs_its_id(tmp_path: Path):
    users = [{key: value for key, value in user.items() if key != "team_id"} for user in USERS]
    path = a_zip(tmp_path, sound(**{"users.json": users}))
    with pytest.raises(SourceRefused, match="--team"):
        SlackExport(path)
    assert len(texts_of(path, team="T9")[0]) == 2


def test_a_zip_without_channels_is_no_export(tmp_path: Path):
    with pytest.raises(SourceRefused, match=r"channels\.json"):
        SlackExport(a_zip(tmp_path, {"users.json": USERS, "a.txt": "MARK"}))


def test_edits_and_deletions_that_an_export_records_are_applied(tmp_path: Path):
    last = "1767441605.000100"
    first, gone = a_message("It must be fast."), a_message("Never mind.", ts=last)
    edited = a_message("It must be small.") | {"edited": {"user": "U1", "ts": "1767441700.0001"}}
    changed = a_message(ts="1767441700.000200", subtype="message_changed", message=edited)
    deleted = a_message(ts="1767441701.000200", subtype="message_deleted", deleted_ts=last)
    text, told = said(first, gone, changed, deleted, path=tmp_path)
    assert "It must be small." in text and "fast" not in text and "Never" not in text
    assert told == []


def test_a_reply_that_was_also_sent_to_the_channel_is_one_message(tmp_path: Path):
    reply = a_message("It must log.", thread_ts=ROOT, subtype="thread_broadcast")
    texts, _ = texts_of(a_zip(tmp_path, sound(**{DAY: [reply, reply]})))
    assert sum(text.count("It must log.") for text in texts) == 1 and len(texts) == 2


@pytest.mark.parametrize(
    "subtype", ["bot_message", "new_kind_of_talk", "file_comment", "me_message"]
)
def test_a_message_of_an_unknown_kind_is_read(tmp_path: Path, subtype: str):
    second = a_message("It must log.", ts="1767441601.000100", thread_ts=AT, subtype=subtype)
    assert "It must log." in said(a_message("What must it do?"), second, path=tmp_path)[0]


def rich(*elements: Row) -> list[Row]:
    return [{"type": "rich_text", "elements": list(elements)}]


def section(*elements: Row) -> Row:
    return {"type": "rich_text_section", "elements": list(elements)}


def words(text: str, **style: bool) -> Row:
    return {"type": "text", "text": text} | ({"style": style} if style else {})


@pytest.mark.parametrize(
    ("fields", "read"),
    [
        ({"blocks": rich(section(words("It "), words("must", bold=True), words(" log a < b.")))},
         "It **must** log a < b."),
        ({"blocks": rich({"type": "rich_text_list", "style": "ordered",
                          "elements": [section(words("one")), section(words("two"))]})},
         "1. one\n2. two"),
        ({"blocks": rich({"type": "rich_text_quote", "elements": [words("Old words.")]})},
         "> Old words."),
        ({"blocks": rich({"type": "rich_text_preformatted", "elements": [words("x = 1")]})},
         "```\nx = 1\n```"),
        ({"blocks": rich(section({"type": "user", "user_id": "U2"}, words(" decides by "),
                                 {"type": "date", "timestamp": 1, "fallback": "Monday"}))},
         "@[PERSON:p_u2] decides by Monday"),
        ({"blocks": [{"type": "header", "text": {"type": "plain_text", "text": "Plan & goal"}},
                     {"type": "section", "text": {"type": "mrkdwn", "text": "*It* must log."},
                      "fields": [{"type": "mrkdwn", "text": "Who: all"}]},
                     {"type": "divider"},
                     {"type": "context", "elements": [{"type": "mrkdwn", "text": "by hand"}]}]},
         "Plan & goal\n**It** must log.\nWho: all\nby hand"),
        ({"text": "New plan", "blocks": [{"type": "section", "text": {
            "type": "mrkdwn", "text": "New plan: it must log every label."}}]},
         "New plan: it must log every label."),
        ({"text": "It must log.", "blocks": rich(section(words("It must log.")))}, "It must log."),
        ({"attachments": [{"title": "Build 7", "text": "It must be green.",
                           "fields": [{"title": "Branch", "value": "main"}]}]},
         "Build 7\nIt must be green.\nBranch: main"),
        ({"attachments": [{"fallback": "It must be green."}]}, "It must be green."),
        ({"text": "See", "attachments": [{"text": "It must be green.", "is_share": True}]},
         "See\n> It must be green."),
        ({"text": "See <https://a.example>", "attachments": [
            {"from_url": "https://a.example", "text": "Words of others."}]},
         "See <https://a.example>"),
        ({"files": [{"mode": "snippet", "title": "limits.py", "preview": "LIMIT = 9"}]},
         "File: limits.py\n```\nLIMIT = 9\n```"),
        ({"files": [{"mode": "post", "title": "Minutes", "preview": "It must log.",
                     "preview_is_truncated": True}]},
         "File: Minutes (its beginning)\nIt must log."),
        ({"text": "Look", "files": [{"mode": "hosted", "title": "way of a label.png"}]},
         "Look\nFile: way of a label.png"),
        ({"text": "Look", "files": [None, {"mode": "tombstone"}], "blocks": None,
          "attachments": [None, 5]}, "Look"),
    ],
)  # fmt: skip
def test_every_part_of_a_message_is_read(tmp_path: Path, fields: Row, read: str):
    text, told = said(a_message(**fields), path=tmp_path)
    assert (text.partition("Z\n\n")[2].rstrip("\n"), told) == (read, [])


def test_risky_words_in_a_block_are_kept_out_as_those_of_a_text(tmp_path: Path):
    blocks = rich(section(words("Ben is incompetent.")))
    assert said(a_message(blocks=blocks), path=tmp_path)[0] == ""


def test_a_channel_that_is_not_there_is_named_with_those_that_are():
    there = [Channel("T1", "C1", "shop"), Channel("T1", "C2", "ops")]
    assert find_channels(there, ["#shop", "C2"]) == there
    with pytest.raises(UnknownSource, match="no channel 'shops'; it has: ops, shop"):
        find_channels(there, ["shop", "shops"])
