"""Single keys that do something: one table for the script, the help, the hints and the settings.

The script reads it out of the help of the page, so a page and its script never disagree. What
somebody has changed stays in a cookie of their browser, as the theme does: it belongs to the
keyboard before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode

from infra.platform.errors import Invalid


@dataclass(frozen=True, slots=True)
class Shortcut:
    """``name`` is what the script knows it by. ``goes``: its key leads to a page, after that of
    ``go``. An empty ``key``: none.
    """

    name: str
    key: str
    says: str
    goes: bool = False


SHORTCUTS = (
    Shortcut("search", "/", "Search statements"),
    Shortcut("help", "?", "Show the shortcuts"),
    Shortcut("next", "j", "Next item"),
    Shortcut("previous", "k", "Previous item"),
    Shortcut("evidence", "e", "Show the evidence"),
    Shortcut("more", "n", "Next page of a list"),
    Shortcut("pause", "p", "Pause or resume a live list"),
    Shortcut("undo", "u", "Undo your last decision"),
    Shortcut("choose-1", "1", "Choose the first on a card"),
    Shortcut("choose-2", "2", "Choose the second on a card"),
    Shortcut("choose-3", "3", "Choose the third on a card"),
    Shortcut("choose-4", "4", "Choose the fourth on a card"),
    Shortcut("choose-5", "5", "Choose the fifth on a card"),
    Shortcut("choose-6", "6", "Choose the sixth on a card"),
    Shortcut("go", "g", "Go to a page, with the key of the page after it"),
    Shortcut("overview", "o", "Overview", goes=True),
    Shortcut("changes", "n", "Changes", goes=True),
    Shortcut("ledger", "l", "Ledger", goes=True),
    Shortcut("documents", "a", "Documents", goes=True),
    Shortcut("contradictions", "c", "Contradictions", goes=True),
    Shortcut("merges", "m", "Merges", goes=True),
    Shortcut("proposals", "v", "Proposals", goes=True),
    Shortcut("chat", "t", "Chat", goes=True),
    Shortcut("assistant", "i", "Assistant", goes=True),
    Shortcut("team", "p", "Team", goes=True),
    Shortcut("build", "f", "Build", goes=True),
    Shortcut("onboarding", "b", "Onboarding", goes=True),
    Shortcut("sources", "s", "Sources", goes=True),
    Shortcut("runs", "r", "Runs", goes=True),
    Shortcut("costs", "d", "Costs", goes=True),
    Shortcut("compare", "w", "Compare", goes=True),
    Shortcut("decisions", "h", "Decisions", goes=True),
    Shortcut("audit", "u", "Audit", goes=True),
    Shortcut("webhooks", "k", "Webhooks", goes=True),
)


def shortcuts_of(kept: str) -> list[Shortcut]:
    """The table with the keys that ``write_changes`` wrote down.

    Whoever took a key that a shortcut of ours has got since keeps it; ours is without one then.
    """
    changed = {name: key for name, key in parse_qsl(kept, keep_blank_values=True) if _is_key(key)}
    taken = {(it.goes, changed[it.name]) for it in SHORTCUTS if it.name in changed}
    return [
        replace(it, key=changed[it.name])
        if it.name in changed
        else replace(it, key="" if (it.goes, it.key) in taken else it.key)
        for it in SHORTCUTS
    ]


def choose_keys(wanted: Mapping[str, str]) -> list[Shortcut]:
    """The table with the keys of ``wanted``, by name; a missing one stays. `check_keys` refuses
    those that cannot be.
    """
    return [replace(it, key=wanted.get(it.name, it.key).strip()) for it in SHORTCUTS]


def check_keys(chosen: Iterable[Shortcut]) -> None:
    """Raises Invalid for what is no single key, and for a key that would do two things."""
    taken: dict[tuple[bool, str], Shortcut] = {}
    for it in chosen:
        if not _is_key(it.key):
            raise Invalid(f"“{it.says}” needs one character, or none.", code="not_a_key")
        if it.key and (other := taken.setdefault((it.goes, it.key), it)) is not it:
            raise Invalid(
                f"The key {it.key} is used twice: for “{other.says}” and for “{it.says}”. Give one"
                " of them another key.",
                code="key_used_twice",
            )


def write_changes(chosen: Iterable[Shortcut]) -> str:
    """What differs from the table, as a cookie holds it."""
    ours = {it.name: it.key for it in SHORTCUTS}
    return urlencode({it.name: it.key for it in chosen if it.key != ours[it.name]})


def _is_key(key: str) -> bool:
    return len(key) <= 1 and key.isprintable() and not key.isspace()
