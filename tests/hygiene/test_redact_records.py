"""Secrets whose name stands apart from them, and passwords that people choose."""

# ruff: noqa: E501 (a case is read as one line)
from __future__ import annotations

import base64
import json

import pytest

from streams.hygiene.normalise import lower
from streams.hygiene.redaction.redact import redact
from tests.hygiene.builders import MIXED, a_private_key

WORD = "h4rd2Gue" + "s7Xq9"
POOR = "Regen" + "bogen7"
TOKEN = "q8vT2pLx0" + "RzWm41KdYbNc3"


def hidden(text: str, language: str | None = None) -> str:
    sanitized, _ = redact(text, lower(text), "src", language)
    assert sanitized.count("\n") == text.count("\n")
    return sanitized


APART = {
    "json": ('{"name": "SMTP_PASSWORD", "value": "{}"}', "json"),
    "json over lines": ('[{\n  "key": "db_password",\n  "type": "text",\n  "value": "{}"\n}]', "json"),
    "value first": ('{"value": "{}", "name": "SMTP_PASSWORD"}', "json"),
    "other labels": ('{"ParameterKey": "RootPassword", "ParameterValue": "{}"}', "json"),
    "container": ("env:\n  - name: CACHE_PASSWORD\n    value: {}\n  - name: PORT\n    value: p80\n", "yaml"),
    "quoted container": ('env:\n- name: CACHE_PASSWORD\n  value: "{}"\n', "yaml"),
    "variable": ('variable "admin_password" {\n  type = string\n  default = "{}"\n}', "terraform"),
    "output": ('{"outputs": {"admin_pw": {"type": "string", "value": "{}"}}}', "json"),
    "generated": (
        '{"type": "random_password", "instances": [{"attributes": {"length": 9, "result": "{}"}}]}',
        "json",
    ),
    "block of yaml": ("parameters:\n  master_password:\n    type: String\n    default: {}\n", "yaml"),
    "property list": ("<key>LdapPassword</key>\n\t<string>{}</string>\n", None),
    "attributes": ('<add key="MailPassword" value="{}" />', "xml"),
    "elements": ("<param><name>password</name><value>{}</value></param>", "xml"),
    "within JSON": (json.dumps(json.dumps({"name": "DB_PASSWORD", "value": "{}"})), "json"),
    "notebook": (
        '{"cells": [{"source": ["import os\\n", "db_password = \\"{}\\"\\n"]}]}',
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("value", [WORD, POOR, "Zq9!x(4/Kp{7?&w"])
@pytest.mark.parametrize("form", APART)
def test_the_value_of_a_record_that_names_a_password_is_replaced(form: str, value: str) -> None:
    text, language = APART[form]
    if form in ("container", "block of yaml", "elements", "property list", "within JSON"):
        value = value.replace("{", "").replace("&", "")
    if form == "notebook":
        value = value.replace('"', "")
    assert value not in hidden(text.replace("{}", value) + "\n", language)


def test_the_neighbour_of_a_record_stays() -> None:
    text = (
        "env:\n  - name: CACHE_PASSWORD\n    valueFrom: x\n  - name: LEVEL\n    value: debug77x\n"
    )
    assert hidden(text, "yaml") == text


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "password", "type": "string", "default": null}',
        '{"name": "password_min_length", "value": "12characters"}',
        '{"name": "DB_PASSWORD", "valueFrom": "arn:aws:ssm:eu-1:12:parameter/db9"}',
        '{"key": "token_endpoint", "value": "https://login.test/oauth2/v1"}',
        '<input name="password" value="{{ form.value1 }}" />',
        "password:\n  type: string\n  minLength: 12\n  default: null\n",
    ],
)
@pytest.mark.parametrize("language", ["json", "yaml", None])
def test_a_record_about_a_password_stays(text: str, language: str | None) -> None:
    assert hidden(text + "\n", language) == text + "\n"


TABLES = {
    "markdown": "| User | Password | Note |\n|---|---|---|\n| jo | {} | new |\n| al | {}2 | old |\n",
    "key and value": "| DB_PASSWORD | `{}` |\n|---|---|\n",
    "comma": "user,password,role\njo,{},admin\nal,{}2,guest\n",
    "semicolon": "Benutzer;Passwort\njo;{}\n",
    "tab": "user\tkata sandi\njo\t{}\n",
    "quoted": '"user","password"\n"jo, al","{}"\n',
}


@pytest.mark.parametrize("form", TABLES)
def test_a_column_called_password_is_replaced(form: str) -> None:
    assert WORD not in hidden(TABLES[form].replace("{}", WORD))


@pytest.mark.parametrize(
    "text",
    [
        "| Setting | Default |\n|---|---|\n| password | must have 12 characters |\n",
        "| Password policy | Tokens |\n|---|---|\n| 12 characters | 4096 |\n",
        "| `basicAuthPassword` | [SecretSource](#secret-source2) | sets it |\n",
        "| Algorithm | Password hash |\n|---|---|\n| one | argon2id |\n",
        "Passwords, tokens, keys\nare stored, encrypted with aes256, there\n",
    ],
)
def test_a_table_about_passwords_stays(text: str) -> None:
    assert hidden(text, "markdown") == text


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_all_data_of_a_secret_in_a_manifest_is_replaced_but_certificates() -> None:
    public = encoded("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n")
    text = (
        "apiVersion: v1\nkind: Secret\ndata:\n"
        f"  mail: {encoded('Calm-Heron-77')}\n  ca.crt: {public}\ntype: Opaque\n---\n"
        f"kind: ConfigMap\ndata:\n  mail: {encoded('just a plain text')}\n"
    )
    expected = text.replace(encoded("Calm-Heron-77"), "[REDACTED:SECRET_VALUE:1]")
    assert hidden(text, "yaml") == expected


def test_data_of_a_secret_in_one_line_of_json_is_replaced() -> None:
    text = f'{{"kind": "Secret", "data": {{"mail": "{encoded("Calm-Heron-77")}"}}}}\n'
    assert encoded("Calm-Heron-77") not in hidden(text, "json")


def test_base64_of_a_key_is_replaced_whatever_its_name() -> None:
    run = encoded(a_private_key())
    assert run[:40] not in hidden(f"deploy:\n  blob: {run}\n", "yaml")


CONNECTIONS = {
    "csharp": 'var c = "Server=db.test;Uid=app;{}={};Encrypt=True";',
    "json": '{"Main": "Data Source=db;User ID=app;{}={};"}',
    "python": 'connect("host=db user=app {}={} dbname=x")',
    "java": 'url("jdbc:mysql://db.test/x?user=app&{}={}&ssl=1");',
    "go": 'open("sqlserver://db.test?database=x&{}={}")',
    None: "Server=db.test;Uid=app;{}={};Encrypt=True",
}


@pytest.mark.parametrize("name", ["Password", "pwd", "password"])
@pytest.mark.parametrize("language", CONNECTIONS)
def test_a_password_in_a_connection_string_is_replaced(language: str | None, name: str) -> None:
    for value in (WORD, POOR, "p@55#w9rd!"):
        text = CONNECTIONS[language].replace("{}", name, 1).replace("{}", value)
        assert value not in hidden(text + "\n", language)


def test_the_rest_of_a_connection_string_stays() -> None:
    text = f'"Server=db.test;Password={WORD};Database=shop2024;"\n'
    assert hidden(text, "csharp") == text.replace(WORD, "[REDACTED:SECRET_VALUE:1]")


WEAK = [
    "Herbst24",
    "D0gs&Cats",
    "qwert123",
    "abcxyz99",
    "ghjkvbnm",
    "a;b,c|9Xy",
    "7%uper(Tor)",
    "!Moon9light",
    "v1DawalsVmZKecfC",
    "ezkvQduJuKcuWib8",
]
ASSIGNED = [
    ("db:\n  password: {}\n", "yaml"),
    ("db_password={}\n", "env"),
    ("password = {}\n", "ini"),
    ("spring.datasource.password={}\n", "properties"),
    ("export DB_PASSWORD='{}'\n", "shell"),
    ('{{"password": "{}"}}\n', "json"),
    ("password: '{}'\n", "yaml"),
    ("<password>{}</password>\n", "xml"),
]


@pytest.mark.parametrize("value", WEAK)
@pytest.mark.parametrize(("text", "language"), ASSIGNED)
def test_a_poor_password_in_configuration_is_replaced(text: str, language: str, value: str) -> None:
    assert value not in hidden(text.format(value), language)


@pytest.mark.parametrize(
    "value",
    [
        "changeme", "${DB_PASSWORD}", "<your password>", "$(cat secret1)", "{{ .Values.pw1 }}", "xxxxxxxx", "********",
        "your-password-1", "string", "required", "Passwort", "contraseña", "bcrypt", "scram-sha-256", "argon2id",
        "/run/secrets/db1", "vault:db/data#pw1", "%(password1)s", "$DB_PASSWORD1", "null", "hidden", "!vault",
        "example123", "@string/password1", "12characters", "2024-05-17", "v1beta2", "userPasswordHash1",
    ],
)  # fmt: skip
@pytest.mark.parametrize(("text", "language"), ASSIGNED)
def test_what_stands_for_a_password_stays(text: str, language: str, value: str) -> None:
    said = text.format(value)
    assert hidden(said, language) == said


@pytest.mark.parametrize(
    "text",
    [
        "The password must have 12 characters and 1 digit.",
        "Password: at least 8 characters",
        "the password is hashed with sha256.",
        "A token has 4096 bytes; max_tokens: 128000",
        "Passwords are compared by compare2Passwords(a, b)",
        "pass: 12 of 14 tests",
        "tokenizationId: '0f3a9b7c5d1e82640f3a9b7c5d1e8264',",
        "uses: acme/create-token@0f3a9b7c5d1e82640f3a9b7c5d1e82640f3a9b7c # v3",
        '"tokenVersion": "0f3a9b7c5d1e82640f3a9b7c5d1e8264"',
        "Authorization: Bearer YOUR_ACCESS_TOKEN_1",
        "Authorization: Bearer acme_secret_...",
        'PasswordPattern = "^(?=.*[a-z]).{8,32}$"',
        'url = "https://a.test/?password=" + user.name2 + "&x=1"',
        "List<TokenEntry9> tokens() { return tokens1; }",
        'The flag will _pass_ "`IPv4`" and "`IPv6`" on to the node.',
        "The map has the key `depot.labels.example.io/serviceAccount.tokens` for each lane2.",
    ],
)
@pytest.mark.parametrize("language", [None, "markdown", "java", "python"])
def test_prose_and_code_about_secrets_stay(text: str, language: str | None) -> None:
    assert hidden(text + "\n", language) == text + "\n"


def test_ids_of_objects_are_no_tokens() -> None:
    ids = [f"{kind}_1Rt{MIXED[at : at + 21]}" for at, kind in enumerate(("sub", "price", "inv"))]
    text = "\n".join(f'{{"id": "{it}"}}, see {it}' for it in ids) + "\n"
    assert hidden(text, "json") == text


@pytest.mark.parametrize(
    "line",
    [
        "curl -u admin:{} https://api.test/",
        "set -x DB_PASSWORD {}",
        "set -gx API_PASSWORD {}",
        "setenv DB_PASSWORD {}",
        "npm config set //npm.test/:_password {}",
        "heroku config:set DB_PASSWORD={}",
        "PGPASSWORD={} psql -h db.test",
        "db.test:5432:shop:app:{}",
        "machine git.test login jo password {}",
        "default login anonymous password {}",
        "git clone https://oauth2:{}@git.test/a/b.git",
        "mysql://app:{}@/shop",
    ],
)
def test_a_password_in_a_line_of_a_shell_is_replaced(line: str) -> None:
    for text, language in ((line, "shell"), (f"Run:\n\n    $ {line}\n", None)):
        assert WORD not in hidden(text.format(WORD) + "\n", language)


@pytest.mark.parametrize(
    "line",
    [
        "docker run -p 8080:8080 -u 1000 web1:latest",
        "docker login -p $REGISTRY_PASSWORD1",
        "ssh -p 2222 jo@host.test",
        "mkdir -p /srv/data2024/logs",
        "mysql -u root -p shop2024",
        "zip -r build2024.zip -p dist",
        "cp -a folder2024 copy2024",
        "src/main.py:12:34: E501 line too long",
    ],
)
def test_other_options_stay(line: str) -> None:
    assert hidden(line + "\n", "shell") == line + "\n"


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("//npm.test/:_authToken=NpmToken.1b4f0e98-51c2-4d6a-9d3e-0a7c5b2f8e64", "1b4f0e98"),
        (f"git remote add up https://{TOKEN}@git.test/a.git", TOKEN),
        ('get("https://api.test/v2?q=Bern&appid=0f3a9b7c5d1e82640f3a9b7c5d1e8264")', "0f3a9b7c"),
        ("jo:$ap" + "r1$hYk2LmQz$Xq7mWv3RtY9uPa5sDf8gH.", "Xq7mWv3R"),
        ("jo:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "W6ph5Mm5"),
    ],
)  # fmt: skip
def test_odd_forms_are_replaced(line: str, secret: str) -> None:
    assert secret not in hidden(line + "\n")


@pytest.mark.parametrize("said", ["is", "for the stage is", "lautet", "est", "es"])
def test_a_password_told_in_a_sentence_is_replaced(said: str) -> None:
    assert WORD not in hidden(f"The password {said} {WORD}, please change it.\n")


TOLD = {
    "talk": "the mail pw is {}, user jo",
    "list": "user: jo / pass: {}",
    "behind a login": "Zugangsdaten: jo / {}",
    "pair": "Login: jo:{}",
    "bold": "**Password:** {}",
    "star": "*Password:* {}",
    "next line": "Password:\n\n    {}",
    "item": "- Password\n  `{}`",
    "words before the colon": "Hasło do bazy: {}",
    "wide colon": "数据库密码：{}",
    "page": "<tr><td>Password</td><td>{}</td></tr>",
    "head of Jira": "||User||Password||\n|jo|{}|",
    "row of Jira": "|Password|{}|",
}


@pytest.mark.parametrize("form", TOLD)
def test_a_password_told_by_a_person_is_replaced(form: str) -> None:
    assert WORD not in hidden(TOLD[form].replace("{}", WORD) + "\n")


HANDED_OVER = [
    ('get(url, auth=("jo", "{}"))', "python"),
    ('smtp.login("jo@mail.test", "{}")', "python"),
    ('new NetworkCredential("svc", "{}")', "csharp"),
    ("define( 'DB_PASSWORD', '{}' );", "php"),
    ("CREATE USER jo WITH PASSWORD '{}';", "sql"),
    ("SET PASSWORD FOR jo = PASSWORD('{}');", "sql"),
    ("ALTER LOGIN jo WITH PASSWORD = N'{}';", "sql"),
    ("'password' => '{}',", "php"),
    ('#define WIFI_PASS "{}"', "c"),
    ("mysql -u root -p'two words {}' shop", "shell"),
    ("aws ssm put-parameter --name /live/DB_PASSWORD --value '{}' --type String", "shell"),
    ("box secret set --env MAIL_PASSWORD --value {}", "shell"),
]


@pytest.mark.parametrize(("text", "language"), HANDED_OVER)
def test_a_password_that_is_handed_over_is_replaced(text: str, language: str) -> None:
    for value in (POOR, WORD):
        assert value not in hidden(text.replace("{}", value) + "\n", language)


LISTS = [
    ("# for all\n*:*:*:postgres:{}\ndb.test:6000:shop:app:{}2\n", None),
    ("chpasswd:\n  list: |\n    root:{}\n    app:{}2\n  expire: false\n", "yaml"),
]


@pytest.mark.parametrize(("text", "language"), LISTS)
def test_every_line_of_a_list_of_passwords_is_replaced(text: str, language: str | None) -> None:
    assert WORD not in hidden(text.replace("{}", WORD), language)


@pytest.mark.parametrize("value", ["@@lettersonly", "lettersMixed", "aaBBccDD"])
def test_nothing_but_a_password_stands_in_a_connection_string(value: str) -> None:
    text = f'{{"Live": "Server=db.test;User Id=app;Password={value};"}}\n'
    assert value not in hidden(text, "json")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            "de:\n  password: Passwort\n  reset_password: zurücksetzen\n  old_password: bisheriges\n",
            "yaml",
        ),
        (
            '{"password": "Mot", "forgot_password": "Oublié?", "show_password": "Afficher"}\n',
            "json",
        ),
        ('"Server=db.test;User Id=app;Password=[redacted];Encrypt=True"\n', "json"),
        ('"Server=db.test;Integrated Security=True;Persist Security Info=False"\n', "json"),
        ('output "db_password" {\n  value = aws_db_instance.main.password\n}\n', "terraform"),
        ("sprintf('mysql -u %s -p%s %s', $user, $password, $database);\n", "php"),
        ('page.login("admin", "admin");\n', "java"),
        ('{"last_login": "0001-01-01T00:00:00Z"}\n', "json"),
        ("POSTGRES_USER: warehouse\nPOSTGRES_PASSWORD: warehouse\n", "yaml"),
        ("- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      key: password1\n", "yaml"),
        (
            '{"Client secret": "Kundenkennung", "api_keys": "API-Schlüssel", "Token": "トークンを取り消す"}\n',
            "json",
        ),
        ("With the requirepass option set\n", None),
        ("Authorization: Bearer eyJhbGciOi...Xq7mWv3RtY9u\n", "markdown"),
        ("run: box --cluster-token=store-$(NAMESPACE_1)\n", "yaml"),
        ("kubectl create secret generic a --from-literal=keyname=store-key-2\n", "shell"),
        (
            'kind: Secret\ndata:\n  a.json: |\n    {\n      "useExtension": true,\n      "tenant": "<ID>"\n    }\n',
            "yaml",
        ),
        ("Login: see docs/login2.md and steps/three3\n", None),
        ("## Password\n\nmin_length_12 is set.\n", "markdown"),
    ],
)
def test_labels_and_references_stay(text: str, language: str | None) -> None:
    assert hidden(text, language) == text


def test_the_rest_of_a_link_stays() -> None:
    text = "[![x](https://c.test/badge.svg?token=VK6OUPJ3TY)](https://c.test/acme/shop)\n"
    assert hidden(text, "markdown") == text.replace("VK6OUPJ3TY", "[REDACTED:SECRET_VALUE:1]")
