"""What a repository holds that a draft is about: the same bytes, in the budget, and no secret."""

import hashlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.development.codebase import read_codebase, shorten_draft
from infra.platform.errors import Forbidden
from infra.service.development.code_files import open_code


class Files:
    """A repository in memory that tells what was read of it."""

    def __init__(self, files: Mapping[str, str | None]) -> None:
        self.files = files
        self.read_paths: list[str] = []

    def list_paths(self) -> Sequence[str]:
        return list(reversed([*self.files]))

    def read(self, path: str) -> str | None:
        self.read_paths.append(path)
        return self.files[path]


def draft(*rows: str) -> str:
    lines = ["## Files to change", "", "| File | Change |", "|---|---|"]
    return "\n".join([*lines, *(f"| `{row.split()[0]}` | {row.split()[1]} |" for row in rows), ""])


def python_source(name: str, *, base: str, call: str) -> str:
    return (
        f'"""The {name} one."""\n\nfrom shop.base import {base}\n\n\n'
        f"class {name}({base}):\n    @registered\n    def send(self, order: str) -> None:\n"
        f"        self.{call}(order)\n\n    def cancel(self) -> None:\n        self.stop()\n"
    )


PYTHON = {
    "shop/mail.py": python_source("Mail", base="Sender", call="deliver"),
    "shop/sms.py": python_source("Sms", base="Sender", call="deliver"),
    "shop/stock.py": python_source("Stock", base="Table", call="count"),
    "shop/prices.py": python_source("Prices", base="Table", call="sum_up"),
    "shop/base.py": "class Sender:\n    pass\n\n\nclass Table:\n    pass\n",
    "tests/test_mail.py": "from shop.mail import Mail\n\n\ndef test_mail():\n    Mail().send(1)\n",
    "README.md": "# Shop\n",
}
GO = {
    "send/mail.go": 'package send\n\nimport "net/smtp"\n\ntype Mail struct {\n\tBase\n}\n\n'
    "func (m *Mail) Send(order string) error { return m.deliver(order) }\n",
    "send/sms.go": 'package send\n\nimport "net/http"\n\ntype Sms struct {\n\tBase\n}\n\n'
    "func (m *Sms) Send(order string) error { return m.deliver(order) }\n",
    "stock/stock.go": "package stock\n\nfunc Count(rows []int) int { return len(rows) }\n",
    "stock/sum.go": "package stock\n\nfunc Sum(rows []int) int { return add(rows) }\n",
}
SENDER = """\
import {{ Sender }} from './sender';
@Injectable()
export class {} extends Sender {{
  send(order: string): void {{ this.deliver(order); }}
}}
"""
TYPESCRIPT = {
    "src/mail.ts": SENDER.format("Mail"),
    "src/sms.ts": SENDER.format("Sms"),
    "src/stock.ts": "export function count(rows: number[]): number { return rows.length; }\n",
    "src/sum.ts": "export function sum(rows: number[]): number { return rows.reduce(add); }\n",
}


@pytest.mark.parametrize(
    ("files", "changed", "sibling"),
    [
        (PYTHON, "shop/mail.py", "shop/sms.py"),
        (PYTHON, "shop/stock.py", "shop/prices.py"),
        (GO, "send/mail.go", "send/sms.go"),
        (TYPESCRIPT, "src/mail.ts", "src/sms.ts"),
    ],
)
def test_listed_files_and_the_most_similar_one_are_in_the_context(files, changed, sibling):
    context = read_codebase(Files(files), draft(f"{changed} modify"))
    assert [(it.path, it.state) for it in context.files] == [(changed, "read")]
    assert context.similar[0].path == sibling
    assert context.similar[0].shared
    assert files[changed] in context.text
    assert files[sibling] in context.text
    assert context.left_out == ()


def test_rare_features_weigh_more_than_common_ones():
    common = {
        f"shop/of{at}.py": python_source(f"Of{at}", base="Table", call="count") for at in range(9)
    }
    rare = {
        "shop/rare.py": "from shop.base import Ledger\n\n\nclass Rare(Ledger):\n    pass\n",
        "far/away.py": "from shop.base import Ledger\n\n\nclass Far(Ledger):\n    pass\n",
    }
    context = read_codebase(Files(common | rare), draft("shop/rare.py modify"))
    assert context.similar[0].path == "far/away.py"
    assert "base Ledger" in context.similar[0].shared


def test_of_a_new_file_the_draft_and_the_folder_say_what_it_is_like():
    text = draft("shop/push.py new") + "\n```python\nclass Push(Sender): ...\n```\n"
    context = read_codebase(Files(PYTHON), text)
    assert [(it.path, it.state) for it in context.files] == [("shop/push.py", "new")]
    assert {it.path for it in context.similar[:2]} == {"shop/mail.py", "shop/sms.py"}


def test_without_a_table_files_that_are_named_as_code_count_and_else_the_words():
    named = read_codebase(Files(PYTHON), "Change `shop/mail.py`.\n")
    assert [it.path for it in named.files] == ["shop/mail.py"]
    words = read_codebase(Files(PYTHON), "Prices must be summed up.\n")
    assert words.files == ()
    assert words.similar[0].path == "shop/prices.py"


def test_the_same_repository_and_draft_give_the_same_bytes():
    text = draft("shop/mail.py modify", "shop/push.py new")
    one = read_codebase(Files(PYTHON), text)
    other = read_codebase(Files(dict(sorted(PYTHON.items()))), text)
    assert one == other
    assert one.sha256 == hashlib.sha256(one.text.encode()).hexdigest()
    changed = PYTHON | {"shop/sms.py": PYTHON["shop/sms.py"].replace("deliver", "bring")}
    assert read_codebase(Files(changed), text).sha256 != one.sha256


def test_a_file_that_is_missing_binary_or_outside_is_named_and_not_made_up():
    files = {"a.py": "x = 1\n", "b.py": "\0\x01", "c.py": None}
    rows = ("b.py modify", "c.py modify", "gone.py modify", "../up.py modify", "/etc/passwd modify")
    source = Files(files)
    context = read_codebase(source, draft(*rows))
    assert [it.state for it in context.files] == [
        *("unreadable", "unreadable", "missing", "outside", "outside")
    ]
    assert {(it.name, it.reason) for it in context.left_out} >= {
        ("b.py", "unreadable"),
        ("gone.py", "missing"),
        ("../up.py", "outside"),
    }
    assert set(source.read_paths) <= set(files)


SECRETS = [
    *(".env", ".env.local", "conf/prod.env", "id_rsa", "deploy/server.pem", "server.KEY", ".npmrc"),
    *(".netrc", "credentials.json", "config/secrets.yml", ".ssh/config", "infra/prod.tfstate"),
    *("my-service-account-1.json", ".aws/credentials", "store.jks", ".git/config"),
    *("models.toml", "run/token", "app.password"),
]


@pytest.mark.parametrize("path", SECRETS)
def test_a_secret_file_is_never_read_whoever_names_it(path: str):
    source = Files({path: "PASSWORD=hunter2\n", "a.py": "x = 1\n"})
    context = read_codebase(source, draft(f"{path} modify", "a.py modify") + f"\n`{path}`\n")
    assert path not in source.read_paths
    assert "hunter2" not in context.text
    assert [it.state for it in context.files] == ["secret", "read"]
    assert path in [it.name for it in context.left_out if it.reason == "secret"]


@pytest.mark.parametrize("path", [".env.example", "src/secrets.py", "keys.go", "id_rsa.pub.md"])
def test_a_file_that_only_sounds_secret_is_read(path: str):
    assert read_codebase(Files({path: "x\n"}), draft(f"{path} modify")).files[0].state == "read"


@pytest.mark.parametrize("budget", [0, 100, 1_000, 5_000, 20_000, 60_000])
def test_a_context_is_never_longer_than_its_budget(budget: int):
    long = {
        f"shop/long{at}.py": "".join(f"def f{n}(): ...\n" for n in range(4_000)) for at in range(4)
    }
    context = read_codebase(
        Files(PYTHON | long), draft("shop/mail.py modify", "shop/long0.py modify"), budget=budget
    )
    assert len(context.text.encode()) <= budget
    if budget >= 5_000:
        assert "class Mail(Sender)" in context.text  # what is short and important stays whole
        assert "text of shop/long0.py" in [it.name for it in context.left_out]


def test_wordy_parts_of_little_importance_are_shortened_first():
    long = "# a note\n" * 2_000
    files = PYTHON | {"shop/sms.py": PYTHON["shop/sms.py"] + long}
    context = read_codebase(Files(files), draft("shop/mail.py modify"), budget=6_000)
    assert PYTHON["shop/mail.py"] in context.text
    assert context.similar[0].path == "shop/sms.py"
    assert "lines left out)" in context.text
    names = [it.name for it in context.left_out]
    assert "text of shop/sms.py" in names
    assert not [it for it in names if "shop/mail.py" in it]


def test_a_draft_is_shortened_where_it_is_wordy_and_keeps_what_is_important():
    words = "Much was said.\n" * 500
    rest = "## Requirements\n\n- REQ-1: a\n\n### More\n\nb\n\n## Notes\n\nc\n"
    text = f"# T\n\n## Context\n\n{words}\n{rest}"
    fitted = shorten_draft(text, 1_000, ["Requirements"])
    assert len(fitted.text.encode()) <= 1_000
    assert fitted.text.endswith(rest)
    assert fitted.shortened == ("Context",)
    assert shorten_draft(text, 100_000, ["Requirements"]).text == text


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.integers(0, 2_000), st.text(max_size=200))
def test_any_draft_and_any_content_give_a_context_in_the_budget(text, budget, content):
    context = read_codebase(Files({"a.py": content, "b.md": content}), text, budget=budget)
    assert len(context.text.encode("utf-8", "replace")) <= budget
    fitted = shorten_draft(text, budget, ["Requirements"])
    assert len(fitted.text.encode("utf-8", "replace")) <= budget


def git(folder: Path, *arguments: str) -> None:
    me = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *me, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A work tree with a link out of it, a secret in a file, a secret file and a binary."""
    folder = tmp_path / "shop"
    (folder / "shop").mkdir(parents=True)
    (tmp_path / "outside.py").write_text("OUTSIDE = 1\n")
    for path, text in PYTHON.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    key = "AKIA" + "Q3EGRZ7XJ2MWTB5N"
    (folder / "shop" / "mail.py").write_text(f'AWS_KEY = "{key}"\n' + PYTHON["shop/mail.py"])
    (folder / ".env").write_text("PASSWORD=hunter2\n")
    (folder / "shop" / "blob.py").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    os.symlink(tmp_path / "outside.py", folder / "shop" / "link.py")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a")
    return folder


def test_a_folder_is_read_without_secrets_links_and_binaries(repository: Path, tmp_path: Path):
    rows = ("shop/mail.py modify", "shop/link.py modify", "shop/blob.py modify", ".env modify")
    with open_code(str(repository), tmp_path / "home") as files:
        context = read_codebase(files, draft(*rows))
    assert [it.state for it in context.files] == ["read", "missing", "unreadable", "secret"]
    assert "AKIA" not in context.text
    assert "[REDACTED:" in context.text
    assert "hunter2" not in context.text
    assert "OUTSIDE" not in context.text
    assert context.similar[0].path == "shop/sms.py"


def test_a_link_that_takes_the_place_of_a_listed_file_leads_nowhere(repository, tmp_path):
    with open_code(str(repository), tmp_path / "home") as files:
        (repository / "shop" / "sms.py").unlink()
        os.symlink(tmp_path / "outside.py", repository / "shop" / "sms.py")
        assert files.read("shop/sms.py") is None


def test_a_bare_repository_has_the_files_of_its_head(repository: Path, tmp_path: Path):
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    texts = []
    for place in (repository, tmp_path / "bare.git"):
        with open_code(str(place), tmp_path / "home") as files:
            texts.append(read_codebase(files, draft("shop/mail.py modify")).text)
    assert texts[0] == texts[1]


def test_the_files_of_the_installation_are_not_read(tmp_path: Path):
    (tmp_path / "home" / "keys").mkdir(parents=True)
    for folder in ("home", "home/keys"):
        with pytest.raises(Forbidden), open_code(str(tmp_path / folder), tmp_path / "home"):
            pass
