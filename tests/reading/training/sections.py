"""What authors put under which kind of heading: ``python -m …training.sections CLONES FILE``.

A paragraph, item or row under «Drawbacks» is a risk by its author's own word, one under «Open
questions» an open question; what stands elsewhere in the same documents is mostly neither. That
teaches how such things are worded, for text without a heading. The projects and commits are in
``projects.tsv`` beside this file. The texts are other people's and stay where they are: CLONES is a
folder with a clone of each repository, named ``owner+name``. FILE gets one line a unit, for
``tests.reading.training.placement``.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from agents.offline.segment.prose import passages
from agents.offline.segment.sections import role_in
from agents.offline.segment.wording import strip_markup
from connectors.git import run_git
from connectors.repositories import open_view
from infra.measure.extract import clean_document
from tests.reading.training.judged_drafts import text_at

PROJECTS = Path(__file__).with_name("projects.tsv")
ELSEWHERE = "plain"
LENGTHS = range(20, 1_500)  # characters of a unit
WORDS = 4
BOILERPLATE = 3  # of one text in a project: a template's, nobody's statement
LARGEST = 400_000  # characters of a document
_DOCUMENT = re.compile(r"\.(?:md|mdx|rst|adoc)$", re.IGNORECASE)
_VENDORED = re.compile(r"(?:^|/)(?:node_modules|vendor|third_party)/")
_EMPTY = re.compile(r"\W*(?:n/?a|none|nothing|tbd|todo)\b", re.IGNORECASE)
_FORMS = frozenset({"paragraph", "item", "task", "row"})
_KINDS = {
    "decision": "decision",
    "risk": "risk",
    "unknown": "unknown",
    "action_item": "action_item",
    "requirement": "requirement",
    "story": "requirement",
    "nothing": "other",
}  # by what the reader takes a heading for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    lines = PROJECTS.read_text(encoding="utf-8").splitlines()
    with given.file.open("w", encoding="utf-8") as out, ProcessPoolExecutor() as pool:
        for units in pool.map(partial(units_of, given.clones), lines):
            out.writelines(f"{json.dumps(unit)}\n" for unit in units)


def units_of(clones: Path, line: str) -> list[dict[str, Any]]:
    """The units of one project's documents that have a telling heading, without boilerplate."""
    project, commit = line.split("\t")
    clone = clones / project.replace("/", "+")
    found = [unit for path, text in _documents(clone, commit) for unit in _units(path, text)]
    often = Counter(unit["text"] for unit in found)
    return [{"project": project, **unit} for unit in found if often[unit["text"]] < BOILERPLATE]


def _documents(clone: Path, commit: str) -> Iterator[tuple[str, str]]:
    with open_view(clone) as repository:
        listed = run_git(repository.directory, "ls-tree", "-r", "-z", "--name-only", commit)
    names = listed.decode("utf-8", "replace")
    for path in sorted(names.split("\0")):
        if _DOCUMENT.search(path) and not _VENDORED.search(path):
            yield path, text_at(clone, commit, path)


def _units(path: str, text: str) -> list[dict[str, Any]]:
    """The units of a document; none where no heading tells a kind."""
    if len(text) > LARGEST:
        return []
    found = []
    for chunk in clean_document(path, text).chunks:
        raw, whole = chunk.text_payload, chunk.anchor_start == 0
        for passage in passages(raw, chunk.structure_path, path, whole=whole):
            said = strip_markup(raw[passage.start : passage.end])
            if passage.form not in _FORMS or len(said) not in LENGTHS or _EMPTY.match(said):
                continue
            if said.count(" ") < WORDS - 1:
                continue
            role, direct = role_in(passage.headings)
            strong = direct and (role != "decision" or passage.opening)
            found.append({"label": _KINDS.get(role, ELSEWHERE), "strong": strong, "text": said})
    told = any(unit["label"] not in (ELSEWHERE, "other") for unit in found)
    return found if told else []


if __name__ == "__main__":
    main()
