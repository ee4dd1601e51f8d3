"""The members of a workspace as pseudonyms: no text that leaves this package names one.

Ids, mentions, full names, handles and first names in the workspace's list of members are replaced.
A first name that is also a word («Will», «Mark») counts as a name only inside a sentence: at its
beginning it is usually the word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from connectors.payloads import Payload, UnreadablePayload, part, required_text, text

ALSO_WORDS = frozenset(
    {"april", "art", "august", "autumn", "bill", "buck", "case", "chance", "chase", "chip", "dawn"}
    | {"dean", "drew", "faith", "frank", "gene", "glen", "grace", "grant", "guy", "hope", "hunter"}
    | {"jack", "jan", "jay", "joy", "june", "lane", "mark", "max", "may", "mason", "miles", "norm"}
    | {"page", "pat", "penny", "ray", "rich", "rob", "rose", "ruby", "rusty", "sandy", "scout"}
    | {"skip", "sue", "summer", "will", "win", "major", "bot", "admin", "support", "team", "test"}
)
_MEMBER_ID = re.compile(r"\b[UW][A-Z0-9]+\b")
SLACKBOT = "USLACKBOT"  # in no list of members
LEAST_OF_A_NAME = 3  # characters

Pseudonym = Callable[[str], str]


def introduced(messages: Iterable[Payload]) -> list[Payload]:
    """Members as messages show who wrote them: of other workspaces, and of lists that lack some."""
    members = {}
    for message in messages:
        member_id, profile = message.get("user"), message.get("user_profile")
        if isinstance(member_id, str) and isinstance(profile, Mapping):
            members[member_id] = {"id": member_id, "name": profile.get("name"), "profile": profile}
    return list(members.values())


class People:
    """The members of a workspace. ``pseudonym`` maps a member id to ``p_…``.

    A member that cannot be read is passed over: ``unread`` counts them.
    """

    def __init__(self, members: Iterable[Any], pseudonym: Pseudonym) -> None:
        self._pseudonym = pseudonym
        self._bots: set[str] = set()
        self._ids: set[str] = set()
        self._names: dict[str, str] = {}
        self.unread = 0
        for member in members:
            try:
                self._learn(member)
            except (UnreadablePayload, AttributeError):
                self.unread += 1
        self._pattern = _pattern(self._names)

    def author(self, member_id: str) -> str:
        """A member's pseudonym, known or not; also the owner of the key of their words."""
        return self._pseudonym(member_id)

    def speak(self, member_id: str) -> str:
        """The placeholder of a member in a text."""
        return f"[PERSON:{self._pseudonym(member_id)}]"

    def is_bot(self, member_id: str) -> bool:
        return member_id == SLACKBOT or member_id in self._bots

    def without_names(self, text: str) -> str:
        """``text`` with the names of members replaced by their pseudonyms."""
        text = _MEMBER_ID.sub(self._replace_id, text)
        return self._pattern.sub(self._replace_name, text) if self._pattern else text

    def _replace_id(self, match: re.Match[str]) -> str:
        """Ids also occur in addresses of files and profiles."""
        return self.speak(match[0]) if match[0] in self._ids else match[0]

    def _learn(self, member: Payload) -> None:
        member_id, profile = required_text(member, "id"), part(member, "profile")
        self._ids.add(member_id)
        if member.get("is_bot") or member_id == SLACKBOT:
            self._bots.add(member_id)
            return
        full = [text(profile, name) for name in ("real_name", "display_name")]
        full += [text(member, "real_name"), text(member, "name"), text(profile, "first_name")]
        firsts = [name.split()[0] for name in full if " " in name.strip()]
        for name in (*full, *firsts):
            bare = name.strip().lstrip("@")
            if len(bare) >= LEAST_OF_A_NAME and not bare.isdecimal():
                self._names.setdefault(bare.lower(), member_id)

    def _replace_name(self, match: re.Match[str]) -> str:
        label, handle = match[2], match[1]
        name = label.lower()
        is_word = name in ALSO_WORDS and not handle
        if is_word and (label.islower() or _begins_a_sentence(match)):
            return match[0]
        if label.islower() and not handle and " " not in label and name.isalpha():
            return match[0]  # «anna» is hardly ever written so, «rose» often
        return self.speak(self._names[name])


def _pattern(names: dict[str, str]) -> re.Pattern[str] | None:
    if not names:
        return None
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(
        rf"(?<![\w@/.:-])(@?)({'|'.join(map(re.escape, longest_first))})(?![\w@]|[./-]\w)",
        re.IGNORECASE,
    )


def _begins_a_sentence(match: re.Match[str]) -> bool:
    before = match.string[: match.start()].rstrip(" \t*_~>\"'")
    return not before or before[-1] in ".!?:\n-•"
