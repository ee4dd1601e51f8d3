"""Every row of hygiene's tables matches its example and not its counterexample."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

from schemas.lexicons import Entry
from streams import lexicons
from streams.hygiene.lexicons import read_lexicons
from streams.hygiene.normalise import lower
from streams.hygiene.prompt_injection.languages import list_orders_in
from streams.hygiene.prompt_injection.rules import Rule, compile_order, compile_rule
from streams.hygiene.redaction.redact import redact
from streams.hygiene.secrets.forms import compile_command, compile_form
from tests.hygiene.builders import cleaned

POOR = "Regen" + "bogen7"  # a password that somebody chose
DIGITS, SMALL, LARGE = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHABETS = {
    "d": DIGITS,
    "h": f"{DIGITS}abcdef",
    "H": f"{DIGITS}ABCDEF",
    "l": SMALL,
    "z": SMALL + DIGITS,
    "u": LARGE + DIGITS,
    "a": SMALL + LARGE + DIGITS,
    "b": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}


def written_out(example: str) -> str:
    """The example with its runs drawn by lot: ``‹a20›`` are 20 letters and digits."""
    chance = Random(example)
    return re.sub(
        r"‹(\w)(\d+)›",
        lambda run: "".join(chance.choices(ALPHABETS[run[1]], k=int(run[2]))),
        example,
    )


def examples(row: Entry) -> list[str]:
    return [row.example, *row.fields.get("more_examples", ())]


def counterexamples(row: Entry) -> list[str]:
    return [row.counterexample, *row.fields.get("more_counterexamples", ())]


def rows(file: str, *names: str) -> Iterator[Entry]:
    lists = read_lexicons(file)
    return (entry for name in names for entry in lists[name].entries)


SECRETS = {it.id: it for it in rows("secrets", "short", "open")}


@pytest.mark.parametrize("row", SECRETS.values(), ids=SECRETS)
def test_a_form_of_secret_is_replaced_and_what_is_near_it_is_none(row: Entry) -> None:
    form = compile_form(row)
    text = f"{form.beside}\n{written_out(row.example)}\n"
    found = form.pattern.search(text)
    assert found and any(it in text or it in text.lower() for it in form.anchors)
    assert found[form.group] not in redact(text, lower(text), "src", None)[0]
    assert not form.pattern.search(written_out(row.counterexample))


COMMANDS = {it.id: it for it in rows("secrets", "commands")}


@pytest.mark.parametrize("row", COMMANDS.values(), ids=COMMANDS)
def test_a_password_on_a_command_line_is_replaced(row: Entry) -> None:
    form = compile_command(row)
    for line in map(written_out, examples(row)):
        found = form.pattern.search(line)
        assert found, line
        for text, language in ((f"{line}\n", "shell"), (f"Run:\n\n    $ {line}\n", None)):
            assert found[1] not in redact(text, lower(text), "src", language)[0], line
    assert not any(form.pattern.search(it) for it in counterexamples(row))


def annotations_of(text: str) -> set[str]:
    result = cleaned(f"# Title\n\nSome words.\n\n{text}\n")
    assert text in result.text
    return {it.rule_id for it in result.annotations}


def finds(rules: list[Rule], text: str) -> bool:
    return any(it.pattern.search(lower(text)) for it in rules)


RULES = {it.id: it for it in rows("prompt_injection", "rules")}
LANGUAGES = {it.id: it for it in rows("languages", "languages")}


@pytest.mark.parametrize("row", RULES.values(), ids=RULES)
def test_a_rule_marks_its_wording_and_no_ordinary_text(row: Entry) -> None:
    rules = [compile_rule(row)]
    for text in examples(row):
        assert finds(rules, text), text
        assert row.fields["rule"] in annotations_of(text), text
    for text in counterexamples(row):
        assert not finds(rules, text), text
        assert annotations_of(text) == set(), text


@pytest.mark.parametrize("row", LANGUAGES.values(), ids=LANGUAGES)
def test_an_order_is_known_in_its_language(row: Entry) -> None:
    rules = [compile_order(it) for it in list_orders_in(row)]
    for text in examples(row):
        assert finds(rules, text), text
        assert annotations_of(text) & {"A-IGNORE", "A-SYSTEM"}, text
    for text in counterexamples(row):
        assert not finds(rules, text), text
        assert annotations_of(text) == set(), text


def test_each_part_of_a_pattern_is_its_example_and_not_its_counterexample() -> None:
    lists = (read_lexicons("prompt_injection") | read_lexicons("secrets")).items()
    whole = {"rules", "short", "open", "commands"}
    parts = [(it, it.entries[0]) for name, it in lists if name not in whole]
    wrong = [
        entry.example
        for part, entry in parts
        if not part.compile(entry).fullmatch(entry.example)
        or part.compile(entry).fullmatch(entry.counterexample)
    ]
    assert len(parts) > 5
    assert wrong == []


def names_of(*names: str) -> Iterator[Entry]:
    lists = lexicons.read_lexicons("secret_names")
    return (entry for name in names for entry in lists[name].entries)


def test_each_name_of_a_secret_holds_the_part_that_it_is_looked_for_by() -> None:
    assert [it.id for it in names_of("passwords", "tokens") if not has_root(it)] == []


def has_root(row: Entry) -> bool:
    return all(row.id in word for word in row.words)


PASSWORDS = sorted(
    word
    for row in names_of("passwords", "foreign_passwords", "whole_passwords")
    for word in row.words
)


@pytest.mark.parametrize("name", PASSWORDS)
def test_a_password_is_known_by_its_name_in_any_language(name: str) -> None:
    yaml = f"{name.capitalize()}: {POOR}\n"
    for text, language in ((yaml, "yaml"), (f'{{"{name}": "{POOR}"}}\n', "json"), (yaml, None)):
        assert POOR not in redact(text, lower(text), "src", language)[0]
