"""No credential of an address is shown or names a folder, however the address is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from connectors.clones import GitUrl, root_of_url
from connectors.connector import SourceRefused, SourceUnavailable, UnknownSource
from connectors.http_client import check_base_url
from connectors.rate_limits import Budget
from connectors.recognise import open_source
from connectors.transport import Transport
from infra.platform import postgres
from infra.platform.addresses import without_credentials
from infra.platform.errors import DatabaseUnavailable
from infra.platform.settings import Settings, SettingsError

# What nobody may read again: each is a part of a user name or password below.
SECRET = ("geheim", "t0ken", "ada")
MALFORMED = (
    "https://ada:geheim/t0ken@host/x.git",
    "https://ada:geheim?t0ken@host/x.git",
    "https://ada:geheim#t0ken@host/x.git",
    "https://ada:geheim t0ken@host/x.git",
    "https://ada:geheim\nt0ken@host/x.git",
    "https://ada:geheim\tt0ken@host/x.git",
    "https://ada:geheim\\t0ken@host/x.git",
    "https://t0ken@geheim@host/x.git",
    "https://t0ken/@host/x.git",
    "https://ada:geheim/x/@host/y.git",
    "https://ada:geheim@host:t0ken@host/x.git",
    "https://ada%3Ageheim%40host/x.git",
    "https://ada:geheim%40host/x.git",
    "https://ada:geheim",
    "https:///ada:geheim@host/x.git",
    "https:/ada:geheim@host/x.git",
    "https:ada:geheim@host/x.git",
    "HTTPS:/ada:geheim@host/x.git",
    "//ada:geheim@host/x.git",
    "ada:geheim@host:x.git",
    "ada:geheim@host/x.git",
    "ada:geh eim@t0ken@host:x.git",
    "t0ken@geheim@host:x.git",
    "t0ken:/geheim@host/x.git",
    "https://ada:geheim@::1/x.git",
    "https://ada:geheim@[::1/x.git",
    "https://[ada:geheim]t0ken@host/x.git",
    "https://ada\\geheim:t0ken@host/x.git",
    "https://host/x.git?token=geheim",
    "https://host/x.git?t0ken",
    "https://host/x.git?a=1&token=geheim t0ken",
    "https://host/x.git#geheim",
    "-https://ada:geheim@host/x.git",
    "ext::sh -c 'curl https://ada:geheim@host'",
)
WELL_FORMED = {
    "https://ada:geheim@host/x.git": "https://host/x.git",
    "HTTPS://ada:geheim@host/x.git": "https://host/x.git",
    "https://t0ken@host:8443/a/b.git": "https://host:8443/a/b.git",
    "https://ada:geheim@[::1]:8443/x.git": "https://[::1]:8443/x.git",
    "https://ada%40corp:geheim%2Ft0ken@host/x.git": "https://host/x.git",
    "https://:geheim@host/x.git": "https://host/x.git",
    "ssh://ada:geheim@host:22/x.git": "ssh://host:22/x.git",
    "t0ken@host:x.git": "…@host:x.git",
    "git@github.com:owner/repo.git": "git@github.com:owner/repo.git",
    "file:///srv/me@work/a b/x.git": "file:///srv/me@work/a b/x.git",
    "https://host/x.git": "https://host/x.git",
}
MESSAGES = (
    "fatal: unable to access 'https://ada:geheim@host/x/': Could not resolve host: host",
    "fatal: unable to access 'https://ada:gehe im/t0ken@host/x/': no port geheim@host",
    'could not translate host name "geheim@host" to address',
    "ada:geheim@host: Permission denied",
    "see https://a.org/x and //ada:geheim@host/y",
    "https://user 12@geheim@host/ and https://b.org",
    "connection to postgresql://ada:geheim@host/db?password=t0ken failed",
    "host=host user=me password=geheim dbname=x",
    "host=host password='geh t0ken' dbname=x",
    "access_token=t0ken",
)


def hides(text: str) -> bool:
    return not any(part in text for part in SECRET)


@pytest.mark.parametrize("address", [*MALFORMED, *MESSAGES])
def test_nothing_that_may_be_a_credential_is_shown(address: str):
    assert hides(without_credentials(address))


@pytest.mark.parametrize(("address", "shown"), WELL_FORMED.items())
def test_an_address_is_shown_as_far_as_it_may_be(address: str, shown: str):
    assert without_credentials(address) == shown


@pytest.mark.parametrize(
    "text",
    [
        "fatal: repository 'https://host/x.git/' not found",
        "git@github.com: Permission denied (publickey).",
        'connection to server at "127.0.0.1", port 1 failed: Connection refused',
        "/home/me/notes.md",
        "see ssh://host/x and https://other.org/y: both are there",
    ],
)
def test_a_message_without_credentials_stays_as_it_is(text: str):
    assert without_credentials(text) == text


@pytest.mark.parametrize("address", MALFORMED)
def test_a_malformed_address_is_refused_before_anything_is_named_after_it(
    tmp_path: Path, address: str
):
    said: list[str] = []
    for use in (
        lambda: open_source(address, None, tmp_path, said.append).list(),
        lambda: GitUrl(address, "x", tmp_path, said.append),
        lambda: root_of_url(address),
    ):
        with pytest.raises(UnknownSource) as refusal:
            use()
        assert hides(str(refusal.value))
        assert len(str(refusal.value).splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
    assert said == []


@pytest.mark.parametrize("address", WELL_FORMED)
def test_a_clone_is_not_named_after_a_credential(tmp_path: Path, address: str):
    said: list[str] = []
    assert hides(GitUrl(address, root_of_url(address), tmp_path, said.append).folder.name)
    assert hides(root_of_url(address))


def test_what_git_says_of_an_address_is_told_without_its_password(tmp_path: Path):
    said: list[str] = []
    source = open_source("https://ada:geheim@127.0.0.1:1/x.git", None, tmp_path, said.append)
    with pytest.raises(SourceUnavailable) as error:
        source.list()
    assert hides(" ".join([str(error.value), *said]))
    assert hides(" ".join(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")))


@pytest.mark.parametrize("address", [*MALFORMED, *(a for a in WELL_FORMED if a.count("@"))])
def test_the_address_of_a_service_is_refused_without_being_shown(address: str):
    with pytest.raises(SourceRefused) as refusal:
        check_base_url(address)
    assert hides(str(refusal.value))


@pytest.mark.parametrize("address", MALFORMED)
@pytest.mark.parametrize("service", ["github", "jira", "slack", "bitbucket"])
def test_a_target_that_is_an_address_is_refused_without_being_shown(service: str, address: str):
    from connectors.registry import service_of

    with pytest.raises(UnknownSource) as refusal:
        service_of(service).check_target(address)
    assert hides(str(refusal.value))


@pytest.mark.parametrize("proxy", ["http://ada:geheim/t0ken@proxy:80", "ada:geheim@proxy:t0ken"])
def test_a_proxy_that_cannot_be_used_is_refused_without_being_shown(
    monkeypatch: pytest.MonkeyPatch, proxy: str
):
    async def nobody() -> dict[str, str]:
        return {}

    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(SourceRefused) as refusal:
        Transport("https://api.example.org", nobody, Budget())
    assert hides(str(refusal.value))
    assert "HTTPS_PROXY" in str(refusal.value)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *(
            ("CAIRN_DATABASE_URL", address.replace("https:", "postgresql:", 1))
            for address in MALFORMED
            if address.startswith("https:") and "host/x.git?" not in address
        ),
        ("CAIRN_KAFKA_BOOTSTRAP", "ada:geheim@host:9092"),
        ("CAIRN_KAFKA_BOOTSTRAP", "t0ken@host:9092"),
        ("CAIRN_KAFKA_BOOTSTRAP", "SASL://ada:geheim@host:9092"),
        ("CAIRN_HTTP", "t0ken@host:80"),
        ("CAIRN_RUNTIME", "https://ada:geheim@host"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_without_its_credentials(
    variable: str, value: str
):
    with pytest.raises(SettingsError) as refusal:
        Settings.from_env({variable: value})
    assert hides(str(refusal.value))
    assert str(refusal.value).startswith(f"{variable} has the value")


def test_what_libpq_says_of_an_address_is_told_without_it():
    url = "postgresql://ada:geheim@127.0.0.1:1/x?password=t0ken"
    with pytest.raises(DatabaseUnavailable) as error, postgres.connect(url):
        pass
    assert hides(str(error.value))


def test_status_shows_no_password(tmp_path: Path):
    env = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    env |= {
        "CAIRN_HOME": str(tmp_path),
        "CAIRN_KAFKA_BOOTSTRAP": "127.0.0.1:1",
        "CAIRN_DATABASE_URL": "postgresql://ada:geheim@127.0.0.1:1/x?password=t0ken",
    }
    for more in ((), ("--json",)):
        told = subprocess.run(
            [sys.executable, "-m", "infra.cli", "status", *more],
            env=env, capture_output=True, text=True,
        )  # fmt: skip
        assert "127.0.0.1:1/x" in told.stdout
        assert hides(told.stdout + told.stderr)
