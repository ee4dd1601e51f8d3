"""A project's sources with a secret in every place that user text can come from.

Every secret is drawn anew, so no scanner of this repository finds one, and none is found by chance.
"""

from __future__ import annotations

import base64
import json
import random
import string
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.connectors.worlds import a_folder, git

LETTERS = string.ascii_letters + string.digits
CHANNEL = "C0PLANTED"
AT = "2026-03-01T12:00:00.000+0000"


@dataclass
class Planted:
    """The secrets by the place where each stands; ``draw`` makes and notes one."""

    chance: random.Random = field(default_factory=random.SystemRandom)
    by_place: dict[str, str] = field(default_factory=dict)

    def draw(self, place: str, form: Callable[[Planted], str]) -> str:
        assert place not in self.by_place
        self.by_place[place] = form(self)
        return self.by_place[place]

    def letters(self, count: int, alphabet: str = LETTERS) -> str:
        """``count`` characters with a small and a large letter and a digit among them."""
        while True:
            drawn = "".join(self.chance.choice(alphabet) for _ in range(count))
            if any(it.isdigit() for it in drawn) and drawn.lower() != drawn:
                return drawn


def github(planted: Planted) -> str:
    return "gh" + "p_" + planted.letters(36)


def gitlab(planted: Planted) -> str:
    return "glp" + "at-" + planted.letters(20)


def slack(planted: Planted) -> str:
    return (
        "xox"
        + "b-"
        + "-".join(planted.letters(12, string.digits + "A") for _ in range(2))
        + ("-" + planted.letters(24))
    )


def stripe(planted: Planted) -> str:
    return "sk" + "_live_" + planted.letters(24)


def aws(planted: Planted) -> str:
    return "AK" + "IA" + planted.letters(16, string.ascii_uppercase + string.digits)


def google(planted: Planted) -> str:
    return "AI" + "za" + planted.letters(35)


def model(planted: Planted) -> str:
    return "sk" + "-ant-" + planted.letters(40)


def password(planted: Planted) -> str:
    return planted.letters(16)


def jwt(planted: Planted) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    return f"{head}.eyJ{planted.letters(30)}.{planted.letters(43)}"


def a_repository(folder: Path, planted: Planted) -> Path:
    """A git repository whose name, paths, contents, commit, author and branches hold secrets."""
    draw = planted.draw
    root = folder / f"shop-{draw('name of the root', github)}"
    pem = draw("key file", lambda it: it.letters(64))
    marker = "-----{} RSA " + "PRIVATE KEY-----"
    encoded = base64.b64encode(f"DB_PASSWORD={draw('base64', password)}\n".encode()).decode()
    in_cell = f'api_key = "{draw("cell of a notebook", stripe)}"\n'
    lines = {
        "README.md": f"""# Shop

The Gateway must reject events without a signature. Sentinelword stands here.

## Login with {draw("heading", gitlab)}

We decided to use the token {draw("decision", github)} for the build, because it is there already.

- Risk: the password: {draw("list item", password)} is known to every contractor.

| host | password |
|---|---|
| db.internal | password={draw("cell of a table", password)} |

<!-- token={draw("comment in markup", slack)} -->
[console](https://ana:{draw("password of a link", password)}@console.example/x)
""",
        f"docs/{draw('name of a folder', slack)}/notes.md": "# Notes\n\nThe depot must answer.\n",
        f"docs/{draw('name of a file', gitlab)}.md": "# One\n\nThe Depot must print labels.\n",
        f"docs/{draw('name of a file beside it', gitlab)}.md": "# Two\n\nThe Depot must count.\n",
        f"docs/{draw('name of a file that is skipped', github)}.min.js": "var a=1\n",
        "src/app.py": f'PASSWORD = "{draw("assignment in code", password)}"\n'
        f'URL = "postgres://shop:{draw("connection string in code", password)}@db.internal/shop"\n',
        "deploy/values.yaml": f"db:\n  password: {draw('yaml', password)}\n  encoded: {encoded}\n",
        "deploy/app.env": f"STRIPE_KEY={draw('environment file', stripe)}\n",
        "deploy/settings.json": json.dumps({"aws": {"id": draw("json", aws)}}) + "\n",
        "deploy/key.pem": f"{marker.format('BEGIN')}\n{pem}\n{marker.format('END')}\n",
        "docs/calls.md": "# Calls\n\n```\ncurl -H 'Authorization: Bearer"
        f" {draw('header of a call', lambda it: it.letters(40))}' https://api.example\n```\n"
        f"\nA session looks like {draw('session token', jwt)} today.\n",
        "docs/probe.ipynb": json.dumps(
            {"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": [in_cell]}]}
        ),
    }
    a_folder(root, {path: text.encode() for path, text in lines.items()})
    (root / "docs" / f"{draw('name of a link', github)}.md").symlink_to(root / "README.md")
    git(root, "init", "--quiet", "--initial-branch", f"fix-{draw('name of a branch', github)}")
    author = f"user.name=Zelda {draw('author of a commit', gitlab)}"
    git(root, "add", "--all")
    message = f"Rotate password={draw('message of a commit', password)}"
    git(
        root,
        *("-c", author, "-c", f"user.email={draw('address of an author', github)}@example.com"),
        *("commit", "--quiet", "--message", message),
    )
    git(root, "tag", f"v1-{draw('name of a tag', github)}")
    return root


def a_jira_export(folder: Path, planted: Planted) -> Path:
    draw = planted.draw
    path = folder / f"jira-{draw('name of an export', github)}.json"
    person = {"displayName": f"Zelda {draw('name of a reporter', github)}"}
    by = {"displayName": f"Otto {draw('name of a commenter', gitlab)}"}
    comment = {
        "id": "7",
        "author": by,
        "created": AT,
        "updated": AT,
        "body": f"Please set secret_key={draw('comment of an issue', password)} there.",
    }
    fields: dict[str, Any] = {
        "summary": f"DB password={draw('title of an issue', password)} printed in the wiki",
        "description": f"The service must mask api_key: {draw('text of an issue', password)} too.",
        "created": AT,
        "updated": AT,
        "reporter": person,
        "status": {"name": f"Blocked by {draw('state of an issue', gitlab)}"},
        "labels": [f"key-{draw('label of an issue', aws)}"],
        "components": [{"name": f"auth {draw('component of an issue', google)}"}],
        "comment": {"comments": [comment]},
        "customfield_10050": f"Acceptance: token={draw('custom field', github)} is refused.",
        "attachment": [
            {
                "id": "9",
                "filename": f"{draw('name of an attachment', github)}.md",
                "size": 10,
                "created": AT,
            }
        ],
    }
    address = f"https://ana:{draw('address of an issue', password)}@x.example/rest/api/2/issue/1"
    issue = {"key": "LAB-1", "id": "1", "self": address, "fields": fields}
    path.write_text(json.dumps({"issues": [issue]}))
    return path


def a_slack_export(folder: Path, planted: Planted) -> Path:
    draw = planted.draw
    name = f"ops-{draw('name of a channel', gitlab)}"
    topic, purpose = draw("topic of a channel", github), draw("purpose of a channel", model)
    users = [
        {
            "id": "U0ZELDA",
            "team_id": "T1",
            "name": draw("handle of a person", lambda it: f"zelda{it.letters(8).lower()}"),
            "profile": {
                "real_name": draw("name of a person", lambda it: f"Zelda Q{it.letters(9).lower()}"),
                "email": draw(
                    "address of a person", lambda it: f"z{it.letters(9).lower()}@example.com"
                ),
            },
        }
    ]
    written = draw("address in a message", lambda it: f"o{it.letters(9).lower()}@example.org")
    ts = "1772366400.000100"
    row = {"type": "message", "user": "U0ZELDA", "ts": ts, "team": "T1"}
    rows = [
        row
        | {"text": f"We decided to use password={draw('message', password)} for the depot."}
        | {"files": [{"id": "F1", "title": draw("title of a file", github), "mode": "snippet"}]}
        | {"attachments": [{"text": f"token={draw('attachment', github)}", "fallback": "x"}]},
        row
        | {"text": f"Ask {written}, the key is {draw('answer', google)}.", "thread_ts": ts}
        | {"ts": "1772366460.000200"},
    ]
    channel = {
        "id": CHANNEL,
        "name": name,
        "topic": {"value": f"token={topic}"},
        "purpose": {"value": purpose},
        "members": ["U0ZELDA"],
    }
    path = folder / "slack.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("users.json", json.dumps(users))
        archive.writestr("channels.json", json.dumps([channel]))
        archive.writestr(f"{name}/2026-03-01.json", json.dumps(rows))
    return path


def forms_of(secret: str) -> set[bytes]:
    """How ``secret`` may stand in bytes: as it is, as UTF-16, in hex, in base64 at any place."""
    raw = secret.encode()
    wide = secret.encode("utf-16-le")
    forms = {raw, wide, raw.hex().encode(), raw.hex().upper().encode(), raw[::-1]}
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + raw)
        inner = encoded[4 if before else 0 : -4]  # what its neighbours do not change
        forms |= {inner, inner.replace(b"+", b"-").replace(b"/", b"_")}
    return forms
