"""Decisions in words: who decided what about which statements, and why."""

from __future__ import annotations

from collections.abc import Mapping

from projections.read.session import Row
from schemas.document_roles.public import ROLE_NAMES
from schemas.events.hitl import SHORTEST_RATIONALE
from schemas.shortening import shorten

LONGEST_TITLE, LONGEST_REASON = 120, 300

# What was done, and what somebody proposes or wanted to do; ``{a}`` and ``{b}`` are the statements.
# Of a merge that was done ``{a}`` is the one that is kept.
WORDS: Mapping[str, tuple[str, str]] = {
    "merge_review:approve": ("merged {b} into {a}", "merge {a} and {b}"),
    "merge_review:reject": ("kept {a} and {b} apart", "keep {a} and {b} apart"),
    "merge_review:reopen": ("put {a} and {b} in review again", "put {a} and {b} in review again"),
    "contradiction_resolution:a_wins": (
        "decided that {a} is right and {b} is not",
        "decide that {a} is right and {b} is not",
    ),
    "contradiction_resolution:b_wins": (
        "decided that {b} is right and {a} is not",
        "decide that {b} is right and {a} is not",
    ),
    "contradiction_resolution:both_valid": (
        "decided that {a} and {b} are both valid",
        "decide that {a} and {b} are both valid",
    ),
    "contradiction_resolution:reworded": (
        "decided that {a} and {b} differ in their wording only",
        "decide that {a} and {b} differ in their wording only",
    ),
    "contradiction_resolution:dismiss": (
        "decided that {a} and {b} do not contradict each other",
        "decide that {a} and {b} do not contradict each other",
    ),
    "contradiction_resolution:escalate": (
        "escalated the contradiction of {a} and {b}{to}",
        "escalate the contradiction of {a} and {b}{to}",
    ),
    "contradiction_resolution:reopen": (
        "opened the contradiction of {a} and {b} again",
        "open the contradiction of {a} and {b} again",
    ),
    "atom_verification": ("verified {a}", "verify {a}"),
    "unverify": ("withdrew the verification of {a}", "withdraw the verification of {a}"),
    "atom_dismissal": ("dismissed {a}", "dismiss {a}"),
    "atom_reinclusion": ("included {a} again", "include {a} again"),
    "unmerge": ("separated {a} from {b} again", "separate {a} from {b} again"),
    "document_role": (
        "said that the document {a} is {role}",
        "say that the document {a} is {role}",
    ),
    "document_role:as_told": (
        "left the role of the document {a} to its names",
        "leave the role of the document {a} to its names",
    ),
    "proposal": ("answered a proposal", "answer a proposal"),
}

# The ledger's reasons for a refusal.
REFUSALS: Mapping[str, str] = {
    "stale_revision": "it has changed since it was looked at",
    "unknown_target": "the ledger does not know it",
    "role_may_only_propose": "only an owner or a product manager answers a proposal",
    "not_own_proposal": "only who has proposed it withdraws it",
    "already_proposed": "the same person has proposed the same already, and it waits",
    "not_waiting": "it is no proposal that waits, or it is answered already",
    "rationale_too_short": "a resolution needs a rationale of at least"
    f" {SHORTEST_RATIONALE} characters",
    "rationale_missing": "it needs a rationale",
    "resolution_kind_missing": "it does not say how the contradiction is resolved",
    "not_open": "it is decided already, or one of its sides is gone",
    "not_live": "it is not live any more",
    "not_dismissed": "it is not dismissed",
    "not_verified": "it is not verified",
    "not_merged": "it is not merged into another atom",
    "decided_since": "something was decided about it since then",
    "not_decided": "there is no decision about it to take back",
    "side_gone": "one of its sides is gone",
    "record_too_large": "its effect is too large for one record of the log",
    "undecidable": "the ledger could not decide it; the dead letters say why",
}


def sides_of(row: Row) -> tuple[str, str | None]:
    """The atoms that a decision is about; of a merge that was done, first the one that is kept."""
    before, target = row["before_state"], row["target_id"]
    if row["target_type"] == "atom":
        held = {atom["atom_id"]: atom["merged_into"] for atom in before["atoms"]}
        return target, held.get(target) if row["action"] == "unmerge" else None
    for record in (*before["merge_candidates"], *before["contradictions"]):
        if target in (record.get("merge_candidate_id"), record.get("contradiction_id")):
            first, second = record["atom_a_id"], record["atom_b_id"]
            return (second, first) if loser_of(row) == first else (first, second)
    return target, None


def loser_of(row: Row) -> str | None:
    """The atom that an approved merge has merged away."""
    if (row["action"], row["decision"]) != ("merge_review", "approve"):
        return None
    before = {atom["atom_id"]: atom["status"] for atom in row["before_state"]["atoms"]}
    for atom in (row["after_state"] or {"atoms": []})["atoms"]:
        if atom["status"] == "merged" and before.get(atom["atom_id"]) != "merged":
            return str(atom["atom_id"])
    return None


def describe(row: Row, titles: Mapping[str, str]) -> str:
    """One sentence: who, what, about which statements and why."""
    because = shorten(" ".join(row["rationale"].split()), LONGEST_REASON)
    act = describe_act(row, titles)
    return f"{act} because “{because}”." if because else f"{act.rstrip(',')}."


def describe_act(row: Row, titles: Mapping[str, str]) -> str:
    """Who did what, up to where the reason begins."""
    actor = row["actor_id"]
    done, to_do = _fill(row, titles)
    match row["outcome"]:
        case "proposed":
            return f"{actor} proposes to {to_do}"
        case "declined":
            return f"{actor} declined what {row['proposed_by']} proposed, to {to_do},"
        case "withdrawn":
            return f"{actor} withdrew the proposal to {to_do},"
        case "refused":
            why = REFUSALS.get(row["refusal"], "the ledger refused it")
            return f"{actor} wanted to {to_do}, which was refused ({why}),"
        case _:
            by = row["proposed_by"]
            return f"{actor} {done}, as {by} proposed," if by else f"{actor} {done}"


def describe_proposed(row: Row, titles: Mapping[str, str]) -> str:
    """What is proposed: ``merge “…” and “…”``."""
    return _fill(row, titles)[1]


def _fill(row: Row, titles: Mapping[str, str]) -> tuple[str, str]:
    key = f"{row['action']}:{row['decision']}" if row["target_type"] != "atom" else row["action"]
    done, to_do = WORDS.get(key, WORDS.get(row["action"], WORDS["proposal"]))
    first, second = (_quote(each, titles) for each in sides_of(row))
    to = f" to {row['escalated_to']}" if row["escalated_to"] else ""
    role = ROLE_NAMES.get(row["decision"], row["decision"])
    filled = {"a": first, "b": second, "to": to, "role": role}
    return done.format(**filled), to_do.format(**filled)


def _quote(atom_id: str | None, titles: Mapping[str, str]) -> str:
    if atom_id is None:
        return "another statement"
    title = titles.get(atom_id)
    return f"“{shorten(' '.join(title.split()), LONGEST_TITLE)}”" if title else atom_id
