"""Each secret is bound to projects and hosts, whoever names it and wherever it is used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from connectors.bound_secrets import SecretNotAllowed, Secrets, host_of
from connectors.definitions import Definition
from schemas.events.connector import ConnectorAdded, ConnectorService, Credential

TOKEN = "env:CONNECTOR_GITHUB"
ENVIRON = {"CONNECTOR_GITHUB": "the-operator's-token", "CONNECTOR_OTHER": "another"}
OURS = f"""
["{TOKEN}"]
projects = ["prj_ours"]
"""


def a_definition(
    project: str = "prj_ours",
    *,
    place: str = TOKEN,
    role: str = "token",
    service: ConnectorService = "github",
    base_url: str = "https://api.github.com",
    by_global_owner: bool = False,
    options: Mapping[str, str] | None = None,
) -> Definition:
    added = ConnectorAdded(
        connector_id="con_1",
        request_key="k",
        service=service,
        target="acme/shop",
        base_url=base_url,
        credentials=[Credential(role=role, location=place)],
        options=dict(options or {}),
        by_global_owner=by_global_owner,
    )
    return Definition(project, added)


def secrets_of(home: Path, written: str = "") -> Secrets:
    if written:
        (home / "secrets.toml").write_text(written)
    return Secrets(ENVIRON, home)


def test_a_bound_secret_goes_to_its_services_own_host_for_its_own_projects(tmp_path: Path):
    bound, ours = secrets_of(tmp_path, OURS), a_definition()
    bound.check(ours)
    for url in ("https://api.github.com", "https://github.com/acme/shop.git"):
        assert bound.find_for(ours, "token", url).reveal() == "the-operator's-token"
    with pytest.raises(SecretNotAllowed, match=r"prj_theirs.*env:CONNECTOR_GITHUB.*secrets\.toml"):
        bound.find_for(a_definition("prj_theirs"), "token", "https://github.com/acme/shop.git")


@pytest.mark.parametrize(
    "url",
    [
        "https://collector.example.org/acme/shop.git",
        "https://github.com.example.org/shop.git",
        "https://github.com:8443/acme/shop.git",
        "https://github.com@collector.example.org/shop.git",
        "https://x:y@github.com/acme/shop.git",
        "https://collector.example.org\\@github.com/shop.git",
        "https://collector.example.org#@github.com/shop.git",
        "https://collector.example.org?@github.com/shop.git",
        "https://github.com%2f.example.org/shop.git",
        "https://gitНub.com/acme/shop.git",
        "http://github.com/acme/shop.git",
        "https://2130706433/shop.git",
        "https://[::1]/shop.git",
        "https://[::ffff:127.0.0.1]/shop.git",
        "https://0x7f.1/shop.git",
        "https://127.0.0.1/shop.git",
        "https://git​hub.com/shop.git",
        "https:github.com/shop.git",
        "file:///etc",
        "",
    ],
)
def test_no_project_sends_the_operators_token_to_a_host_of_its_choice(tmp_path: Path, url: str):
    bound = secrets_of(tmp_path, OURS)
    with pytest.raises(SecretNotAllowed):
        bound.find_for(a_definition(), "token", url)
    with pytest.raises(SecretNotAllowed):
        bound.check(a_definition(base_url=url or "https://"))


@pytest.mark.parametrize("option", ["https://collector.example.org/x.git", "https://github.com:1/"])
def test_an_address_to_clone_from_is_checked_when_it_is_named(tmp_path: Path, option: str):
    with pytest.raises(SecretNotAllowed, match="may not be sent"):
        secrets_of(tmp_path, OURS).check(a_definition(options={"clone_url": option}))


def test_a_secret_that_nobody_bound_is_for_owners_of_all_projects_alone(tmp_path: Path):
    unbound, elsewhere = secrets_of(tmp_path), "https://git.example.org/api/v3"
    with pytest.raises(SecretNotAllowed):
        unbound.find_for(a_definition(), "token", "https://api.github.com")
    with pytest.raises(SecretNotAllowed):  # and it does not tell whether it exists
        unbound.find(a_definition(place="env:CONNECTOR_NONE", role="webhook"), "webhook")
    trusted = a_definition(base_url=elsewhere, by_global_owner=True)
    assert unbound.find_for(trusted, "token", elsewhere).reveal()


def test_named_hosts_and_projects_bind_owners_of_all_projects_too(tmp_path: Path):
    bound = secrets_of(tmp_path, f'["{TOKEN}"]\nprojects = ["*"]\nhosts = ["Git.Example.org:8443"]')
    at = "https://git.example.org:8443/api/v3"
    for trusted in (True, False):
        found = a_definition("prj_any", base_url=at, by_global_owner=trusted)
        assert bound.find_for(found, "token", at).reveal()
        for url in ("https://git.example.org/api/v3", "https://github.com/acme/shop.git"):
            with pytest.raises(SecretNotAllowed):
                bound.find_for(found, "token", url)


def test_the_secret_of_a_webhook_is_bound_to_projects(tmp_path: Path):
    bound = secrets_of(tmp_path, OURS)
    ours, theirs = (a_definition(each, role="webhook") for each in ("prj_ours", "prj_theirs"))
    assert bound.find(ours, "webhook").reveal()
    with pytest.raises(SecretNotAllowed):
        bound.find(theirs, "webhook")


def test_a_binding_that_is_taken_away_holds_for_what_was_added_before(tmp_path: Path):
    bound, ours = secrets_of(tmp_path, OURS), a_definition()
    bound.find_for(ours, "token", "https://github.com/x")
    (tmp_path / "secrets.toml").write_text("")
    with pytest.raises(SecretNotAllowed):
        bound.find_for(ours, "token", "https://github.com/x")


def test_a_file_is_known_by_its_name_however_it_is_reached(tmp_path: Path):
    bound = secrets_of(tmp_path, '["file:github"]\nprojects = ["prj_ours"]')
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "github").write_text("from-a-file")
    place = f"file:{tmp_path / 'secrets' / 'github'}"
    assert bound.find_for(a_definition(place=place), "token", "https://github.com/x").reveal()
    with pytest.raises(SecretNotAllowed):
        bound.find(a_definition("prj_theirs", place=place, by_global_owner=True), "token")


@pytest.mark.parametrize(
    "written", ["[", "a = 1", '["env:A"]\nhost = ["x"]', '["env:A"]\nprojects = "*"', "\x00"]
)
def test_a_file_that_cannot_be_used_lets_nobody_use_a_secret(tmp_path: Path, written: str):
    bound = secrets_of(tmp_path, written)
    with pytest.raises(SecretNotAllowed, match=r"secrets\.toml of CAIRN_HOME") as refused:
        bound.find(a_definition(by_global_owner=True), "token")
    assert str(tmp_path) not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://GitHub.com./x", "github.com"),
        ("https://github.com:443/", "github.com"),
        ("https://[::1]:8443/", "[::1]:8443"),
        ("http://127.0.0.1:9/", "127.0.0.1:9"),
        ("http://github.com/", ""),
        ("https://a@b/", ""),
        ("https://a:99999/", ""),
    ],
)
def test_a_host_is_compared_with_its_port_and_without_its_spelling(url: str, host: str):
    assert host_of(url) == host
