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


def matches(lexicon, entry, text):
    if entry.words:
        return text in entry.words
    pattern = lexicon.compile(entry)
    return bool((pattern.match if lexicon.anchored else pattern.search)(text))


@pytest.mark.parametrize("file", FILES)
def test_each_entry_matches_its_example_and_not_its_counterexample(file):
    wrong = [
        f"{name}.{entry.id}"
        for name, lexicon in read_lexicons(file).items()
        for entry in lexicon.entries
        if not matches(lexicon, entry, entry.example)
        or matches(lexicon, entry, entry.counterexample)
    ]
    assert wrong == []


@pytest.mark.parametrize("file", FILES)
def test_each_list_is_told_apart_by_ids_and_is_of_one_sort(file):
    for name, lexicon in read_lexicons(file).items():
        entries = lexicon.entries
        assert len({entry.id for entry in entries}) == len(entries), name
        assert len({bool(entry.words) for entry in entries}) == 1, name
        assert all(bool(entry.words) != bool(entry.patterns) for entry in entries), name


@pytest.mark.parametrize("file", FILES)
def test_each_list_as_a_whole_finds_what_its_entries_find(file):
    missed = [
        f"{name}.{entry.id}"
        for name, lexicon in read_lexicons(file).items()
        for find in [find_in_whole(file, name, lexicon)]
        for entry in lexicon.entries
        if not find(entry.example)
    ]
    assert missed == []


def find_in_whole(file, name, lexicon):
    if lexicon.words:
        return load_words(file, name).__contains__
    whole = Wording(file, name)
    return whole.match if lexicon.anchored else whole.search


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
