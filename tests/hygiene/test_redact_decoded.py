"""Secrets that stand in a text otherwise than they are used."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.hygiene.normalise import lower
from streams.hygiene.redaction.decoded import unfold
from streams.hygiene.redaction.redact import redact
from tests.hygiene.builders import MIXED, a_private_key
from tests.hygiene.samples import drawn
from tests.hygiene.test_redact_runs import left_of

TOKEN = "gh" + "p_" + MIXED[:36]
WORD = "h4rd2Gue" + "s7Xq9"
ESCAPED = {
    "a slash": (r"https:\/\/hooks.slack" + r".com\/services\/T0A1B2C3D\/{}", "/"),
    "within JSON": (json.dumps(json.dumps({"password": "{}"})), ""),
    "within JSON within JSON": (json.dumps(json.dumps({"a": json.dumps({"password": "{}"})})), ""),
    "behind a line feed": (r'"first line\n{}"', "gh" + "p_"),
    "a name": (r'{{"pass\u0077ord": "{}"}}'.replace("{{", "{").replace("}}", "}"), ""),
}


@pytest.mark.parametrize("form", ESCAPED)
def test_an_escaped_secret_is_replaced(form: str) -> None:
    text, prefix = ESCAPED[form]
    secret = MIXED[:40]
    said = (prefix if prefix.startswith("gh") else "") + secret
    assert not left_of(text.replace("{}", said) + "\n", secret)


@pytest.mark.parametrize("sign", ["+", "/", "=", "&", "<", "w"])
def test_any_character_may_be_escaped_by_its_number(sign: str) -> None:
    secret = f"{MIXED[:20]}{sign}{MIXED[20:40]}"
    written = secret.replace(sign, f"\\u{ord(sign):04x}")
    assert not left_of(f'{{"client_secret": "{written}"}}\n', written, "json")


JOINED = {
    "plus": 'token = "{}" +\n    "{}";\n',
    "plus before": 'token = "{}"\n    + "{}";\n',
    "plus on one line": 'token = "{}" + "{}";\n',
    "side by side": "token = (\n    '{}'\n    '{}'\n)\n",
    "backslash": 'token = "{}" \\\n    "{}"\n',
    "backslash in a literal": 'token = "{}\\\n{}"\n',
    "shell": "export TOKEN={}\\\n{}\n",
    "dots": "$token = '{}' . '{}';\n",
    "folded": "token: >-\n  {}\n  {}\n",
    "kept": "token: |\n  {}\n  {}\n",
    "comment": "# token = {}\n# {}\n",
}


@pytest.mark.parametrize("form", JOINED)
def test_a_secret_broken_into_two_is_replaced(form: str) -> None:
    first, second = drawn(64, 1), drawn(40, 2)
    language = "yaml" if form in ("folded", "kept", "comment", "shell") else "python"
    text = JOINED[form].format(first, second)
    assert not left_of(text, first, language)
    assert not left_of(text, second, language)


@pytest.mark.parametrize("form", ["plus", "plus before", "side by side", "dots"])
def test_a_prefix_alone_in_its_literal_still_tells_the_token(form: str) -> None:
    text = JOINED[form].replace("token", "it").format(TOKEN[:12], TOKEN[12:])
    assert not left_of(text, TOKEN[12:], "python")


NEXT_LINES = [
    ("password:\n  " + WORD + "\n", "yaml"),
    ("password: >-\n  " + WORD + "\n", "yaml"),
    ('{"password":\n    "' + WORD + '"}\n', "json"),
    ('password = (\n    "' + WORD + '"\n)\n', "python"),
    ('const password =\n  "' + WORD + '";\n', "javascript"),
]


@pytest.mark.parametrize(("text", "language"), NEXT_LINES)
def test_a_value_on_the_line_behind_its_name_is_replaced(text: str, language: str) -> None:
    sanitized, _ = redact(text, lower(text), "src", language)
    assert WORD not in sanitized
    assert sanitized.count("\n") == text.count("\n")


def wrapped(text: str, width: int, indent: str) -> str:
    return "\n".join(indent + text[at : at + width] for at in range(0, len(text), width))


@pytest.mark.parametrize("size", [40, 200, 1_600, 10_000])
@pytest.mark.parametrize("width", [64, 76])
def test_a_wrapped_key_of_a_kubeconfig_is_replaced_to_its_last_line(size: int, width: int) -> None:
    said = base64.b64encode(a_private_key(size // 40).encode()).decode()
    text = f"    client-key-data: |\n{wrapped(said, width, '      ')}\n    name: a\n"
    sanitized, _ = redact(text, lower(text), "src", "yaml")
    lines = sanitized.split("\n")
    assert all(line.strip().startswith("[REDACTED:") for line in lines[1:-2])
    assert (lines[-2], len(lines)) == ("    name: a", text.count("\n") + 1)


@pytest.mark.parametrize("bits", [2048, 4096])
def test_a_kubeconfig_in_one_line_is_replaced_to_its_end(bits: int) -> None:
    said = base64.b64encode(a_private_key(bits // 40).encode()).decode()
    assert not left_of(f"    client-key-data: {said}\n", said, "yaml")


IN_BASE64 = {
    "a key": (a_private_key(), "PRIVATE_KEY"),
    "an address": ("postgres://app:" + WORD + "@db.internal:5432/app", "URL_CREDENTIAL"),
    "credentials of a registry": (
        json.dumps({"auths": {"q.test": {"username": "bot", "password": MIXED[:24]}}}),
        "SECRET_VALUE",
    ),
    "a service account": (
        json.dumps({"type": "service_account", "private_key": a_private_key()}),
        "PRIVATE_KEY",
    ),
    "a token": ("login with " + TOKEN, "GITHUB_TOKEN"),
}


@pytest.mark.parametrize("what", IN_BASE64)
@pytest.mark.parametrize("text", ["x: {}\n", "BLOB={}\n", '{{"blob":"{}"}}\n', "see {} there\n"])
def test_base64_of_a_secret_is_replaced(what: str, text: str) -> None:
    said, kind = IN_BASE64[what]
    for encoded in (said.encode(), said.encode("utf-16-le")):
        run = base64.b64encode(encoded).decode()
        whole = text.format(run)
        sanitized, found = redact(whole, lower(whole), "src", None)
        assert [it.type for it in found] == [kind]
        assert sanitized == text.format(found[0].placeholder)


@pytest.mark.parametrize("width", [64, 76])
def test_base64_of_a_secret_over_several_lines_is_replaced(width: int) -> None:
    said, kind = IN_BASE64["a service account"]
    run = wrapped(base64.b64encode(said.encode()).decode(), width, "    ")
    sanitized, _ = redact(f"blob: |\n{run}\nnext: 1\n", f"blob: |\n{run}\nnext: 1\n", "src", "yaml")
    assert set(sanitized.split("\n")[1:-2]) == {f"    [REDACTED:{kind}:1]"} | {
        f"[REDACTED:{kind}:1]"
    }


DER = [
    "MIIEpAIBAAKC" + "AQEA" + drawn(1_576, 3),
    "MIIEvQIBADANBgkq" + "hkiG9w0BAQEFAASC" + drawn(1_592, 4),
    "MHcCAQEEI" + drawn(150, 5),
]


@pytest.mark.parametrize("run", DER, ids=lambda it: it[:9])
def test_a_private_key_without_its_border_lines_is_replaced(run: str) -> None:
    assert not left_of(f"key of the test:\n{run}\n", run)
    assert not left_of(wrapped(run, 64, "  ") + "\nnext line\n", run[:64])


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(b"a text of many words that says nothing of the kind").decode(),
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURkekNDQWwrZ0F3SUJBZ0lFQWdBQXVUQU5CZ2txaGtpRzl3",
        'say("one " + "two " +\n    "three")',
        "sums:\n" + "\n".join(drawn(64, at, "0123456789abcdef") for at in range(3)),
        r'print("a\tb\nc: %s\n" % "\u00e9")',
        "description: >-\n  a text that is folded\n  over two lines\n",
        "see https://a.test/a/very/long/address/that/fills/a/line/by/itself\nword\n",
        "tokens:\n  - name: first\n  - name: second\n",
    ],
)
@pytest.mark.parametrize("language", [None, "yaml", "python", "java"])
def test_what_is_only_encoded_or_broken_stays(text: str, language: str | None) -> None:
    assert redact(text, lower(text), "src", language) == (text, ())


def test_two_tokens_on_two_lines_are_two() -> None:
    other = "gh" + "p_" + MIXED[5:41]
    text = f"{TOKEN}\n{other}\n"
    _, found = redact(text, lower(text), "src", None)
    assert [it.placeholder[-2] for it in found] == ["1", "2"]


PIECES = st.sampled_from(
    ['"', "'", "\\", "\n", " + ", "+", "a", TOKEN[:20], drawn(50, 6), "\\n", "\\u0041", ": |", " "]
)


@given(st.lists(PIECES, max_size=20))
def test_a_view_leads_back_to_where_its_characters_stand(pieces: list[str]) -> None:
    text = "".join(pieces)
    view = unfold(text)
    if view is None:
        return
    places = [view.span(at, at + 1) for at in range(len(view.text))]
    assert places == sorted(places)
    for char, (start, end) in zip(view.text, places, strict=True):
        assert end > start
        assert end - start > 1 or text[start:end] == char
