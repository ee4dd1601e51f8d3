"""How a use case asks a service elsewhere: a client, the project's id, and models of ours."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter

from infra.client.client import Client
from infra.platform.errors import Invalid, NotFound
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from projections.read.projects import find_only_project

PROJECT_ID = "prj_"
LOOK_EVERY_S = 0.5

T = TypeVar("T")


def client_of(settings: Settings) -> Client:
    """A client of the service that the settings name. Raises Invalid without a token."""
    return Client(str(settings.url), read_token(settings))


def read_token(settings: Settings) -> str:
    """The token of CAIRN_TOKEN, or of the file of CAIRN_TOKEN_FILE. Raises Invalid."""
    if settings.token is not None:
        return settings.token.get_secret_value()
    if settings.token_file is None:
        raise Invalid(
            "CAIRN_URL names a service, but there is no token for it: set CAIRN_TOKEN, or"
            " CAIRN_TOKEN_FILE to a file that holds one.",
            code="token_missing",
        )
    try:
        return settings.token_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(
            f"The token cannot be read from {settings.token_file}: check CAIRN_TOKEN_FILE.",
            code="token_missing",
        ) from error


async def ask(settings: Settings, question: Callable[[Client], T]) -> T:
    """The answer of the service, in a thread, so that an interrupt is obeyed at once."""

    def answer() -> T:
        with client_of(settings) as client:
            return question(client)

    return await in_thread(answer)


async def ask_of(settings: Settings, project: str, question: Callable[[Client, str], T]) -> T:
    """The answer about a project, which is given by name or id."""
    return await ask(settings, lambda client: question(client, project_of(client, project)))


async def ask_about(settings: Settings, known_id: str, question: Callable[[Client, str], T]) -> T:
    """The answer about a thing, in the project that it belongs to."""
    return await ask(
        settings,
        lambda client: question(client, client.find_project_of_id(known_id).project_id),
    )


def project_of(client: Client, name_or_id: str) -> str:
    """The id of the project with this name or id. Raises NotFound, Conflict."""
    found = [each.project_id for each in client.list_projects(name=name_or_id)]
    if name_or_id.startswith(PROJECT_ID):
        with suppress(NotFound):  # it may be a name
            found.append(client.read_project(name_or_id).project_id)
    return find_only_project(found, name_or_id)


def look_until_there(look: Callable[[], T | None], patience_s: float) -> T | None:
    """What ``look`` finds, as soon as it finds something; None where that takes too long."""
    deadline_s = time.monotonic() + patience_s
    while (found := look()) is None and time.monotonic() < deadline_s:
        time.sleep(LOOK_EVERY_S)
    return found


def adopt(kind: type[T], answer: Any) -> T:
    """A model of the client, or several, as the type that the use case returns."""
    return TypeAdapter(kind).validate_python(_plain(answer))


def adopt_all(kind: type[T], answers: Iterable[BaseModel]) -> list[T]:
    adapter = TypeAdapter(kind)
    return [adapter.validate_python(each.model_dump()) for each in answers]


def unchecked(text: Any) -> Any:
    """A word of an enumeration as it was typed: the service says what there is."""
    return text


def _plain(answer: Any) -> Any:
    if isinstance(answer, BaseModel):
        return answer.model_dump()
    if isinstance(answer, dict):
        return {name: _plain(value) for name, value in answer.items()}
    return [_plain(each) for each in answer] if isinstance(answer, list) else answer
