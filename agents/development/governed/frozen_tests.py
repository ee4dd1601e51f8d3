"""Which files are tests, and that whoever writes code leaves them as they are.

Frozen are files of tests and the settings that say how tests run: a conftest or a table of pytest
could make any test pass as well as a change of the test itself.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.development.workflow_ports import FileChange

_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "testing", "testdata"))
_TEST_FILE = re.compile(
    r"(?:test_.*\.\w+|.*_test\.\w+|.*\.(?:test|spec)\.\w+|.*_spec\.\w+|.*Tests?\.(?:java|kt|cs)"
    r"|conftest\.py)$"
)
_SETTINGS_FILE = re.compile(
    r"(?:pytest\.ini|\.pytest\.ini|tox\.ini|setup\.cfg|\.coveragerc|noxfile\.py|sitecustomize\.py"
    r"|usercustomize\.py|(?:jest|vitest|karma|playwright)\.config\.\w+|\.mocharc\.\w+)$"
)
SHARED = ("pyproject.toml", "package.json")  # hold settings of tests among others


def is_test(path: str) -> bool:
    """Whether the path is that of a file of tests."""
    *folders, name = path.split("/")
    return any(folder.lower() in _FOLDERS for folder in folders) or bool(_TEST_FILE.match(name))


def is_frozen(path: str) -> bool:
    """Whether nobody but the writer of tests may touch the file."""
    return is_test(path) or bool(_SETTINGS_FILE.match(path.split("/")[-1]))


def list_refused(
    changes: Iterable[FileChange], before: Mapping[str, str], after: Mapping[str, str]
) -> list[str]:
    """The paths that a writer of code must not have changed. ``before`` and ``after`` are the texts
    of the shared files that are among the changes.
    """
    return [
        change.path
        for change in changes
        if is_frozen(change.path)
        or _read_settings(change.path, before) != _read_settings(change.path, after)
    ]


def list_shared(changes: Sequence[FileChange]) -> list[str]:
    """The changed files whose settings of tests have to be compared."""
    return [change.path for change in changes if change.path.split("/")[-1] in SHARED]


def _read_settings(path: str, texts: Mapping[str, str]) -> Any:
    """What the file says about running tests; a file that cannot be read is its own text."""
    text, name = texts.get(path, ""), path.split("/")[-1]
    if name not in SHARED or not text:
        return {}
    try:
        if name == "pyproject.toml":
            tools = tomllib.loads(text).get("tool", {})
            return {each: tools[each] for each in ("pytest", "tox", "coverage") if each in tools}
        data = json.loads(text)
        scripts = data.get("scripts", {})
        settings = {"test": scripts.get("test"), "jest": data.get("jest")}
        return {each: value for each, value in settings.items() if value is not None}
    except (ValueError, AttributeError, RecursionError, TypeError):
        return text
