"""Does a profile work here? Each part is looked at: driver, tracker, walls and validator.

At most one tiny call of a model is made, and nothing is written.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from agents.development.drivers.posting import HttpFailed
from agents.development.errors import DevelopmentError
from agents.development.github_tracker import VARIABLES as GITHUB_VARIABLES
from agents.development.profiles import Profile
from agents.models.call import Message
from agents.models.programs import ProgramCall, ProgramFailed, Programs
from agents.models.protocol import ProviderCall, ProviderFailed, WorkerUnavailable
from infra.platform.errors import Refusal, Unavailable
from infra.platform.settings import Settings
from infra.service.development.api_models import choose_model, find_direct_access
from infra.service.development.containers.docker import DockerProvider, read_docker_settings
from infra.service.development.jira_tracker import open_jira
from infra.service.development.posting import HttpClient
from infra.service.development.profiles import find_profile
from infra.service.foundation.programs import MachinePrograms
from infra.service.models.file import read_models
from infra.service.models.setup import explain_failure
from infra.service.models.worker import find_model_worker
from projections.read.session import ReadModel

Part = Literal["driver", "tracker", "sandbox", "validator"]
WITHIN_S = 90.0
TINY = "Answer with the one word: ready"
TINY_TOKENS = 64
# What the command-line programs of models find their user's sign-in by.
SIGN_IN = frozenset(
    ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "XDG_CONFIG_HOME", "SSL_CERT_FILE")
    + ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "CODEX_HOME")
    + ("OPENAI_API_KEY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
)
INSTALL = {
    "claude": "npm install -g @anthropic-ai/claude-code",
    "codex": "npm install -g @openai/codex",
}


class PartCheck(ReadModel):
    """``advice`` says what to do where a part does not work; else it is empty."""

    part: Part
    works: bool
    finding: str
    advice: str


class ProfileCheck(ReadModel):
    name: str
    works: bool
    parts: list[PartCheck]


@dataclass(frozen=True, slots=True)
class _Surroundings:
    settings: Settings
    environ: Mapping[str, str]
    programs: Programs


async def check_profile(
    settings: Settings,
    environ: Mapping[str, str],
    name: str | None = None,
    programs: Programs | None = None,
) -> ProfileCheck:
    """Try each part of the profile; None: of the one that is used.

    Raises NotFound, Invalid, Forbidden for the file of the profiles.
    """
    profile = find_profile(settings, name)
    around = _Surroundings(settings, environ, programs or MachinePrograms())
    parts = [
        await _check_driver(around, profile),
        await _check_tracker(around, profile),
        await _check_sandbox(around, profile),
        _check_validator(around, profile),
    ]
    return ProfileCheck(name=profile.name, works=all(it.works for it in parts), parts=parts)


async def _check_driver(around: _Surroundings, profile: Profile) -> PartCheck:
    if profile.driver == "api":
        return await _check_api(around, profile)
    argv: tuple[str, ...] = ("codex", "login", "status")
    if profile.driver == "claude":
        argv = ("claude", "-p", "--output-format", "json", "--tools", "", "--strict-mcp-config")
        argv += ("--model", profile.model) if profile.model else ()
    try:
        printed = await _run(around, argv, SIGN_IN, TINY if profile.driver == "claude" else "")
    except ProgramFailed as error:
        return _explain_program("driver", profile.driver, error)
    if profile.driver == "claude" and (problem := _find_claude_error(printed)):
        return _fails("driver", f"claude answers, but: {problem}", "Run `claude` and sign in.")
    return _works("driver", f"{profile.driver} is installed and signed in")


def _find_claude_error(printed: str) -> str:
    """What its last line says went wrong; empty: it has answered."""
    try:
        record = json.loads(printed.strip().splitlines()[-1])
    except (ValueError, IndexError, RecursionError):
        return "it printed no result"
    if not isinstance(record, dict):
        return "it printed no result"
    return str(record.get("result") or "an error")[:300] if record.get("is_error") else ""


async def _check_api(around: _Surroundings, profile: Profile) -> PartCheck:
    """One call of the model that the profile names, or of the first one that is configured."""
    add = "Add a provider of language models, or name another model in the profile."
    try:
        known = read_models(around.settings, around.environ, with_keys=False)
    except Unavailable:
        raise
    except Refusal as error:
        return _fails("driver", str(error), "Mend the file of the models.")
    name = profile.model or choose_model(known)
    if name is None:
        return _fails("driver", "no language model is configured", add)
    provider_name, _, model = name.partition("/")
    provider = known.find_provider(provider_name)
    served = provider is not None and provider.is_configured
    if not served and profile.sandbox == "none" and find_direct_access(around.environ):
        return await _check_direct(around, name)
    if provider is None or not model:
        return _fails("driver", f"no provider serves {name}: write provider/model", add)
    if not provider.is_configured:
        return _fails("driver", f"{provider_name} has no key", add)
    worker = find_model_worker(around.settings)
    if worker is None:
        return _fails(
            "driver",
            "the model worker does not run",
            "Start the service anew: it starts one as soon as a provider is configured.",
        )
    call = ProviderCall(
        provider=provider_name,
        model=model,
        messages=(Message(role="user", content=TINY),),
        answer_schema=None,
        max_output_tokens=TINY_TOKENS,
        timeout_s=WITHIN_S,
    )
    try:
        answer = await worker.ask(call)
    except ProviderFailed as error:
        return _fails("driver", explain_failure(provider_name, model, error.failure), add)
    except WorkerUnavailable as error:
        return _fails(
            "driver",
            str(error),
            "Look at the state of the service: its process `model-worker` has to run.",
        )
    return _works("driver", f"{provider_name}/{answer.served_model} answers")


async def _check_direct(around: _Surroundings, model: str) -> PartCheck:
    """One call of the endpoint that the environment opens."""
    access = find_direct_access(around.environ)
    assert access is not None
    body = {
        "model": model,
        "messages": [{"role": "user", "content": TINY}],
        "max_tokens": TINY_TOKENS,
    }
    advice = "Look at OPENROUTER_API_KEY and OPENROUTER_BASE_URL, or add a provider of models."
    try:
        answer = await HttpClient(silent_s=WITHIN_S).post(
            f"{access.base_url}/chat/completions",
            {"authorization": f"Bearer {access.token}"},
            body,
        )
    except HttpFailed as error:
        return _fails("driver", str(error), advice)
    if answer.status >= 400:
        return _fails("driver", f"{access.base_url} answers {answer.status}", advice)
    return _works("driver", f"{model} answers at {access.base_url}")


async def _check_tracker(around: _Surroundings, profile: Profile) -> PartCheck:
    match profile.tracker:
        case "none":
            return _works("tracker", "issues are given by hand")
        case "jira":
            try:
                name = await open_jira(around.environ).check()
            except DevelopmentError as error:
                return _fails("tracker", "Jira cannot be asked", str(error))
            return _works("tracker", f"Jira answers, as {name}")
        case "github":
            try:
                await _run(around, ("gh", "auth", "status"), GITHUB_VARIABLES)
            except ProgramFailed as error:
                return _explain_program("tracker", "gh", error)
            return _works("tracker", "gh is installed and signed in")


async def _check_sandbox(around: _Surroundings, profile: Profile) -> PartCheck:
    """The walls are tried for every profile: a validator and the tools of `api` run in them."""
    from infra.runtime.walls.canary import build_walls
    from infra.runtime.walls.layout import layout_of_this_machine

    if problem := await _find_missing(around, profile):
        return problem
    try:
        walls, checks = await build_walls(layout_of_this_machine((around.settings.home,)))
    except Unavailable:
        raise
    except Refusal as error:
        return _fails(
            "sandbox", str(error), "Install bubblewrap, or use Linux 6.7 or later with Landlock."
        )
    where = "" if profile.sandbox == "none" else f"sandbox {profile.sandbox}, "
    return _works(
        "sandbox", f"{where}walls of {walls.kind}: {len(checks)} tries, none came through"
    )


async def _find_missing(around: _Surroundings, profile: Profile) -> PartCheck | None:
    """What the container provider lacks; None: nothing that shows from here."""
    if profile.sandbox == "daytona" and not around.environ.get("DAYTONA_API_KEY"):
        return _fails("sandbox", "daytona has no key", "Set DAYTONA_API_KEY for the service.")
    if profile.sandbox == "docker":
        try:
            await DockerProvider(read_docker_settings(around.environ)).check()
        except DevelopmentError as error:
            return _fails(
                "sandbox",
                str(error),
                "Start Docker with an image that has Cairn (SANDBOX_IMAGE), or use `process`.",
            )
    return None


def _check_validator(around: _Surroundings, profile: Profile) -> PartCheck:
    if not profile.validator:
        return _works("validator", "none is set")
    program = profile.validator_argv[0]
    if "/" in program:  # in the workspace, which is not there yet
        return _works("validator", f"{program} is looked for in the workspace")
    if not _find_program(around, program):
        return _fails(
            "validator", f"{program} is not installed", "Install it where the service runs."
        )
    return _works("validator", f"{program} is installed")


def _find_program(around: _Surroundings, name: str) -> bool:
    return shutil.which(name, path=around.environ.get("PATH", "")) is not None


async def _run(
    around: _Surroundings, argv: tuple[str, ...], variables: frozenset[str], given: str = ""
) -> str:
    """The end of what a program prints. Raises ProgramFailed."""
    environ = {name: it for name, it in around.environ.items() if name in variables}
    last = ""
    call = ProgramCall(argv, given, environ, None, WITHIN_S, WITHIN_S)
    async with aclosing(around.programs.run(call)) as lines:
        async for line in lines:
            last = line if line.strip() else last
    return last


def _explain_program(part: Part, name: str, error: ProgramFailed) -> PartCheck:
    if error.kind == "missing":
        advice = (
            "Install it from https://cli.github.com and run `gh auth login`."
            if name == "gh"
            else f"Install it (`{INSTALL[name]}`) and sign in as the user of the service."
        )
        return _fails(part, f"{name} is not installed", advice)
    sign_in = {"gh": "gh auth login", "codex": "codex login", "claude": "claude"}[name]
    reason = " ".join((error.errors or str(error)).split())[:300]
    return _fails(part, f"{name} does not answer: {reason}", f"Run `{sign_in}` and sign in.")


def _works(part: Part, finding: str) -> PartCheck:
    return PartCheck(part=part, works=True, finding=finding, advice="")


def _fails(part: Part, finding: str, advice: str) -> PartCheck:
    return PartCheck(part=part, works=False, finding=finding, advice=advice)
