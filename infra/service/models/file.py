"""The file that names the language models: ``CAIRN_HOME/models.toml``, or what CAIRN_MODELS names.

It holds keys, so that it must be readable by its owner alone. A provider that it does not name is
never asked, whatever keys the environment holds: texts leave the machine only where somebody has
said so.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from agents.models.call import ROLES, Tier
from agents.models.catalogue import BY_NAME, OLLAMA, PROGRAMS
from agents.models.configuration import REVIEWER, ModelConfiguration, ModelProvider
from agents.models.families import find_conflicts, find_family
from agents.models.prices import Price, PriceTable, read_prices
from agents.models.programs import CEILING_S, IDLE_S
from infra.platform.addresses import is_loopback, is_well_formed
from infra.platform.errors import Forbidden, Invalid
from infra.platform.files import FOR_OTHERS
from infra.platform.log import get
from infra.platform.settings import Settings

log = get("models")


class ModelsFileInvalid(Invalid):
    """The file of the models cannot be used; the message names the place and what to do."""

    code = "models_file_invalid"


class _ProviderEntry(BaseModel):
    """A table ``[[providers]]`` of the file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    base_url: str | None = None
    api_key: str | None = None
    api_key_env: str | None = None
    needs_key: bool | None = None
    models: list[str] | None = None
    program: str | None = None
    idle_s: float | None = Field(default=None, gt=0)
    ceiling_s: float | None = Field(default=None, gt=0)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    providers: list[_ProviderEntry] = []
    tiers: dict[Tier, list[str]] = {}
    prices: dict[str, Price] = {}


def read_models(
    settings: Settings, environ: Mapping[str, str] = os.environ, *, with_keys: bool = True
) -> ModelConfiguration:
    """Which models there are; none without a file. Raises ModelsFileInvalid, Forbidden.

    ``with_keys`` False: who has a key is known, the keys are not.
    """
    path = settings.models_file
    return parse_models(path, read_text(path), environ, with_keys=with_keys)


def read_fit_models(settings: Settings) -> ModelConfiguration:
    """The same without keys; a file that is unfit is logged and names no model."""
    try:
        return read_models(settings, with_keys=False)
    except (Forbidden, Invalid) as error:
        _log_unfit(error)
        return ModelConfiguration()


class ModelsFile:
    """The file for a process that outlives its changes. While it is unfit, what it said before."""

    def __init__(
        self, settings: Settings, environ: Mapping[str, str] = os.environ, *, with_keys: bool = True
    ) -> None:
        self._settings, self._environ, self._with_keys = settings, environ, with_keys
        self._seen: tuple[int, ...] | None = ()
        self._known = ModelConfiguration()

    def read(self) -> ModelConfiguration:
        """What it says now; it is read again once it has changed."""
        seen = self._look()
        if seen != self._seen:
            self._seen = seen
            try:
                self._known = read_models(self._settings, self._environ, with_keys=self._with_keys)
            except (Forbidden, Invalid) as error:
                _log_unfit(error)
        return self._known

    def _look(self) -> tuple[int, ...] | None:
        """``ctime`` is later also where only the permissions have changed."""
        try:
            found = self._settings.models_file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def list_key_variables(settings: Settings) -> set[str]:
    """The variables of the environment that hold keys; none for a file that is unfit."""
    try:
        file = _parse(settings.models_file, read_text(settings.models_file))
    except (Forbidden, Invalid):  # the worker says so
        return set()
    return {entry.api_key_env for entry in file.providers if entry.api_key_env}


def _log_unfit(error: Exception) -> None:
    log.warning("models.file_invalid", reason=str(error))


def parse_models(
    path: Path, text: str, environ: Mapping[str, str], *, with_keys: bool = True
) -> ModelConfiguration:
    """What ``text`` says, which is or will be the file at ``path``. Raises ModelsFileInvalid."""
    file = _parse(path, text)
    providers = tuple(_provider_of(path, entry, environ, with_keys) for entry in file.providers)
    _check_names(path, [one.name for one in providers])
    found = ModelConfiguration(
        providers=providers, tiers={tier: tuple(names) for tier, names in file.tiers.items()}
    )
    _check_tiers(path, found)
    return found


def read_price_table(settings: Settings) -> PriceTable:
    """The prices of the file, then those that Cairn knows. Raises ModelsFileInvalid, Forbidden."""
    file = _parse(settings.models_file, read_text(settings.models_file))
    return PriceTable(read_prices(), file.prices)


def read_text(path: Path) -> str:
    """What is written in the file; nothing where there is none. Raises Forbidden, Invalid."""
    try:
        with path.open(encoding="utf-8") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & FOR_OTHERS:
                raise Forbidden(
                    f"{path} holds keys and others may read it: run `chmod 600 {path}`.",
                    code="models_file_open_to_others",
                )
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ModelsFileInvalid(f"{path} cannot be read: {error}.") from error


def parse_tables(path: Path, text: str) -> dict[str, Any]:
    """The tables as they are written. Raises ModelsFileInvalid."""
    return _read_tables(path, text)[0]


def _parse(path: Path, text: str) -> _File:
    return _read_tables(path, text)[1]


def _read_tables(path: Path, text: str) -> tuple[dict[str, Any], _File]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ModelsFileInvalid(f"{path} is no TOML: {error}; mend or remove it.") from error
    try:
        return tables, _File.model_validate(tables)
    except ValidationError as error:
        raise ModelsFileInvalid(f"{path}: {_explain(error, tables)}.") from error


def _explain(error: ValidationError, tables: dict[str, Any]) -> str:
    """Where the first mistake is and what would be right; the value may be a key."""
    first = error.errors()[0]
    match first["loc"]:
        case ("providers", int() as index, str() as field):
            name = tables["providers"][index].get("name")
            place = f"provider {name or f'number {index + 1}'}, `{field}`"
        case loc:
            place = f"`{'.'.join(str(part) for part in loc if part != '[key]')}`"
    if first["type"] == "extra_forbidden":
        return f"{place} is no setting; remove it"
    return f"{place} is wrong: {first['msg'][0].lower()}{first['msg'][1:]}"


def _check_names(path: Path, names: list[str]) -> None:
    for name in names:
        if "/" in name or not name.strip():
            raise ModelsFileInvalid(f"{path}: {name!r} is no name for a provider: use no slash.")
        if names.count(name) > 1:
            raise ModelsFileInvalid(f"{path} names provider {name} twice: remove one.")


def _provider_of(
    path: Path, entry: _ProviderEntry, environ: Mapping[str, str], with_keys: bool
) -> ModelProvider:
    name, known = entry.name, BY_NAME.get(entry.name)
    place = f"{path}: provider {name}"
    if entry.api_key is not None and entry.api_key_env is not None:
        raise ModelsFileInvalid(f"{place} has both api_key and api_key_env: remove one.")
    if entry.base_url is not None:
        _check_address(place, entry)
    _check_program(place, entry)
    if known is None and not entry.base_url:
        raise ModelsFileInvalid(
            f"{place} has no base_url: give the address of its API, or use one of the names"
            f" {', '.join(BY_NAME)}."
        )
    models = entry.models if entry.models is not None else list(known.models if known else ())
    if not models and name != OLLAMA:
        raise ModelsFileInvalid(f'{place} names no models: set models = ["NAME"].')
    needs_key = entry.needs_key
    return ModelProvider(
        name=name,
        base_url=entry.base_url or (known.base_url if known else None),
        api_key=_key_of(entry, environ, with_keys),
        needs_key=needs_key if needs_key is not None else known is None or known.needs_key,
        models=tuple(models),
        program=entry.program or "",
        idle_s=entry.idle_s or IDLE_S,
        ceiling_s=entry.ceiling_s or CEILING_S,
    )


def _check_program(place: str, entry: _ProviderEntry) -> None:
    """Raises ModelsFileInvalid for settings of programs elsewhere, and of servers at a program."""
    is_program = any(entry.name == known.name for known in PROGRAMS)
    for_programs = (entry.program, entry.idle_s, entry.ceiling_s)
    if not is_program and any(value is not None for value in for_programs):
        raise ModelsFileInvalid(
            f"{place} is no program of this machine: remove program, idle_s and ceiling_s."
        )
    for_servers = (entry.base_url, entry.api_key, entry.api_key_env)
    if is_program and (any(value is not None for value in for_servers) or entry.needs_key):
        raise ModelsFileInvalid(
            f"{place} is a program that is signed in by itself: remove base_url, api_key,"
            " api_key_env and needs_key."
        )


def _check_address(place: str, entry: _ProviderEntry) -> None:
    """Raises ModelsFileInvalid for an address that would show the key, or is none."""
    url = entry.base_url or ""
    if not url.startswith(("http://", "https://")) or not is_well_formed(url):
        raise ModelsFileInvalid(
            f"{place} has a base_url that is no address: begin with https:// or http://, without"
            " a query."
        )
    if "@" in urlsplit(url).netloc:
        raise ModelsFileInvalid(
            f"{place} has a user in its base_url: remove it, and give the key as api_key or"
            " api_key_env."
        )
    has_key = entry.api_key is not None or entry.api_key_env is not None
    if has_key and url.startswith("http://") and not is_loopback(url):
        raise ModelsFileInvalid(
            f"{place} would send its key unencrypted: give an https:// address. Only a server on"
            " this machine (127.0.0.1, ::1, localhost) may have a key and http://."
        )


def _key_of(entry: _ProviderEntry, environ: Mapping[str, str], with_keys: bool) -> SecretStr | None:
    key = environ.get(entry.api_key_env, "") if entry.api_key_env else entry.api_key
    if not (key and key.strip()):
        return None
    return SecretStr(key.strip() if with_keys else "")


def _check_tiers(path: Path, found: ModelConfiguration) -> None:
    """Raises ModelsFileInvalid for a tier with a model that no provider of the file serves."""
    for tier, names in found.tiers.items():
        for name in names:
            provider_name, _, model = name.partition("/")
            provider = found.find_provider(provider_name)
            if provider is None or (model not in provider.models and provider.name != OLLAMA):
                raise ModelsFileInvalid(
                    f"{path}: `tiers.{tier}` names {name}, which no provider of the file serves:"
                    " write provider/model."
                )
            if provider.is_research and tier != "research":
                raise ModelsFileInvalid(
                    f"{path}: `tiers.{tier}` names {name}, which searches the web and serves the"
                    " tier research alone: remove it there."
                )
            if provider.is_program and tier not in ROLES:
                raise ModelsFileInvalid(
                    f"{path}: `tiers.{tier}` names {name}, a program that serves the tiers"
                    f" {' and '.join(ROLES)} alone: remove it there."
                )
    _check_roles(path, found)


def _check_roles(path: Path, found: ModelConfiguration) -> None:
    """Raises ModelsFileInvalid where one family drafts and reviews, or the reviewer drafts."""
    for name in found.list_role("draft"):
        if find_family(name) == REVIEWER:
            raise ModelsFileInvalid(
                f"{path}: `tiers.draft` names {name}, and models of {REVIEWER} review alone:"
                " remove it there.",
                code="role_not_allowed",
            )
    for family in find_conflicts(found.list_role("draft"), found.list_role("review")):
        raise ModelsFileInvalid(
            f"{path}: models of {family} both draft and review: nobody judges the work of their own"
            " family. Name models of another family in `tiers.draft` or `tiers.review`.",
            code="family_conflict",
        )
