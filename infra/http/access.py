"""Who may call a route: each one declares it, and nothing is parsed before it is checked.

``@allow(...)`` on a function declares the roles. A router made with `Guarded` refuses a function
without it, so no route can be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from infra.http.api import api_of
from infra.http.auth import caller_of
from infra.http.bodies import (
    BODY_BYTES,
    MAX_BODY_BYTES,
    QUESTION_BYTES,
    UNKNOWN_BYTES,
    check_body,
    check_text,
)
from infra.http.problems import Unauthenticated, is_expected, respond
from infra.http.request_shape import (
    check_media_type,
    check_parameters,
    list_parameters,
    takes_only_json,
)
from infra.http.transfer import prepare_answer
from infra.http.writes import perform, record_refusal
from infra.platform.errors import Forbidden
from infra.store.tokens import ROLES, ApiRole, Caller

F = TypeVar("F", bound=Callable[..., Any])
Handle = Callable[[Request], Coroutine[Any, Any, Response]]

READERS: tuple[ApiRole, ...] = ("owner", "pm", "member", "viewer")
OBSERVERS: tuple[ApiRole, ...] = (*READERS, "operator")
EVERYONE: tuple[ApiRole, ...] = ROLES
WRITERS: tuple[ApiRole, ...] = ("owner", "pm", "member")
DECIDERS: tuple[ApiRole, ...] = ("owner", "pm", "member")  # a member's decision is a proposal
LEADERS: tuple[ApiRole, ...] = ("owner", "pm")
OPERATORS: tuple[ApiRole, ...] = ("owner", "operator")
MOVERS: tuple[ApiRole, ...] = ("owner", "pm", "operator")  # of runs: cancel and resume
OWNERS: tuple[ApiRole, ...] = ("owner",)
ROLE_NAMES: Mapping[ApiRole, tuple[str, str]] = {  # of one who has it, and of many
    "owner": ("owner", "owners"),
    "pm": ("product manager", "product managers"),
    "member": ("member", "members"),
    "viewer": ("viewer", "viewers"),
    "operator": ("operator", "operators"),
    "privacy_officer": ("privacy officer", "privacy officers"),
}


@dataclass(frozen=True, slots=True)
class Access:
    """``roles`` may call; empty: anybody, without a token.

    ``signed``: whoever signs the bytes of its body; the route itself reads and checks them.
    ``writes``: it changes something, so it takes an idempotency key and is audited.
    ``everywhere``: only a token that is good for all projects may call it. ``at_home``: only the
    owner's token of the installation. ``takes_files``: those who write may send it documents or
    archives.
    """

    roles: tuple[ApiRole, ...]
    writes: bool = False
    everywhere: bool = False
    signed: bool = False
    takes_files: bool = False
    at_home: bool = False

    def most_bytes(self, caller: Caller | None) -> int:
        """How long a body of this caller may be."""
        if caller is None:
            return UNKNOWN_BYTES
        if not self.writes:
            return QUESTION_BYTES
        return MAX_BODY_BYTES if self.takes_files and caller.role in WRITERS else BODY_BYTES


ACCESS = "__cairn_access__"


def allow(
    *roles: ApiRole,
    writes: bool = False,
    everywhere: bool = False,
    takes_files: bool = False,
    at_home: bool = False,
) -> Callable[[F], F]:
    """Declare who may call the route of this function."""
    if not roles:
        raise ValueError("name the roles, or use `allow_anybody`")
    return _declare(Access(roles, writes, everywhere, takes_files=takes_files, at_home=at_home))


def allow_anybody() -> Callable[[F], F]:
    """Declare that a route needs no token."""
    return _declare(Access(()))


def allow_signed() -> Callable[[F], F]:
    """Declare that a route needs no token: it verifies a signature over the bytes of its body."""
    return _declare(Access((), signed=True))


def access_of(endpoint: Callable[..., Any]) -> Access:
    """What the function of a route has declared. Raises TypeError when it has not."""
    access = getattr(endpoint, ACCESS, None)
    if not isinstance(access, Access):
        raise TypeError(f"{endpoint.__module__}.{endpoint.__name__} does not say who may call it")
    return access


class Guarded(APIRoute):
    """A route that checks who calls, then what was sent, and only then parses it."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        access = access_of(endpoint)
        shown = {
            "x-roles": list(access.roles),
            "x-signed": access.signed,
            "security": [{"token": []}] if access.roles else [],
        }
        options["openapi_extra"] = shown | (options.get("openapi_extra") or {})
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Handle:
        handle = super().get_route_handler()
        access, operation = access_of(self.endpoint), self.name
        known = frozenset(list_parameters(self.dependant))
        # Clients of other protocols, and services that sign, may have parameters of their own.
        is_strict = self.include_in_schema and not access.signed
        takes_json = self.body_field is not None and takes_only_json(self.body_field.field_info)

        async def guarded(request: Request) -> Response:
            request.state.operation = operation
            try:
                check_text(request)  # first: an id with a NUL cannot be looked up
                caller = await check_caller(access, request)
                if is_strict:
                    check_parameters(request, known)
                if takes_json:
                    check_media_type(request)
                if access.signed:
                    return await handle(request)
                await check_body(request, access.most_bytes(caller))
                if access.writes and caller:
                    return await perform(request, caller, operation, handle)
                return await prepare_answer(request, await handle(request))
            except Exception as error:
                if not is_expected(error):
                    raise
                if access.writes and isinstance(error, Forbidden):
                    await record_refusal(request, operation, error)
                return respond(request, error)

        return guarded


async def check_caller(access: Access, request: Request) -> Caller | None:
    """Raises Unauthenticated, Forbidden, NotFound for a project that the caller may not see."""
    caller = caller_of(request.scope)
    if not access.roles:
        return caller
    if caller is None:
        raise Unauthenticated("Send a valid token: `Authorization: Bearer …`.")
    if (project_id := request.path_params.get("project")) is not None:
        await api_of(request).check_project(str(project_id), caller)
    check_role(caller, access.roles)
    if access.everywhere and caller.projects is not None:
        raise Forbidden(
            "This needs a token that is good for all projects.", code="token_of_some_projects"
        )
    if access.at_home:
        check_at_home(caller)
    return caller


def check_at_home(caller: Caller) -> None:
    """Raises Forbidden for whoever may not touch the files of the installation."""
    if not caller.has_home:
        raise Forbidden(
            "This is for the owner's token of the installation, which is in the file `token` of"
            " CAIRN_HOME.",
            code="token_of_home_needed",
        )


def check_role(caller: Caller, roles: Collection[ApiRole]) -> None:
    """Raises Forbidden."""
    if caller.role not in roles:
        raise Forbidden(
            f"This is for {name_roles(roles)}; your role is {ROLE_NAMES[caller.role][0]}.",
            code="role_not_allowed",
        )


def name_roles(roles: Collection[ApiRole]) -> str:
    """Who has one of the roles: ``owners, product managers and members``."""
    *others, last = (ROLE_NAMES[role][1] for role in roles)
    return f"{', '.join(others)} and {last}" if others else last


def _declare(access: Access) -> Callable[[F], F]:
    def mark(endpoint: F) -> F:
        setattr(endpoint, ACCESS, access)
        return endpoint

    return mark
