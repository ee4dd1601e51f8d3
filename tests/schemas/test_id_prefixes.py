"""Every prefix of an id is listed, since the redactor leaves alone what has one."""

from __future__ import annotations

import ast
import re

from schemas.ids import ID_PREFIXES, derive_id
from streams.hygiene.chunks.python import syntax_tree
from streams.hygiene.redaction.strings import redact_text
from tests.topology.test_imports import files


def prefixes_in_code() -> set[str]:
    """Of ids that are derived (``derive_id``, ``pair_id``) or drawn (``secrets.token_hex``)."""
    found: set[str] = set()
    for path in files():
        text = path.read_text()
        found |= set(re.findall(r"f\"([a-z]+)_\{secrets\.token_hex\(16\)\}", text))
        for node in ast.walk(syntax_tree(text)):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[0]
            if name in ("derive_id", "pair_id") and isinstance(first, ast.Constant):
                found.add(str(first.value))
    return found


def test_the_list_of_prefixes_is_that_of_the_code():
    assert sorted(ID_PREFIXES) == sorted(prefixes_in_code())


def test_an_id_is_no_secret_whatever_stands_beside_it():
    for prefix in ID_PREFIXES:
        line = f"the password is told in {derive_id(prefix, 'a')}, its token in [{prefix}_…]"
        assert redact_text(line) == line


def test_the_same_digits_without_a_prefix_are_one():
    (digits,) = re.findall(r"[0-9a-f]{32}", derive_id("atm", "a"))
    assert digits not in redact_text(f"the password is {digits}")
    assert digits not in redact_text(f"the password is told in yatm_{digits}")
    for longer in (digits + digits[:8], digits + digits[::-1]):
        assert longer not in redact_text(f"the password is gen_{longer}")
