from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.hygiene.normalise import lower
from streams.hygiene.redaction.redact import redact
from streams.hygiene.stage import clean
from tests.hygiene.builders import HEX_DIGITS, MIXED, a_private_key, a_source, cleaned

SECRETS = {
    "AWS_ACCESS_KEY_ID": ["key AK" + "IAQ4Z7M2X9T1B6W3C5", "AS" + "IAQ4Z7M2X9T1B6W3C5"],
    "AWS_SECRET": ["aws_secret_access_" + "key = " + MIXED[:38] + "/+"],
    "GITHUB_TOKEN": ["gh" + "p_" + MIXED[:36], "github_" + "pat_" + MIXED[:44]],
    "GITLAB_TOKEN": ["gl" + "pat-" + MIXED[:22], "gl" + "pat-" + MIXED[:14] + "XXXX" + MIXED[:4]],
    "SLACK_TOKEN": [
        "xo" + "xb-1234567890123-" + MIXED[:20],
        "xo" + "xb-12345A78901A-98A54321A0A1-" + MIXED[:20],
        "xo" + "xe.xo" + "xp-1-" + MIXED[:40],
        "https://hooks.slack" + ".com/services/T0A1B2C3D/B4E5F6G7H/" + MIXED[:24],
    ],
    "ATLASSIAN_TOKEN": ["AT" + "ATT" + MIXED[:30]],
    "GOOGLE_API_KEY": ["AI" + "za" + MIXED[:35]],
    "MODEL_API_KEY": ["sk-" + "ant-" + MIXED[:30], "gs" + "k_" + MIXED[:30]],
    "STRIPE_KEY": ["sk_" + "live_" + MIXED[:24]],
    "JWT": ["ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0." + MIXED[:30]],
    "URL_CREDENTIAL": [
        "postgres://app:h4rd2Guess" + "!@db.internal:5432/x",
        "https://" + HEX_DIGITS[:40] + ":x-oauth-basic@git.test/a/b",
        "https://" + HEX_DIGITS[:32] + "@errors.test/3",
        "jdbc:oracle:thin:scott/" + "h4rd2Gues@db.test:1521:orcl",
        "app:h4rd2" + "Gues@tcp(db.test:3306)/shop",
    ],
    "AUTH_HEADER": [
        "Authorization: Bearer " + MIXED[:30],
        "curl -u admin:h4rd2Gue$s https://api.test/",
        "header Basic YWRtaW46aDRyZDJHdWVzcw==",
        '{"registry.test": {"au' + 'th": "YWRtaW46aDRyZDJHdWVzcw=="}}',
    ],
    "SECRET_VALUE": [
        'pass' + 'word = "h4rd2Gue$s"',
        "client_" + "secret: 'q8!vT2pLx0'",
        'license_' + 'key = "8f2kQ0zLw4Vt7Xc1"',
        'weather' + '_key: "7f3kz0w9vq2h5xc8b1n4"',  # a key of anything, drawn by lot
        "GET https://api.test/v1/days?key=" + MIXED[:24],
        "machine a.test login bob pass" + "word h4rd2Gues",
        'options.put("pass' + 'word", "h4rd2Gues")',
        'source.setPass' + 'word("h4rd2Gues")',
        "CREATE ROLE shop LOGIN PASS" + "WORD 'h4rd2Gues';",
        "CREATE USER shop IDENTIFIED BY " + "'h4rd2Gues';",
        "ENV DB_PASS" + "WORD h4rd2Gues",
        '<property name="pass' + 'word" value="h4rd2Gues"/>',
        "require" + "pass h4rd2Gues",
        "keytool -store" + "pass h4rd2Gues -list",
        "SECRET_" + "KEY = '=q1*e^)v(7$jd2k&x!m0=w@5zs#9h_u4b%c3r+t8y6npg'",
        "define('AUTH_" + "KEY', 't+DK%X:>xy|e-Z(BXb/f(Ur;8#~UzU QG-^_Cs');",
        "mnemonic: 'able acid also army away baby back ball band bank base bath'",
        "Unseal Key 1: " + MIXED[:40] + "Qw8=",
    ],
    "PRIVATE_KEY": [
        '{"kty": "EC", "crv": "P-256", "d": "' + MIXED[:43] + '"}',
    ],
    "HIGH_ENTROPY": [
        "the token was (" + MIXED + ")",
        "token [" + HEX_DIGITS + "]",
        "the token, of '" + MIXED[:26] + "'",
    ],
    "SERVICE_TOKEN": [
        "np" + "m_" + MIXED[:36],
        "hv" + "s." + MIXED[:30],
        "(dp" + ".st.dev." + (MIXED + MIXED)[:43] + ")",
        "https://discord.test/api/webhooks/123456789012345678/" + (MIXED + MIXED)[:64],
        "https://chat.test/bot123456789:" + "AA" + MIXED[:33] + "/send",
        "MTA5" + MIXED[:20] + ".Gx1yZ2." + MIXED[:38],
        "re_" + MIXED[:8] + "_" + MIXED[8:32],
        "GR13" + "48941" + MIXED[:20],
        (MIXED + MIXED)[:52] + "JQQ" + "J99" + (MIXED + MIXED)[:26],
        "$argon2id$v=19$m=65536,t=3,p=4$" + MIXED[:22] + "$" + (MIXED + MIXED)[:43],
        "use tvx" + "k_Ab3dE6gH9jK2mN5pQ8sT1vW4 here",  # a prefix nobody listed
    ],
}  # fmt: skip
NO_SECRETS = [
    'password = "changeme"',
    "password: <your password>",
    "password = ${DB_PASSWORD}",
    'api_key = "your-api-key-here"',
    'token = os.environ["TOKEN_NAME_1"]',
    "password = config.password1",
    "password = getPassword1()",
    "String token1234 = tokenService.createToken1();",
    "token: String",
    "def login(user: str, password: SecretStr1) -> None:",
    'secret = "{{ .Values.secret1 }}"',
    'TOKEN_KEY = "edc.vault.hashicorp.token"',
    "password = xxxxxxxxxxxx",
    "token gh" + "p_" + 36 * "x" + " and gl" + "pat-1A2bXXXXXXXXXXXXXXXX",
    'tokenUrl = "https://login.example.org/oauth2/v1"',
    "max_tokens: 1000000000",
    "https://user:password@localhost/",
    'throw new Error("Invalid password for user 12")',
    "the token commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sk-learn-is-a-library-for-machine-learning",
    "Bearer tokens are sent in the Authorization header",
    "Basic authentication is switched off",
    'csrf_token = "8f2kQ0zLw4Vt7Xc1Bn5M"',
    'api_key = "a1b2c3d4-e5f6-a7b8"',
    'cache_key = "user8f2kQ0zLw4Vt7"',
    'cache_key = "7f3kz0w9vq2h5xc8b1n4"',
    'key: "1b4f0e98-51c2-4d6a-9d3e-0a7c5b2f8e64"',
    'sort_key = "3f786850e387550fdab836ed7e6dc881de23001b"',
    'keyword = "seventeen2words3in4all5here"',
    "see pull/2047/files#diff-f65a8ac81e253e85af159ba041fbad62",
    'secretName = "queue-tls-2024"',
    'fields = ("password", "username1")',
    '"credentialId": "B9mTcFSck2LzJO2S3ols63"',
    'schema(credential, "JsonSchemaValidator2018")',
    'assert repository.findByToken("abcd1234")',
    "the token 'authorization' is sent",
    'path: {"d": "M10 10 H 90 V 90 H 10 L 10 10 M20 20 H 80"}',
    "define('AUTH_KEY', 'put your unique phrase here');",
    'label(password, "a hint of 8 words")',
    "mnemonic: 'a word that helps to remember'",
    "-----BEGIN PRIVATE" + " KEY----------END PRIVATE" + " KEY-----",
]


@pytest.mark.parametrize(
    ("kind", "line"), [(kind, line) for kind, lines in SECRETS.items() for line in lines]
)
def test_every_kind_of_secret_is_replaced(kind: str, line: str) -> None:
    result = cleaned(f"before\n{line}\nafter\n", "notes.txt")
    assert [it.type for it in result.redactions] == [kind]
    found = result.redactions[0]
    assert result.text[found.char_start : found.char_end] == f"[REDACTED:{kind}:1]"
    assert (found.line, result.line_count) == (2, 3)


@pytest.mark.parametrize("line", NO_SECRETS)
@pytest.mark.parametrize("path", ["a.md", "a.java", "a.py", "a.txt"])
def test_what_only_speaks_of_secrets_stays(line: str, path: str) -> None:
    text = f"{line}\n"
    assert redact(text, lower(text), "src", "java" if path == "a.java" else None) == (text, ())


def test_a_private_key_becomes_a_placeholder_per_line() -> None:
    key = a_private_key()
    result = cleaned(f"# Key\n{key}\nafter\n", "key.txt")
    assert result.text.split("\n")[1:6] == ["[REDACTED:PRIVATE_KEY:1]"] * 5
    assert result.text.endswith("\nafter\n")


def test_the_same_secret_has_the_same_number() -> None:
    first, second = "gh" + "p_" + MIXED[:36], "gh" + "p_" + MIXED[5:41]
    result = cleaned(f"{first}\n{second}\n{first}\n", "a.txt")
    assert re.findall(r"TOKEN:(\d)", result.text) == ["1", "2", "1"]


def test_chat_is_freed_of_personal_data_and_a_document_is_not() -> None:
    text = "mail jane@roe.example or call 030 1234 5678\n"
    chat = a_source("a.md").model_copy(update={"source_type": "chat_thread"})
    seen = clean(chat, text.encode()).text, cleaned(text, "a.md").text
    assert seen == ("mail [EMAIL:1] or call [PHONE:1]\n", text)


def test_nothing_of_a_secret_is_left_in_any_result() -> None:
    secret = MIXED[:36]
    result = cleaned("# T\n\ngh" + f"p_{secret}\n\n{a_private_key()}\n")
    everything = repr(result)
    assert secret not in everything
    assert MIXED[:20] not in everything


PIECES = st.sampled_from(
    [line for lines in SECRETS.values() for line in lines]
    + NO_SECRETS
    + [
        a_private_key(),
        "\n",
        " ",
        "=",
        "password",
        "://",
        "eyJ",
        "-----BEGIN PRIVATE" + " KEY-----",
    ]
)


@given(st.lists(PIECES | st.text(max_size=8), max_size=12))
def test_redacting_keeps_the_lines_and_is_done_once(pieces: list[str]) -> None:
    text = "".join(pieces).replace("\r", "")
    once, found = redact(text, lower(text), "src", None)
    assert once.count("\n") == text.count("\n")
    for it in found:
        assert once[it.char_start : it.char_end] == it.placeholder
        assert once.count("\n", 0, it.char_start) + 1 == it.line
    again, _ = redact(once, lower(once), "src", None)
    assert again.count("\n") == text.count("\n")


@pytest.mark.parametrize("line", [line for lines in SECRETS.values() for line in lines])
def test_redacted_text_is_not_redacted_again(line: str) -> None:
    once, _ = redact(line, lower(line), "src", None)
    assert redact(once, lower(once), "src", None) == (once, ())


@pytest.mark.parametrize(
    "hostile",
    [
        "eyJ",
        "password=",
        "sk-",
        "://a:",
        "-----BEGIN PRIVATE" + " KEY-----\n",
        "xoxb-",
        "aaaaaaaa.",
        'a_key="',
        "key=",
        "bearer ",
        "machine ",
        "curl ",
        "basic ",
        "1234567890",
        '"a" +\n',
        '"x" + "y" + ',
        "\\u0041",
        "\\\n",
        "a: |\n  ",
        "password:\n  ",
        "password:",
        "password:x=",
        "LS0tLS1CRUdJTiBDRVJU\n",
        "ghp_" + "aB3" * 20 + "\\/",
        "eyJhIjoiYiJ9.",
        "@tcp(",
        "a:b@tcp(",
        "+ASt",
        "sig=",
        "key-",
        f"n: {'1234567890' * 9}\n",
    ],
)
def test_hostile_repetition_is_linear(hostile: str) -> None:
    text = hostile * (200_000 // len(hostile))
    sanitized, _ = redact(text, lower(text), "src", None, personal=True)
    assert sanitized.count("\n") == text.count("\n")
