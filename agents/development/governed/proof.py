"""Proofs that nothing goes round a review: on compiled graphs, and on the events of a run.

On a graph: every way from the beginning to the node that makes the artifact leads through the node
of the review. Where one does not, the edge is named that goes round it. On events: what became an
artifact was approved, these very bytes, by a verdict or by a person.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from schemas.events.workflow import GateWaived, WorkflowEvent
from schemas.events.workflow_stages import StageArtifactProduced, VerdictGiven

START = "__start__"
MOST_BYPASSES = 3
WITHOUT_REVIEW = frozenset(("intelligence_report",))  # nothing is built on it
Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Bypass:
    """A way that leads round the review, and the edge of it that opens it."""

    edge: Edge
    path: tuple[str, ...]

    def __str__(self) -> str:
        first, second = self.edge
        return f"The edge {first} -> {second} goes round the review: {' -> '.join(self.path)}."


def list_edges(compiled: Any) -> list[Edge]:
    """The edges of a compiled graph, those that a node may choose among them."""
    return [(edge.source, edge.target) for edge in compiled.get_graph().edges]


def find_bypasses(edges: Collection[Edge], review: str, final: str) -> list[Bypass]:
    """The edges because of which ``review`` does not dominate ``final``; empty: it does.

    They are the fewest edges without which it would, while each node could still be reached.
    """
    whole = list(dict.fromkeys(edges))
    if not find_path(whole, START, final, without=review):
        return []
    openings = _list_openings(whole, review, final)
    named = openings  # where more edges than that lead round it, all that could are named
    for size in range(1, MOST_BYPASSES + 1):
        sets = combinations(openings, size)
        if fewest := next((it for it in sets if _is_sound(whole, it, review, final)), None):
            named = list(fewest)
            break
    return [Bypass(edge, tuple(_pass_through(whole, edge, review, final))) for edge in named]


def find_path(edges: Iterable[Edge], start: str, end: str, without: str = "") -> list[str]:
    """A shortest way from node to node that leaves one out; empty: there is none."""
    targets: dict[str, list[str]] = {}
    for source, target in edges:
        targets.setdefault(source, []).append(target)
    before: dict[str, str] = {start: ""}
    ahead = deque([start])
    while ahead:
        node = ahead.popleft()
        if node == end:
            return _trace(before, end)
        for target in targets.get(node, ()):
            if target != without and target not in before:
                before[target] = node
                ahead.append(target)
    return []


def find_unapproved(events: Sequence[WorkflowEvent]) -> list[str]:
    """The artifacts of a run that nobody has approved, a sentence each; empty: all are."""
    approved: dict[str, set[str]] = {"verdict": set(), "waiver": set(), "optional": set()}
    problems = []
    for event in sorted(events, key=lambda each: each.ordinal):
        if isinstance(event, VerdictGiven) and event.verdict == "APPROVE":
            approved["verdict"].add(event.artifact_hash)
        elif isinstance(event, VerdictGiven) and event.verdict == "SKIPPED_OPTIONAL":
            approved["optional"].add(event.artifact_hash)
        elif isinstance(event, GateWaived) and event.actor and event.reason:
            approved["waiver"].add(event.artifact_hash)
        elif isinstance(event, StageArtifactProduced):
            problem = _judge(event, approved)
            problems += [problem] if problem else []
    return problems


def _judge(event: StageArtifactProduced, approved: Mapping[str, set[str]]) -> str:
    if event.artifact_type in WITHOUT_REVIEW:
        return ""
    if event.approval == "optional" and event.artifact_type != "issue":
        return (
            f"Event {event.ordinal} makes a {event.artifact_type} without a review, which is"
            " optional for issues alone."
        )
    if event.artifact_hash in approved.get(event.approval, ()):
        return ""
    return (
        f"Event {event.ordinal} makes a {event.artifact_type} of {event.artifact_hash[:16]}, which"
        f" no {event.approval} before it is about."
    )


def _list_openings(edges: Sequence[Edge], review: str, final: str) -> list[Edge]:
    """The edges of all ways that go round the review."""
    return [edge for edge in edges if _pass_through(edges, edge, review, final)]


def _pass_through(edges: Sequence[Edge], edge: Edge, review: str, final: str) -> list[str]:
    """A way round the review over this edge; empty: there is none."""
    source, target = edge
    if review in edge:
        return []
    before = find_path(edges, START, source, without=review)
    after = find_path(edges, target, final, without=review)
    return [*before, *after] if before and after else []


def _is_sound(edges: Sequence[Edge], left_out: Collection[Edge], review: str, final: str) -> bool:
    others = [edge for edge in edges if edge not in left_out]
    return not find_path(others, START, final, without=review) and all(
        find_path(others, START, node) for node in {target for _, target in edges}
    )


def _trace(before: Mapping[str, str], end: str) -> list[str]:
    path = [end]
    while before[path[-1]]:
        path.append(before[path[-1]])
    return path[::-1]
