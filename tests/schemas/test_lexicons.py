"""Every entry of every lexicon matches its example and not its counterexample."""

import importlib
import pkgutil
import tomllib
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agents
import streams
from schemas.lexicons import Lexicons, Wording

ROOMS = {  # the package that has the files, by the room whose code asks for them
    "agents/offline": "agents.offline.lexicons",
    "agents/project": "agents.project.lexicons",
    "agents/runs": "agents.runs.consent.lexicons",
    "agents/development": "agents.development.shell.lexicons",
    "streams": "streams.lexicons",
    "schemas/document_roles": "schemas.document_roles.lexicons",
}
FILES = [
    (room, home, file.name.removesuffix(".toml"))
    for room, home in ROOMS.items()
    for file in sorted(resources.files(home).iterdir(), key=lambda it: it.name)
    if file.name.endswith(".toml")
]
SIGNS = "aZ5äÖß.…!?,:;()[]{}|#*_`'’\"“–—/ \n"
EACH_FILE = pytest.mark.parametrize(("home", "file"), [row[1:] for row in FILES])


def matches(lexicon, entry, text):
    if entry.words:
        return text in entry.words
    if entry.groups:
        one, other = text.split()
        return any(one in group and other in group for group in entry.groups)
    pattern = lexicon.compile(entry)
    return bool((pattern.match if lexicon.anchored else pattern.search)(text))


@EACH_FILE
def test_each_entry_matches_its_example_and_not_its_counterexample(home, file):
    wrong = [
        f"{name}.{entry.id}"
        for name, lexicon in Lexicons(home).read(file).items()
        for entry in lexicon.entries
        if not matches(lexicon, entry, entry.example)
        or matches(lexicon, entry, entry.counterexample)
    ]
    assert wrong == []


@EACH_FILE
def test_each_list_is_told_apart_by_ids_and_is_of_one_sort(home, file):
    for name, lexicon in Lexicons(home).read(file).items():
        entries = lexicon.entries
        assert len({entry.id for entry in entries}) == len(entries), name
        sorts = [(bool(entry.patterns), bool(entry.words), bool(entry.groups)) for entry in entries]
        assert len(set(sorts)) == 1, name
        assert sum(sorts[0]) == 1, name


def list_words(entry):
    words = entry.get("words", entry.get("groups", ()))
    return words.split() if isinstance(words, str) else words


@EACH_FILE
def test_no_word_stands_twice_in_an_entry(home, file):
    text = resources.files(home).joinpath(f"{file}.toml").read_text()
    twice = [
        (f"{name}.{entry['id']}", each)
        for name, table in tomllib.loads(text).items()
        for entry in table["entry"]
        for each, count in Counter(list_words(entry)).items()
        if count > 1
    ]
    assert twice == []


@EACH_FILE
def test_each_list_as_a_whole_finds_what_its_entries_find(home, file):
    missed = [
        f"{name}.{entry.id}"
        for name, lexicon in Lexicons(home).read(file).items()
        for find in [find_in_whole(home, file, name, lexicon)]
        for entry in lexicon.entries
        if not find(entry.example)
    ]
    assert missed == []


def list_texts(home, file):
    entries = [it for each in Lexicons(home).read(file).values() for it in each.entries]
    return [text for it in entries for text in (it.example, it.counterexample)]


@EACH_FILE
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_a_list_says_of_a_text_what_its_pattern_finds(home, file, data):
    drawn = st.lists(st.one_of(st.sampled_from(list_texts(home, file)), st.text(SIGNS, max_size=8)))
    texts = [*list_texts(home, file), data.draw(drawn.map(" ".join))]
    room = importlib.import_module(home)
    lists = Lexicons(home).read(file).items()
    wordings = [room.Wording(file, name) for name, each in lists if each.entries[0].patterns]
    different = [
        (it.pattern.pattern, text)
        for it in wordings
        for text in texts
        if it.says(text) != (it.search(text) is not None)
    ]
    assert different == []


def find_in_whole(home, file, name, lexicon):
    if lexicon.words:
        return Lexicons(home).load_words(file, name).__contains__
    if groups := Lexicons(home).load_groups(file, name):
        return lambda text: any(set(text.split()) <= set(group) for group in groups)
    room = importlib.import_module(home)
    whole = room.Wording(file, name)
    return whole.match if lexicon.anchored else whole.search


WITH_WORDINGS = ("agents.offline.", "agents.project.", "agents.runs.", "streams.")


def list_modules():
    for room in (agents, streams):
        for it in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            if it.name.startswith(WITH_WORDINGS):
                yield importlib.import_module(it.name)


def test_every_wording_that_a_rule_asks_for_is_there():
    wordings = [
        it for module in list_modules() for it in vars(module).values() if isinstance(it, Wording)
    ]
    assert len(wordings) > len(FILES)
    assert all(it.pattern.pattern for it in wordings)


def test_every_list_is_asked_for_or_named_by_another():
    root = Path(agents.__file__).parents[1]
    unused = []
    for room, home, file in FILES:
        code = [it.read_text() for it in (root / room).rglob("*.py")]
        text = resources.files(home).joinpath(f"{file}.toml").read_text()
        unused += [
            (file, name)
            for name in Lexicons(home).read(file)
            if f"‹{name}›" not in text
            and not any(f'"{file}"' in each and f'"{name}"' in each for each in code)
        ]
    assert unused == []
