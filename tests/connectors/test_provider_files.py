"""Definition files: what is wrong with one is told by file and place, and stops no other."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from connectors.providers.definition import DefinitionInvalid, check_table
from connectors.providers.files import (
    BUILT_IN,
    FOLDER,
    RESERVED,
    read_built_in,
    read_definition,
    read_providers,
)
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import open_tools
from tests.connectors.stand_ins.provider import NOTES

FIT = NOTES.format(url="https://notes.example.org")
HEAD, _, TOOLS = FIT.partition("[[tools]]")


def put(home: Path, name: str, text: str | bytes) -> Path:
    folder = home / FOLDER
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def problem_of(home: Path, text: str | bytes) -> str:
    """What is told of a file that stands beside one that is fit."""
    put(home, "a-fit", FIT.replace("notes", "jotter"))
    put(home, "broken", text)
    defined = read_providers(home)
    assert [each.name for each in defined.definitions] == [*BUILT_IN, "jotter"]
    (problem,) = defined.problems
    assert problem.file == "broken.toml"
    return problem.message


def test_without_a_folder_there_are_the_packaged_providers(tmp_path: Path):
    defined = read_providers(tmp_path)
    assert tuple(each.name for each in defined.definitions) == BUILT_IN
    assert defined.problems == ()


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_packaged_provider_has_tools_to_read_and_to_change_and_a_prompt_of_its_own(name: str):
    definition = read_built_in(name)
    assert {tool.is_mutating for tool in definition.tools} == {True, False}
    assert "never" in definition.prompt
    assert definition.credential.place == f"env:ASSISTANT_{name.upper()}_TOKEN"
    assert definition.credential.help


def test_the_mail_agent_is_told_to_search_again():
    prompt = " ".join(read_built_in("gmail").prompt.split())
    assert "search again with other words" in prompt
    assert "Try at least three searches" in prompt


@pytest.mark.parametrize(
    ("change", "place", "told"),
    [
        (("name = \"notes\"", "name = \"No\""), "name", "pattern"),
        (("name = \"notes\"", "name = \"gmail\""), "gmail_|notes_search", "must be named gmail_"),
        (("title", "titel"), "title", "missing"),
        (("https://notes.example.org", "http://notes.example.org"), "base_url", "unencrypted"),
        (("https://notes.example.org", "https://ana:pw@notes.example.org"), "base_url", "address"),
        (("https://notes.example.org", "env:CAIRN_URL"), "base_url", "env:NAME"),
        (("env:NOTES_TOKEN", "sk-123456789"), "credential.place", "env:NAME"),
        (("env:NOTES_TOKEN", "env:CAIRN_VAULT_KEY"), "credential.place", "CAIRN_"),
        (("X-Notes-Key", "X: Notes"), "credential.header", "name of a header"),
        (("prefix = \"\"", "prefix = \"a\\nb\""), "credential.prefix", "one line"),
        (("[credential]", "[headers]\nAuthorization = \"x\"\n[credential]"), "headers", "remove"),
        (("[credential]", "[headers]\nX-A = \"a\\r\\nX-B: b\"\n[credential]"), "X-A", "one line"),
        (("method = \"PUT\"", "method = \"HEAD\""), "tools.notes_write.method", "PUT"),
        (("/notes/{note_id}\"\nquery", "/notes\"\nquery"), "notes_read", "note_id is not used"),
        (("/notes/{note_id}\"\nquery", "/notes/../{note_id}\"\nquery"), "notes_read.path", "no .."),
        (("/notes/{note_id}\"\nquery", "notes/{note_id}\"\nquery"), "notes_read.path", "begins"),
        (("/notes/{note_id}\"\nquery", "/x?y={note_id}\"\nquery"), "notes_read.path", "no query"),
        (("/notes/{note_id}\"\nquery", "//h/{note_id}\"\nquery"), "notes_read.path", "no empty"),
        (("/notes/{note_id}\"\nquery", "/h:{note_id}\"\nquery"), "notes_read.path", "no colon"),
        (("/notes/{note_id}\"\nquery", "/{other}\"\nquery"), "notes_read", "no argument other"),
        (("/notes/{note_id}\"\nquery", "/{version}/{note_id}\"\nquery"), "notes_read", "required"),
        (("{version}", "v{version}"), "notes_read", "stands alone"),
        (("\"integer\"", "\"int\""), "notes_read.arguments.version.type", "integer"),
        (("\"integer\"", "\"integer\", enum = [\"1\"]"), "arguments.version", "string alone"),
        (("\"integer\"", "\"integer\", default = \"1\""), "arguments.version", "no integer"),
        (("\"integer\"", "\"integer\", default = true"), "arguments.version", "no integer"),
        (("\"integer\"", "\"integer\", max_length = 5"), "arguments.version", "texts and lists"),
        (("[tools.arguments]\nwords", "[tools.arguments]\nmodel_x"), "arguments", "another word"),
        (("[tools.arguments]\nwords", "[tools.arguments]\njson"), "arguments", "another word"),
        (("\"notes_read\"", "\"notes_search\""), "whole file", "two tools are named"),
        (("method = \"PUT\"", "method = \"PUT\"\nconfirm = false"), "notes_write", "only reads"),
        (("method = \"GET\"", "method = \"GET\"\nreads = false\nconfirm = false"), "notes_read",
         "only reads"),
        (("reads = true", "confirm = false"), "notes_search", "only reads"),
        (("reads = true", "reeds = true"), "notes_search.reeds", "no such setting"),
        (("method = \"PUT\"", "method = \"GET\""), "notes_write", "a GET has no body"),
        (("{ text = \"{text}\"", "{ \"$each\" = \"tags\", a = \"{text}\""), "notes_write", "$each"),
        (("{ text = \"{text}\"", "{ \"$mail\" = {from = \"{text}\"}"), "notes_write", "$mail"),
        (("{ text = \"{text}\"", "{ text = \"{text}\", day = 2026-01-01"), "notes_write", "holds"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_file_and_place(
    change: tuple[str, str], place: str, told: str, tmp_path: Path
):
    assert change[0] in FIT
    message = problem_of(tmp_path, FIT.replace(*change))
    assert message.startswith("broken.toml, ")
    assert any(each in message for each in place.split("|")), message
    assert told in message
    assert "\n" not in message
    assert "sk-123456789" not in message
    assert "pw@" not in message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = ", "is not TOML"),
        ("a = " + "[" * 5_000, "nested too deep"),
        (b"\xff\xfe", "it is not UTF-8"),
        ("#" * (1024 * 1024 + 1), "more than 1 MiB"),
        ("", "name: it is missing"),
        ("tools = []\n" + HEAD, "at least one tool"),
        ("tools = 5\n" + HEAD, "tools"),
        ("tools = [5]\n" + HEAD, "tools.number 1"),
    ],
)
def test_a_file_that_is_none_is_told(text: str | bytes, told: str, tmp_path: Path):
    assert told in problem_of(tmp_path, text)


def test_a_folder_and_a_dead_link_are_no_files(tmp_path: Path):
    (tmp_path / FOLDER / "folder.toml").mkdir(parents=True)
    (tmp_path / FOLDER / "link.toml").symlink_to(tmp_path / "nowhere")
    problems = read_providers(tmp_path).problems
    assert [problem.file for problem in problems] == ["folder.toml", "link.toml"]
    assert all("cannot be read" in problem.message for problem in problems)


def test_a_name_of_a_packaged_provider_or_of_cairn_is_taken(tmp_path: Path):
    named = FIT.replace('"notes"', '"gmail"').replace('"notes_', '"gmail_')
    assert 'change it with extends = "gmail"' in problem_of(tmp_path, named)
    word = FIT.replace('"notes"', '"list"').replace('"notes_', '"list_')
    assert "list is a word of Cairn" in problem_of(tmp_path, word)


def test_the_first_of_two_files_that_define_one_provider_holds(tmp_path: Path):
    put(tmp_path, "a", FIT)
    put(tmp_path, "b", FIT.replace("Notes of Acme", "Other notes"))
    defined = read_providers(tmp_path)
    assert defined.definitions[-1].title == "Notes of Acme"
    assert "a.toml already defines notes" in defined.problems[0].message


def test_a_tool_named_like_one_of_another_provider_is_an_error_of_the_later_file(tmp_path: Path):
    put(tmp_path, "a", FIT.replace("notes_read", "notes_old_read"))
    put(tmp_path, "b", FIT.replace('"notes', '"notes_old'))
    defined = read_providers(tmp_path)
    assert "tools.notes_old_read: notes has a tool of this name" in defined.problems[0].message


def test_a_file_may_change_a_packaged_provider(tmp_path: Path):
    put(
        tmp_path,
        "mail",
        'extends = "gmail"\nbase_url = "http://127.0.0.1:8025"\n'
        '[credential]\nplace = "env:OUR_TOKEN"\n[[tools]]\nname = "gmail_read_profile"\n'
        'description = "Show the address of the account."\nmethod = "GET"\n'
        'path = "/gmail/v1/users/me/profile"\n',
    )
    defined = read_providers(tmp_path)
    assert defined.problems == ()
    (gmail,) = [each for each in defined.definitions if each.name == "gmail"]
    assert gmail.base_url == "http://127.0.0.1:8025/"
    assert gmail.credential.place == "env:OUR_TOKEN"
    assert gmail.credential.prefix == "Bearer "
    assert gmail.prompt == read_built_in("gmail").prompt
    assert len(gmail.tools) == len(read_built_in("gmail").tools) + 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('extends = "mail"', "extends: name one of gmail"),
        ("extends = 5", "extends: name one of gmail"),
        ('extends = "gmail"\nname = "mail"', "the name stays gmail"),
        ('extends = "gmail"\ncredential = "x"', "credential: it is no table"),
        ('extends = "gmail"\ntools = "x"', "tools: it is no list of tables"),
        ('extends = "gmail"\n[[tools]]\nname = "gmail_send_message"', "gmail_send_message"),
        ('extends = "gmail"\nbase_url = "http://mail.example.org"', "base_url"),
        ('extends = "gmail"\nspeed = 5', "speed: there is no such setting"),
    ],
)
def test_a_wrong_change_of_a_packaged_provider_leaves_it_as_it_is(
    text: str, told: str, tmp_path: Path
):
    assert told in problem_of(tmp_path, text)
    assert read_providers(tmp_path).definitions[0] == read_built_in("gmail")


def test_no_tool_of_cairn_can_be_named_like_one_of_a_provider(tmp_path: Path):
    names = open_tools(Settings(home=tmp_path)).names()
    others = ("call_executor", "add_memory", "search_memory", "retrieve_tools", "handoff")
    assert {name.partition("_")[0] for name in (*names, *others)} <= RESERVED


def test_one_file_can_be_checked_alone(tmp_path: Path):
    assert read_definition(put(tmp_path, "notes", FIT)).name == "notes"
    with pytest.raises(DefinitionInvalid, match=r"notes\.toml, title: it is missing: add it\."):
        read_definition(put(tmp_path, "notes", FIT.replace("title", "titel")))


def test_the_example_of_the_readme_is_fit():
    page = Path(__file__).parents[2] / "connectors" / "providers" / "README.md"
    example = page.read_text().partition("```toml\n")[2].partition("```")[0]
    assert check_table("example.toml", tomllib.loads(example)).tools
