"""Every entry of every lexicon matches its example and not its counterexample."""

import importlib
import pkgutil
from importlib import resources
from pathlib import Path

import pytest

import agents.offline
import agents.offline.lexicons
from agents.offline.lexicons import Wording, load_words, read_lexicons

FILES = sorted(
    file.name.removesuffix(".toml")
    for file in resources.files(agents.offline.lexicons).iterdir()
    if file.name.endswith(".toml")
)
LISTS = [(file, name) for file in FILES for name in read_lexicons(file)]
ENTRIES = [
    pytest.param(lexicon, entry, id=f"{file}.{name}.{entry.id}")
    for file, name in LISTS
    for lexicon in [read_lexicons(file)[name]]
    for entry in lexicon.entries
]


def matches(lexicon, entry, text):
    if entry.words:
        return text in entry.words
    pattern = lexicon.compile(entry)
    return bool((pattern.match if lexicon.anchored else pattern.search)(text))


@pytest.mark.parametrize(("lexicon", "entry"), ENTRIES)
def test_an_entry_matches_its_example_and_not_its_counterexample(lexicon, entry):
    assert matches(lexicon, entry, entry.example)
    assert not matches(lexicon, entry, entry.counterexample)


@pytest.mark.parametrize(("file", "name"), LISTS)
def test_a_list_is_told_apart_by_ids_and_is_of_one_sort(file, name):
    entries = read_lexicons(file)[name].entries
    assert len({entry.id for entry in entries}) == len(entries)
    assert len({bool(entry.words) for entry in entries}) == 1
    assert all(bool(entry.words) != bool(entry.patterns) for entry in entries)


@pytest.mark.parametrize(("file", "name"), LISTS)
def test_a_list_as_a_whole_finds_what_its_entries_find(file, name):
    lexicon = read_lexicons(file)[name]
    if lexicon.words:
        assert all(entry.example in load_words(file, name) for entry in lexicon.entries)
        return
    whole = Wording(file, name)
    find = whole.match if lexicon.anchored else whole.search
    assert all(find(entry.example) for entry in lexicon.entries)


MODULES = [
    importlib.import_module(it.name)
    for it in pkgutil.walk_packages(agents.offline.__path__, "agents.offline.")
    if not it.name.startswith("agents.offline.lexicons")
]


def test_every_wording_that_the_reader_asks_for_is_there():
    wordings = [it for module in MODULES for it in vars(module).values() if isinstance(it, Wording)]
    assert len(wordings) > len(FILES)
    assert all(it.pattern.pattern for it in wordings)


def test_every_list_is_asked_for_or_named_by_another():
    home = Path(agents.offline.__file__).parent
    code = [it.read_text() for it in home.rglob("*.py")]
    lists = {file: home.joinpath("lexicons", f"{file}.toml").read_text() for file in FILES}
    unused = [
        (file, name)
        for file, name in LISTS
        if f"‹{name}›" not in lists[file]
        and not any(f'"{file}"' in text and f'"{name}"' in text for text in code)
    ]
    assert unused == []
