"""What a definition file says of a provider: where it is, how it is authorised, which tools it has.

A file holds no secret, only the place of one. All that a file can get wrong is found when it is
read, never at a call: the error names the file, the place in it, and what to do.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from connectors.connector import SourceRefused
from connectors.http_client import check_base_url
from connectors.providers import templates
from infra.platform.errors import Invalid

ArgumentType = Literal["string", "integer", "number", "boolean", "list of strings"]
IN_PATH: frozenset[ArgumentType] = frozenset(("string", "integer"))
VARIABLE = re.compile(r"env:(?!CAIRN_)[A-Z][A-Z0-9_]{0,99}")
HEADER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,63}")
HEADER_VALUE = re.compile(r"[\x20-\x7e]{0,200}")
ARGUMENT_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Headers that hold a credential, or that the client sets.
OURS = frozenset(
    ("accept-encoding", "authorization", "connection", "content-length", "content-type", "cookie",
     "expect", "host", "idempotency-key", "keep-alive", "proxy-authorization", "te",
     "transfer-encoding", "upgrade")
)  # fmt: skip

Text = Annotated[str, Field(min_length=1, max_length=2_000), AfterValidator(str.strip)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,29}$")]
ToolName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,63}$")]


class DefinitionInvalid(Invalid):
    """A definition file cannot be used; the message names the file, the place and what to do."""

    code = "provider_file_invalid"


def _check_place(place: str) -> str:
    if not VARIABLE.fullmatch(place):
        raise ValueError(
            "write the place of the credential as env:NAME, an environment variable that does not"
            " begin with CAIRN_; never the credential itself"
        )
    return place


def _check_header(name: str) -> str:
    if not HEADER_NAME.fullmatch(name):
        raise ValueError("write the name of a header, such as Authorization")
    return name


def _check_value(value: str) -> str:
    if not HEADER_VALUE.fullmatch(value):
        raise ValueError("write printable ASCII of at most 200 characters, on one line")
    return value


def _check_address(address: str) -> str:
    if address.startswith("env:"):
        if not VARIABLE.fullmatch(address):
            raise ValueError("write env:NAME, a variable that does not begin with CAIRN_")
        return address
    try:
        return check_base_url(address)
    except SourceRefused as error:
        raise ValueError(str(error)) from error


Place = Annotated[str, AfterValidator(_check_place)]
HeaderValue = Annotated[str, AfterValidator(_check_value)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Argument(_Part):
    """One argument of a tool. ``minimum`` and ``maximum`` are of numbers, ``max_length`` of texts
    in characters and of lists in items.
    """

    type: ArgumentType = "string"
    description: Text
    required: bool = False
    default: bool | int | float | str | None = None
    enum: tuple[Text, ...] = ()
    minimum: int | float | None = None
    maximum: int | float | None = None
    max_length: Annotated[int, Field(ge=1, le=100_000)] | None = None

    @property
    def is_always_given(self) -> bool:
        return self.required or self.default is not None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        expected = {
            "string": str, "integer": int, "number": (int, float), "boolean": bool,
        }  # fmt: skip
        if self.enum and self.type != "string":
            raise ValueError("enum is for arguments of the type string alone")
        if self.default is not None:
            if self.required:
                raise ValueError("a required argument has no default: remove one of the two")
            fits = isinstance(self.default, expected.get(self.type, ()))  # type: ignore[arg-type]
            if not fits or isinstance(self.default, bool) != (self.type == "boolean"):
                raise ValueError(f"default is no {self.type}")
            if self.enum and self.default not in self.enum:
                raise ValueError("default is not in enum")
        if (self.minimum, self.maximum) != (None, None) and self.type not in ("integer", "number"):
            raise ValueError("minimum and maximum are for arguments that are numbers")
        if self.max_length is not None and self.type not in ("string", "list of strings"):
            raise ValueError("max_length is for texts and lists")
        return self


class Shown(_Part):
    """How an answer is shown. ``items``: the path of its list, `.` for the answer itself;
    ``fields``: the paths shown of each item, or of the answer. ``mail``: the path of a mail in
    base64url, which is shown as its head and text.
    """

    items: Text | None = None
    fields: tuple[Text, ...] = ()
    mail: Text | None = None


class ToolDefinition(_Part):
    """One tool: a request with places for arguments. ``reads``: it changes nothing, so that nobody
    is asked before and it may be repeated; so does every GET that does not say otherwise.
    ``confirm``: a person is asked also before a call that reads.
    """

    name: ToolName
    description: Text
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: Annotated[str, AfterValidator(templates.check_path)]
    arguments: Mapping[str, Argument] = {}
    query: Mapping[str, str | int | bool] = {}
    body: Mapping[str, Any] | None = None
    reads: bool | None = None
    confirm: bool | None = None
    show: Shown = Shown()

    @property
    def is_mutating(self) -> bool:
        return not (self.method == "GET" if self.reads is None else self.reads)

    @property
    def is_confirmed(self) -> bool:
        return self.is_mutating if self.confirm is None else self.confirm

    @field_validator("arguments")
    @classmethod
    def _check_names(cls, arguments: Mapping[str, Argument]) -> Mapping[str, Argument]:
        for name in arguments:
            taken = name == templates.ITEM or name.startswith("model_") or hasattr(BaseModel, name)
            if taken or not ARGUMENT_NAME.fullmatch(name):
                raise ValueError(f"no argument can be named {name!r}: choose another word")
        return arguments

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.is_mutating and self.confirm is False:
            raise ValueError(
                "confirm = false is for what only reads: remove it, so that a person is asked"
                " before, or write reads = true where the call changes nothing"
            )
        if self.body is not None and self.method == "GET":
            raise ValueError("a GET has no body: move the values to query")
        in_path = templates.list_path_names(self.path)
        for name in in_path:
            argument = self.arguments.get(name)
            if argument and not (argument.is_always_given and argument.type in IN_PATH):
                raise ValueError(
                    f"the path needs {name}: make it a required string or integer, or give it a"
                    " default"
                )
        used = {*in_path, *templates.list_names(self.query), *templates.list_names(self.body)}
        if unknown := sorted(used - self.arguments.keys()):
            raise ValueError(f"there is no argument {unknown[0]}: add it to arguments")
        if unused := sorted(self.arguments.keys() - used):
            raise ValueError(f"the argument {unused[0]} is not used: put it in path, query or body")
        return self


class Credential(_Part):
    """Where the credential is, and the header it is sent in. With ``user``, the place of a user's
    name, both are sent as HTTP Basic. ``help`` says how to get one.
    """

    place: Place
    user: Place | None = None
    header: Annotated[str, AfterValidator(_check_header)] = "Authorization"
    prefix: HeaderValue = "Bearer "
    help: str = Field(default="", max_length=500)


class Verdict(_Part):
    """For services that answer errors with status 200: ``ok`` is the path of what must be true,
    ``error`` the path of the error's name.
    """

    ok: Text
    error: Text


def _list_tools(written: Any) -> Any:
    if isinstance(written, list) and not written:
        raise ValueError("a provider has at least one tool")
    return written


class ProviderDefinition(_Part):
    """A provider. ``base_url`` is an address, or `env:NAME` where each installation has its own."""

    name: Name
    title: Annotated[str, Field(min_length=1, max_length=60)]
    prompt: Annotated[str, Field(min_length=1, max_length=8_000), AfterValidator(str.strip)]
    base_url: Annotated[str, AfterValidator(_check_address)]
    credential: Credential
    headers: Mapping[str, HeaderValue] = {}
    verdict: Verdict | None = None
    tools: Annotated[tuple[ToolDefinition, ...], BeforeValidator(_list_tools)]

    @field_validator("headers")
    @classmethod
    def _check_headers(cls, headers: Mapping[str, str]) -> Mapping[str, str]:
        for name in headers:
            _check_header(name)
            if name.lower() in OURS:
                raise ValueError(f"{name} is not a fixed header: remove it")
        return headers

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        names = [tool.name for tool in self.tools]
        for name in names:
            if not name.startswith(f"{self.name}_"):
                raise ValueError(f"the tool {name} must be named {self.name}_{name}")
            if names.count(name) > 1:
                raise ValueError(f"two tools are named {name}: rename one")
        return self


def parse_table(file: str, text: str) -> dict[str, Any]:
    """The table that a file holds. Raises DefinitionInvalid."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        what = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is nested too deep"
        raise DefinitionInvalid(f"{file} is not TOML: {what}.", detail={"file": file}) from None


def check_table(file: str, table: Mapping[str, Any]) -> ProviderDefinition:
    """The provider that a table defines. Raises DefinitionInvalid."""
    try:
        return ProviderDefinition.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place, what = _name_place(first["loc"], table), _explain(first["type"], first["msg"])
        raise DefinitionInvalid(
            f"{file}, {place}: {what}.", detail={"file": file, "place": place}
        ) from None


def _name_place(loc: tuple[int | str, ...], table: Mapping[str, Any]) -> str:
    """`tools.gmail_send.path`: a tool by its name where it has one, else by its number."""
    parts: list[str] = []
    for index, each in enumerate(loc):
        if isinstance(each, int) and loc[:index] == ("tools",):
            tool = table["tools"][each]
            name = tool.get("name") if isinstance(tool, dict) else None
            parts.append(name if isinstance(name, str) else f"number {each + 1}")
        else:
            parts.append(str(each))
    return ".".join(parts) or "the whole file"


def _explain(kind: str, message: str) -> str:
    match kind:
        case "missing":
            return "it is missing: add it"
        case "extra_forbidden":
            return "there is no such setting: check its spelling, or remove it"
        case "value_error":
            return message.removeprefix("Value error, ").rstrip(".")
        case _:
            return message[:1].lower() + message[1:].rstrip(".")
