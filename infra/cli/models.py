"""`cairn models`: which language models may be asked; add, try and remove providers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from infra.cli.calls import told, unchecked
from infra.cli.context import JSON_OPTION, connect, explain_wrong_use, load, say
from infra.cli.output import as_lines, table
from infra.client.models.models import Provider

if TYPE_CHECKING:
    from infra.client.models.models import ProviderState, RoleState, Trial

PROVIDER = typer.Argument(metavar="PROVIDER", help="Name of the provider.")
STATES = {
    "ready": "ready",
    "no_key": "its key is missing",
    "unconfigured": "not added",
    "unreachable": "not reachable",
}

models = typer.Typer(no_args_is_help=True, help="Choose the language models that may be asked.")


def register(app: typer.Typer) -> None:
    app.add_typer(models, name="models")


@models.command("list")
def list_models(as_json: bool = JSON_OPTION) -> None:
    """List providers in the order in which they are asked, with their models."""
    cairn = connect()
    found = cairn.list_models()
    if as_json:
        as_lines(one.model_dump() for one in found)
        return
    table(("provider", "state", "models"), map(_row_of, found))
    if not any(one.state == "ready" for one in found):
        say("No model is asked: Cairn works by rules. `cairn models add` adds a provider.")
    roles = cairn.list_model_roles()
    for role in roles if any(role.models for role in roles) else ():
        _show_role(role)


@models.command()
def add(
    provider: str | None = typer.Argument(None, metavar="[PROVIDER]", help="Name; else asked."),
    key_env: str | None = typer.Option(
        None, "--key-env", metavar="NAME", help="Read the key from this variable, always."
    ),
    key_file: str | None = typer.Option(
        None,
        "--key-file",
        metavar="FILE",
        help="Keep the key of this file; - is standard input.",
    ),
    base_url: str | None = typer.Option(None, "--base-url", help="Address of its API."),
    model: list[str] | None = typer.Option(
        None, "--model", help="A model, the first one is asked first; again for more."
    ),
    no_key: bool = typer.Option(
        False, "--no-key", help="It wants no key: a server of your own, which costs nothing."
    ),
    program: str | None = typer.Option(
        None, "--program", metavar="PATH", help="What runs it, for a program such as claude-cli."
    ),
    no_test: bool = typer.Option(False, "--no-test", help="Make no call before it is added."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Add a provider: ask for its key, try it with one call, and say what it costs.

    Texts of your sources go to it from then on, without the secrets in them.
    """
    name = provider or _ask_name()
    body = Provider.model_construct(
        **told(
            name=name,
            base_url=base_url or _ask_address(name),
            api_key=_key_of(name, key_env, key_file, no_key),
            api_key_env=key_env,
            needs_key=False if no_key else None,
            models=model or None,
            program=program,
            try_it=not no_test,
        )
    )
    if not no_test:
        say(f"Asking {name} one thing (loading the library takes some seconds) …")
    with explain_wrong_use():
        trial = connect().add_provider(body).trial
    if trial:
        _tell(trial, as_json=as_json)
    say(f"{name} is added{_to_file()}.")


@models.command()
def test(
    provider: str | None = typer.Argument(None, metavar="[PROVIDER]", help="Name of the provider."),
    tier: str | None = typer.Option(
        None, "--tier", help="Ask each model of this role instead: draft or review."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Ask a provider one thing, or all models that draft or review, and say what calls cost."""
    if (provider is None) == (tier is None):
        raise typer.BadParameter("give a provider, or --tier draft or --tier review")
    if tier is not None:
        _test_role(tier, as_json=as_json)
    elif provider is not None:
        _tell(connect().test_provider(provider), as_json=as_json)


def _test_role(tier: str, *, as_json: bool) -> None:
    """Exits with 1 where one of the models does not answer."""
    with explain_wrong_use():
        trials = connect().test_model_role(unchecked(tier))
    if as_json:
        as_lines(one.model_dump() for one in trials)
    for one in () if as_json else trials:
        if one.trial is None:
            print(f"{one.name} ({one.family}) fails: {one.problem}")
        else:
            served = one.trial.served_model
            print(f"{one.name} ({one.family}) answers ({one.trial.latency_ms:,} ms, {served}).")
    if any(one.trial is None for one in trials):
        raise typer.Exit(1)


@models.command()
def remove(provider: str = PROVIDER) -> None:
    """Remove a provider and its key."""
    connect().remove_provider(provider)
    say(f"{provider} is removed.")


def _show_role(role: RoleState) -> None:
    if not role.models:
        say(f"{role.role}: nobody yet. `cairn models test --tier {role.role}` says what to do.")
        return
    named = zip(role.models, role.families, strict=True)
    say(f"{role.role}: {', '.join(f'{name} ({family})' for name, family in named)}")
    if role.unknown:
        say(
            f"Nobody knows whose models these are: {', '.join(role.unknown)}. See to it that"
            " another family reviews than drafts."
        )


def _to_file() -> str:
    """Which file holds it, where that is of this machine."""
    settings = load()
    return "" if settings.url else f" to {settings.models_file}"


def _row_of(one: ProviderState) -> tuple[object, ...]:
    local = ", costs nothing" if one.is_local and one.state == "ready" else ""
    return one.name, STATES[one.state] + local, ", ".join(one.models) or None


def _ask_name() -> str:
    from agents.models.catalogue import CATALOGUE

    names = ", ".join(known.name for known in CATALOGUE)
    return str(typer.prompt(f"Provider ({names}, or a name of your own)", err=True)).strip()


def _ask_address(name: str) -> str | None:
    """Only a provider that nobody knows has to say where it is."""
    from agents.models.catalogue import BY_NAME

    if name in BY_NAME:
        return None
    return str(typer.prompt("Address of its API (OpenAI protocol)", err=True)).strip()


def _key_of(name: str, key_env: str | None, key_file: str | None, no_key: bool) -> str | None:
    """The key to keep; None where a variable holds it or none is wanted."""
    from agents.models.catalogue import BY_NAME

    if sum((key_env is not None, key_file is not None, no_key)) > 1:
        raise typer.BadParameter("give one of --key-env, --key-file and --no-key")
    if key_file is not None:
        return _read_key(key_file)
    known = BY_NAME.get(name)
    if key_env is not None or no_key or (known and not known.needs_key):
        return None
    return str(typer.prompt(f"Key of {name}", hide_input=True, err=True)).strip()


def _read_key(place: str) -> str:
    try:
        key = (sys.stdin.read() if place == "-" else Path(place).read_text()).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"the key cannot be read from {place}: {error}.") from error
    if not key:
        raise typer.BadParameter(f"there is no key in {place}")
    return key


def _tell(trial: Trial, *, as_json: bool) -> None:
    if as_json:
        as_lines([trial.model_dump()])
        return
    served = (
        "" if trial.served_model == trial.requested_model else f", served by {trial.served_model}"
    )
    print(f"{trial.provider}/{trial.requested_model} answers ({trial.latency_ms:,} ms{served}).")
    if not trial.keeps_form:
        print(
            "It does not answer by a JSON Schema, as reading asks for: what cannot be used of it,"
            " rules will read. Try another model, or CAIRN_MODEL_FORMAT=prompt."
        )
    if trial.cost_usd is None:
        print("Nobody knows its price: costs are not counted, and budgets in dollars refuse it.")
    elif not trial.usual_call_usd:
        print("It costs nothing.")
    else:
        print(
            f"This call cost ${trial.cost_usd:.6f}. A usual call costs about"
            f" ${trial.usual_call_usd:.4f}, and reading a million characters of sources about"
            f" ${trial.million_characters_usd or 0:.2f}."
        )
