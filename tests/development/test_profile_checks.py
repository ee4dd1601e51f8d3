"""A check says of each part of a profile whether it works, and what to do where it does not."""

from __future__ import annotations

import asyncio
import stat
import sys
from pathlib import Path

import pytest

from agents.development.profiles import Profile
from infra.platform.settings import Settings
from infra.service.development.profile_checks import TINY, Part, PartCheck, check_profile
from infra.service.development.profiles import add_profile
from tests.development.stand_ins.docker_engine import docker_engine
from tests.development.tracker_stand_ins import GhStandIn, jira_stand_in

# The program that is called like it says how it was called, and does as it is told.
PROGRAM = """\
#!{python}
import sys
from pathlib import Path
given = sys.stdin.read() if {reads} else ""
Path({log!r}).write_text("\\n".join([*sys.argv[1:], given]))
sys.stdout.write({printed!r})
sys.stderr.write({errors!r})
sys.exit({code})
"""
READY = '{"type": "result", "is_error": false, "result": "ready"}\n'


def install(folder: Path, name: str, printed: str = "", errors: str = "", code: int = 0) -> Path:
    """A program of this name; returns where it writes how it was called."""
    log, program = folder / f"{name}.log", folder / name
    fields = {"log": str(log), "printed": printed, "errors": errors, "code": code}
    program.write_text(PROGRAM.format(python=sys.executable, reads=name == "claude", **fields))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return log


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def check(tmp_path: Path, part: Part, environ: dict[str, str], **fields: object) -> PartCheck:
    settings = Settings(home=tmp_path / "home")
    add_profile(settings, Profile.model_validate({"name": "work"} | fields))
    checked = asyncio.run(check_profile(settings, environ, "work"))
    parts = {each.part: each for each in checked.parts}
    assert checked.works == all(each.works for each in checked.parts)
    assert all(bool(each.advice) != each.works for each in checked.parts)
    return parts[part]


def on_path(programs: Path) -> dict[str, str]:
    return {"PATH": str(programs), "HOME": str(programs), "SECRET": "x"}


def test_claude_is_asked_one_tiny_thing_without_any_tool(tmp_path: Path, programs: Path):
    log = install(programs, "claude", READY)
    part = check(tmp_path, "driver", on_path(programs), driver="claude", model="opus")
    assert part.works
    called = log.read_text().split("\n")
    assert called == [
        *("-p", "--output-format", "json", "--tools", "", "--strict-mcp-config"),
        *("--model", "opus", TINY),
    ]


@pytest.mark.parametrize(
    ("printed", "errors", "code", "words"),
    [
        ('{"is_error": true, "result": "Invalid API key"}\n', "", 0, "Invalid API key"),
        ("", "Please run /login", 1, "Please run /login"),
        ("", "", 0, "it printed no result"),
        ("<html></html>", "", 0, "it printed no result"),
        ("[" * 50_000, "", 0, "it printed no result"),
        ("[]", "", 0, "it printed no result"),
    ],
)
def test_a_claude_that_does_not_answer_is_told(
    tmp_path: Path, programs: Path, printed: str, errors: str, code: int, words: str
):
    install(programs, "claude", printed, errors, code)
    part = check(tmp_path, "driver", on_path(programs), driver="claude")
    assert not part.works
    assert words in part.finding
    assert "sign in" in part.advice


def test_codex_is_asked_whether_somebody_is_signed_in(tmp_path: Path, programs: Path):
    log = install(programs, "codex", "Logged in using ChatGPT")
    assert check(tmp_path, "driver", on_path(programs), driver="codex").works
    assert log.read_text().split() == ["login", "status"]


def test_a_codex_without_sign_in_is_told(tmp_path: Path, programs: Path):
    install(programs, "codex", errors="Not logged in", code=1)
    part = check(tmp_path, "driver", on_path(programs), driver="codex")
    assert (part.works, part.advice) == (False, "Run `codex login` and sign in.")


@pytest.mark.parametrize("driver", ["claude", "codex"])
def test_a_program_that_is_not_installed_is_told_with_how_to_get_it(
    tmp_path: Path, programs: Path, driver: str
):
    part = check(tmp_path, "driver", on_path(programs), driver=driver)
    assert part.finding == f"{driver} is not installed"
    assert "npm install" in part.advice


def test_the_api_driver_needs_a_model(tmp_path: Path, programs: Path):
    part = check(tmp_path, "driver", on_path(programs))
    assert part.finding == "no language model is configured"


def test_jira_is_asked_who_we_are(tmp_path: Path, programs: Path):
    with jira_stand_in() as jira:
        environ = on_path(programs) | jira.environ
        part = check(tmp_path, "tracker", environ, tracker="jira")
        assert (part.works, part.finding) == (True, "Jira answers, as Ana")
        assert [path for path, _ in jira.asked] == ["/rest/api/2/myself"]


def test_a_jira_that_cannot_be_asked_is_told(tmp_path: Path, programs: Path):
    part = check(tmp_path, "tracker", on_path(programs), tracker="jira")
    assert "needs JIRA_BASE_URL" in part.advice


def test_github_is_asked_whether_somebody_is_signed_in(tmp_path: Path, programs: Path):
    side = GhStandIn(programs)
    side.install()
    assert check(tmp_path, "tracker", side.environ, tracker="github").works
    side.set({}, signed_in=False)
    (tmp_path / "other").mkdir()
    part = check(tmp_path / "other", "tracker", side.environ, tracker="github")
    assert (part.works, part.advice) == (False, "Run `gh auth login` and sign in.")


@pytest.mark.parametrize(
    ("sandbox", "advice"), [("docker", "Start Docker"), ("daytona", "Set DAYTONA_API_KEY")]
)
def test_a_container_that_cannot_be_had_is_told(
    tmp_path: Path, programs: Path, sandbox: str, advice: str
):
    install(programs, "docker")  # the program alone is no engine
    environ = on_path(programs) | {"DOCKER_HOST": f"unix://{tmp_path}/nobody.sock"}
    part = check(tmp_path, "sandbox", environ, sandbox=sandbox)
    assert not part.works and part.advice.startswith(advice)


@pytest.mark.parametrize(("image", "works"), [("cairn:test", True), ("cairn:none", False)])
def test_the_docker_engine_is_asked_for_its_image(
    tmp_path: Path, programs: Path, image: str, works: bool
):
    socket = tmp_path / "docker.sock"
    environ = on_path(programs) | {"DOCKER_HOST": f"unix://{socket}", "SANDBOX_IMAGE": image}
    settings = Settings(home=tmp_path / "home")
    add_profile(settings, Profile(name="work", sandbox="docker"))

    async def ask() -> PartCheck:
        async with docker_engine(socket, "no.worker"):
            checked = await check_profile(settings, environ, "work")
        return next(part for part in checked.parts if part.part == "sandbox")

    part = asyncio.run(ask())
    assert part.works == works
    assert works or "No such image: cairn:none" in part.finding


def test_the_walls_of_this_machine_are_tried(tmp_path: Path, programs: Path):
    part = check(tmp_path, "sandbox", on_path(programs))
    assert part.works, part.finding
    assert "none came through" in part.finding


@pytest.mark.parametrize(
    ("validator", "works"),
    [("pytest -q", False), ("linter .", True), ("./check.sh", True), (None, True)],
)
def test_the_program_of_the_validator_is_looked_for(
    tmp_path: Path, programs: Path, validator: str | None, works: bool
):
    install(programs, "linter")
    part = check(tmp_path, "validator", on_path(programs), validator=validator)
    assert part.works == works
