"""Add, remove and try providers of models: the file is changed only by what has worked.

A trial runs in a model worker of its own, with a draft of the file, so that nobody asks a provider
whose key is wrong. Its call belongs to no project and is in no costs; what it cost is told.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from agents.models.call import Message, Usage
from agents.models.catalogue import OLLAMA
from agents.models.client import WorkerClient
from agents.models.configuration import ModelProvider
from agents.models.families import find_family
from agents.models.prices import PriceTable, estimate_tokens
from agents.models.protocol import (
    ProviderAnswer,
    ProviderCall,
    ProviderFailed,
    ProviderFailure,
    WorkerUnavailable,
)
from agents.models.receiving import receive
from infra.platform.clock import SystemClock
from infra.platform.errors import NotFound, Refusal, Unavailable
from infra.platform.files import write_whole
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.runtime import supervisor
from infra.runtime.local.process import own_command, wait_until
from infra.service.models.entries import ProviderSpec, drop_provider, insert_provider
from infra.service.models.file import parse_models, read_models, read_price_table, read_text
from infra.service.models.models import Role
from infra.service.models.worker import find_model_worker, keep_variables
from projections.read.session import ReadModel

WORKER = "model-worker"
STARTS_WITHIN_S = 120.0
ANSWERS_WITHIN_S = 60.0
QUESTION = 'Answer with this JSON object: {"word": "ready"}'
FORM: dict[str, Any] = {  # what it answers by, as all that reads and judges does
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
LONGEST_ANSWER = 512  # some models think before they answer
# A call that reads a few chunks: instructions, text and what is found in it.
ROLE_ADVICE: Mapping[Role, str] = {
    "draft": "add the provider claude-cli or anthropic",
    "review": "add a provider of another family than the drafter's",
}
USUAL_CALL = Usage(input_tokens=4_000, output_tokens=800)
MILLION_CHARACTERS = Usage(input_tokens=400_000, output_tokens=80_000)


class TrialFailed(Refusal):
    """A provider did not answer the call that tries it."""

    code = "model_trial_failed"


class Trial(ReadModel):
    """What came of one call. ``keeps_form``: it answered by the schema it was given, else rules
    would read most of what it is asked about. Costs are US dollars, None where nobody knows the
    price: ``usual_call_usd`` of a call that reads some chunks, ``million_characters_usd`` of
    reading that much text.
    """

    provider: str
    requested_model: str
    served_model: str
    keeps_form: bool
    latency_ms: int
    cost_usd: float | None
    usual_call_usd: float | None
    million_characters_usd: float | None


class RoleTrial(ReadModel):
    """What came of one call of a model that drafts or reviews; without a ``trial`` the ``problem``.

    ``name`` is ``provider/model``, ``family`` whose model it is.
    """

    name: str
    family: str
    trial: Trial | None
    problem: str


async def add_provider(
    settings: Settings, spec: ProviderSpec, environ: Mapping[str, str], *, try_it: bool = True
) -> Trial | None:
    """Add a provider to the file of the models, or replace the one of its name, once it answers.

    Raises Invalid, Forbidden for a file that is unfit, TrialFailed, Unavailable.
    """
    path = settings.models_file
    text = insert_provider(path, read_text(path), spec)
    parse_models(path, text, environ)
    trial = await _try(settings, text, spec.name, environ) if try_it else None
    write_whole(path, text, mode=0o600)
    return trial


async def remove_provider(
    settings: Settings, name: str, environ: Mapping[str, str]
) -> ModelProvider:
    """Remove a provider from the file. Raises NotFound, Invalid, Forbidden."""
    path, removed = settings.models_file, _find(settings, name, environ)
    text = drop_provider(path, read_text(path), name)
    parse_models(path, text, environ)
    write_whole(path, text, mode=0o600)
    return removed


async def try_provider(settings: Settings, name: str, environ: Mapping[str, str]) -> Trial:
    """Ask a provider of the file one thing. Raises NotFound, TrialFailed, Unavailable."""
    _find(settings, name, environ)
    return await _try(settings, read_text(settings.models_file), name, environ)


async def try_role(settings: Settings, role: Role, environ: Mapping[str, str]) -> list[RoleTrial]:
    """Ask each model that drafts, or that reviews, one thing, programs of this machine too.

    Raises NotFound where nobody has the role, Invalid, Forbidden, Unavailable.
    """
    names = read_models(settings, environ, with_keys=False).list_role(role)
    if not names:
        raise NotFound(
            f"No model can {role}: {ROLE_ADVICE[role]} (or name one in `tiers.{role}` of"
            f" {settings.models_file}).",
            code="no_model_for_role",
        )
    text, trials = read_text(settings.models_file), list[RoleTrial]()
    for name in names:
        provider, _, model = name.partition("/")
        family = find_family(name)
        try:
            trial = await _try(settings, text, provider, environ, model)
        except Unavailable:
            raise
        except TrialFailed as failed:
            trials.append(RoleTrial(name=name, family=family, trial=None, problem=str(failed)))
        else:
            trials.append(RoleTrial(name=name, family=family, trial=trial, problem=""))
    return trials


def _find(settings: Settings, name: str, environ: Mapping[str, str]) -> ModelProvider:
    found = read_models(settings, environ, with_keys=False).find_provider(name)
    if found is None:
        raise NotFound(f"{settings.models_file} names no provider {name}.", code="unknown_provider")
    return found


async def _try(
    settings: Settings, text: str, name: str, environ: Mapping[str, str], wanted: str = ""
) -> Trial:
    provider = parse_models(settings.models_file, text, environ).find_provider(name)
    if provider is None or not provider.is_configured:
        raise TrialFailed(f"{name} has no key: give one, or set the variable that holds it.")
    with tempfile.TemporaryDirectory(prefix="cairn-models-") as folder:
        draft = Settings(home=Path(folder))
        write_whole(draft.models_file, text, mode=0o600)
        with _worker(draft, environ) as start:
            await in_thread(start)
            client = find_model_worker(draft)
            if client is None:
                raise Unavailable("The model worker did not start.", code="model_worker_away")
            model = wanted or await _choose_model(client, provider)
            began = SystemClock().now()
            call = ProviderCall(
                provider=name,
                model=model,
                messages=(Message(role="user", content=QUESTION),),
                answer_schema=FORM,
                max_output_tokens=LONGEST_ANSWER,
                timeout_s=provider.idle_s if provider.is_program else ANSWERS_WITHIN_S,
            )
            try:
                answer = await client.ask(call)
            except ProviderFailed as error:
                raise TrialFailed(explain_failure(name, model, error.failure)) from error
            except WorkerUnavailable as error:
                raise Unavailable(str(error), code="model_worker_away") from error
        latency_ms = round((SystemClock().now() - began).total_seconds() * 1000)
        return _build_trial(read_price_table(draft), provider, model, answer, latency_ms)


async def _choose_model(client: WorkerClient, provider: ModelProvider) -> str:
    found = provider.models
    if not found and provider.name == OLLAMA:
        found = await client.list_models(OLLAMA)
    if not found:
        raise TrialFailed(
            f"{provider.name} has no model: is its server running at {provider.base_url}?"
        )
    return found[0]


def _build_trial(
    prices: PriceTable,
    provider: ModelProvider,
    model: str,
    answer: ProviderAnswer,
    latency_ms: int,
) -> Trial:
    name, day = provider.name, SystemClock().now().date()

    def cost_of(usage: Usage) -> float | None:
        if provider.is_local:
            return 0.0
        return prices.cost_of(name, answer.served_model, usage, day, requested_model=model)

    used = answer.usage or Usage(
        input_tokens=estimate_tokens(QUESTION), output_tokens=estimate_tokens(answer.text)
    )
    return Trial(
        provider=name,
        requested_model=model,
        served_model=answer.served_model,
        keeps_form=not receive(answer.text, FORM, answer.finish, answer.refusal).fault,
        latency_ms=latency_ms,
        cost_usd=cost_of(used),
        usual_call_usd=cost_of(USUAL_CALL),
        million_characters_usd=cost_of(MILLION_CHARACTERS),
    )


def explain_failure(name: str, model: str, failure: ProviderFailure) -> str:
    said = f" It says: {failure.detail}" if failure.detail else ""
    match failure.status, failure.error_class:
        case ((401 | 403), _):
            return f"{name} refuses the key ({failure.status}): check it.{said}"
        case 404, _:
            return f"{name} knows no model {model} (404): name another.{said}"
        case None, "timeout":
            return f"{name} has not answered within {ANSWERS_WITHIN_S:.0f} s.{said}"
        case None, "connection" if "cannot be started" in failure.detail:
            return f"{name} is not there: install it, or give the path of its program.{said}"
        case None, "program_failed":
            return f"{name} failed: start it by hand once, and sign in.{said}"
        case None, "connection":
            return f"{name} cannot be reached: check its address.{said}"
        case status, error_class:
            return f"{name} did not answer ({status or error_class}).{said}"


@contextmanager
def _worker(draft: Settings, environ: Mapping[str, str]) -> Iterator[partial[None]]:
    """A model worker for the block; call what is given to wait until it answers."""
    kept = keep_variables(draft, environ)
    kept.pop("CAIRN_MODELS", None)
    draft.log_folder.mkdir(parents=True, exist_ok=True)
    with (draft.log_folder / f"{WORKER}.log").open("wb") as log:
        process = subprocess.Popen(
            own_command(WORKER),
            env=kept | {"CAIRN_HOME": str(draft.home), "CAIRN_PROCESS_NAME": WORKER},
            stdout=log,
            stderr=log,
            cwd=os.getcwd(),
        )
    try:
        yield partial(_await_ready, draft, process)
    finally:
        process.terminate()
        process.wait()


def _await_ready(draft: Settings, process: subprocess.Popen[bytes]) -> None:
    ready = supervisor.ready_file(draft, WORKER)
    wait_until(lambda: ready.exists() or process.poll() is not None, timeout_s=STARTS_WITHIN_S)
    if not ready.exists():
        raise Unavailable("The model worker did not start.", code="model_worker_away")
