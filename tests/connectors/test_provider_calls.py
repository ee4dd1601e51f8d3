"""Calls of providers at services that are rude, slow, broken or hostile: a clear text, always."""

from __future__ import annotations

import base64
import json
import logging
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from agents.tools.tool import ToolResult
from connectors.providers.calling import MAX_ANSWER_BYTES
from tests.connectors.stand_ins.provider import (
    KEY,
    TOKEN,
    ProviderServer,
    ask,
    context,
    json_of,
    providers_of,
    run,
    tool_named,
)
from tests.connectors.stand_ins.server import Fault

READ = ("notes_read", {"note_id": "n1"})
WRITE = ("notes_write", {"note_id": "n1", "text": "Hello"})
MOVED = "no address|another host|redirect"
UNSURE = "may or may not have happened"
DEEP = "[" * 5_000 + "]" * 5_000


def call(
    home: Path, tool: tuple[str, Any], *faults: Fault, answer: Any = None
) -> tuple[ToolResult, ProviderServer]:
    """The result of a tool of a provider that a file alone has added."""

    async def once() -> tuple[ToolResult, ProviderServer]:
        async with ProviderServer(faults=list(faults)).running() as server:
            server.add_notes(home)
            if answer is not None:
                server.answers = {(method, "/notes/n1"): answer for method in ("GET", "PUT")}
            return await ask(home, *tool), server

    result: tuple[ToolResult, ProviderServer] = run(once())
    return result


def test_a_provider_that_a_file_alone_adds_is_asked_over_http(tmp_path: Path):
    async def once() -> None:
        async with ProviderServer().running() as server:
            server.add_notes(tmp_path)
            notes = [{"id": "n1", "title": "Möwe"}, {"id": "n2", "title": "B"}]
            server.answers[("POST", "/search")] = {"notes": notes}
            result = await ask(tmp_path, "notes_search", {"words": "mö"})
            (asked,) = server.asked
            assert json_of(asked) == {"words": "mö"}
            assert asked.headers["X-Notes-Key"] == TOKEN
            assert "Authorization" not in asked.headers
            assert result.data == {"items": notes, "total": 2}
            assert result.text == "2 found:\n- id: n1; title: Möwe\n- id: n2; title: B"

    run(once())


def test_a_body_keeps_types_and_leaves_out_what_is_not_given(tmp_path: Path):
    result, server = call(tmp_path, WRITE, answer={"id": "n1"})
    assert json_of(server.asked[0]) == {"text": "Hello"}
    assert server.asked[0].headers["Idempotency-Key"] == KEY
    assert result.data == {"answer": {"id": "n1"}}
    tagged = ("notes_write", {"note_id": "n1", "text": "Hello", "tags": ["a", "{text}"]})
    _, server = call(tmp_path, tagged)
    assert json_of(server.asked[0]) == {"text": "Hello", "tags": ["a", "{text}"]}


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        (Fault(401), "unauthorised", "does not accept the credential in NOTES_TOKEN"),
        (Fault(403, body='{"message": "Scope missing"}'), "forbidden_by_provider", "Scope missing"),
        (Fault(404), "not_found", "check the ids"),
        (Fault(422, body='{"errors": ["text is bad"]}'), "provider_refused", "text is bad"),
        (Fault(429, {"Retry-After": "900"}), "rate_limited", "is used up until"),
        (Fault(302, {"Location": "https://evil.example/x"}), "provider_refused", "edirect|another"),
        (Fault(200, body="<html>Sign in</html>"), "answer_unreadable", "is not JSON"),
        (Fault(200, body=DEEP), "answer_unreadable", "not JSON|too deep"),
        (Fault(200, body="[" * 80 + "]" * 80), "answer_unreadable", "too deep"),
        (Fault(200, body="[" * 61 + "]" * 61), "answer_unreadable", "too deep"),
        (Fault(302), "provider_refused", MOVED),
        (
            Fault(302, {"Location": "//xn--a/"}),
            "provider_refused",
            MOVED,
        ),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Fault) else "",
)
@pytest.mark.parametrize("tool", [READ, WRITE], ids=["read", "write"])
def test_a_rude_answer_is_a_clear_error(
    tool: tuple[str, Any], fault: Fault, code: str, told: str, tmp_path: Path
):
    result, server = call(tmp_path, tool, fault)
    assert result.is_error
    assert result.data == {"error": code}
    assert "Notes of Acme" in result.text
    assert any(part in result.text for part in told.split("|"))
    assert len(server.asked) == 1
    assert "evil" not in result.text


@pytest.mark.parametrize("depth", range(55, 66))
def test_an_answer_of_any_depth_is_shown_or_refused(depth: int, tmp_path: Path):
    result, _ = call(tmp_path, READ, Fault(200, body="[" * depth + "]" * depth))
    if result.is_error:
        assert result.data == {"error": "answer_unreadable"}
    assert result.is_error == (depth > 60)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(500),
        Fault(501),
        Fault(503, {"Retry-After": "0"}),
        Fault(0, drop=True),
        Fault(200, body="x" * (MAX_ANSWER_BYTES + 1)),
        Fault(200, body="<html>Sign in</html>"),
        Fault(303, {"Location": "/elsewhere"}),
        Fault(307, {"Location": "/elsewhere"}),
    ],
    ids=lambda fault: f"{fault.status} {fault.drop} {len(fault.body)}",
)
def test_a_change_whose_answer_is_lost_is_sent_once_and_told_as_unsure(
    fault: Fault, tmp_path: Path
):
    result, server = call(tmp_path, WRITE, *[fault] * 3)
    assert len(server.asked) == 1
    assert result.is_error
    assert UNSURE in result.text


def test_a_limited_change_says_that_nothing_was_changed(tmp_path: Path):
    result, server = call(tmp_path, WRITE, Fault(429, {"Retry-After": "900"}))
    assert result.text.endswith("Nothing was changed.")
    assert len(server.asked) == 1


@pytest.mark.parametrize("fault", [Fault(502), Fault(0, drop=True)], ids=["502", "drop"])
def test_a_read_is_repeated_where_the_service_stumbles_once(fault: Fault, tmp_path: Path):
    result, server = call(tmp_path, READ, fault, answer={"id": "n1"})
    assert not result.is_error
    assert len(server.asked) == 2


def test_a_read_that_never_succeeds_ends_with_a_clear_error(tmp_path: Path):
    result, server = call(tmp_path, READ, *[Fault(502)] * 5)
    assert result.data == {"error": "provider_unavailable"}
    assert "answers with 502: try again later." in result.text
    assert len(server.asked) == 3
    assert UNSURE not in result.text


def test_a_huge_answer_to_a_read_is_refused(tmp_path: Path):
    result, _ = call(tmp_path, READ, Fault(200, body="x" * (MAX_ANSWER_BYTES + 1)))
    assert result.data == {"error": "provider_refused"}


def test_a_long_answer_is_cut_in_text_and_data(tmp_path: Path):
    result, _ = call(tmp_path, READ, answer={"text": "word " * 100_000})
    assert len(result.text) <= 12_000
    assert len(json.dumps(result.data)) <= 13_000
    assert result.data["is_cut"] is True


def test_of_a_long_list_as_many_items_are_told_as_fit(tmp_path: Path):
    async def once() -> None:
        async with ProviderServer().running() as server:
            server.add_notes(tmp_path)
            notes = [{"id": str(number), "title": "word " * 200} for number in range(200)]
            server.answers[("POST", "/search")] = {"notes": notes}
            result = await ask(tmp_path, "notes_search", {"words": "word"})
            told = len(result.data["items"])
            assert 10 < told < 50
            assert result.text.startswith(f"200 found, the first {told}:\n- id: 0; title: word")
            assert len(result.text.splitlines()) == told + 1
            assert result.data["total"] == 200

    run(once())


def test_what_json_cannot_hold_everywhere_is_made_storable(tmp_path: Path):
    odd = '{"a": NaN, "b": 1e999, "c": "\\u0000\\ud800x", "d": ' + "9" * 50 + "}"
    result, _ = call(tmp_path, READ, Fault(200, body=odd))
    assert result.data == {"answer": {"a": None, "b": None, "c": "x", "d": "9" * 50}}
    json.dumps(result.data, allow_nan=False).encode()


def test_a_limit_is_shared_by_all_calls_with_an_account(tmp_path: Path):
    async def both() -> None:
        async with ProviderServer().running() as server:
            server.add_notes(tmp_path)
            server.faults = [Fault(429, {"Retry-After": "900"})]
            assert (await ask(tmp_path, *READ)).data == {"error": "rate_limited"}
            assert (await ask(tmp_path, *WRITE)).data == {"error": "rate_limited"}
            assert len(server.asked) == 1

    run(both())


@pytest.mark.parametrize(
    "fault",
    [
        Fault(400, body=json.dumps({"message": f"bad key {TOKEN}"})),
        Fault(401, body=f"no {TOKEN}"),
        Fault(200, body=json.dumps({"echo": TOKEN, TOKEN: [f"x{TOKEN}y"]})),
        Fault(200, body='{"echo": "\\u0073tand-in-token-0815"}'),
        Fault(500, body=TOKEN),
        Fault(302, {"Location": f"https://evil.example/?key={TOKEN}"}),
        Fault(0, drop=True),
    ],
    ids=lambda fault: f"{fault.status} {fault.drop}",
)
def test_a_credential_that_a_service_echoes_is_shown_nowhere(
    fault: Fault, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG, logger="cairn")  # of others a process logs warnings alone
    result, server = call(tmp_path, WRITE, fault)
    assert server.asked[0].headers["X-Notes-Key"] == TOKEN
    assert TOKEN not in f"{result.text} {json.dumps(dict(result.data))} {caplog.text}"


@pytest.mark.parametrize("token", ["line\nbreak", "käse", "a\0b"])
def test_a_credential_that_no_header_can_carry_is_named_by_its_place(token: str, tmp_path: Path):
    async def once() -> None:
        async with ProviderServer().running() as server:
            server.add_notes(tmp_path)
            providers = await providers_of(tmp_path, {"NOTES_TOKEN": token})
            tool = tool_named(providers, "notes_read")
            wanted = tool.arguments.model_validate({"note_id": "n1"})
            result = await tool.call(context(), wanted)
            assert "NOTES_TOKEN" in result.text
            assert token not in result.text
            assert server.asked == []

    run(once())


@pytest.mark.parametrize(
    "arguments",
    [
        {"note_id": "n1", "version": 10**30},
        {"note_id": "n1", "version": "soon"},
        {"note_id": "n1", "more": 1},
        {"note_id": "x" * 20_000},
        {"note_id": "\ud800"},
        {"note_id": "a\0b"},
        {},
        [],
    ],
)
def test_arguments_that_do_not_fit_are_refused_and_nothing_is_sent(arguments: Any, tmp_path: Path):
    result, server = call(tmp_path, ("notes_read", arguments))
    assert result.data == {"error": "arguments_invalid"}
    assert server.asked == []


@pytest.mark.parametrize("tool", [READ, WRITE], ids=["read", "write"])
@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_an_account_of_the_installation_is_not_for_viewers(role: Any, tool: Any, tmp_path: Path):
    async def once() -> None:
        async with ProviderServer().running() as server:
            server.add_notes(tmp_path)
            name, arguments = tool
            assert (await ask(tmp_path, name, arguments, role)).data == {"error": "forbidden"}
            assert server.asked == []

    run(once())


def test_an_error_with_status_200_is_an_error(tmp_path: Path):
    async def once() -> None:
        async with ProviderServer().running() as server:
            server.replace_built_in(tmp_path, "slack")
            server.answers[("POST", "/chat.postMessage")] = {"ok": False, "error": "not_in_channel"}
            result = await ask(tmp_path, "slack_post_message", {"channel": "C1", "text": "Hello"})
            assert result.data == {"error": "provider_refused"}
            assert result.text == "Slack refuses the call: not_in_channel."

    run(once())


def mail_of(content: bytes, home: Path) -> ToolResult:
    async def once() -> ToolResult:
        async with ProviderServer().running() as server:
            server.replace_built_in(home, "gmail")
            encoded = base64.urlsafe_b64encode(content).decode()
            path = "/gmail/v1/users/me/messages/m1"
            server.answers[("GET", path)] = {"id": "m1", "threadId": "t1", "raw": encoded}
            return await ask(home, "gmail_get_message", {"message_id": "m1"})

    result: ToolResult = run(once())
    return result


def test_a_mail_is_told_by_its_head_its_attachments_and_its_text(tmp_path: Path):
    mail = EmailMessage()
    mail["From"], mail["To"] = "Jürgen <j@example.org>", "bo@example.org"
    mail["Subject"], mail["Message-ID"] = "Angebot für März", "<a@example.org>"
    mail.set_content("Der Preis ist 7 €.")
    mail.add_alternative("<p>Der Preis ist <b>7 €</b>.</p>", subtype="html")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="angebot.pdf")
    result = mail_of(mail.as_bytes(), tmp_path)
    assert result.text.splitlines() == [
        "id: m1",
        "threadId: t1",
        "From: Jürgen <j@example.org>",
        "To: bo@example.org",
        "Subject: Angebot für März",
        "Message-ID: <a@example.org>",
        "Attachments, not read: angebot.pdf",
        "",
        "Der Preis ist 7 €.",
    ]


def test_a_mail_in_html_alone_is_told_in_words(tmp_path: Path):
    mail = b"Subject: Hi\nContent-Type: text/html\n\n<script>x()</script><p>Seven <b>euros</b></p>"
    text = mail_of(mail, tmp_path).text
    assert "Seven" in text
    assert "<p>" not in text
    assert "x()" not in text


@pytest.mark.parametrize(
    "mail",
    [
        b"",
        b"\xff" * 1_000,
        b"To: " + b"(" * 100_000 + b"\n\nHi",
        b'Content-Type: text/plain; a="' + b";" * 300_000 + b"\n\nHi",
        b"Content-Type: text/plain; charset=nonsense\n\nHi",
        b"Subject: =?utf-8?q?" + b"=00" * 1_000 + b"?=\n\nHi\0there",
    ],
    ids=["empty", "no text", "nested address", "endless parameter", "charset", "NUL"],
)
def test_a_hostile_mail_is_a_text_or_a_clear_error(mail: bytes, tmp_path: Path):
    result = mail_of(mail, tmp_path)
    assert result.data.keys() in ({"id", "threadId", "mail"}, {"error"})
    assert "\0" not in result.text
    json.dumps(dict(result.data)).encode()


def test_what_is_no_mail_is_told(tmp_path: Path):
    async def once() -> None:
        async with ProviderServer().running() as server:
            server.replace_built_in(tmp_path, "gmail")
            path = "/gmail/v1/users/me/messages/m1"
            for answer in ({"id": "m1"}, {"raw": 5}, {"raw": "a"}, [{"raw": "a"}], "x"):
                server.answers[("GET", path)] = answer
                result = await ask(tmp_path, "gmail_get_message", {"message_id": "m1"})
                assert result.data == {"error": "answer_unreadable"}, result.text

    run(once())
