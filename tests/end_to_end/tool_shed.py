"""A tool shed that lends tools: its repository, its documents, and what models by script make of
it. Nothing here needs a test runner: a stand-in for the Claude program imports it, too.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

REQUIREMENTS = """\
# The tool shed

## Requirements

- The shed must refuse a second loan of a tool that is already lent.
- The shed must name the neighbour who has borrowed a tool.
"""
NOTES = """\
# Notes of the meeting

The shed keeper must see every open loan on one page. We decided to keep loans in memory, because
the shed is small.
"""
DOCUMENTS = {"docs/requirements.md": REQUIREMENTS, "docs/meeting.md": NOTES}

LOANS = '''\
"""Who has which tool."""


class Shed:
    def __init__(self):
        self.loans = {}

    def lend(self, tool, neighbour):
        self.loans[tool] = neighbour
'''
REFUSES = '''\
"""Who has which tool."""


class AlreadyLent(Exception):
    pass


class Shed:
    def __init__(self):
        self.loans = {}

    def lend(self, tool, neighbour):
        if tool in self.loans:
            raise AlreadyLent(tool)
        self.loans[tool] = neighbour
'''
NAMES = (
    REFUSES
    + """
    def who_has(self, tool):
        return self.loans.get(tool)
"""
)
REFUSAL_TEST = '''\
def test_a_lent_tool_is_refused():
    """R-1"""
    from shed import loans

    shed = loans.Shed()
    shed.lend("drill", "Ana")
    try:
        shed.lend("drill", "Ben")
    except loans.AlreadyLent:
        return
    raise AssertionError("it was lent twice")
'''
NAME_TEST = '''\
def test_the_borrower_has_a_name():
    """R-2"""
    from shed.loans import Shed

    shed = Shed()
    shed.lend("drill", "Ana")
    assert shed.who_has("drill") == "Ana"
    assert shed.who_has("saw") is None
'''
# It passes only where nothing of the machine is seen: behind walls.
WALLS_TEST = """\
import os


def test_nothing_of_the_machine_is_here():
    assert not os.path.exists({outside!r})
"""
IDEA = """\
R-1: A tool that is lent is not lent again.
R-2: The shed names who has a tool.
"""
BRIEF = """\
## Summary

Loans of the shed are sound.

## Problem

A tool is lent twice, and nobody knows who has it.

## Requirements

- R-1: A tool that is lent is not lent again.
- R-2: The shed names who has a tool.

## Acceptance criteria

- A second loan of a tool is refused.
- The name of a borrower is read.

## Out of scope

- Returns.
"""
DESIGN = """\
## Context

A tool is lent twice, and nobody knows who has it.

## Requirements

- R-1: A tool that is lent is not lent again.
- R-2: The shed names who has a tool.

## Design

`Shed.lend` raises `AlreadyLent`; `Shed.who_has` reads the loan.

## Files to change

| File | Change | Purpose |
|---|---|---|
| shed/loans.py | modify | refuse and name |
| tests/test_lending.py | new | show both |

## Test plan

- A second loan is refused (R-1).
- The borrower is named (R-2).

## Risks

- Loans are lost with the process.
"""
SPECIFICATION = """\
## Overview

A lent tool is refused (R-1), and its borrower is named (R-2).

## Files to change

| File | Change | Purpose |
|---|---|---|
| shed/loans.py | modify | refuse and name |
| tests/test_lending.py | new | show both |

## Instructions

### shed/loans.py

Location: the class `Shed`.

Current:

```python
    def lend(self, tool, neighbour):
        self.loans[tool] = neighbour
```

Target signature:

```python
def who_has(self, tool):
```

Tests: `tests/test_lending.py::test_the_borrower_has_a_name`

### tests/test_lending.py

Target signature:

```python
def test_a_lent_tool_is_refused():
```

Tests: `tests/test_lending.py`

## Tests

- `test_a_lent_tool_is_refused` shows R-1.
- `test_the_borrower_has_a_name` shows R-2.

## Risks

- None is left.
"""
PLAN = """\
**Goal:** The shed lends a tool once and names who has it.

**Key files:**
- `shed/loans.py`

## Phase 1: Loans

### Task 1: Refuse a second loan
1. Write `tests/test_refusal.py`; it fails.
2. Raise `AlreadyLent` in `shed/loans.py`.

### Task 2: Name the borrower
1. Write `tests/test_name.py`; it fails.
2. Add `who_has` to `shed/loans.py`.
"""
LONGER_PLAN = f"""{PLAN}
### Task 3: Write a manual
1. Write `MANUAL.md`.
"""
WORK = {  # by what a task is called
    "Refuse a second loan": {"shed/loans.py": REFUSES, "tests/test_refusal.py": REFUSAL_TEST},
    "Name the borrower": {"shed/loans.py": NAMES, "tests/test_name.py": NAME_TEST},
    "Write a manual": {"MANUAL.md": "# Manual\n\nA tool is lent once.\n"},
}
SCENARIOS = {
    "scenarios": [
        {
            "name": "test_a_lent_tool_is_refused",
            "requirements": ["R-1"],
            "path": "tests/test_lending.py",
            "checks": "A second loan is refused.",
        },
        {
            "name": "test_the_borrower_has_a_name",
            "requirements": ["R-2"],
            "path": "tests/test_lending.py",
            "checks": "The borrower is named.",
        },
    ]
}
LENDING_TESTS = f"{REFUSAL_TEST}\n\n{NAME_TEST}"
DRAFTS = {  # by what a system prompt begins with
    "You turn an idea into the brief": BRIEF,
    "You write the low-level design": DESIGN,
    "You turn an approved low-level design": SPECIFICATION,
    "You plan the tests": json.dumps(SCENARIOS),
}


def draft(prompt: str) -> str:
    """The document that is asked for."""
    return next((text for words, text in DRAFTS.items() if words in prompt), "Hello.")


def write(system: str, prompt: str) -> dict[str, str]:
    """The files that a coding model writes, given its instructions and what it was asked last."""
    if "You write tests, and only tests" in system:
        return {"tests/test_lending.py": LENDING_TESTS}
    if "You make a change in this repository" in system:
        return {"shed/loans.py": NAMES}
    return next((files for title, files in WORK.items() if title in prompt), {})


def answer(system: str) -> str:
    """What a coding model says without tools: a plan, or that each issue is to be mended."""
    if "You plan a change" in system:
        return PLAN
    items = [{"issue": 1, "decision": "IMPLEMENT", "reason": "It is right."}]
    return json.dumps({"items": items})


def make_repository(folder: Path, outside: Path) -> Path:
    """The shed with one commit; ``outside`` is a file that its tests must not see."""
    files = {
        ".gitignore": "__pycache__/\n.pytest_cache/\n",
        "shed/__init__.py": "",
        "shed/loans.py": LOANS,
        "tests/test_walls.py": WALLS_TEST.format(outside=str(outside)),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for command in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "Begin")):
        git(folder, "-c", "user.name=Ana", "-c", "user.email=ana@example.com", *command)
    return folder


def git(repository: Path, *arguments: str) -> str:
    command, environ = ["git", *arguments], os.environ | {"LC_ALL": "C"}
    done = subprocess.run(command, cwd=repository, check=True, capture_output=True, env=environ)
    return done.stdout.decode()


def write_files(folder: Path, files: dict[str, Any]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
