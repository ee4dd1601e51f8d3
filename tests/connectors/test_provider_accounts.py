"""With which account a provider is asked: the project's own, else the installation's, where bound
secrets allow it.
"""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from agents.tools.box import call_tool
from connectors.bound_secrets import Secrets
from connectors.definitions import Definition
from connectors.providers.files import read_built_in
from connectors.registry import Budgets
from infra.platform.settings import Settings
from infra.service.assistant.accounts import AccountMissing, Accounts
from infra.service.assistant.tools import declare_tools
from schemas.events.connector import ConnectorAdded, ConnectorService, Credential
from tests.connectors.stand_ins.provider import (
    TOKEN,
    ProviderServer,
    context,
    environment,
    providers_of,
    run,
    tool_named,
)

OURS, THEIRS = "prj_ours", "prj_theirs"
SECRETS = {**environment(), "CONNECTOR_TOKEN": "the-project's", "CONNECTOR_MAIL": "bo@acme.org"}
PLACES = {"token": "env:CONNECTOR_TOKEN", "email": "env:CONNECTOR_MAIL"}


def a_connector(
    service: ConnectorService = "github",
    *roles: str,
    base_url: str = "https://api.github.com/",
    by_global_owner: bool = True,
    project: str = OURS,
) -> Definition:
    added = ConnectorAdded(
        connector_id="con_1",
        request_key="k",
        service=service,
        target="acme/shop",
        base_url=base_url,
        credentials=[
            Credential(role=role, location=PLACES.get(role, "env:CONNECTOR_TOKEN"))
            for role in roles or ("token",)
        ],
        by_global_owner=by_global_owner,
    )
    return Definition(project, added)


def accounts_of(
    home: Path, *connectors: Definition, project: str | None = OURS, bound: str = ""
) -> Accounts:
    (home / "secrets.toml").write_text(bound)
    return Accounts(Secrets(SECRETS, home), project, connectors, Budgets())


def token_of(accounts: Accounts, provider: str = "github") -> str:
    return accounts.find(read_built_in(provider)).secret.reveal()


def test_a_project_with_a_connector_is_asked_with_its_address_and_token(tmp_path: Path):
    connector = a_connector(base_url="https://github.example.org/api/v3/")
    account = accounts_of(tmp_path, connector).find(read_built_in("github"))
    assert account.base_url == "https://github.example.org/api/v3/"
    assert account.secret.reveal() == "the-project's"
    assert account.credential == "the connector of acme/shop"


def test_jira_is_asked_as_the_account_of_the_connector(tmp_path: Path):
    connector = a_connector("jira", "email", "token", base_url="https://acme.atlassian.net/")
    account = accounts_of(tmp_path, connector).find(read_built_in("jira"))
    header = account.authorise(read_built_in("jira"))
    pair = base64.b64encode(b"bo@acme.org:the-project's").decode()
    assert header == {"Authorization": f"Basic {pair}"}
    assert pair in account.hidden


@pytest.mark.parametrize(
    "connector",
    [
        a_connector("github", "app-id", "app-key"),
        a_connector("github", "webhook"),
        a_connector("slack", "token", base_url="https://slack.com/api/"),
        a_connector("github", by_global_owner=False),
    ],
    ids=["app", "webhook", "another service", "not allowed"],
)
def test_otherwise_the_account_of_the_installation_is_used(connector: Definition, tmp_path: Path):
    assert token_of(accounts_of(tmp_path, connector)) == TOKEN


def test_a_lone_token_of_jira_is_not_used_where_an_address_belongs_to_it(tmp_path: Path):
    connector = a_connector("jira", "token", base_url="https://jira.acme.org/")
    with pytest.raises(AccountMissing, match="ASSISTANT_JIRA_URL"):
        accounts_of(tmp_path, connector).find(read_built_in("jira"))


@pytest.mark.parametrize(
    ("bound", "project", "is_allowed"),
    [
        ("", OURS, True),
        ("", None, True),
        (f'projects = ["{OURS}"]', OURS, True),
        (f'projects = ["{OURS}"]', THEIRS, False),
        (f'projects = ["{OURS}"]', None, False),
        ('projects = ["*"]', None, True),
        ("projects = []", OURS, False),
        ('hosts = ["api.github.com"]', OURS, True),
        ('hosts = ["github.example.org"]', OURS, False),
        ("hosts = []", OURS, False),
        ("speed = 5", OURS, False),
    ],
)
def test_bound_secrets_hold_for_accounts_of_the_installation(
    bound: str, project: str | None, is_allowed: bool, tmp_path: Path
):
    table = f'["env:ASSISTANT_GITHUB_TOKEN"]\n{bound}\n' if bound else ""
    accounts = accounts_of(tmp_path, project=project, bound=table)
    if is_allowed:
        assert token_of(accounts) == TOKEN
        return
    with pytest.raises(AccountMissing, match=r"secrets\.toml") as refused:
        token_of(accounts)
    assert TOKEN not in str(refused.value)


def test_a_secret_that_is_taken_away_is_not_used_by_tools_listed_before(tmp_path: Path):
    async def once() -> None:
        async with ProviderServer().running() as server:
            server.add_notes(tmp_path)
            tool = tool_named(await providers_of(tmp_path), "notes_read")
            assert not (await call_tool(tool, context(), {"note_id": "n1"})).is_error
            (tmp_path / "secrets.toml").write_text('["env:NOTES_TOKEN"]\nprojects = ["prj_1"]\n')
            result = await call_tool(tool, context(), {"note_id": "n1"})
            assert result.data == {"error": "provider_unconfigured"}
            assert len(server.asked) == 1

    run(once())


def test_a_provider_without_its_credential_is_listed_and_its_tools_refuse(tmp_path: Path):
    providers = run(providers_of(tmp_path, {"ASSISTANT_NOTION_TOKEN": TOKEN}))
    assert [name for name, each in providers.items() if each.is_configured] == ["notion"]
    missing = providers["gmail"].missing
    assert missing.startswith(
        "Gmail is not configured: set the environment variable ASSISTANT_GMAIL_TOKEN where Cairn"
        " runs, and start it again."
    )
    tool = tool_named(providers, "gmail_send_message")
    wanted = {"to": ["bo@example.org"], "subject": "Hello", "text": "Hi"}
    result = run(call_tool(tool, context(), wanted))
    assert result.is_error
    assert result.text == missing


def test_all_that_jira_lacks_is_named(tmp_path: Path):
    missing = run(providers_of(tmp_path, {}))["jira"].missing
    assert "ASSISTANT_JIRA_URL, ASSISTANT_JIRA_EMAIL and ASSISTANT_JIRA_TOKEN" in missing


@pytest.mark.parametrize("address", ["http://jira.example.org", "jira", "https://a:b@x.org"])
def test_an_address_in_the_environment_is_checked_like_any_other(address: str, tmp_path: Path):
    environ = environment(ASSISTANT_JIRA_URL=address)
    missing = run(providers_of(tmp_path, environ))["jira"].missing
    assert "ASSISTANT_JIRA_URL is wrong" in missing
    assert "a:b" not in missing


def test_an_account_has_one_budget_whatever_asks_it(tmp_path: Path):
    accounts = accounts_of(tmp_path)
    one = accounts.find(read_built_in("github")).budget
    assert accounts.find(read_built_in("github")).budget is one
    assert accounts.find(read_built_in("notion")).budget is not one
    assert one.percent == 100


def test_tools_are_described_without_an_account_and_then_ask_nobody(tmp_path: Path):
    """Neither the registry of connectors nor a secret is read: there is no broker here."""
    tools = declare_tools(Settings(home=tmp_path), "prj_1")
    tool = tools.find("notion_create_page")
    assert tool is not None and tool.confirm
    assert tools.find("search_ledger") is not None
    result = run(call_tool(tool, context(), {"parent_page_id": "p1", "title": "T"}))
    assert result.data == {"error": "provider_unconfigured"}
