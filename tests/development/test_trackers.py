"""Three trackers, one contract: the same issue, whoever keeps it; an error says what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.development.errors import TrackerError
from agents.development.profiles import Profile, TrackerName
from agents.development.trackers import MOST_DESCRIPTION, MOST_TITLE, Issue, build_issue
from infra.service.development.trackers import open_tracker
from tests.development.tracker_stand_ins import (
    ADF,
    Answer,
    GhStandIn,
    JiraStandIn,
    gh_issue,
    jira_issue,
    jira_stand_in,
)

DESCRIPTION = "## Why\n\nParcels are **late**."
MANUAL = build_issue("1", "Parcels are late", DESCRIPTION, labels=("night",))
IDS: dict[TrackerName, str] = {"jira": "SHOP-7", "github": "acme/shop#7", "none": "1"}
TRACKERS = pytest.mark.parametrize("name", list(IDS))


@pytest.fixture
def jira() -> Iterator[JiraStandIn]:
    with jira_stand_in() as side:
        yield side


@pytest.fixture
def gh(tmp_path: Path) -> GhStandIn:
    side = GhStandIn(tmp_path)
    side.install()
    return side


def read(
    name: TrackerName,
    environ: dict[str, str],
    issue_id: str | None = None,
    *,
    checkout: Path | None = None,
    manual: Issue | None = MANUAL,
) -> Issue:
    profile = Profile(name="work", tracker=name)
    tracker = open_tracker(profile, environ, checkout=checkout, manual=manual)
    return asyncio.run(tracker.get_issue(IDS[name] if issue_id is None else issue_id))


def refusal(name: TrackerName, environ: dict[str, str], issue_id: str | None = None) -> str:
    with pytest.raises(TrackerError) as refused:
        read(name, environ, issue_id)
    return str(refused.value)


@pytest.fixture
def environ(jira: JiraStandIn, gh: GhStandIn) -> dict[str, str]:
    """All three trackers can be reached, so that the profile alone says which one is."""
    jira.answers["SHOP-7"] = jira_issue("SHOP-7", description=ADF)
    gh.set({"acme/shop#7": gh_issue()})
    return jira.environ | gh.environ


@TRACKERS
def test_the_profile_says_where_the_same_issue_comes_from(
    name: TrackerName, environ: dict[str, str]
):
    issue = read(name, environ)
    assert issue.title == "Parcels are late"
    assert issue.description == DESCRIPTION
    assert issue.labels == ("night",)
    assert issue.id == IDS[name]
    urls = {"jira": "/browse/SHOP-7", "github": "/issues/7", "none": ""}
    assert issue.url.endswith(urls[name])
    assert issue.status == {"jira": "To Do", "github": "open", "none": ""}[name]


@TRACKERS
@pytest.mark.parametrize(
    "issue_id", ["", " ", "--help", "7; rm -rf /", "SHOP-7/../SHOP-8", "\0", "a" * 5_000, "٧", "-7"]
)
def test_what_names_no_issue_is_refused_and_nobody_is_asked(
    name: TrackerName, environ: dict[str, str], issue_id: str, jira: JiraStandIn, gh: GhStandIn
):
    assert refusal(name, environ, issue_id)
    assert jira.asked == []
    assert not (gh.folder / "asked.json").exists()


@TRACKERS
def test_an_issue_that_is_not_there_is_told_with_what_to_do(
    name: TrackerName, environ: dict[str, str]
):
    others = {"jira": "SHOP-8", "github": "acme/shop#8", "none": "8"}
    text = refusal(name, environ, others[name])
    assert others[name] in text
    assert {"jira": "check the key", "github": "check its number", "none": "was given"}[
        name
    ] in text


@pytest.mark.parametrize("description", [None, "", {"type": "doc", "content": []}])
def test_an_issue_without_a_description_has_an_empty_one(jira: JiraStandIn, description: object):
    jira.answers["SHOP-7"] = jira_issue("SHOP-7", description=description)
    assert read("jira", jira.environ).description == ""
    assert read("jira", jira.environ, " shop-7 ").id == "SHOP-7"


def test_a_github_issue_without_a_body_has_an_empty_description(gh: GhStandIn):
    gh.set({"acme/shop#7": gh_issue(body=None, labels=[])})
    issue = read("github", gh.environ)
    assert (issue.description, issue.labels) == ("", ())


@pytest.mark.parametrize("name", ["jira", "github"])
def test_a_huge_description_is_cut_and_says_so(name: TrackerName, jira: JiraStandIn, gh: GhStandIn):
    huge = "long " * 100_000
    jira.answers["SHOP-7"] = jira_issue("SHOP-7", description=huge, summary="t" * 2_000)
    gh.set({"acme/shop#7": gh_issue(body=huge, title="t" * 2_000)})
    issue = read(name, jira.environ | gh.environ)
    assert len(issue.description) < MOST_DESCRIPTION + 100
    assert issue.description.endswith("characters.]")
    assert len(issue.title) == MOST_TITLE


@pytest.mark.parametrize("name", ["jira", "github"])
def test_an_answer_of_many_megabytes_is_refused(
    name: TrackerName, jira: JiraStandIn, gh: GhStandIn
):
    huge = "x" * (5 * 1024 * 1024)
    jira.answers["SHOP-7"] = jira_issue("SHOP-7", description=huge)
    gh.set({"acme/shop#7": gh_issue(body=huge)})
    assert "more than" in refusal(name, jira.environ | gh.environ)


def test_jira_names_the_variables_that_are_missing(jira: JiraStandIn):
    assert "JIRA_BASE_URL and JIRA_EMAIL and JIRA_API_TOKEN" in refusal("jira", {})
    text = refusal("jira", jira.environ | {"JIRA_API_TOKEN": " "})
    assert "needs JIRA_API_TOKEN" in text


def test_jira_is_asked_for_what_is_used_alone(jira: JiraStandIn):
    jira.answers["SHOP-7"] = jira_issue("SHOP-7", description="h2. Why\n\nParcels are *late*.")
    assert read("jira", jira.environ).description == DESCRIPTION
    assert jira.asked == [("/rest/api/2/issue/SHOP-7", "summary,description,labels,status")]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(403, {}), "ask for access"),
        (Answer(200, b"<html>Sign in</html>", "text/html"), "not JSON"),
        (Answer(200, b"", "application/json"), "not JSON"),
        (Answer(200, ["an issue"]), "is no object"),
        (Answer(200, {"fields": {}}), "summary is missing"),
        (Answer(200, {"fields": "none"}), "fields is no object"),
        (Answer(200, {"fields": {"summary": 5}}), "summary is no text"),
        (Answer(200, {"fields": {"summary": "A", "labels": "x"}}), "labels is no list"),
        (Answer(200, {"fields": {"summary": "A", "description": 5}}), "neither text nor document"),
        (Answer(418, {}), "refuses"),
    ],
)
def test_a_rude_jira_is_told_and_not_believed(jira: JiraStandIn, answer: Answer, words: str):
    jira.answers["SHOP-7"] = answer
    assert words in refusal("jira", jira.environ)


def test_a_wrong_token_of_jira_is_told_without_the_token(jira: JiraStandIn):
    text = refusal("jira", jira.environ | {"JIRA_API_TOKEN": "wrong-token"})
    assert "check JIRA_EMAIL and JIRA_API_TOKEN" in text
    assert "wrong-token" not in text


@pytest.mark.parametrize(
    "url", ["http://jira.example.org", "https://ana:key@jira.example.org", "jira", "https://"]
)
def test_an_address_of_jira_that_would_leak_or_is_none_is_refused(url: str, jira: JiraStandIn):
    text = refusal("jira", jira.environ | {"JIRA_BASE_URL": url})
    assert "Check JIRA_BASE_URL" in text
    assert "ana:key" not in text


def test_github_names_the_repository_of_the_checkout(gh: GhStandIn, tmp_path: Path):
    gh.set({"#7": gh_issue()})
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    issue = read("github", gh.environ | {"SECRET": "x"}, "#7", checkout=checkout)
    assert issue.id == "7"
    assert gh.asked["cwd"] == str(checkout)
    assert gh.asked["argv"][:3] == ["issue", "view", "7"]
    assert gh.asked["environ"]["GH_TOKEN"] == "of ana"
    assert "SECRET" not in gh.asked["environ"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(TrackerError, match="write owner/name#7"):
        read("github", gh.environ, "7", checkout=tmp_path / "empty")


@pytest.mark.parametrize("issue_id", ["acme/shop#7", "https://github.com/acme/shop/issues/7"])
def test_github_takes_a_repository_or_an_address(gh: GhStandIn, issue_id: str):
    gh.set({"acme/shop#7": gh_issue()})
    assert read("github", gh.environ, issue_id).id == "acme/shop#7"
    assert "write owner/name#7" in refusal("github", gh.environ, "7")


def test_github_without_its_program_or_sign_in_says_how_to_get_it(gh: GhStandIn, tmp_path: Path):
    gh.set({}, signed_in=False)
    assert "run `gh auth login`" in refusal("github", gh.environ)
    (tmp_path / "gh").unlink()
    text = refusal("github", gh.environ)
    assert "not installed" in text and "https://cli.github.com" in text


@pytest.mark.parametrize(
    "printed",
    ["", "<html></html>", "[]", "null", '{"number": 7}', gh_issue()[:-5], "[" * 50_000]
    + ['{"number": "7", "title": "A"}', gh_issue(labels=[5])],
)
def test_a_program_that_prints_no_issue_is_not_believed(gh: GhStandIn, printed: str):
    gh.set({"acme/shop#7": printed})
    assert "gh printed no issue for acme/shop#7" in refusal("github", gh.environ)


def test_without_a_tracker_the_issue_has_to_be_given():
    with pytest.raises(TrackerError, match="give the title and the description"):
        read("none", {}, "1", manual=None)
