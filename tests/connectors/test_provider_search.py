"""Among the tools of all providers and of a project, what people ask for leads to the right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.tools.retrieval import ToolRegistry
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import open_tools
from tests.connectors.stand_ins.provider import providers_of, run


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> ToolRegistry:
    home = tmp_path_factory.mktemp("home")
    providers = run(providers_of(home))
    project = open_tools(Settings(home=home))
    found = [tool for name in project.names() if (tool := project.find(name))]
    return ToolRegistry({name: each.tools for name, each in providers.items()} | {"project": found})


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("find the mail from Ana about the invoice", "gmail_search_messages"),
        ("send an email to Bo", "gmail_send_message"),
        ("mark the mail as read", "gmail_change_labels"),
        ("reply to a message in Slack", "slack_post_message"),
        ("read the history of a Slack channel", "slack_read_channel"),
        ("post a tweet", "twitter_post_tweet"),
        ("like a tweet", "twitter_like_tweet"),
        ("schedule a meeting in my calendar", "calendar_create_event"),
        ("when is everybody free or busy next week", "calendar_find_busy_times"),
        ("cancel the appointment", "calendar_delete_event"),
        ("read the notion page", "notion_read_blocks"),
        ("open a bug in Jira", "jira_create_issue"),
        ("assign the Jira ticket to Ana", "jira_update_issue"),
        ("move the ticket to another state", "jira_transition_issue"),
        ("list open pull requests", "github_list_pull_requests"),
        ("comment on the GitHub issue", "github_add_comment"),
        ("close the issue on GitHub", "github_update_issue"),
        ("find code that parses dates", "github_search_code"),
        ("delete a task", "delete_task"),
        ("search the ledger", "search_ledger"),
    ],
)
def test_a_request_leads_to_its_tool(query: str, name: str, registry: ToolRegistry):
    assert name in [tool.name for tool in registry.search(query, limit=3)]


def test_most_requests_lead_to_their_tool_at_once(registry: ToolRegistry, tmp_path: Path):
    """Each tool is asked for in the words of its own description."""
    tools = [registry.find(name) for name in registry.names()]
    first = [tool for tool in tools if tool and registry.search(tool.description, 1) == (tool,)]
    assert len(first) >= 0.95 * len(tools)
